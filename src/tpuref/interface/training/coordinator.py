"""Define the coordinator of threads that stop together."""

import contextlib
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of, listed, number
from tpuref.base.errors import OutOfRangeError
from tpuref.interface.training.log import log

_POLL_SECONDS = 0.05


class Coordinator:
    """Stops several threads together.

    Any thread may request a stop, with or without an error; the others poll
    `should_stop`; `join` waits for all of them and raises the error.  `join` does not
    raise `clean_stop_exception_types`, by default `tf.errors.OutOfRangeError`.

    Examples
    --------
    >>> import threading
    >>> coord = tf.train.Coordinator()
    >>> def work():
    ...     with coord.stop_on_exception():
    ...         raise KeyError("lost")
    >>> thread = threading.Thread(target=work)
    >>> thread.start()
    >>> coord.join([thread])
    Traceback (most recent call last):
    KeyError: 'lost'
    """

    def __init__(
        self, clean_stop_exception_types: Sequence[type[BaseException]] | None = None
    ) -> None:
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (OutOfRangeError,)
        argument = "tf.train.Coordinator: clean_stop_exception_types"
        self._clean = tuple(listed(argument, clean_stop_exception_types))
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._error: BaseException | None = None
        self.joined = False
        self._registered: set[threading.Thread] = set()

    def request_stop(self, ex: Any = None) -> None:
        """Request all threads to stop.

        `ex` is the error, or the result of ``sys.exc_info()``; `join` raises the first
        one.  After `join`, an error is raised at once.
        """
        error: BaseException | None = ex[1] if isinstance(ex, tuple) else ex
        with self._lock:
            if self.joined and error is not None:
                raise error
            if self._stopped.is_set():
                return
            if error is not None:
                log.info("Error reported to Coordinator: %s", error)
                self._error = None if isinstance(error, self._clean) else error
            self._stopped.set()

    def clear_stop(self) -> None:
        """Reset the request to stop, and its error."""
        with self._lock:
            self.joined, self._error = False, None
            self._stopped.clear()

    def should_stop(self) -> bool:
        """Return whether a stop was requested."""
        return self._stopped.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Request a stop if a block raises an error, which `join` then raises."""
        try:
            yield
        except BaseException:
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Wait for a request to stop, up to a timeout; return whether there was one."""
        if timeout is None:
            return self._stopped.wait()
        seconds = number("tf.train.Coordinator.wait_for_stop: timeout", timeout)
        return self._stopped.wait(min(seconds, threading.TIMEOUT_MAX))

    def register_thread(self, thread: threading.Thread) -> None:
        """Make `join` wait for a thread too."""
        with self._lock:
            self._registered.add(_thread("register_thread: thread", thread))

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Wait for the threads to end, and raise the error that stopped them.

        `threads` are threads to wait for, in addition to the registered ones.
        `stop_grace_period_secs` are the seconds that threads may take after a stop was
        requested.  `ignore_live_threads` says whether to ignore threads that take
        longer.  It raises RuntimeError if threads still run after that time.
        """
        argument = "tf.train.Coordinator.join: stop_grace_period_secs"
        grace = number(argument, stop_grace_period_secs)
        several = (
            ()
            if threads is None
            else listed("tf.train.Coordinator.join: threads", threads)
        )
        with self._lock:
            waited = self._registered | {
                _thread("join: threads", one) for one in several
            }
        while any(one.is_alive() for one in waited) and not self._stopped.is_set():
            self._stopped.wait(_POLL_SECONDS)
        deadline = time.monotonic() + grace
        for one in waited:
            left = max(0.0, deadline - time.monotonic())
            one.join(min(left, threading.TIMEOUT_MAX))
        late = " ".join(one.name for one in waited if one.is_alive())
        with self._lock:
            self.joined, self._registered = True, set()
        self.raise_requested_exception()
        if late and ignore_live_threads:
            log.info("Coordinator stopped with threads still running: %s", late)
        elif late:
            raise codes.SESSION_CLOSED.runtime_error(
                f"tf.train.Coordinator.join: after {stop_grace_period_secs} s threads "
                f"still run: {late}; let them poll should_stop(), or pass "
                "ignore_live_threads=True"
            )

    def raise_requested_exception(self) -> None:
        """Raise the error of the request to stop, if any."""
        if self._error is not None:
            raise self._error


def _thread(argument: str, value: Any) -> threading.Thread:
    return instance_of(
        threading.Thread, f"tf.train.Coordinator.{argument}", "a thread", value
    )
