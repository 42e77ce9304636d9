"""The queues between the host and the cores, which open sessions share."""

import threading
from collections.abc import Mapping
from types import MappingProxyType
from weakref import WeakSet

from tpuref.engine.runtime.meaning.device_queues import DeviceQueues
from tpuref.engine.runtime.meaning.infeed import Infeed

DIRECTIONS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "core infeed": ("infeed", "infeed_enqueue", "the computation"),
        "core outfeed": ("outfeed", "the computation", "outfeed_dequeue"),
    }
)
"""The queues that each core has: name, who fills it and who empties it."""


class FeedQueues:
    """The queues of one process or server.

    On a device they are part of its cores: one session may fill what another empties.
    A queue lasts until all sessions that have used it are closed.
    """

    def __init__(self) -> None:
        self._infeeds: dict[str, Infeed] = {}
        self._of_cores: dict[str, DeviceQueues] = {}
        self._users: dict[str, WeakSet[object]] = {}
        self._lock = threading.Lock()

    def infeed(self, name: str, user: object) -> Infeed:
        """Return the infeed queue of that name, for a session to use."""
        with self._lock:
            self._add_user(name, user)
            return self._infeeds.setdefault(name, Infeed(name))

    def of_cores(self, name: str, user: object) -> DeviceQueues:
        """Return the queues of the cores in one direction, for a session to use."""
        with self._lock:
            self._add_user(name, user)
            return self._of_cores.setdefault(name, DeviceQueues(*DIRECTIONS[name]))

    def leave(self, user: object) -> None:
        """Note that a session is closed."""
        with self._lock:
            for users in self._users.values():
                users.discard(user)
            self._forget_unused()

    def _add_user(self, name: str, user: object) -> None:
        self._forget_unused()
        self._users.setdefault(name, WeakSet()).add(user)

    def _forget_unused(self) -> None:
        for name in [name for name, users in self._users.items() if not users]:
            del self._users[name]
            self._infeeds.pop(name, None)
            self._of_cores.pop(name, None)


OF_PROCESS = FeedQueues()
"""The queues that the sessions of this process share."""
