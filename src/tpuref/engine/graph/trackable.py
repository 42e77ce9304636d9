"""What libraries derive their values and objects from: Keras's variables and layers."""

from __future__ import annotations

from typing import Any, TypeVar

from tpuref.engine.graph.tensor import Tensor

Method = TypeVar("Method")


class TensorProtocol:
    """The base of values that ``__tf_tensor__`` converts, such as Keras's variables."""

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        """Return the value as a tensor."""
        raise NotImplementedError

    def _as_tensor(self) -> Tensor:
        return self.__tf_tensor__()


class Trackable:
    """The base of objects that a checkpoint can hold."""


class AutoTrackable(Trackable):
    """The base of objects that say which of their attributes a checkpoint holds."""

    def _track_trackable(
        self, trackable: Any, name: str, overwrite: bool = False
    ) -> Any:
        """Let the checkpoint hold an object under a name; return the object."""
        held = self.__dict__.setdefault("_self_children", {})
        if not overwrite and held.get(name, trackable) is not trackable:
            raise ValueError(f"{self!r} already tracks another object named {name!r}")
        held[name] = trackable
        return trackable

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        """Return the tracked objects, and the attributes that are containers."""
        own = dict(self.__dict__.get("_self_children", {}))
        for name, value in vars(self).items():
            if isinstance(value, (list, tuple, dict)) and not name.startswith("_self"):
                own.setdefault(name, value)
        return own


def no_automatic_dependency_tracking(method: Method) -> Method:
    """Return a method that may set attributes without tracking them: the method."""
    return method


class ListWrapper(list[Any]):
    """A list that TensorFlow tracks; tpuref tracks plain lists and makes none."""


class DictWrapper(dict[Any, Any]):
    """A dict that TensorFlow tracks; tpuref tracks plain dicts and makes none."""
