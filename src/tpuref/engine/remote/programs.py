"""Programs as protobuf messages, and the checks of received ones."""

from collections.abc import Iterable, Sequence
from typing import Any

from tpuref.base.limits import MAX_DEPTH, MAX_REPLICAS
from tpuref.engine.ops.definition import Flow
from tpuref.engine.ops.registry import REGISTRY
from tpuref.engine.ops.tpu import Replication
from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.remote.attributes import attributes_of, put_attributes
from tpuref.engine.remote.faults import put_site, site_of
from tpuref.engine.remote.tensors import malformed, put_spec, spec_of


def put_program(bundle: Any, program: Program) -> int:
    """Append a program after its nested programs; return its position."""
    blocks = [
        [put_program(bundle, block) for block in instr.blocks]
        for instr in program.instrs
    ]
    message = bundle.programs.add()
    message.name = program.name
    message.parameters.extend(program.parameters)
    message.results.extend(program.results)
    for own in program.components:
        message.components.add().handles.extend(own)
    for instr, positions in zip(program.instrs, blocks, strict=True):
        _put_instruction(message.instructions.add(), instr, positions)
    return len(bundle.programs) - 1


def _put_instruction(message: Any, instr: Instr, blocks: Sequence[int]) -> None:
    message.op = instr.op
    message.name = instr.name
    message.inputs.extend(instr.inputs)
    message.outputs.extend(instr.outputs)
    put_attributes(message.attributes, instr.attrs)
    for spec in instr.specs:
        put_spec(message.specs.add(), spec)
    message.core = instr.core
    put_site(message.site, instr.site)
    message.blocks.extend(blocks)
    if instr.replica is not None:
        message.replica = instr.replica


def program_of(bundle: Any) -> Program:
    """Return the program of a bundle."""
    reading = _Reading()
    for message in bundle.programs:
        reading.add(message)
    return reading.result()


class _Reading:
    """The programs read so far that are not inside another one yet."""

    # An instruction may only name earlier programs, and naming one removes it: so
    # nesting is a tree, without cycles or sharing, and its depth is known at once.

    def __init__(self) -> None:
        self._loose: dict[int, tuple[Program, int]] = {}
        self._count = 0

    def add(self, message: Any) -> None:
        deepest = 0
        instrs = []
        for instruction in message.instructions:
            inner = [self._take(position) for position in instruction.blocks]
            deepest = max([deepest, *(depth for _, depth in inner)])
            instrs.append(_instr(instruction, tuple(block for block, _ in inner)))
        if deepest >= MAX_DEPTH:
            raise malformed(f"programs are nested more than {MAX_DEPTH} deep")
        program = Program(
            message.name,
            tuple(message.parameters),
            tuple(instrs),
            tuple(message.results),
            tuple(tuple(own.handles) for own in message.components),
        )
        _check_slots(program)
        self._loose[self._count] = program, deepest + 1
        self._count += 1

    def _take(self, position: int) -> tuple[Program, int]:
        if position not in self._loose:
            raise malformed(
                f"program {self._count} contains program {position}, which does not "
                "precede it or is inside another one"
            )
        return self._loose.pop(position)

    def result(self) -> Program:
        if len(self._loose) != 1:
            raise malformed(
                f"{len(self._loose)} of {self._count} programs are not inside another; "
                "expected one"
            )
        ((program, _),) = self._loose.values()
        return program


def _instr(message: Any, blocks: tuple[Program, ...]) -> Instr:
    instr = Instr(
        op=message.op,
        name=message.name,
        inputs=tuple(message.inputs),
        outputs=tuple(message.outputs),
        attrs=attributes_of(message.attributes),
        specs=tuple(spec_of(spec) for spec in message.specs),
        core=message.core,
        site=site_of(message.site),
        blocks=blocks,
        replica=message.replica if message.HasField("replica") else None,
    )
    if instr.core < HOST:
        raise malformed(f"{instr.name!r} is placed on core {instr.core}")
    if len(instr.outputs) != len(instr.specs):
        raise malformed(
            f"{instr.name!r} has {len(instr.outputs)} outputs and {len(instr.specs)} "
            "specs"
        )
    _check_operation(instr)
    return instr


def _check_operation(instr: Instr) -> None:
    """Check the inputs, attributes and blocks against the record of the operation."""
    if instr.op not in REGISTRY:
        raise malformed(f"unknown operation {instr.op!r}")
    try:
        instr.definition.check_inputs(len(instr.inputs))
        instr.definition.check(instr.attrs)
    except TypeError as error:
        raise malformed(f"{instr.op} ({instr.name!r}): {error}") from None
    if instr.definition.flow is Flow.REPLICATION:
        _check_replicas(Replication.of(instr.attrs), len(instr.inputs))
        _check_components(instr)
    _check_blocks(instr)


def _check_replicas(replication: Replication, inputs: int) -> None:
    replicas, own = replication.replicas, replication.inputs_per_replica
    if not 1 <= replicas <= MAX_REPLICAS:
        raise malformed(
            f"a computation has {replicas} replicas, expected 1 to {MAX_REPLICAS}"
        )
    if not 0 <= replicas * own <= inputs:
        raise malformed(
            f"a computation has {own} inputs for each of {replicas} replicas, and "
            f"{inputs} in all"
        )


def _check_components(instr: Instr) -> None:
    """Check that each variable with components has one on each replica."""
    replicas = Replication.of(instr.attrs).replicas
    for own in (own for block in instr.blocks for own in block.components):
        if len(own) != replicas:
            raise malformed(
                f"{instr.op} ({instr.name!r}) names {len(own)} components of a "
                f"variable for {replicas} replicas"
            )


def _check_blocks(instr: Instr) -> None:
    """Check the number of programs and the number of inputs of each."""
    inputs, attrs = len(instr.inputs), instr.attrs
    actual = [len(block.parameters) for block in instr.blocks]
    expected = [b.parameters(inputs, attrs) for b in instr.definition.blocks]
    if actual != expected:
        raise malformed(
            f"{instr.op} ({instr.name!r}) contains programs that take {actual} inputs, "
            f"expected {expected}"
        )


def _check_slots(program: Program) -> None:
    written = set(program.parameters)
    if len(written) != len(program.parameters):
        raise malformed(f"two parameters of {program.name!r} use the same slot")
    for instr in program.instrs:
        _check_written(instr.inputs, written, instr.name)
        written.update(instr.outputs)
    _check_written(program.results, written, program.name)


def _check_written(slots: Iterable[int], written: set[int], user: str) -> None:
    missing = [slot for slot in slots if slot not in written]
    if missing:
        raise malformed(f"{user!r} uses slot {missing[0]}, which nothing wrote")
