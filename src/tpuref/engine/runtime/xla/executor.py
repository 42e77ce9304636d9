"""The executor on XLA: programs compiled by JAX, for all replicas at once."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Any
from weakref import WeakSet

import jax
import jax.experimental
import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.errors import UnimplementedError
from tpuref.engine.configuration import config
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import HOST, Program
from tpuref.engine.runtime.meaning.lockstep import Values
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.meaning.state import have_equal_bits
from tpuref.engine.runtime.pool.host.program_facts import ProgramFacts
from tpuref.engine.runtime.xla.agreement import agree, exchange
from tpuref.engine.runtime.xla.compiled import Compiled
from tpuref.engine.runtime.xla.digest import digest
from tpuref.engine.runtime.xla.errors import out_of_memory, refusal
from tpuref.engine.runtime.xla.placement import placement
from tpuref.engine.runtime.xla.signature import Held, Signature, describe_inputs
from tpuref.engine.runtime.xla.variables import array_of
from tpuref.engine.runtime.xla.watch import the_watch

# JAX 0.6, the newest for Python 3.10, has it among its experiments.
enable_x64 = (
    jax.enable_x64 if hasattr(jax, "enable_x64") else jax.experimental.enable_x64
)

KEPT = 256
"""The number of compiled programs in the cache."""

CACHED_SECONDS = 0.5
"""Programs that took at least this long to compile are kept on disk."""


def _keep_on_disk() -> None:
    """Let JAX keep compiled programs in the user's cache, unless settings say where.

    A program of many operations takes seconds to compile.
    """
    if jax.config.jax_compilation_cache_dir is not None:
        return
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(home, "tpuref", "xla")
    with contextlib.suppress(OSError):  # without a place to write, nothing is kept
        os.makedirs(folder, exist_ok=True)
        jax.config.update("jax_compilation_cache_dir", folder)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", CACHED_SECONDS)


class XlaExecutor:
    """Compiles programs for all replicas at once and runs them."""

    def __init__(self) -> None:
        _keep_on_disk()
        self._compiled: dict[tuple[Any, ...], Compiled] = {}
        # Programs are cached by id, which is unique as long as they are alive.
        self._known: dict[int, tuple[Program, bytes, list[str]]] = {}
        self._valued: set[bytes] = set()
        # The variables, by common handle, whose components a program makes different.
        self._parted: dict[bytes, set[str]] = {}
        # The sessions whose random streams are those of all processes.
        self._joined: WeakSet[Any] = WeakSet()
        self._latest: dict[int, tuple[tuple[Any, ...], Compiled]] = {}

    def run(self, program: Program, inputs: Values, run: Run) -> Values:
        """Run `program` for the replicas in `inputs` and return their results."""
        # Enable 64-bit types in this block only, whatever the user's JAX settings are.
        with enable_x64(True):
            compiled = self._lookup(program, inputs, run)
            if compiled.is_joint:
                self._join(run.state)
            name = program.name
            with the_watch().over(name, run.timeout), out_of_memory(name):
                results = compiled(inputs, run)
        if run.trace is not None and run.record is not None:
            run.trace += [
                run.record(instr.name, replica, 0)
                for instr in program.instrs
                if instr.core != HOST
                for replica in inputs
                if instr.concerns(replica)
            ]
        return results

    def _lookup(self, program: Program, inputs: Values, run: Run) -> Compiled:
        """Return the compiled program, specialized to values if it needs them."""
        same, variables = self._facts(program)
        try:
            return self._for(program, same, variables, inputs, run)
        except UnimplementedError as error:
            if same in self._valued or codes.XLA_DATA_DEPENDENT not in error.message:
                raise
            self._valued.add(same)
            return self._for(program, same, variables, inputs, run)

    def _for(
        self,
        program: Program,
        same: bytes,
        variables: Sequence[str],
        inputs: Values,
        run: Run,
    ) -> Compiled:
        where = placement(len(inputs), config.xla_devices)
        apart = where.processes > 1
        shared: list[tuple[str, ...]] = []
        if not (apart or config.check_replicas):
            parted = self._parted.get(same, ())
            own = [own for own in program.components if own[0] not in parted]
            shared = [own for own in own if _hold_one_array(own, run)]
        hidden = {handle for own in shared for handle in own[1:]}
        signature = Signature(
            program,
            same,
            where,
            describe_inputs(program, inputs, same in self._valued, apart),
            tuple(variables_with_value([h for h in variables if h not in hidden], run)),
            config.check_replicas,
            tuple(own[0] for own in shared),
        )
        key, latest = signature.key, self._latest.get(id(program))
        # Comparing with the last signature is faster than hashing all input types.
        if latest is not None and latest[0] == key:
            return latest[1]
        if key not in self._compiled:
            if len(self._compiled) >= KEPT:
                self._forget()
            if apart:
                agree(signature)
            compiled = Compiled(signature)
            if compiled.parted:
                self._parted.setdefault(same, set()).update(compiled.parted)
                return self._for(program, same, variables, inputs, run)
            self._compiled[key] = compiled
        self._latest[id(program)] = key, self._compiled[key]
        return self._compiled[key]

    def _join(self, state: Any) -> None:
        """Let all processes draw from the streams of the first."""
        if state not in self._joined:
            (first, *_) = exchange(
                "the first replicas of a session", str(state.entropy)
            )
            state.entropy = int(first)
            self._joined.add(state)

    def _facts(self, program: Program) -> tuple[bytes, list[str]]:
        """Return the digest of a program, and its variables."""
        if id(program) not in self._known:
            _refuse_several_cores(program)
            if len(self._known) >= KEPT:
                self._forget()
            facts = digest(program), ProgramFacts(program).variables
            self._known[id(program)] = program, *facts
        _, same, variables = self._known[id(program)]
        return same, variables

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return an array for an input."""
        return np.empty(shape, dtype)

    def close(self) -> None:
        """Drop the compiled programs."""
        self._forget()
        self._valued.clear()
        self._parted.clear()

    def _forget(self) -> None:
        self._compiled.clear()
        self._latest.clear()
        self._known.clear()

    def retire(self) -> None:
        """Drop the compiled programs once they are no longer in use."""
        self.close()

    def is_sound(self) -> bool:
        """Return True: there is nothing that can break."""
        return True

    def stacks(self) -> str:
        """Return a note: only the host's threads exist."""
        return "  xla: all replicas run in one compiled program, in this process"


def _hold_one_array(own: Sequence[str], run: Run) -> bool:
    """Return whether the components of a variable hold one array.

    Those of which the host has set equal values do so from now on.
    """
    view = run.view(0)
    values = view.values(own)
    if all(value is values[own[0]] for value in values.values()):
        return values[own[0]] is not None
    arrays = {h: value for h, value in values.items() if isinstance(value, np.ndarray)}
    if len(arrays) < len(own):
        return False
    first = arrays[own[0]]
    if not all(have_equal_bits(first, array) for array in arrays.values()):
        return False
    for handle, array in arrays.items():
        view.relocate(handle, array, first)
    return True


def variables_with_value(variables: Sequence[str], run: Run) -> Iterator[Held]:
    """Yield the variables that have a value."""
    view = run.view(0)
    for handle in variables:
        if view.is_initialized(handle):
            array = array_of(view.held(handle))
            yield Held(handle, array.shape, np.dtype(array.dtype))


def _refuse_several_cores(program: Program) -> None:
    for instr in program.all_instrs():
        if instr.core > 0:
            why = f"it is placed on logical core {instr.core}"
            raise refusal(instr, why, codes.XLA_OPERATION)
