"""What one core does over time in one run, noted while somebody records it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from time import monotonic_ns
from typing import Any, NamedTuple

COLLECTIVE, BLOCK, HOST_CALL = "collective", "block", "host call"
OPERATION, SEND, RECEIVE, PREPARE = "operation", "send", "receive", "prepare"

TO_CORE, TO_REPLICA = 0, 1

Peer = tuple[int, int]
"""Whom a value comes from or goes to: by logical core or by replica, and its number."""

CoreEvent = tuple[int, str, int, int, tuple[Any, ...], tuple[Any, ...]]
"""Instruction, kind, begin and end in nanoseconds, the meetings, shape and bytes.

A meeting of a collective is how often the core came to it in this run, from 0; one of
a transfer the kind of peer, its number, and how many values passed before.
"""


class Label(NamedTuple):
    """What there is to note of a step.

    Attributes
    ----------
    kind
        What it does.
    slots
        The values that it makes, sends or receives.
    peers
        The other end of a transfer.
    """

    kind: str
    slots: tuple[int, ...]
    peers: tuple[Peer, ...] = ()


class CoreEvents:
    """The latest events of a run; older ones make room.

    Every process of a machine has the same monotonic clock, so the times of cores and
    host can be laid side by side.

    Parameters
    ----------
    capacity
        How many are kept.

    Attributes
    ----------
    noted
        How many there were.
    """

    def __init__(self, capacity: int) -> None:
        self._kept: deque[CoreEvent] = deque(maxlen=capacity)
        self._met: dict[tuple[int, ...], int] = {}
        self.noted = 0

    def note(
        self, number: int, label: Label, begin: int, values: Sequence[Any] = ()
    ) -> None:
        """Note a step that began at that time and ends now."""
        end = monotonic_ns()
        made = [values[slot] for slot in label.slots]
        shapes = tuple((v.shape, v.nbytes) for v in made if v is not None)
        meetings: tuple[Any, ...] = ()
        if label.kind == COLLECTIVE:
            meetings = (self._meeting((number,)),)
        elif label.peers:
            meetings = tuple(
                (*peer, self._meeting((label.kind == SEND, *peer)))
                for peer in label.peers
            )
        self.noted += 1
        self._kept.append((number, label.kind, begin, end, meetings, shapes))

    def _meeting(self, key: tuple[int, ...]) -> int:
        """Return how often the core was there before."""
        before = self._met.get(key, 0)
        self._met[key] = before + 1
        return before

    def taken(self) -> list[CoreEvent]:
        """Return the events that were kept, each after those inside it."""
        return list(self._kept)
