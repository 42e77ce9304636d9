"""The program of one logical core of several.

Each logical core of a replica has its own program, as on a TPU: the operations that are
placed on it.  Values of the other cores are received, as those of the host are.
"""

from dataclasses import replace

from tpuref.engine.program import HOST, Instr, Program


def on_core(program: Program, core: int) -> Program:
    """Return a program with the operations of other logical cores on the host."""
    instrs = (_place(instr, core) for instr in program.instrs)
    return replace(program, instrs=tuple(instrs))


def runs_on(instr: Instr, core: int) -> bool:
    """Return whether a logical core runs an operation, or the host does."""
    return instr.core in (HOST, core) or bool(instr.blocks)


def _place(instr: Instr, core: int) -> Instr:
    if not runs_on(instr, core):
        return replace(instr, core=HOST)
    return replace(instr, blocks=tuple(on_core(inner, core) for inner in instr.blocks))
