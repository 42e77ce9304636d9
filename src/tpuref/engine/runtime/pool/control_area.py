"""The control area of the arena: flags, program counters and mailboxes.

::

    | flags | program counters | mailboxes |
"""

from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr, Program
from tpuref.kernels import flags
from tpuref.kernels import mailboxes as kernel

LINE_BYTES = 64
"""A cache line. Each program counter has one to itself."""


def _counters_offset(cores: int) -> int:
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
    first = _counters_offset(cores) + processes * LINE_BYTES
    return first + number * kernel.MAILBOX_BYTES


EXCHANGE = 1 << 63
"""Added to the number of a sum while a process takes all sums of its exchange."""


class ProgramCounters:
    """The program counters of all processes.

    Each is the number of its process's instruction, counted from 1 in the order of
    `Program.all_instrs`; 0 while it is in none.  With `EXCHANGE`, it is the first sum
    of an exchange.

    Only its process writes a counter, and the host reads it at any time without a lock:
    it is one aligned word, and a late value only makes the report of a stall late.
    """

    def __init__(self, arena: Array, cores: int, processes: int) -> None:
        start = _counters_offset(cores)
        self._words = arena[start : start + processes * LINE_BYTES].data.cast("Q")

    def own(self, process: int) -> memoryview:
        """Return the program counter of a process, for it to write."""
        start = process * LINE_BYTES // 8
        return self._words[start : start + 1]

    def at(self, process: int) -> int:
        """Return the program counter of a process."""
        number: int = self._words[process * LINE_BYTES // 8]
        return number


def numbered(program: Program) -> dict[int, int]:
    """Return the number of each instruction, by its id."""
    return {id(instr): n for n, instr in enumerate(program.all_instrs(), start=1)}


def instruction(program: Program, number: int) -> Instr | None:
    """Return the instruction of a program counter, None for 0."""
    number &= ~EXCHANGE
    return list(program.all_instrs())[number - 1] if number else None
