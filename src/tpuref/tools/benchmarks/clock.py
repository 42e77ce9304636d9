"""The timing of a call."""

import time
from collections.abc import Callable
from typing import Any


def seconds_of(once: Callable[[], Any], calls: int = 1) -> Callable[[], float]:
    """Return a function that measures one call, as the mean of `calls` in a row.

    >>> seconds_of(lambda: None, calls=3)() >= 0.0
    True
    """

    def seconds() -> float:
        began = time.perf_counter()
        for _ in range(calls):
            once()
        return (time.perf_counter() - began) / calls

    return seconds
