"""Who is told of each operation that is applied: the tapes in force."""

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
    """An operation that ran at once: what it took and what it gave."""

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
        """The name of its record."""
        return self.definition.name


class Recorder(Protocol):
    """Notes what is applied."""

    def record(self, operation: Operation | AppliedOperation) -> None:
        """Note an operation."""

    def record_read(self, variable: Variable) -> None:
        """Note that a variable is about to be read."""


def record(operation: Operation | AppliedOperation) -> None:
    """Tell the recorders in force of an operation."""
    for recorder in context.recorders:
        recorder.record(operation)


def record_read(variable: Variable) -> None:
    """Tell the recorders in force that a variable is about to be read."""
    for recorder in context.recorders:
        recorder.record_read(variable)


@contextlib.contextmanager
def recording_to(recorders: Sequence[Recorder]) -> Iterator[None]:
    """Tell these recorders alone within a block."""
    before, context.recorders = context.recorders, list(recorders)
    try:
        yield
    finally:
        context.recorders = before
