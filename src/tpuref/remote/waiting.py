"""Streams that have not opened a session yet."""

from __future__ import annotations

import threading
from collections import Counter

from tpuref.remote.served_session import ServedSession

MAX_WAITING = 64
"""How many streams may wait at once; a client opens its session at once."""


class WaitingStreams:
    """The streams that have not opened a session yet, the oldest first.

    Where there are too many, the oldest one of the peer that has most gives way to the
    latest: streams that send nothing never keep out a client that does.
    """

    def __init__(self) -> None:
        self._sessions: list[ServedSession] = []
        self._lock = threading.Lock()

    def add(self, session: ServedSession) -> None:
        """Let a stream wait."""
        with self._lock:
            self._sessions.append(session)
            too_many = len(self._sessions) > MAX_WAITING
            leaving = self._sessions.pop(self._oldest()) if too_many else None
        if leaving is not None:
            leaving.give_way()

    def remove(self, session: ServedSession) -> None:
        """Let a stream wait no more, if it still does."""
        with self._lock:
            if session in self._sessions:
                self._sessions.remove(session)

    def _oldest(self) -> int:
        """Return the position of the oldest stream of the peer that has most."""
        peers = [session.peer for session in self._sessions]
        ((most, _),) = Counter(peers).most_common(1)
        return peers.index(most)
