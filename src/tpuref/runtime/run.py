"""What the interpreter needs while it carries out one program."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tpuref.ops.context import Variables
from tpuref.ops.meaning import Array
from tpuref.program import HOST, Instr
from tpuref.runtime.state import Draws
from tpuref.runtime.trace import CoreTrace

if TYPE_CHECKING:
    from tpuref.runtime.recording import RunEvents


class Host(Protocol):
    """What carries out the operations that concern the TPU system as a whole."""

    @property
    def jobs(self) -> Collection[str]:
        """The names of the jobs."""

    def replicate(self, instr: Instr, inputs: Sequence[Array], run: Run) -> list[Array]:
        """Run a replicated computation and return the outputs of all replicas."""

    def initialize(self, instr: Instr) -> bytes:
        """Start the system and return its serialized topology."""

    def shutdown(self, instr: Instr) -> None:
        """Stop the system."""


Elsewhere = Callable[[Instr, Sequence[Array], int, "Run"], Sequence[Array]]
"""Takes an instruction with one replica's inputs to where it is carried out."""


@dataclass
class Run:
    """One program being carried out.

    Attributes
    ----------
    state
        What lasts from run to run.
    variables
        Each replica's view of the variables.
    functions
        The Python functions that PyFunc operations call, by token.
    host
        What carries out operations of the TPU system; None inside a replica.
    timeout
        The deadline of every wait, in seconds.
    cores
        The physical cores, by replica and logical core.
    record
        Gives the record of the physical core for (operation, replica, logical core).
    trace
        The records so far.
    padding_log
        What was padded, by operation.
    host_variables
        What the host parts of all replicas share; None outside of replicas.
    watch
        Called now and then during a long wait; ends the wait where it raises.
    elsewhere
        Takes what needs the client's Python objects to the client's process; None where
        that is this process.
    events
        What the run adds to a recording, None while nothing is recorded.
    """

    state: Draws
    variables: Sequence[Variables] | Mapping[int, Variables]
    functions: Mapping[int, Callable[..., Any]]
    host: Host | None
    timeout: float
    cores: tuple[tuple[int, ...], ...] = ()
    record: Callable[[str, int, int], CoreTrace] | None = None
    trace: list[CoreTrace] | None = None
    padding_log: dict[str, Any] = field(default_factory=dict)
    host_variables: Variables | None = None
    watch: Callable[[], None] | None = None
    elsewhere: Elsewhere | None = None
    events: RunEvents | None = None

    @property
    def replicas(self) -> int:
        """The number of replicas."""
        return len(self.variables)


@dataclass(slots=True)
class EffectContext:
    """What the effect of an operation is given besides its inputs and attributes.

    Parameters
    ----------
    instr
        The instruction.
    replica
        The replica that runs it.
    run
        The run that it belongs to.
    """

    instr: Instr
    replica: int
    run: Run

    @property
    def variables(self) -> Variables:
        """The replica's view of the variables, or that of its host part."""
        if self.instr.core == HOST and self.run.host_variables is not None:
            return self.run.host_variables
        return self.run.variables[self.replica]
