"""``tf.distribute.ReduceOp``, the operations that combine replicas' values."""

from __future__ import annotations

import enum
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.aggregation import VariableAggregation


class ReduceOp(enum.Enum):
    """The operation that combines the replicas' values.

    Examples
    --------
    >>> tf.distribute.ReduceOp("SUM")
    <ReduceOp.SUM: 'SUM'>
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @property
    def aggregation(self) -> VariableAggregation:
        """The equivalent `tf.VariableAggregation`."""
        return VariableAggregation[self.name]

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """Return the equivalent of a `tf.VariableAggregation`."""
        return reduce_op("ReduceOp.from_variable_aggregation", aggregation)


def reduce_op(function: str, value: Any) -> ReduceOp:
    """Return the member for a member or its name, in any case."""
    name = getattr(value, "name", value)
    if isinstance(name, str) and name.upper() in ReduceOp.__members__:
        return ReduceOp[name.upper()]
    raise codes.INVALID_ARGUMENT.value_error(
        f"{function}: reduce_op must be tf.distribute.ReduceOp.SUM or MEAN, or 'SUM' "
        f"or 'MEAN', got {value!r}"
    )
