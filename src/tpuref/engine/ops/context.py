"""The context of operations with effects: variables, queues, the host."""

from collections.abc import Sequence
from typing import Any, Protocol

from tpuref.engine.ops.meaning import Array


class Variables(Protocol):
    """The values of the variables, as one replica sees them."""

    def read(self, handle: str) -> Array:
        """Return the value of a variable."""

    def write(self, handle: str, value: Array) -> None:
        """Set the value of a variable."""

    def is_initialized(self, handle: str) -> bool:
        """Return whether the variable has a value."""


class Iteration(Protocol):
    """One pass over a dataset."""

    def next(self) -> Sequence[Array]:
        """Return the next element."""


class Systems(Protocol):
    """The TPU systems of the jobs."""

    def replicate(self, instr: Any, inputs: Sequence[Array], run: Any) -> list[Array]:
        """Run a replicated computation and return the outputs of all replicas."""

    def initialize(self, instr: Any) -> bytes:
        """Start the system of a job and return its serialized topology."""

    def shutdown(self, instr: Any) -> None:
        """Stop the system of a job."""


class EffectContext(Protocol):
    """The context of an effect, besides inputs and attributes.

    `instr` is an instruction, and `run` the `Run` it belongs to, of higher layers.
    """

    instr: Any
    replica: int
    run: Any

    @property
    def variables(self) -> Variables:
        """The replica's view of the variables."""
