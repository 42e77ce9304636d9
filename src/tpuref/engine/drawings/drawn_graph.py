"""The interface of graphs that drawings read.

The classes of the same names in `tpuref.engine.graph` implement it.
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
        """The index among the outputs of its operation."""

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
        """The definition of the operation's type."""

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
        """The operations that must run before."""

    @property
    def region(self) -> Region | None:
        """The region that it belongs to, None for the graph itself."""

    @property
    def blocks(self) -> Sequence[Region]:
        """The regions inside."""

    @property
    def logical_core(self) -> int | None:
        """The logical core that its device names, None without one."""

    @property
    def host_label(self) -> str | None:
        """The host call that it is a part of, None outside host calls."""

    @property
    def tower(self) -> int | None:
        """The tower that it belongs to, None outside towers."""


class Region(Protocol):
    """A region."""

    @property
    def kind(self) -> str:
        """A replicated computation, a branch or a loop."""

    @property
    def name(self) -> str:
        """The name."""

    @property
    def replicas(self) -> int:
        """The number of replicas, of a replicated computation."""

    @property
    def outer(self) -> Region | None:
        """The enclosing region."""

    @property
    def replicated(self) -> Region | None:
        """The replicated computation that it belongs to or is."""

    @property
    def operations(self) -> Sequence[Operation]:
        """The operations in it."""

    @property
    def parameters(self) -> Sequence[Tensor]:
        """The tensors that stand for its inputs."""

    @property
    def results(self) -> Sequence[Tensor]:
        """The tensors that it returns."""


class Graph(Protocol):
    """A graph."""

    def get_operations(self) -> Sequence[Operation]:
        """Return all operations in the order they were built."""
