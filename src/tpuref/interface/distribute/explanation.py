"""Report a reduction: the towers' values, the operation, and the result."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.runtime.log import advice
from tpuref.interface.functions.host_functions import py_func

_log = advice()


@dataclass(frozen=True)
class Explanation:
    """A report of one reduced value."""

    name: str
    aggregation: VariableAggregation
    towers: tuple[Any, ...]
    # The number of towers for a mean, otherwise 1
    divisor: int
    result: Any

    def __str__(self) -> str:
        held = "; ".join(
            f"tower {tower} held {_brief(value)}"
            for tower, value in enumerate(self.towers)
        )
        return (
            f"reduced {self.name} by {self.aggregation.name}: {held}; divided by "
            f"{self.divisor}; the result is {_brief(self.result)}"
        )


Report = Callable[[Explanation], object]


def reporter(report: Any) -> Report:
    """Return the function that receives the reports: `report`, or the log for None."""
    if report is None:
        return lambda explanation: _log.info("%s", explanation)
    if not callable(report):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            "explain_reductions: report must be a function that takes an Explanation, "
            f"or None to log, got {report!r}"
        )
    made: Report = report
    return made


def explained(
    report: Report,
    aggregation: VariableAggregation,
    parts: Sequence[Tensor],
    result: Tensor,
) -> Operation | None:
    """Report the reduction; return the operation of the report, None in eager mode."""
    name = "the value" if executing_eagerly() else parts[0].name
    divisor = len(parts) if aggregation is VariableAggregation.MEAN else 1

    def tell(*arrays: Any) -> None:
        report(Explanation(name, aggregation, arrays[:-1], divisor, arrays[-1]))

    if executing_eagerly():
        tell(*[np.asarray(tensor) for tensor in (*parts, result)])
        return None
    told = py_func(tell, [*parts, result], [])
    return told if isinstance(told, Operation) else None


def _brief(value: Any) -> str:
    return np.array2string(np.asarray(value), threshold=6, edgeitems=2, separator=", ")
