"""What one core does in one run, noted while a trace or a recording asks for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from time import monotonic_ns
from typing import Any, NamedTuple

from tpuref.program import Instr

COLLECTIVE, BLOCK, HOST_CALL = "collective", "block", "host call"
OPERATION, SEND, RECEIVE, PREPARE = "operation", "send", "receive", "prepare"

TO_CORE, TO_REPLICA = 0, 1

Peer = tuple[int, int]
"""The other end of a transfer: a logical core or a replica, and its number."""

CoreEvent = tuple[int, str, int, int, tuple[Any, ...], tuple[Any, ...]]
"""Instruction, kind, begin and end in nanoseconds, the meetings, shape and bytes.

The meeting of a collective is how often the core reached it before in this run; that of
a transfer is the kind of peer, its number, and how many values passed before.
"""


class Label(NamedTuple):
    """What an observer has to know of a step.

    Attributes
    ----------
    instr
        The instruction that it belongs to, None for none.
    number
        The number of the instruction, 0 for none.
    kind
        What it does; None for a step that is not recorded.
    slots
        The values that it makes, sends or receives.
    peers
        The other end of a transfer.
    traced
        Whether a trace lists it.
    """

    instr: Instr | None
    number: int
    kind: str | None
    slots: tuple[int, ...] = ()
    peers: tuple[Peer, ...] = ()
    traced: bool = False


class CoreEvents:
    """The names of all operations of a run, and the latest events of it.

    All processes of a machine share one monotonic clock, so the times of cores and host
    can be compared.

    Parameters
    ----------
    traced
        Whether names are kept.
    capacity
        How many events are kept, the latest ones.

    Attributes
    ----------
    capacity
        How many events are kept.
    names
        The names of the operations that ran.
    noted
        How many events there were.
    """

    def __init__(self, traced: bool, capacity: int) -> None:
        self._traced, self.capacity = traced, capacity
        self._kept: deque[CoreEvent] = deque(maxlen=capacity)
        self._met: dict[tuple[int, ...], int] = {}
        self.names: list[str] = []
        self.noted = 0

    def observe(
        self, step: Callable[[list[Any]], None], label: Label, values: list[Any]
    ) -> None:
        """Take a step and note it, even if it fails."""
        begin = monotonic_ns()
        try:
            step(values)
        finally:
            self.note(label, begin, values)

    def note(self, label: Label, begin: int, values: Sequence[Any] = ()) -> None:
        """Note a step that began at `begin` and ends now."""
        end = monotonic_ns()
        if self._traced and label.traced and label.instr is not None:
            self.names.append(label.instr.name)
        if label.kind is None or not self.capacity:
            return
        made = [values[slot] for slot in label.slots]
        shapes = tuple((v.shape, v.nbytes) for v in made if v is not None)
        meetings: tuple[Any, ...] = ()
        if label.kind == COLLECTIVE:
            meetings = (self._meeting((label.number,)),)
        elif label.peers:
            meetings = tuple(
                (*peer, self._meeting((label.kind == SEND, *peer)))
                for peer in label.peers
            )
        self.noted += 1
        self._kept.append((label.number, label.kind, begin, end, meetings, shapes))

    def _meeting(self, key: tuple[int, ...]) -> int:
        """Return how often the core was there before, and count this time."""
        before = self._met.get(key, 0)
        self._met[key] = before + 1
        return before

    def taken(self) -> list[CoreEvent]:
        """Return the events that were kept, each after those inside it."""
        return list(self._kept)
