"""The number of shards of the computation that a thread is building."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from tpuref.base.arguments import wrong_type

_Function = TypeVar("_Function", bound=Callable[..., Any])


class TpuContext(threading.local):
    """The computation that a thread is building."""

    number_of_shards: int | None = None  # None outside of a computation

    def set_number_of_shards(self, number_of_shards: int | None) -> None:
        """Set the number of shards."""
        self.number_of_shards = number_of_shards


_CONTEXT = TpuContext()


def get_tpu_context() -> TpuContext:
    """Return the context of the computation that this thread is building.

    Examples
    --------
    >>> from tpuref.python.tpu import tpu_function
    >>> seen = []
    >>> def computation(x):
    ...     seen.append(tpu_function.get_tpu_context().number_of_shards)
    ...     return x
    >>> _ = tf.tpu.shard(computation, [tf.zeros([4])], num_shards=2)
    >>> seen
    [2]
    """
    return _CONTEXT


@contextlib.contextmanager
def tpu_shard_context(number_of_shards: int) -> Iterator[None]:
    """Set the number of shards in a ``with`` block; NotImplementedError if nested."""
    if _CONTEXT.number_of_shards is not None:
        raise NotImplementedError(
            f"tpu_shard_context({number_of_shards}): cannot be nested in a context of "
            f"{_CONTEXT.number_of_shards} shards; leave that one first"
        )
    _CONTEXT.set_number_of_shards(number_of_shards)
    try:
        yield
    finally:
        _CONTEXT.set_number_of_shards(None)


def on_device_training_loop(func: _Function) -> _Function:
    """Mark a function's loop as the steps of trace tools; without effect here."""
    try:
        func.step_marker_location = (  # type: ignore[attr-defined]
            "STEP_MARK_AT_TOP_LEVEL_WHILE_LOOP"
        )
    except (AttributeError, TypeError):  # not a function of Python
        argument = "tpu_function.on_device_training_loop: func"
        raise wrong_type(argument, "a function", func) from None
    return func
