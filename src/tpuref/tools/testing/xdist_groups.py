"""Schedulers for pytest-xdist: one process runs the tests of one system.

So each system starts only once.  The scheduling process knows only the names of tests,
and reads the system from the name.
"""

import functools
import re
from typing import Any

from xdist.scheduler import LoadGroupScheduling, LoadScheduling

_SYSTEM = re.compile(
    r"[\[-]((?:cores=\d+|topology=[\dx]+)(?:-(?:pool|lockstep|xla))?"
    r"|pool|lockstep|xla)[\]-]"
)
_WORTH_A_START = 2.0  # seconds of tests: a system takes half a second to two to start
_FAR = 2  # the distance of a test on a system that another process runs


@functools.cache
def system_of(nodeid: str) -> str | None:
    """Return the system in the name of a test."""
    match = _SYSTEM.search(nodeid)
    return match[1] if match else None


class GroupScheduling(LoadGroupScheduling):  # type: ignore[misc]
    """``--dist loadgroup``: the tests on one system are a group."""

    def _split_scope(self, nodeid: str) -> str:
        group: str = super()._split_scope(nodeid)
        return (system_of(nodeid) or group) if group == nodeid else group


class LoadOfSystems(LoadScheduling):  # type: ignore[misc]
    """``--dist load``, the default: a process prefers tests on its current system.

    Next it runs tests on systems that no other process has.  It starts a system that
    another process has only if the remaining tests take longer than the start.
    """

    def __init__(self, config: Any, log: Any) -> None:
        super().__init__(config, log)
        self._systems: dict[Any, str | None] = {}  # the last system of each process
        self._seconds = _WORTH_A_START  # of the last test

    def check_schedule(self, node: Any, duration: float = _WORTH_A_START) -> None:
        """Send a process more tests if it needs them."""
        self._seconds = duration
        super().check_schedule(node, duration)

    def _send_tests(self, node: Any, num: int) -> None:
        others = {
            self._systems.get(other)
            for other in self.nodes
            if other is not node and not other.shutting_down
        }
        distances = {k: self._distance(k, node, others) for k in self.pending}
        self.pending.sort(key=distances.__getitem__)
        near = sum(distance < _FAR for distance in distances.values())
        helps = (len(self.pending) - near) * self._seconds >= _WORTH_A_START
        sent = self.pending[: num if helps else min(num, near)]
        if sent:
            self._systems[node] = system_of(self.collection[sent[-1]])
            super()._send_tests(node, len(sent))
        if not helps and len(sent) == near:
            node.shutdown()

    def _distance(self, test: int, node: Any, others: set[str | None]) -> int:
        system = system_of(self.collection[test])
        if system is None:
            return 1
        if system == self._systems.get(node):
            return 0
        return _FAR if system in others else 1


SCHEDULINGS = {"load": LoadOfSystems, "loadgroup": GroupScheduling}
