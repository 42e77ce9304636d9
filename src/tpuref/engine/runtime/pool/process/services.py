"""What a prepared program asks of the process that runs it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.pool.core_events import CoreEvents, Peer
from tpuref.engine.runtime.pool.process.exchange import Exchange
from tpuref.engine.runtime.pool.split import Lane

Values = list[Any]
"""The columns of all slots; None for a slot without values."""

Step = Callable[[Values], None]
"""Reads and writes the values of all cores of a process."""

Path = tuple[int, ...]
"""Where an instruction is: its index, then block and index at each level inside."""


class CoreServices(Protocol):
    """What a program asks of the process that runs it.

    Attributes
    ----------
    run, runs
        The run, and the same with the variables as each logical core sees them.
    lane
        The core that the process is at, None while it is at no certain one.
    events
        What the run is observed by, None for nothing.
    counter
        The program counter of the process.
    """

    run: Run
    runs: dict[int, Run]
    lane: Lane | None
    events: CoreEvents | None
    counter: memoryview

    def go_on(self) -> None:
        """Raise if the run was called off."""

    def exchange(self, instrs: Sequence[Instr], lanes: Sequence[Lane]) -> Exchange:
        """Return the function that takes part in sums over replicas."""

    def send(self, lane: Lane, peer: Peer, value: Array) -> None:
        """Send a value from a core of this process to any other."""

    def receive(self, lane: Lane, peer: Peer) -> Array:
        """Return the next value for a core of this process from another."""

    def call_host(
        self, path: Path, calls: Sequence[tuple[Lane, Sequence[Array]]]
    ) -> Sequence[Sequence[Array]]:
        """Let the host run the instruction at `path` for some cores."""
