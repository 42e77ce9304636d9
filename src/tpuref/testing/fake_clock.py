"""A clock on which waiting takes no time."""

from __future__ import annotations


class FakeClock:
    """A clock that stands still until somebody sleeps.

    Attributes
    ----------
    slept
        The seconds of each sleep, in order.

    Examples
    --------
    >>> clock = FakeClock()
    >>> clock.sleep(2.5)
    >>> clock.now(), clock.slept
    (2.5, [2.5])
    """

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> float:
        """Return the seconds slept so far."""
        return sum(self.slept)

    def sleep(self, seconds: float) -> None:
        """Let the time pass at once."""
        self.slept.append(seconds)
