"""How long a resolver waits for others, how often it tries, and by which clock."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.base.masking import masked, shown_cause

T = TypeVar("T")

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0


class Clock(Protocol):
    """What tells the time, and lets it pass."""

    def now(self) -> float:
        """Return the time in seconds since some moment."""

    def sleep(self, seconds: float) -> None:
        """Return when that time has passed."""


class SystemClock:
    """The clock of this computer."""

    def now(self) -> float:
        """Return the time in seconds since some moment."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Return when that time has passed."""
        time.sleep(seconds)


@dataclass(frozen=True)
class Patience:
    """How long a resolver waits.

    Attributes
    ----------
    metadata
        Seconds for all questions to the metadata server that one resolver asks.
    api
        Seconds for all questions to the Cloud TPU API that one call asks.
    attempts
        How often the devices of a master are asked for.
    clock
        What measures the time and waits between two attempts.
    """

    metadata: float = 3.0
    api: float = 30.0
    attempts: int = 5
    clock: Clock = field(default_factory=SystemClock)

    def __post_init__(self) -> None:
        if not (self.metadata > 0 and self.api > 0 and self.attempts >= 1):
            raise ValueError(
                "patience: metadata and api are seconds above 0 and attempts is a "
                f"number from 1 up, got {self}"
            )


_current = Patience()


def current() -> Patience:
    """Return the patience that a new resolver takes over."""
    return _current


@contextlib.contextmanager
def patience(**changes: Any) -> Iterator[Patience]:
    """Give the resolvers that are made within the block another patience.

    Parameters
    ----------
    **changes
        ``metadata`` and ``api``, seconds; ``attempts``, how often a master is asked;
        ``clock``, an object with the methods ``now()`` and ``sleep(seconds)``.

    Yields
    ------
    Patience
        What holds within the block.

    Raises
    ------
    ValueError
        If a time is not above 0.

    Examples
    --------
    >>> from tpuref import testing
    >>> with testing.patience(api=5, clock=testing.FakeClock()) as held:
    ...     held.api, held.metadata
    (5, 3.0)
    """
    global _current
    before = _current
    _current = replace(before, **changes)
    try:
        yield _current
    finally:
        _current = before


class Budget:
    """The time that is left for some questions, and how they were answered."""

    def __init__(self, seconds: float, clock: Clock) -> None:
        self._seconds = seconds
        self._clock = clock
        self._start = clock.now()

    def spent(self) -> float:
        """Return the seconds since the start."""
        return self._clock.now() - self._start

    def ask(
        self,
        question: str,
        host: Callable[[], str],
        call: Callable[[], T],
        passes: Callable[[Exception], bool],
        longest: float,
    ) -> T:
        """Return what `call` does, called again while its errors may pass.

        Parameters
        ----------
        question
            What is asked, for the message.
        host
            Gives the name of who is asked, for the message.
        call
            Asks once.
        passes
            Whether an error is one that may be gone at the next attempt.
        longest
            Seconds that one attempt may take.

        Raises
        ------
        RuntimeError
            If there is no answer before the time is over.
        """
        attempts, pause = 0, FIRST_PAUSE
        while True:
            attempts += 1
            try:
                left = max(self._seconds - self.spent(), 0.0)
                return within(min(longest, left), call)
            except Exception as error:
                if not passes(error):
                    raise
                if self.spent() + pause >= self._seconds:
                    unanswered = self._unanswered(question, host(), attempts, error)
                    raise unanswered from shown_cause(error)
            self._clock.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _unanswered(
        self, question: str, host: str, attempts: int, error: Exception
    ) -> RuntimeError:
        times = "1 attempt" if attempts == 1 else f"{attempts} attempts"
        return coded(
            RuntimeError,
            f"{question}: no answer from {host} after {times} in {self.spent():.1f} s "
            f"(of at most {self._seconds:g} s); the last one ended with "
            f"{type(error).__name__}: {masked(str(error))}",
            code=codes.NO_ANSWER,
        )


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return what `call` does, or TimeoutError if that takes longer.

    It runs in a thread of its own, so that neither the search for a host's address nor
    a service that the user has given can hold up the program.
    """
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(call())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, name="tpuref-resolver", daemon=True)
    thread.start()
    thread.join(seconds)
    if failed:
        raise failed.pop()
    if not done:
        raise TimeoutError(f"it took longer than {seconds:.1f} s")
    return done.pop()
