"""The context of one run of a program."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from tpuref.engine.ops import context
from tpuref.engine.ops.context import Variables
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.meaning.state import Draws, ReplicaVariables
from tpuref.engine.runtime.meaning.trace import CoreTrace
from tpuref.engine.runtime.pool.core_events import CoreEvent

Operands = Mapping[int, Sequence[Array]]
"""For each replica that takes part, the inputs of an instruction."""

CarryOut = Callable[[Instr, Any, Any], dict[int, Sequence[Array]]]


class Systems(context.Systems, Protocol):
    """The TPU systems, for the operations that start, stop and use them."""

    @property
    def jobs(self) -> Collection[str]:
        """The names of the jobs."""

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return an array to write to, where the replicas can read it."""


class Events(Protocol):
    """The events that a run adds to a recording."""

    @property
    def capacity(self) -> int:
        """How many events each core keeps."""

    def within(self, job: str, cores: tuple[tuple[int, ...], ...]) -> Events:
        """Return the events of a replicated computation of this run."""

    def on_host(self, name: str, begin: int, nbytes: int = 0) -> None:
        """Record an event of this host thread from `begin` to now."""

    def observe(
        self, instr: Instr, operands: Operands, run: Run, carry_out: CarryOut
    ) -> dict[int, Sequence[Array]]:
        """Run an instruction, and note for each replica when."""

    def take(
        self,
        program: Program,
        replica: int,
        logical: int,
        noted: int,
        events: Sequence[CoreEvent],
    ) -> None:
        """Add the events that a core recorded in this run."""


Elsewhere = Callable[[Instr, Sequence[Array], int, "Run"], Sequence[Array]]
"""Runs an instruction, with one replica's inputs, in another process."""


@dataclass
class Run:
    """One run of a program."""

    # What lasts from run to run
    state: Draws
    # Each replica's view of the variables
    variables: Sequence[Variables] | Mapping[int, Variables]
    # The Python functions that PyFunc operations call, by token
    functions: Mapping[int, Callable[..., Any]]
    # The deadline of every wait, in seconds
    timeout: float
    # The TPU systems that the program may use; None inside a replica
    systems: Systems | None = None
    # The physical cores, by replica and logical core
    cores: tuple[tuple[int, ...], ...] = ()
    # Gives the record of the physical core for (operation, replica, logical core)
    record: Callable[[str, int, int], CoreTrace] | None = None
    # The records so far
    trace: list[CoreTrace] | None = None
    # What was padded, by operation
    padding_log: dict[str, Any] = field(default_factory=dict)
    # What the host parts of all replicas share; None outside of replicas
    host_variables: Variables | None = None
    # Called now and then during a long wait, which ends if it raises
    watch: Callable[[], None] | None = None
    # Takes what needs the client's Python objects to the client's process; None where
    # that is this process
    elsewhere: Elsewhere | None = None
    # What the run adds to a recording, None while nothing is recorded
    events: Events | None = None

    @property
    def replicas(self) -> int:
        """The number of replicas."""
        return len(self.variables)

    def view(self, replica: int) -> ReplicaVariables:
        """Return a replica's view of the variables in a replicated computation."""
        view = self.variables[replica]
        assert isinstance(view, ReplicaVariables)
        return view

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return an array to write to, on the host where the replicas can read it."""
        if self.systems is None:
            return np.empty(shape, dtype)
        return self.systems.empty(shape, dtype)


@dataclass(slots=True)
class EffectContext:
    """The context of an operation's effect, besides its inputs and attributes.

    `replica` runs `instr`, as a part of `run`.
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
