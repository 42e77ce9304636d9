"""The stacks of all threads of this process, as text."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from types import FrameType

_RUNNERS = ("_pytest", "pluggy")


def host_stacks() -> str:
    """Return the stacks of all threads except the calling one."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return "\n".join(
        "\n    ".join([f"  thread {names.get(ident, ident)}", *_lines(frame)])
        for ident, frame in sys._current_frames().items()
        if ident != threading.get_ident()
    )


def _lines(frame: FrameType) -> list[str]:
    """Return the calls of a thread, without pytest's calls before the test."""
    calls = traceback.extract_stack(frame)
    start = max((k + 1 for k, call in enumerate(calls[:-1]) if _runs(call)), default=0)
    entries = traceback.format_list(calls[start:])
    return [line for entry in entries for line in entry.rstrip().splitlines()]


def _runs(call: traceback.FrameSummary) -> bool:
    return os.path.basename(os.path.dirname(call.filename)) in _RUNNERS
