"""Programs of the host: the one door to the interpreter for everything above `runtime`.

A program of the host is run by one replica, number 0.
"""

from collections.abc import Sequence

from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.meaning import lockstep
from tpuref.engine.runtime.meaning.host_program import HostProgram as HostProgram
from tpuref.engine.runtime.meaning.run import Run


def run_program(program: Program, inputs: Sequence[Array], run: Run) -> Sequence[Array]:
    """Run a program once and return its results; `HostProgram` prepares it for more."""
    return lockstep.run_program(program, {0: inputs}, run)[0]


def run_instr(
    instr: Instr, inputs: Sequence[Array], run: Run, replica: int = 0
) -> Sequence[Array]:
    """Run one instruction for a replica and return its outputs."""
    return lockstep.run_instr(instr, {replica: inputs}, run)[replica]
