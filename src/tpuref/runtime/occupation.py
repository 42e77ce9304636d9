"""Who uses the cores: one run at a time, and what the others do until then."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from tpuref.base import error_codes as codes
from tpuref.base.errors import DeadlineExceededError
from tpuref.runtime.log import advice

WARNING_SECONDS = 10.0
"""A wait is reported after this time, or after a tenth of the deadline."""

_LOOK_SECONDS = 0.2  # how often a run that waits looks whether there are cores at all
_LOG = advice("stall")


class Occupation:
    """A lock that knows who holds it, and says so to those who wait in vain."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread = 0
        self._holder = ""
        self._since = 0.0

    @property
    def is_own(self) -> bool:
        """Whether the calling thread holds it."""
        return self._thread == threading.get_ident()

    def locked(self) -> bool:
        """Return whether anybody holds it."""
        return self._lock.locked()

    def acquire(self, seconds: float = 0.0) -> bool:
        """Return whether nobody holds it within some seconds; the caller then does."""
        return self._lock.acquire(timeout=seconds)

    def acquire_for(
        self, program: str, seconds: float, watch: Callable[[], None]
    ) -> None:
        """Wait until nobody holds it, then hold it for a run of a program.

        Parameters
        ----------
        program
            The name of the program.
        seconds
            The deadline.
        watch
            Called now and then during a long wait, which ends if it raises.

        Raises
        ------
        DeadlineExceededError
            If it is held until the deadline; the message says by whom.
        """
        if not self._lock.acquire(blocking=False):
            self._wait(program, seconds, watch)
        self._thread, self._since = threading.get_ident(), time.monotonic()
        self._holder = program

    def release(self) -> None:
        """Let the next one have it."""
        self._thread, self._holder = 0, ""
        self._lock.release()

    def _wait(self, program: str, seconds: float, watch: Callable[[], None]) -> None:
        begin = time.monotonic()
        patience, warned = min(WARNING_SECONDS, seconds / 10), False
        while True:
            waited = time.monotonic() - begin
            until = seconds if warned else patience
            if self._lock.acquire(timeout=min(_LOOK_SECONDS, max(0.0, until - waited))):
                return
            watch()
            waited = time.monotonic() - begin
            if waited >= seconds:
                raise DeadlineExceededError(
                    f"{program!r} waited {seconds:g} s (TPUREF_TIMEOUT) for the cores, "
                    f"held by {self._described()}. Run one after the other, on "
                    "systems of their own, or raise TPUREF_TIMEOUT",
                    code=codes.CORES_HELD,
                )
            if waited >= patience and not warned:
                warned = True
                _LOG.warning(
                    "%r has waited %g s for the cores, held by %s; it ends after "
                    "%g s (TPUREF_TIMEOUT) [%s]",
                    program,
                    patience,
                    self._described(),
                    seconds,
                    codes.STALL_REPORT,
                )

    def _described(self) -> str:
        holder, thread = self._holder, self._thread
        names = {t.ident: t.name for t in threading.enumerate()}
        if not holder:
            return "another run"
        held = time.monotonic() - self._since
        return f"a run of {holder!r} in thread {names.get(thread)!r} for {held:.1f} s"
