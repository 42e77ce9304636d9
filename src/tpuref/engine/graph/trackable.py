"""What libraries derive their values and objects from: Keras's variables and layers."""

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


CHILDREN = "_self_unconditional_dependency_names"
"""The attribute of the tracked objects; Keras does not save one of this name."""


class AutoTrackable(Trackable):
    """The base of objects that say which of their attributes a checkpoint holds."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, and track objects and plain containers.

        A library sets ``_self_setattr_tracking`` to False while it sets others.
        """
        tracked = isinstance(value, Trackable) or type(value) in (list, tuple, dict)
        if tracked and getattr(self, "_self_setattr_tracking", True):
            self._track_trackable(value, name, overwrite=True)
        super().__setattr__(name, value)

    def _track_trackable(
        self, trackable: Any, name: str, overwrite: bool = False
    ) -> Any:
        """Let the checkpoint hold an object under a name; return the object."""
        held = self.__dict__.setdefault(CHILDREN, {})
        if not overwrite and held.get(name, trackable) is not trackable:
            raise ValueError(f"{self!r} already tracks another object named {name!r}")
        held[name] = trackable
        return trackable

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        """Return the tracked objects, in the order in which they were set."""
        return dict(self.__dict__.get(CHILDREN, {}))

    def _untracked_containers(self) -> dict[str, Any]:
        """Return the containers of other types, such as Keras's lists of layers.

        TensorFlow saves what they hold only if something else leads to it.
        """
        return {k: v for k, v in vars(self).items() if isinstance(v, (list, dict))}


def no_automatic_dependency_tracking(method: Method) -> Method:
    """Return a method that may set attributes without tracking them: the method."""
    return method


class ListWrapper(list[Any]):
    """A list that TensorFlow tracks; tpuref tracks plain lists and makes none."""


class DictWrapper(dict[Any, Any]):
    """A dict that TensorFlow tracks; tpuref tracks plain dicts and makes none."""
