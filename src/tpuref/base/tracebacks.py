"""Tracebacks without the frames of tpuref, so that the user's line comes last.

``TPUREF_TRACEBACKS=full`` keeps all frames.  Only displayed tracebacks change: code
that handles an error gets the whole traceback.
"""

import functools
import os
import sys
import threading
from types import TracebackType
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.callsite import is_library, is_tpuref

_STANDARD = os.path.dirname(os.__file__) + os.sep

NOTE = "Frames of tpuref are left out; TPUREF_TRACEBACKS=full shows them."


def are_full() -> bool:
    """Return whether tracebacks show all frames."""
    return os.environ.get("TPUREF_TRACEBACKS") == "full"


def shorten(error: BaseException) -> bool:
    """Remove the frames of tpuref, and causes without other frames, from an error.

    An error without other frames does not change.  Return whether the innermost frame
    was removed.
    """
    if are_full() or error.__traceback__ is None:
        return False
    frames = _user_frames(error.__traceback__)
    if not frames:
        return False
    innermost = _frames(error.__traceback__)[-1]
    error.__traceback__ = _chain(frames)
    _shorten_causes(error)
    return innermost.tb_frame is not frames[-1].tb_frame


def _shorten_causes(error: BaseException) -> None:
    seen = {id(error)}
    while (cause := error.__cause__ or _context(error)) and id(cause) not in seen:
        seen.add(id(cause))
        frames = cause.__traceback__ and _user_frames(cause.__traceback__)
        if not frames and (cause.__traceback__ or _is_ours(cause)):
            error.__cause__, error.__suppress_context__ = None, True
            return
        cause.__traceback__ = _chain(frames or [])
        error = cause


def _context(error: BaseException) -> BaseException | None:
    return None if error.__suppress_context__ else error.__context__


def _is_ours(error: BaseException) -> bool:
    return type(error).__module__.partition(".")[0] == "tpuref"


def _frames(trace: TracebackType | None) -> list[TracebackType]:
    frames = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    return frames


def _user_frames(trace: TracebackType) -> list[TracebackType]:
    """Return the frames of the user: neither tpuref's nor of libraries it calls."""
    # A frame of NumPy or the standard library belongs to tpuref if tpuref called it,
    # and to the user if the user did; user code that tpuref calls back is kept.
    frames = []
    inside = False
    for one in _frames(trace):
        file = one.tb_frame.f_code.co_filename
        inside = is_tpuref(file) or (inside and _is_python(file))
        if not inside:
            frames.append(one)
    return frames


@functools.cache
def _is_python(file: str) -> bool:
    """Return whether a source file is NumPy's or the standard library's."""
    standard = file.startswith(_STANDARD) and "site-packages" not in file
    return standard or is_library(file)


def _chain(frames: list[TracebackType]) -> TracebackType | None:
    trace = None
    for one in reversed(frames):
        trace = TracebackType(trace, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return trace


# -- display -------------------------------------------------------------------


def display(
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    show: Any,
) -> None:
    """Show an unhandled error, shortened, with the hook `show`."""
    if error.__traceback__ is not trace:
        error = error.with_traceback(trace)
    hidden = shorten(error)
    show(kind, error, error.__traceback__)
    if hidden and codes.PATTERN.search(str(error)) is None:
        print(NOTE, file=sys.stderr)


def display_of_thread(arguments: Any, show: Any) -> None:
    """Show an error that ends a thread, shortened, with the hook `show`."""
    if arguments.exc_value is not None:
        shorten(arguments.exc_value)
        arguments = threading.ExceptHookArgs(
            [
                arguments.exc_type,
                arguments.exc_value,
                arguments.exc_value.__traceback__,
                arguments.thread,
            ]
        )
    show(arguments)


def install_in_notebook(shell: Any) -> None:
    """Let IPython show shortened errors, unless it already has a custom handler."""
    if shell is None or shell.custom_exceptions:
        return

    def show(
        shell: Any,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
        tb_offset: int | None = None,
    ) -> None:
        shorten(error)
        shell.showtraceback(
            (kind, error, error.__traceback__),
            tb_offset=tb_offset,
            running_compiled_code=True,
        )

    shell.set_custom_exc((Exception,), show)
