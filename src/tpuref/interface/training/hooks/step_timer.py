"""Define the timer of periodic hooks."""

import time

from tpuref.base import error_codes as codes


class SecondOrStepTimer:
    """Triggers at the first step, and then periodically by seconds or by steps.

    Give exactly one of both periods.

    Examples
    --------
    >>> timer = tf.train.SecondOrStepTimer(every_steps=10)
    >>> timer.should_trigger_for_step(3), timer.update_last_triggered_step(3)
    (True, (None, None))
    >>> timer.should_trigger_for_step(12), timer.should_trigger_for_step(13)
    (False, True)
    """

    def __init__(
        self, every_secs: float | None = None, every_steps: int | None = None
    ) -> None:
        if (every_secs is None) == (every_steps is None):
            raise codes.INVALID_ARGUMENT.value_error(
                "tf.train.SecondOrStepTimer: exactly one of every_secs and "
                f"every_steps must be set, got {every_secs!r} and {every_steps!r}"
            )
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Forget the last step, so that the next one triggers."""
        self._last_step: int | None = None
        self._last_time = 0.0

    def should_trigger_for_step(self, step: int) -> bool:
        """Return whether a step triggers; the last triggered step does not."""
        if self._last_step is None:
            return True
        if step == self._last_step:
            return False
        if self._every_secs is not None:
            return time.monotonic() >= self._last_time + self._every_secs
        assert self._every_steps is not None
        return step >= self._last_step + self._every_steps

    def update_last_triggered_step(
        self, step: int
    ) -> tuple[float, int] | tuple[None, None]:
        """Record a triggered step.

        Return the seconds and steps since the last one, or (None, None).
        """
        now, last = time.monotonic(), self._last_step
        elapsed = now - self._last_time
        self._last_time, self._last_step = now, step
        return (None, None) if last is None else (elapsed, step - last)

    def last_triggered_step(self) -> int | None:
        """Return the last triggered step, or None."""
        return self._last_step
