"""The recorders of applied operations: the active tapes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tpuref.base.callsite import CallSite
from tpuref.engine.graph.context import context
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.definition import OpDef

if TYPE_CHECKING:
    from tpuref.engine.graph.variables import Variable


@dataclass(eq=False)
class AppliedOperation:
    """An operation that ran at once, with its inputs and outputs."""

    definition: OpDef
    name: str
    inputs: Sequence[Tensor]
    outputs: Sequence[Tensor]
    attrs: dict[str, Any]
    site: CallSite
    labels: dict[str, Any] = field(default_factory=dict)
    blocks: tuple[Any, ...] = ()

    @property
    def type(self) -> str:
        """The name of its definition."""
        return self.definition.name


class Recorder(Protocol):
    """The interface of tapes and other recorders."""

    def record(self, operation: Operation | AppliedOperation) -> None:
        """Record an operation."""

    def record_read(self, variable: Variable) -> None:
        """Record that a variable is about to be read."""


def record(operation: Operation | AppliedOperation) -> None:
    """Pass an operation to the active recorders."""
    for recorder in context.recorders:
        recorder.record(operation)


def record_read(variable: Variable) -> None:
    """Tell the active recorders that a variable is about to be read."""
    for recorder in context.recorders:
        recorder.record_read(variable)


@contextlib.contextmanager
def recording_to(recorders: Sequence[Recorder]) -> Iterator[None]:
    """Replace the active recorders in a ``with`` block."""
    before, context.recorders = context.recorders, list(recorders)
    try:
        yield
    finally:
        context.recorders = before
