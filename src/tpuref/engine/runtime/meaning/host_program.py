"""A prepared program of the host, with one replica."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tpuref.base.errors import OpError
from tpuref.base.memory import keep_freed_memory
from tpuref.engine.ops.definition import Flow, Operand, Place
from tpuref.engine.ops.meaning import Array, Compute
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.meaning.lockstep import locate, run_instr, run_program
from tpuref.engine.runtime.meaning.operation_failure import FAULTS
from tpuref.engine.runtime.meaning.rows import LEAST_SIZE, by_rows
from tpuref.engine.runtime.meaning.run import Run

Values = dict[int, Any]
"""The values of the slots."""

Step = Callable[[Values, Run], None]


class HostProgram:
    """A program, prepared for the host.

    Constants are put into their slots beforehand, a forwarded output is the slot of its
    input, and functions that follow each other are one step.  A value is forgotten
    after its last reader, so that the next one takes its memory, which a cache still
    holds.  No instruction of `program` copies between replicas.
    """

    def __init__(self, program: Program) -> None:
        keep_freed_memory()
        self._program = program
        self._constants = {
            instr.outputs[0]: np.asarray(
                instr.attrs["value"], instr.specs[0].dtype.np, order="C"
            )
            for instr in program.instrs
            if instr.definition.traits.constant
        }
        sources = _sources(program)
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


def _sources(program: Program) -> dict[int, int]:
    """Return the slot of the value that each forwarded output has."""
    sources: dict[int, int] = {}
    for instr in program.instrs:
        if instr.definition.traits.forwards:
            source = instr.inputs[0]
            sources[instr.outputs[0]] = sources.get(source, source)
    return sources


def _steps(
    program: Program, sources: Mapping[int, int], constants: Mapping[int, Array]
) -> list[Step]:
    """Return one step for consecutive functions, and one for any other instruction."""
    known = {
        slot: Operand(spec.shape, spec.dtype, constants.get(slot))
        for instr in program.instrs
        for slot, spec in zip(instr.outputs, instr.specs, strict=True)
    }
    kept = {sources.get(slot, slot) for slot in program.results}
    last = {
        sources.get(slot, slot): id(instr)
        for instr in filter(_runs, program.instrs)
        for slot in instr.inputs
    }
    steps: list[Step] = []
    for are_functions, instrs in itertools.groupby(
        filter(_runs, program.instrs), _is_function
    ):
        group = [(i, [sources.get(slot, slot) for slot in i.inputs]) for i in instrs]
        if are_functions:
            calls = []
            for instr, inputs in group:
                ending = [s for s in {*inputs} - kept if last[s] == id(instr)]
                calls.append(_call(instr, inputs, ending, known))
            steps.append(_computing_step(calls))
            continue
        for instr, inputs in group:
            starts = instr.definition.flow is Flow.REPLICATION
            steps.append(
                (_replication_step if starts else _interpreting_step)(instr, inputs)
            )
    return steps


def _runs(instr: Instr) -> bool:
    traits = instr.definition.traits
    return not (traits.constant or traits.forwards)


class _Call(NamedTuple):
    """A function that computes the array of one slot from those of others.

    Nothing reads the slots `ending` after it.
    """

    function: Compute
    inputs: Sequence[int]
    ending: Sequence[int]
    attrs: Mapping[str, Any]
    output: int
    dtype: np.dtype[Any]
    thorough: Step


def _is_function(instr: Instr) -> bool:
    definition = instr.definition
    return (
        definition.foldable
        and not (definition.allocates or instr.blocks)
        and definition.place is Place.ANYWHERE
        and len(instr.outputs) == 1
    )


def _call(
    instr: Instr,
    inputs: Sequence[int],
    ending: Sequence[int],
    known: Mapping[int, Operand],
) -> _Call:
    unknown = np.dtype(np.int32)  # of a parameter: the function for any type
    dtypes = [known[s].dtype.np if s in known else unknown for s in inputs]
    function = instr.definition.function(dtypes)
    operands = [known[slot] for slot in inputs if slot in known]
    if len(operands) == len(inputs) and _is_parallel(instr, function, operands):
        function = by_rows(function, instr.specs[0].dtype.np)
    return _Call(
        function,
        inputs,
        ending,
        dict(instr.attrs),
        instr.outputs[0],
        instr.specs[0].dtype.np,
        _interpreting_step(instr, inputs),
    )


def _is_parallel(instr: Instr, function: Compute, operands: Sequence[Operand]) -> bool:
    """Whether threads may share the rows of the result."""
    definition, size = instr.definition, instr.specs[0].shape.num_elements()
    writes = isinstance(function, np.ufunc) or definition.writes_into
    large = size is None or size >= LEAST_SIZE
    return large and writes and definition.is_elementwise(operands, instr.attrs)


def _computing_step(calls: Sequence[_Call]) -> Step:
    """Return the step that calls functions, and leaves any special case to lockstep.

    On small arrays a function takes no longer than what lockstep adds to it.
    """

    def step(values: Values, run: Run) -> None:
        with np.errstate(all="ignore"):
            for function, inputs, ending, attrs, output, dtype, thorough in calls:
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


def _replication_step(instr: Instr, inputs: Sequence[int]) -> Step:
    """Return the step that runs a replicated computation."""

    def step(values: Values, run: Run) -> None:
        operands = [values[slot] for slot in inputs]
        assert run.systems is not None  # as it is within a replica alone
        try:
            outputs = run.systems.replicate(instr, operands, run)
        except OpError as error:
            locate(error, instr)
            raise
        values.update(zip(instr.outputs, outputs, strict=True))

    return step


def _interpreting_step(instr: Instr, inputs: Sequence[int]) -> Step:
    """Return the step that lets lockstep run an instruction."""

    def step(values: Values, run: Run) -> None:
        operands = [values[slot] for slot in inputs]
        outputs = run_instr(instr, {0: operands}, run)[0]
        values.update(zip(instr.outputs, outputs, strict=True))

    return step
