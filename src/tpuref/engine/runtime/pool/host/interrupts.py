"""Deferral of signals whose handlers would interrupt a change half done."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def interrupts_later() -> Iterator[None]:
    """Defer Ctrl-C, and all signals with a handler in Python, until the block ends.

    This matters only in the main thread, as Python runs handlers there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = signal.valid_signals()
    handlers = {int(n): h for n in numbers if callable(h := signal.getsignal(n))}
    deferred: list[int] = []
    defers = True

    def note(number: int, frame: FrameType | None) -> None:
        # After the block it passes signals on, as one may arrive during the restoring.
        if defers:
            deferred.append(number)
        else:
            handlers[number](number, frame)

    try:
        for number in handlers:
            signal.signal(number, note)
        yield
    finally:
        defers = False
        with contextlib.ExitStack() as later:
            for number in deferred:
                later.callback(signal.raise_signal, number)
            for number, handler in handlers.items():
                signal.signal(number, handler)
