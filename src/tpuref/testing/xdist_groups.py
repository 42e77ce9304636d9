"""pytest-xdist with ``--dist loadgroup``: the tests on one system are a group."""

from __future__ import annotations

import re

from xdist.scheduler import LoadGroupScheduling

_SYSTEM = re.compile(
    r"[\[-]((?:cores=\d+|topology=[\dx]+)(?:-(?:pool|lockstep))?|pool|lockstep)[\]-]"
)


class SystemScheduling(LoadGroupScheduling):  # type: ignore[misc]
    """Sends the tests on one system to one process, so that it starts once.

    The process that shares out the tests knows only their names, which say the system.
    """

    def _split_scope(self, nodeid: str) -> str:
        system = _SYSTEM.search(nodeid)
        group: str = super()._split_scope(nodeid)
        return system[1] if system and group == nodeid else group
