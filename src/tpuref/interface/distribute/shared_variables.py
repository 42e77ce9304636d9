"""The variables that one call of call_for_each_tower makes, shared by its towers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class SharedVariables:
    """Gives all towers the same n-th variable of a name; the first one creates it."""

    def __init__(self) -> None:
        self._made: dict[tuple[str | None, int], Any] = {}
        self._asked: dict[tuple[str | None, int | None], int] = {}
        self._lock = threading.RLock()

    def get(self, tower: int | None, name: str | None, make: Callable[[], Any]) -> Any:
        """Return a tower's next variable of that name, creating it if it is new."""
        with self._lock:
            count = self._asked.get((name, tower), 0)
            self._asked[name, tower] = count + 1
            if (name, count) not in self._made:
                self._made[name, count] = make()
            return self._made[name, count]
