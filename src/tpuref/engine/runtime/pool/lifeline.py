"""The lifeline: a pipe without content, by which a process ends with its parent.

The parent holds the only write end.  When it ends, for whatever reason, the pipe
becomes readable, and the kernel sends SIGKILL to the owner of the read end (O_ASYNC,
F_SETSIG), even if it is stopped.
"""

import fcntl
import os
import signal


def beyond_the_streams(descriptor: int) -> int:
    """Copy a descriptor to a number above those of the standard streams."""
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)


def bind(lifeline: int, pid: int) -> None:
    """Have the kernel kill the process when the other end of the lifeline closes."""
    if hasattr(fcntl, "F_SETSIG"):
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, pid)
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)
