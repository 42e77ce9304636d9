"""The program counters: words of the arena, each written by one process."""

from __future__ import annotations

from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.pool.control_area import LINE_BYTES, counters_offset

EXCHANGE = 1 << 63
"""Added to the number of a sum by a process that takes all sums of its exchange."""


class ProgramCounters:
    """The program counters of all processes.

    Each holds the instruction that its process is in, counted from 1 in the order of
    `Program.all_instrs`; 0 while it is in none.  With `EXCHANGE`, it is the first sum
    of the exchange that the process is in.

    Parameters
    ----------
    arena
        The whole arena, flat bytes.
    cores, processes
        How many there are.
    """

    def __init__(self, arena: Array, cores: int, processes: int) -> None:
        start = counters_offset(cores)
        area = arena[start : start + processes * LINE_BYTES]
        self._words = area.data.cast("Q")

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
    """Return the instruction with a number, None for 0."""
    number &= ~EXCHANGE
    return list(program.all_instrs())[number - 1] if number else None
