"""How the values of replicas become one: ``tf.distribute.ReduceOp``."""

from __future__ import annotations

import enum
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.graph.aggregation import VariableAggregation

__all__ = ["ReduceOp"]


class ReduceOp(enum.Enum):
    """How the values of replicas become one.

    Attributes
    ----------
    SUM, MEAN
        Their sum; their sum divided by their number.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.distribute.ReduceOp("SUM")
    <ReduceOp.SUM: 'SUM'>
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @property
    def aggregation(self) -> VariableAggregation:
        """The same, as variables say it."""
        return VariableAggregation[self.name]

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> ReduceOp:
        """Return what stands for an aggregation of variables."""
        return reduce_op("ReduceOp.from_variable_aggregation", aggregation)


def reduce_op(function: str, given: Any) -> ReduceOp:
    """Return what was given as a member or as text, in capitals or not."""
    name = getattr(given, "name", given)
    if isinstance(name, str) and name.upper() in ReduceOp.__members__:
        return ReduceOp[name.upper()]
    raise coded(
        ValueError,
        f"{function}: reduce_op must be tf.distribute.ReduceOp.SUM or MEAN, or 'SUM' "
        f"or 'MEAN', got {given!r}",
        code=codes.INVALID_ARGUMENT,
    )
