"""What Keras takes of strategies from TensorFlow's ``tf.__internal__``."""

from abc import ABC
from collections.abc import Callable
from typing import Any

from tpuref.engine.differentiation.indexed_slices import IndexedSlices
from tpuref.interface.data.sparse import SparseTensor
from tpuref.interface.distribute.current import get_replica_context
from tpuref.interface.distribute.member import Member
from tpuref.interface.distribute.values import PerDevice


class CompositeTensor(ABC):  # noqa: B024 - a kind of values, without methods
    """The kind of values that consist of several tensors."""


CompositeTensor.register(PerDevice)
CompositeTensor.register(IndexedSlices)
CompositeTensor.register(SparseTensor)


def maybe_merge_call(
    fn: Callable[..., Any], strategy: Any, *args: Any, **kwargs: Any
) -> Any:
    """Call ``fn(strategy, *args, **kwargs)`` in cross-replica context."""
    context = get_replica_context()
    if context is None:
        return fn(strategy, *args, **kwargs)
    return Member.merge_call(context, fn, *args, **kwargs)


def strategy_supports_no_merge_call() -> bool:
    """Return False: updates of variables always merge the replicas."""
    return False
