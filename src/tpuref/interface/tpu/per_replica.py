"""A value with one component per replica."""

from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor


class PerReplica:
    """One component per replica, in replica order: values that convert to tensors.

    See 000_04abb9e9288042d8.txt, cross_replica_sum.

    Examples
    --------
    >>> tf.contrib.distribute.PerReplica([1.0, 2.0])
    PerReplica(1.0, 2.0)
    """

    def __init__(self, values: Sequence[Any]) -> None:
        if not isinstance(values, (list, tuple)) or not values:
            raise codes.WRONG_COUNT.value_error(
                f"PerReplica: values must be a non-empty list, got {values!r}"
            )
        self.values = tuple(values)

    def tensors(self) -> list[Tensor]:
        """Return the components as tensors."""
        return [convert_to_tensor(value) for value in self.values]

    def __repr__(self) -> str:
        return f"PerReplica({', '.join(map(repr, self.values))})"
