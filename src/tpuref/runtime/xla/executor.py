"""The executor on XLA: programs compiled by JAX, all replicas on one device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.errors import UnimplementedError
from tpuref.configuration import config
from tpuref.ops.meaning import Array
from tpuref.program import HOST, Program
from tpuref.runtime.lockstep import Values
from tpuref.runtime.program_facts import ProgramFacts
from tpuref.runtime.run import Run
from tpuref.runtime.xla.compiled import Compiled, view_of
from tpuref.runtime.xla.errors import refusal
from tpuref.runtime.xla.signature import Held, Signature, given_to
from tpuref.runtime.xla.variables import DeviceVariable

KEPT = 256
"""How many compiled programs are kept."""


class XlaExecutor:
    """Compiles programs and runs them, for all replicas at once."""

    def __init__(self) -> None:
        self._compiled: dict[tuple[Any, ...], Compiled] = {}
        # A program that is held keeps its id to itself.
        self._variables: dict[int, tuple[Program, list[str]]] = {}
        self._valued: set[int] = set()

    def run(self, program: Program, inputs: Values, run: Run) -> Values:
        """Run `program` for the replicas in `inputs` and return their results."""
        # Types of 64 bits within this block, whatever the user's own JAX has.
        with jax.enable_x64(True), jax.default_matmul_precision("highest"):
            results = self._found(program, inputs, run)(inputs, run)
        if run.trace is not None and run.record is not None:
            run.trace += [
                run.record(instr.name, replica, 0)
                for instr in program.instrs
                if instr.core != HOST
                for replica in inputs
                if instr.concerns(replica)
            ]
        return results

    def _found(self, program: Program, inputs: Values, run: Run) -> Compiled:
        """Return the compiled program, compiled for values where it needs them."""
        try:
            return self._for(program, inputs, run)
        except UnimplementedError as error:
            known = id(program) in self._valued
            if known or codes.XLA_DATA_DEPENDENT not in error.message:
                raise
            self._valued.add(id(program))
            return self._for(program, inputs, run)

    def _for(self, program: Program, inputs: Values, run: Run) -> Compiled:
        signature = Signature(
            program,
            len(inputs),
            given_to(program, inputs, id(program) in self._valued),
            tuple(self._held(program, run)),
            config.check_replicas,
        )
        key = signature.key
        if key not in self._compiled:
            if len(self._compiled) >= KEPT:
                self._compiled.clear()
            self._compiled[key] = Compiled(signature)
        return self._compiled[key]

    def _held(self, program: Program, run: Run) -> list[Held]:
        view = view_of(run, 0)
        found = []
        for handle in self._used(program):
            if view.is_initialized(handle):
                array: Any = view.held(handle)
                if isinstance(array, DeviceVariable):
                    array = array.array
                found.append(Held(handle, array.shape, np.dtype(array.dtype)))
        return found

    def _used(self, program: Program) -> list[str]:
        """Return the names of the variables; only once look at what the program is."""
        known = self._variables.get(id(program))
        if known is None:
            _refuse_several_cores(program)
            known = program, ProgramFacts(program).variables
            self._variables[id(program)] = known
        return known[1]

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return an array to write an input to."""
        return np.empty(shape, dtype)

    def close(self) -> None:
        """Forget what was compiled."""
        self._compiled.clear()
        self._variables.clear()
        self._valued.clear()

    def retire(self) -> None:
        """Forget what was compiled, once it is no longer in use."""
        self.close()

    def is_sound(self) -> bool:
        """Return True, as nothing can break."""
        return True

    def stacks(self) -> str:
        """Say that there are only the threads of the host."""
        return "  xla: all replicas run in one compiled program, in this process"


def _refuse_several_cores(program: Program) -> None:
    for instr in program.all_instrs():
        if instr.core > 0:
            why = f"it is placed on logical core {instr.core}"
            raise refusal(instr, why, codes.XLA_SEVERAL_CORES)
