"""The program counters of the cores: words of the arena, each written by its core."""

from __future__ import annotations

from tpuref.kernels import flags
from tpuref.ops.meaning import Array
from tpuref.program import Instr, Program

_LINE = 64  # each word has a cache line to itself


def control_bytes(cores: int) -> int:
    """Return the size of the control area: the flags, then the program counters."""
    return _rounded(flags.control_bytes(cores)) + cores * _LINE


def _rounded(size: int) -> int:
    return -(-size // _LINE) * _LINE


class ProgramCounters:
    """The program counters of all cores.

    Each holds the instruction that its core is in, counted from 1 in the order of
    `Program.all_instrs`; 0 while it is in none.

    Parameters
    ----------
    arena
        The whole arena, flat bytes.
    cores
        How many cores there are.
    """

    def __init__(self, arena: Array, cores: int) -> None:
        area = arena[_rounded(flags.control_bytes(cores)) : control_bytes(cores)]
        self._words = area.data.cast("Q")

    def own(self, core: int) -> memoryview:
        """Return the program counter of a core, for it to write."""
        start = core * _LINE // 8
        return self._words[start : start + 1]

    def at(self, core: int) -> int:
        """Return the program counter of a core."""
        number: int = self._words[core * _LINE // 8]
        return number


def numbered(program: Program) -> dict[int, int]:
    """Return the number of each instruction, by its id."""
    return {id(instr): n for n, instr in enumerate(program.all_instrs(), start=1)}


def instruction(program: Program, number: int) -> Instr | None:
    """Return the instruction with a number, None for 0."""
    if number == 0:
        return None
    instrs = list(program.all_instrs())
    return instrs[number - 1]
