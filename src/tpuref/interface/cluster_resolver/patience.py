"""The time limits and retries of a resolver, and its clock."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from tpuref.base import error_codes as codes
from tpuref.base.masking import masked, shown_cause

T = TypeVar("T")

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0


class Clock(Protocol):
    """A clock that can also wait."""

    def now(self) -> float:
        """Return the time in seconds since an arbitrary moment."""

    def sleep(self, seconds: float) -> None:
        """Wait that long."""


class SystemClock:
    """The clock of this computer."""

    def now(self) -> float:
        """Return the time in seconds since an arbitrary moment."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait that long."""
        time.sleep(seconds)


@dataclass(frozen=True)
class Patience:
    """The time limits and retries of a resolver."""

    # Seconds for all requests of one resolver to the metadata server
    metadata: float = 3.0
    # Seconds for all requests of one call to the Cloud TPU API
    api: float = 30.0
    attempts: int = 5
    clock: Clock = field(default_factory=SystemClock)

    def __post_init__(self) -> None:
        if not (self.metadata > 0 and self.api > 0 and self.attempts >= 1):
            raise ValueError(
                "patience: metadata and api must be positive numbers of seconds, and "
                f"attempts at least 1, got {self}"
            )


_current = Patience()


def current() -> Patience:
    """Return the patience of new resolvers."""
    return _current


@contextlib.contextmanager
def patience(**changes: Any) -> Iterator[Patience]:
    """Set the patience of resolvers created within the block.

    `**changes` is ``metadata`` and ``api`` in seconds; ``attempts``, the requests to a
    master; ``clock``, an object with the methods ``now()`` and ``sleep(seconds)``.  It
    raises ValueError if a time is not positive.

    Yields
    ------
    Patience
        The patience within the block.

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
    """A time budget that several requests share."""

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
        """Return the result of `call`, retried after transient errors.

        `call` makes one request of at most `longest` seconds; `passes` returns whether
        an error is transient.  `question` and `host` are for the message.
        """
        # Pauses double from 0.1 to 5 s. A pause that the budget cannot pay for ends the
        # attempts at once, instead of a wait without a request after it.
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
                    failure = self._no_answer(question, host(), attempts, error)
                    raise failure from shown_cause(error)
            self._clock.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    def _no_answer(
        self, question: str, host: str, attempts: int, error: Exception
    ) -> RuntimeError:
        times = "1 attempt" if attempts == 1 else f"{attempts} attempts"
        return codes.SERVER_UNREACHABLE.runtime_error(
            f"{question}: no answer from {host} after {times} in {self.spent():.1f} s "
            f"(of at most {self._seconds:g} s); the last one ended with "
            f"{type(error).__name__}: {masked(str(error))}"
        )


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return the result of `call`, or raise TimeoutError if it takes longer."""
    # Neither name resolution nor the user's service has a time limit of its own, so
    # the call runs in a daemon thread, which is abandoned after the time.
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
