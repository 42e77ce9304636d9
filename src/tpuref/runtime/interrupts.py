"""Ctrl-C is held back where it would leave something half done."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


@contextlib.contextmanager
def interrupts_later() -> Iterator[None]:
    """Hold an interrupt back until the block is done.

    This matters only in the main thread, and if a Python handler is installed.
    """
    handler = signal.getsignal(signal.SIGINT)
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or not callable(handler):
        yield
        return
    held_back: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        held_back.append(number)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held_back:
            signal.raise_signal(signal.SIGINT)
