"""What the processes of the pool know of the variables of a program."""

from __future__ import annotations

import weakref
from collections.abc import Iterable

from tpuref.engine.ops.meaning import Array


class AnnouncedVariables:
    """The values that the processes hold, for one program on certain cores.

    An array of a variable never changes: a new value is another array.  So a process
    that was told where it is needs to hear of it again only when there is another.
    """

    def __init__(self) -> None:
        self._values: dict[str, weakref.ref[Array]] = {}

    def lacks(self, handle: str, value: Array | None) -> bool:
        """Return whether the processes hold another value of a variable, or none."""
        known = self._values.get(handle)
        if known is None:
            return value is not None
        return known() is not value or value is None

    def update(self, values: Iterable[tuple[str, Array | None]]) -> None:
        """Note values that all processes have been told."""
        for handle, value in values:
            if value is None:
                del self._values[handle]
            else:
                self._values[handle] = weakref.ref(value)
