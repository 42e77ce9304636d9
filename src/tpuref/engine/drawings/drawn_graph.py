"""What is read of a graph to draw it.

The classes of `tpuref.engine.graph` that bear these names have all of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tpuref.base.dtypes import DType
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.definition import OpDef


class Tensor(Protocol):
    """A tensor."""

    @property
    def name(self) -> str:
        """The name ``operation:index``."""

    @property
    def op(self) -> Operation:
        """The operation that produces it."""

    @property
    def value_index(self) -> int:
        """Which of its outputs it is."""

    @property
    def dtype(self) -> DType:
        """The element type."""

    @property
    def shape(self) -> TensorShape:
        """The static shape."""

    @property
    def spec(self) -> TensorSpec:
        """Static shape and element type together."""

    @property
    def device(self) -> str:
        """The device name as text."""


class Operation(Protocol):
    """An operation."""

    @property
    def name(self) -> str:
        """The unique name in the graph."""

    @property
    def type(self) -> str:
        """The kind of operation."""

    @property
    def definition(self) -> OpDef:
        """The record of what the operation is."""

    @property
    def attrs(self) -> Mapping[str, Any]:
        """The attributes."""

    @property
    def inputs(self) -> Sequence[Tensor]:
        """The tensors read."""

    @property
    def outputs(self) -> Sequence[Tensor]:
        """The tensors produced."""

    @property
    def control_inputs(self) -> Sequence[Operation]:
        """The operations awaited."""

    @property
    def region(self) -> Region | None:
        """The region that it belongs to, None for the graph itself."""

    @property
    def blocks(self) -> Sequence[Region]:
        """The regions inside."""

    @property
    def logical_core(self) -> int | None:
        """The virtual core that its device names, None where it names none."""

    @property
    def host_label(self) -> str | None:
        """The host call that it is a part of, None outside of one."""

    @property
    def tower(self) -> int | None:
        """The tower that it belongs to, None outside of towers."""


class Region(Protocol):
    """A region."""

    @property
    def kind(self) -> str:
        """A replicated computation, a branch or a loop."""

    @property
    def name(self) -> str:
        """What the region is called."""

    @property
    def replicas(self) -> int:
        """The number of replicas, of a replicated computation."""

    @property
    def outer(self) -> Region | None:
        """The region around it."""

    @property
    def replicated(self) -> Region | None:
        """The replicated computation that it belongs to or is."""

    @property
    def operations(self) -> Sequence[Operation]:
        """The operations in it."""

    @property
    def parameters(self) -> Sequence[Tensor]:
        """The tensors that it is given."""

    @property
    def results(self) -> Sequence[Tensor]:
        """The tensors that it hands out."""


class Graph(Protocol):
    """A graph."""

    def get_operations(self) -> Sequence[Operation]:
        """Return all operations in the order they were built."""
