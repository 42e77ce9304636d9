"""The lockstep interpreter, which defines the meaning of programs.

All replicas take each instruction together, in this process.  Every other executor has
to give the same results.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError, OpError, ResourceExhaustedError
from tpuref.engine.ops.control import joined, nothing_kept
from tpuref.engine.ops.definition import Flow, OpDef, outputs_of
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.available_memory import available_bytes
from tpuref.engine.runtime.meaning import operation_failure as failures
from tpuref.engine.runtime.meaning.divergence import come_together, differing_shapes
from tpuref.engine.runtime.meaning.run import EffectContext, Run
from tpuref.engine.runtime.meaning.verdict import truth

Values = dict[int, Sequence[Array]]
"""For each replica that takes part, the arrays it holds."""


def run_program(program: Program, inputs: Values, run: Run) -> Values:
    """Carry out `program` for the replicas in `inputs` and return their results."""
    slots = {
        replica: dict(zip(program.parameters, arrays, strict=True))
        for replica, arrays in inputs.items()
    }
    try:
        for instr in program.instrs:
            if instr.definition.flow is Flow.COPY:
                _copy(instr, slots)
                continue
            operands: Values = {
                r: [held[s] for s in instr.inputs]
                for r, held in slots.items()
                if instr.concerns(r)
            }
            for replica, outputs in run_instr(instr, operands, run).items():
                slots[replica].update(zip(instr.outputs, outputs, strict=True))
    except OpError as error:
        locate(error, instr)
        raise
    return {r: [held[s] for s in program.results] for r, held in slots.items()}


def _copy(instr: Instr, slots: Mapping[int, dict[int, Array]]) -> None:
    """Copy the value of one replica to others."""
    (slot,), source = instr.inputs, instr.attrs["source"]
    targets = instr.attrs["targets"]
    if come_together(instr, [source, *targets], slots):
        for replica in targets:
            slots[replica][slot] = slots[source][slot]


def run_instr(instr: Instr, operands: Values, run: Run) -> Values:
    """Carry out one instruction for the replicas in `operands`."""
    if run.trace is not None and run.record is not None and instr.core != HOST:
        run.trace += [run.record(instr.name, r, instr.core) for r in operands]
    try:
        if run.events is not None:
            return run.events.observe(instr, operands, run, _carry_out)
        return _carry_out(instr, operands, run)
    except OpError as error:
        locate(error, instr)
        raise


def _carry_out(instr: Instr, operands: Values, run: Run) -> Values:
    definition = instr.definition
    if definition.flow is Flow.BRANCH:
        return _if(instr, operands, run)
    if definition.flow is Flow.LOOP:
        return _while(instr, operands, run)
    if definition.effects.client and run.elsewhere is not None:
        return {r: run.elsewhere(instr, a, r, run) for r, a in operands.items()}
    if definition.effects.run is not None:
        return {r: perform(instr, arrays, r, run) for r, arrays in operands.items()}
    if definition.collective is not None:
        return _collective(definition, instr, operands, run)
    return {r: compute(definition, instr, a, r, run) for r, a in operands.items()}


def locate(error: OpError, instr: Instr) -> None:
    """Say in an error which instruction, and which tower, it comes from."""
    error.op = error.op or instr.name
    error.site = error.site or instr.site
    if instr.replica is not None and not error.message.startswith("in tower "):
        error.message = f"in tower {instr.replica}: {error.message}"


def perform(
    instr: Instr, arrays: Sequence[Array], replica: int, run: Run
) -> Sequence[Array]:
    """Run an operation that has an effect, for one replica."""
    effect, context = instr.definition.effects.run, EffectContext(instr, replica, run)
    assert effect is not None
    return outputs_of(effect(context, *arrays, **instr.attrs))


def compute(
    definition: OpDef,
    instr: Instr,
    arrays: Sequence[Array],
    replica: int,
    run: Run,
    **places: Array,
) -> Sequence[Array]:
    """Carry out an operation that is a function of arrays, for one replica.

    An operation that can write into a given place takes it as ``out=``.
    """
    attrs = {**instr.attrs, **places}
    if definition.traits.random:
        attrs["rng"] = run.state.generator(instr.name, replica, attrs["seed"])
    if definition.allocates:
        attrs["empty"] = run.empty
    if definition.kernel is None:
        raise InvalidArgumentError(
            f"{instr.op} has no value: it has to be fed", code=codes.CANNOT_FEED
        )
    try:
        outputs = outputs_of(definition.kernel(*arrays, **attrs))
        # Never a view with strides: sums round by the order of elements in memory.
        return [
            np.asarray(output, spec.dtype.np, order="C")
            for output, spec in zip(outputs, instr.specs, strict=True)
        ]
    except OpError as error:
        message = codes.with_code(error.message, codes.INVALID_OPERANDS)
        raise type(error)(f"on replica {replica}: {message}") from error
    except MemoryError as error:
        raise ResourceExhaustedError(
            f"{instr.op} on replica {replica}: {error}, {available_bytes()} bytes are "
            "available; use smaller batches or fewer cores",
            code=codes.OUT_OF_MEMORY,
        ) from error
    except failures.FAULTS as error:
        said = codes.with_code(str(error), codes.INVALID_OPERANDS)
        shown = failures.described(arrays)
        raise failures.operation_failure(instr, shown, replica, said) from error


def _collective(definition: OpDef, instr: Instr, operands: Values, run: Run) -> Values:
    """Give each group of replicas its inputs together."""
    results: Values = {}
    for group in instr.attrs["groups"] or (tuple(range(run.replicas)),):
        if not come_together(instr, group, operands):
            continue
        shapes = [operands[replica][0].shape for replica in group]
        if len(set(shapes)) > 1:
            raise differing_shapes(instr.op, group, shapes)
        assert definition.collective is not None
        ordered = sorted(group)
        outputs = definition.collective(
            [operands[r][0] for r in ordered], **instr.attrs
        )
        results.update({r: [out] for r, out in zip(ordered, outputs, strict=True)})
    return results


def _if(instr: Instr, operands: Values, run: Run) -> Values:
    """Each replica takes its own branch; those of one branch stay together."""
    results: Values = {}
    for wanted, block in zip((True, False), instr.blocks, strict=True):
        taking = {r: a[1:] for r, a in operands.items() if truth(instr, a[0]) is wanted}
        if taking:
            results.update(run_program(block, taking, run))
    return results


def _while(instr: Instr, operands: Values, run: Run) -> Values:
    """A replica leaves the loop when its own condition fails."""
    condition, body = instr.blocks
    split, limit = instr.attrs["loop_variables"], instr.attrs["maximum_iterations"]
    values = {r: list(a[:split]) for r, a in operands.items()}
    captured = {r: list(a[split:]) for r, a in operands.items()}
    kept = {r: nothing_kept(instr.specs[split:]) for r in operands}
    inside = list(operands)
    for _ in range(2**63 if limit is None else limit):
        inputs: Values = {r: values[r] + captured[r] for r in inside}
        if run.watch is not None:
            run.watch()
        verdicts = run_program(condition, inputs, run)
        inside = [r for r in inside if truth(instr, verdicts[r][0])]
        if not inside:
            break
        turned = run_program(body, {r: inputs[r] for r in inside}, run)
        values.update({r: list(arrays[:split]) for r, arrays in turned.items()})
        for r, arrays in turned.items():
            for column, array in zip(kept[r], arrays[split:], strict=True):
                column.append(array)
    return {r: values[r] + joined(kept[r], instr.specs[split:]) for r in operands}
