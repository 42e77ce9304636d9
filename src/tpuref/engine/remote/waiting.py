"""Streams that have not opened a session yet."""

import threading
from collections import Counter

from tpuref.engine.remote.served_session import ServedSession

MAX_WAITING = 64
"""The limit of waiting streams; a regular client opens its session at once."""


class WaitingStreams:
    """The streams that have not opened a session yet, the oldest first.

    If there are too many, the oldest stream of the peer with the most of them ends. So
    idle streams cannot keep out a client that opens its session.
    """

    def __init__(self) -> None:
        self._sessions: list[ServedSession] = []
        self._lock = threading.Lock()

    def add(self, session: ServedSession) -> None:
        """Add a stream, and end another one if there are too many."""
        with self._lock:
            self._sessions.append(session)
            too_many = len(self._sessions) > MAX_WAITING
            leaving = self._sessions.pop(self._oldest()) if too_many else None
        if leaving is not None:
            leaving.give_way()

    def remove(self, session: ServedSession) -> None:
        """Remove a stream, if it still waits."""
        with self._lock:
            if session in self._sessions:
                self._sessions.remove(session)

    def _oldest(self) -> int:
        """Return the position of the oldest stream of the peer with the most."""
        peers = [session.peer for session in self._sessions]
        ((most, _),) = Counter(peers).most_common(1)
        return peers.index(most)
