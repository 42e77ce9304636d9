"""The control area: the part of the arena through which processes follow one another.

::

    | flags | program counters | mailboxes |
"""

from __future__ import annotations

from tpuref.engine.ops.meaning import Array
from tpuref.kernels import flags
from tpuref.kernels import mailboxes as kernel

LINE_BYTES = 64
"""A cache line. Each program counter has one to itself."""


def counters_offset(cores: int) -> int:
    """Return where the program counters begin."""
    return -(-flags.control_bytes(cores) // LINE_BYTES) * LINE_BYTES


def control_bytes(cores: int, processes: int) -> int:
    """Return the size of the control area."""
    return _mailbox_offset(cores, processes, 2 * processes)


def mailboxes(
    arena: Array, cores: int, processes: int, process: int
) -> tuple[kernel.Mailbox, kernel.Mailbox]:
    """Return the mailbox from the host to a process, and the one back."""
    first, second = (
        _mailbox_offset(cores, processes, number)
        for number in (2 * process, 2 * process + 1)
    )
    return kernel.Mailbox(arena, first), kernel.Mailbox(arena, second)


def _mailbox_offset(cores: int, processes: int, number: int) -> int:
    first = counters_offset(cores) + processes * LINE_BYTES
    return first + number * kernel.MAILBOX_BYTES
