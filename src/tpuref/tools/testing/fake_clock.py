"""A clock for tests that sleeps without waiting."""


class FakeClock:
    """A clock that only `sleep` advances.

    `slept` has the seconds of each sleep, in order.

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
        """Advance the clock without waiting."""
        self.slept.append(seconds)
