"""A prepared program of the host, with one replica."""

import itertools
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from tpuref.base.errors import OpError
from tpuref.base.memory import keep_freed_memory
from tpuref.engine.ops.definition import Access, Flow, Operand
from tpuref.engine.ops.meaning import Array, Compute
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.meaning.known_values import is_function, known_values
from tpuref.engine.runtime.meaning.lockstep import (
    locate,
    perform,
    run_instr,
    run_program,
)
from tpuref.engine.runtime.meaning.operation_failure import FAULTS
from tpuref.engine.runtime.meaning.rows import LEAST_SIZE, by_rows
from tpuref.engine.runtime.meaning.run import EffectContext, Run

_LEAST_REUSED = 1 << 12
"""The number of elements from which new memory costs more than a call with ``out=``."""

Values = dict[int, Any]
"""The values of the slots."""

Step = Callable[[Values, Run], None]


class HostProgram:
    """A program, prepared for the host.

    Constants are put into their slots beforehand, values that are known already are not
    computed again, and a value is forgotten after its last reader, so that the next one
    takes its memory, which a cache still holds.  No instruction of `program` copies
    between replicas.
    """

    def __init__(self, program: Program) -> None:
        keep_freed_memory()
        self._program = program
        sources = known_values(program)
        self._constants = {
            instr.outputs[0]: np.asarray(
                instr.attrs["value"], instr.specs[0].dtype.np, order="C"
            )
            for instr in program.instrs
            if instr.definition.traits.constant and instr.outputs[0] not in sources
        }
        self._steps = _steps(program, sources, self._constants)
        self._results = [sources.get(slot, slot) for slot in program.results]

    def run(self, inputs: Sequence[Array], run: Run) -> list[Array]:
        """Run the program and return its results."""
        if run.events is not None:  # a recording has each instruction
            return list(run_program(self._program, {0: inputs}, run)[0])
        values: Values = self._constants.copy()
        values.update(zip(self._program.parameters, inputs, strict=True))
        for step in self._steps:
            step(values, run)
        return [values[slot] for slot in self._results]


def _steps(
    program: Program, sources: Mapping[int, int], constants: Mapping[int, Array]
) -> list[Step]:
    """Return the steps that compute what `sources` does not have."""
    known = {
        slot: Operand(spec.shape, spec.dtype, constants.get(slot))
        for instr in program.instrs
        for slot, spec in zip(instr.outputs, instr.specs, strict=True)
    }
    computed = [
        replace(instr, inputs=tuple(sources.get(slot, slot) for slot in instr.inputs))
        for instr in program.instrs
        if not instr.definition.traits.constant
        and any(slot not in sources for slot in instr.outputs or [None])
    ]
    kept = {sources.get(slot, slot) for slot in program.results}
    unshared = _unshared(computed) - kept
    last = {slot: id(instr) for instr in computed for slot in instr.inputs}
    steps: list[Step] = []
    for quiet, group in itertools.groupby(computed, _is_quiet):
        inner = []
        for instr in group:
            ending = [s for s in {*instr.inputs} - kept if last[s] == id(instr)]
            inner.append(_step(instr, ending, known, unshared))
        steps += [_without_warnings(inner)] if quiet else inner
    return steps


def _is_quiet(instr: Instr) -> bool:
    """Whether an instruction calls no code of the user's, which may want warnings."""
    return _is_call(instr) or instr.definition.effects.access is not None


def _without_warnings(steps: Sequence[Step]) -> Step:
    """Return some steps as one, as each change of NumPy's settings takes 2 us."""

    def step(values: Values, run: Run) -> None:
        with np.errstate(all="ignore"):
            for inner in steps:
                inner(values, run)

    return step


def _step(
    instr: Instr,
    ending: Sequence[int],
    known: Mapping[int, Operand],
    unshared: Set[int],
) -> Step:
    """Return the step of an instruction; nothing reads the slots `ending` after it."""
    if _is_call(instr):
        return _function_step(instr, ending, known, unshared)
    if instr.definition.effects.access is Access.UPDATE:
        return _update_step(instr, unshared & {*ending})
    if instr.definition.effects.access is not None:
        return _variable_step(instr)
    if instr.definition.flow is Flow.REPLICATION:
        return _replication_step(instr)
    return _interpreting_step(instr)


def _update_step(instr: Instr, free: Set[int]) -> Step:
    """Return the step that adds to a variable, or subtracts from it."""
    (change,), (spec,) = instr.inputs, instr.specs
    combine = instr.definition.effects.combine
    assert combine is not None
    operand = Operand(spec.shape, spec.dtype)
    function = _sparing(instr, combine, [operand, operand], [False, change in free])
    shape = tuple(spec.shape.as_list()) if spec.shape.is_fully_defined() else None
    thorough = _variable_step(instr)

    def step(values: Values, run: Run) -> None:
        variables = EffectContext(instr, 0, run).variables
        old, array = variables.read(instr.attrs["handle"]), values[change]
        if not old.shape == shape == array.shape:
            thorough(values, run)
            return
        new = np.asarray(function(old, array), old.dtype)
        variables.write(instr.attrs["handle"], new)
        values[instr.outputs[0]] = new
        if change in free:
            values[change] = None

    return _located(instr, step)


