"""Signals are held back where their handlers would leave something half done."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def interrupts_later() -> Iterator[None]:
    """Hold Ctrl-C, and all signals with a handler in Python, back until the block ends.

    This matters only in the main thread, as Python runs handlers there.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = signal.valid_signals()
    handlers = {int(n): h for n in numbers if callable(h := signal.getsignal(n))}
    held_back: list[int] = []
    holds = True

    def note(number: int, frame: FrameType | None) -> None:
        # It passes signals on after the block, as one of them may end the restoring.
        if holds:
            held_back.append(number)
        else:
            handlers[number](number, frame)

    try:
        for number in handlers:
            signal.signal(number, note)
        yield
    finally:
        holds = False
        with contextlib.ExitStack() as later:
            for number in held_back:
                later.callback(signal.raise_signal, number)
            for number, handler in handlers.items():
                signal.signal(number, handler)
