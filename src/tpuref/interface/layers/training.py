"""Whether a layer trains: known when the graph is built, or a tensor."""

from collections.abc import Callable
from typing import Any

from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.interface.functions.control_flow import cond


def known_training(training: Any) -> bool | None:
    """Return the value of ``training``, or None if it is a run-time value."""
    if isinstance(training, Variable):
        return None
    if isinstance(training, Tensor):
        known = training.operand().value
        return None if known is None else bool(known)
    return bool(training)


def chosen(training: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """Return the result of one of two functions; only run-time values need a branch."""
    known = known_training(training)
    if known is None:
        return cond(training, yes, no)
    return yes() if known else no()