def _unshared(computed: Sequence[Instr]) -> set[int]:
    """Return the slots of new arrays of which no reader takes a view."""
    unshared: set[int] = set()
    for instr in computed:
        if is_function(instr) and instr.definition.writes_into:
            unshared.update(instr.outputs)
        elif instr.definition.effects.access is not Access.UPDATE:
            unshared.difference_update(instr.inputs)
    return unshared


def _is_call(instr: Instr) -> bool:
    one = len(instr.outputs) == 1
    return one and is_function(instr) and not instr.definition.allocates


def _function_step(
    instr: Instr,
    ending: Sequence[int],
    known: Mapping[int, Operand],
    unshared: Set[int],
) -> Step:
    """Return the step that calls a function, and leaves any special case to lockstep.

    On small arrays a function takes no longer than what lockstep adds to it.
    """
    unknown = np.dtype(np.int32)  # of a parameter: the function for any type
    inputs = instr.inputs
    dtypes = [known[s].dtype.np if s in known else unknown for s in inputs]
    function = instr.definition.function(dtypes)
    operands = [known[slot] for slot in inputs if slot in known]
    if len(operands) == len(inputs):
        free = [slot in unshared and slot in ending for slot in inputs]
        function = _sparing(instr, function, operands, free)
    (output,), (spec,), attrs = instr.outputs, instr.specs, dict(instr.attrs)
    dtype, thorough = spec.dtype.np, _interpreting_step(instr)

    def step(values: Values, run: Run) -> None:
        try:
            result = function(*[values[slot] for slot in inputs], **attrs)
            if result.__class__ is tuple or result.__class__ is list:
                (result,) = result
            values[output] = np.asarray(result, dtype, order="C")
        except (OpError, MemoryError, *FAULTS):
            thorough(values, run)  # fails again, with its message
        for slot in ending:
            values[slot] = None

    return step


def _sparing(
    instr: Instr, function: Compute, operands: Sequence[Operand], free: Sequence[bool]
) -> Compute:
    """Let an elementwise function use threads, and the memory of `free` inputs."""
    overwritten = _overwritten(instr, function, operands, free)
    if _is_parallel(instr, function, operands):
        return by_rows(function, instr.specs[0].dtype.np, overwritten)
    size = instr.specs[0].shape.num_elements() or 0
    if overwritten is None or size < _LEAST_REUSED:
        return function
    return lambda *arrays, **attrs: function(*arrays, out=arrays[overwritten], **attrs)


def _is_parallel(instr: Instr, function: Compute, operands: Sequence[Operand]) -> bool:
    """Whether threads may share the rows of the result."""
    definition, size = instr.definition, instr.specs[0].shape.num_elements()
    writes = isinstance(function, np.ufunc) or definition.writes_into
    large = size is None or size >= LEAST_SIZE
    return large and writes and definition.is_elementwise(operands, instr.attrs)


def _overwritten(
    instr: Instr, function: Compute, operands: Sequence[Operand], free: Sequence[bool]
) -> int | None:
    """Return the input whose memory the result takes, None if it takes its own.

    Of floating-point numbers, as these never make a function fail half-way.
    """
    overwrites = isinstance(function, np.ufunc) or instr.definition.traits.overwrites
    (spec,) = instr.specs
    if not (overwrites and spec.dtype.is_floating and spec.shape.is_fully_defined()):
        return None
    fitting = (
        k
        for k, operand in enumerate(operands)
        if free[k] and (operand.shape, operand.dtype) == (spec.shape, spec.dtype)
    )
    return next(fitting, None)


def _replication_step(instr: Instr) -> Step:
    """Return the step that runs a replicated computation."""

    def step(values: Values, run: Run) -> None:
        operands = [values[slot] for slot in instr.inputs]
        assert run.systems is not None  # as it is within a replica alone
        outputs = run.systems.replicate(instr, operands, run)
        values.update(zip(instr.outputs, outputs, strict=True))

    return _located(instr, step)


def _variable_step(instr: Instr) -> Step:
    """Return the step that reads or writes a variable."""
    (output,) = instr.outputs

    def step(values: Values, run: Run) -> None:
        operands = [values[slot] for slot in instr.inputs]
        (values[output],) = perform(instr, operands, 0, run)

    return _located(instr, step)


def _located(instr: Instr, step: Step) -> Step:
    """Let the errors of a step say which instruction they come from."""

    def located(values: Values, run: Run) -> None:
        try:
            step(values, run)
        except OpError as error:
            locate(error, instr)
            raise

    return located


def _interpreting_step(instr: Instr) -> Step:
    """Return the step that lets lockstep run an instruction."""

    def step(values: Values, run: Run) -> None:
        operands = [values[slot] for slot in instr.inputs]
        outputs = run_instr(instr, {0: operands}, run)[0]
        values.update(zip(instr.outputs, outputs, strict=True))

    return step
