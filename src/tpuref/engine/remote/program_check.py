"""The type check of a received program.

`remote.programs` checks that operations are known, with their attributes and
numbers of inputs.  This module runs the program on specs, not values: each replica
must find a value in every slot that it reads, blocks must return the outputs of their
instruction, and the outputs of an operation must match its inference rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tpuref.base.dtypes import DType, bool_
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.definition import Flow, Operand, outputs_of
from tpuref.engine.ops.tpu import Replication
from tpuref.engine.program import Instr, Program
from tpuref.engine.remote.tensors import malformed
from tpuref.engine.runtime.topology.topology import Topology

Specs = Sequence[TensorSpec]


def check_program(program: Program, inputs: Sequence[DType]) -> None:
    """Check the program of a request with feeds of dtypes `inputs`."""
    if len(inputs) != len(program.parameters):
        raise malformed(
            f"the program takes {len(program.parameters)} inputs, got {len(inputs)}"
        )
    fed = [TensorSpec(unknown_shape(), dtype) for dtype in inputs]
    _check(program, fed, _Active(1))


@dataclass(frozen=True)
class _Active:
    """The replicas that run a program: all `replicas`, or only number `alone`."""

    replicas: int
    alone: int | None = None

    @property
    def count(self) -> int:
        """The number of replicas that run it."""
        return self.replicas if self.alone is None else 1

    def within(self, instr: Instr) -> _Active:
        """Return the replicas that run a branch or loop."""
        alone = self.alone if instr.replica is None else instr.replica
        return _Active(self.replicas, alone)


@dataclass
class _Slot:
    """The specs of a slot: one for all replicas, overridden for some of them."""

    common: TensorSpec | None = None
    own: dict[int, TensorSpec] = field(default_factory=dict)


class _Slots:
    """The slots of a program, up to the instruction that is being checked."""

    def __init__(self, program: Program, parameters: Specs, active: _Active) -> None:
        self._active = active
        self._slots = {
            slot: _Slot(spec)
            for slot, spec in zip(program.parameters, parameters, strict=True)
        }

    def read(self, slot: int, replica: int | None, user: str) -> TensorSpec | None:
        """Return the spec that a replica reads, None if dtypes differ by replica."""
        content = self._slots[slot]
        if replica is not None:
            spec = content.own.get(replica, content.common)
            if spec is None:
                raise malformed(
                    f"{user} reads slot {slot} on replica {replica}, where it is empty"
                )
            return spec
        specs = [*content.own.values()]
        if content.common is not None:
            specs.append(content.common)
        elif len(specs) < self._active.count:
            raise malformed(
                f"{user} reads slot {slot}, which only the replicas "
                f"{sorted(content.own)} of {self._active.count} wrote"
            )
        return _common(specs)

    def write(self, slot: int, replica: int | None, spec: TensorSpec) -> None:
        """Store the spec that one replica, or each of them, writes."""
        if replica is None:
            self._slots[slot] = _Slot(spec)
        else:
            self._slots.setdefault(slot, _Slot()).own[replica] = spec


def _check(
    program: Program, parameters: Specs, active: _Active
) -> list[TensorSpec | None]:
    """Check a program on specs and return the specs of its results."""
    slots = _Slots(program, parameters, active)
    for instr in program.instrs:
        _check_replica(instr, active)
        if instr.definition.flow is Flow.COPY:
            _check_copy(instr, slots, active)
            continue
        operands = [slots.read(s, instr.replica, _label(instr)) for s in instr.inputs]
        _check_outputs(instr, operands, active)
        for slot, spec in zip(instr.outputs, instr.specs, strict=True):
            slots.write(slot, instr.replica, spec)
    return [slots.read(s, None, repr(program.name)) for s in program.results]


def _label(instr: Instr) -> str:
    return f"{instr.op} ({instr.name!r})"


# -- replicas ------------------------------------------------------------------


def _check_replica(instr: Instr, active: _Active) -> None:
    """Check the replica of an instruction that only one replica runs."""
    if instr.replica is None:
        return
    if not 0 <= instr.replica < active.replicas:
        raise malformed(
            f"{_label(instr)} is for replica {instr.replica}, there are "
            f"{active.replicas}"
        )
    if active.alone not in (None, instr.replica):
        raise malformed(
            f"{_label(instr)} is for replica {instr.replica}, inside a block that only "
            f"replica {active.alone} runs"
        )


def _check_copy(instr: Instr, slots: _Slots, active: _Active) -> None:
    """Check a copy from one replica to others, and store it."""
    source, targets = instr.attrs["source"], instr.attrs["targets"]
    if active.alone is not None or instr.replica is not None:
        raise malformed(f"{_label(instr)} copies where only one replica runs")
    if not all(0 <= replica < active.replicas for replica in (source, *targets)):
        raise malformed(
            f"{_label(instr)} copies from replica {source} to {targets}, there are "
            f"{active.replicas}"
        )
    if instr.outputs != instr.inputs:
        raise malformed(f"{_label(instr)} must copy a slot into itself")
    (slot,) = instr.inputs
    spec = slots.read(slot, source, _label(instr))
    assert spec is not None
    for target in targets:
        slots.write(slot, target, spec)


def _check_groups(instr: Instr, active: _Active) -> None:
    """Check that each replica is in one group of a collective operation."""
    groups = instr.attrs["groups"]
    members = sorted(member for group in groups for member in group)
    if groups and members != list(range(active.replicas)):
        raise malformed(
            f"the groups of {_label(instr)} do not contain each of {active.replicas} "
            "replicas once"
        )
    if instr.replica is not None and active.replicas > 1:
        raise malformed(
            f"{_label(instr)} is between replicas, but for replica {instr.replica} only"
        )


def _common(specs: Specs) -> TensorSpec | None:
    """Return the most specific spec of all values, None if their dtypes differ."""
    if all(spec == specs[0] for spec in specs):
        return specs[0]
    if all(spec.dtype == specs[0].dtype for spec in specs):
        return TensorSpec(unknown_shape(), specs[0].dtype)
    return None


# -- outputs -------------------------------------------------------------------


def _check_outputs(
    instr: Instr, operands: Sequence[TensorSpec | None], active: _Active
) -> None:
    """Check the outputs of an instruction against its specs."""
    flow = instr.definition.flow
    if flow is Flow.BRANCH:
        _check_if(instr, operands, active)
    elif flow is Flow.LOOP:
        _check_while(instr, operands, active)
    elif flow is Flow.REPLICATION:
        _check_replicate(instr, operands)
    else:
        if instr.definition.collective is not None:
            _check_groups(instr, active)
        _check_inference(instr, operands)


def _check_inference(instr: Instr, operands: Sequence[TensorSpec | None]) -> None:
    """Check the outputs against the inference rule, if all operands are known."""
    known = [Operand(spec.shape, spec.dtype) for spec in operands if spec is not None]
    if len(known) < len(operands):
        return
    try:
        inferred = outputs_of(instr.definition.infer(*known, **instr.attrs))
    except Exception as error:  # a rule may fail on any attribute
        raise malformed(
            f"the inputs and attributes of {_label(instr)} are invalid: "
            f"{type(error).__name__}: {error}"
        ) from None
    _check_specs(instr, inferred, instr.specs)


def _check_specs(
    instr: Instr, inferred: Sequence[TensorSpec | None], stated: Specs
) -> None:
    """Check inferred specs against those that the instruction states."""
    if len(inferred) != len(stated):
        raise malformed(
            f"{_label(instr)} returns {len(inferred)} values and has "
            f"{len(stated)} outputs"
        )
    for index, (spec, own) in enumerate(zip(inferred, stated, strict=True)):
        if spec is not None and not _fit(spec, own):
            raise malformed(
                f"output {index} of {_label(instr)} is {spec.describe()}, stated as "
                f"{own.describe()}"
            )


def _fit(spec: TensorSpec, other: TensorSpec) -> bool:
    return spec.dtype == other.dtype and spec.shape.is_compatible_with(other.shape)


# -- blocks --------------------------------------------------------------------


def _check_if(
    instr: Instr, operands: Sequence[TensorSpec | None], active: _Active
) -> None:
    _check_verdict(instr, operands[0])
    parameters = _captured_specs(operands[1:])
    for branch in instr.blocks:
        _check_specs(
            instr, _check(branch, parameters, active.within(instr)), instr.specs
        )


def _check_while(
    instr: Instr, operands: Sequence[TensorSpec | None], active: _Active
) -> None:
    # Loop variables enter the blocks with the stated specs, not with those of the first
    # iteration: the body must keep them, so one pass checks every iteration.
    count, limit = instr.attrs["loop_variables"], instr.attrs["maximum_iterations"]
    if not 0 <= count <= len(operands):
        raise malformed(
            f"{_label(instr)} has {count} loop variables and {len(operands)} inputs"
        )
    if limit is not None and limit < 0:
        raise malformed(f"{_label(instr)} repeats at most {limit} times")
    _check_specs(instr, operands[:count], instr.specs)
    parameters = [*instr.specs, *_captured_specs(operands[count:])]
    condition, body = (
        _check(block, parameters, active.within(instr)) for block in instr.blocks
    )
    if len(condition) != 1:
        raise malformed(
            f"the condition of {_label(instr)} returns {len(condition)} values"
        )
    _check_verdict(instr, condition[0])
    _check_specs(instr, body, instr.specs)


def _check_verdict(instr: Instr, spec: TensorSpec | None) -> None:
    """Check the predicate of a branch or loop."""
    if spec is not None and not _fit(spec, TensorSpec(TensorShape([]), bool_)):
        raise malformed(f"the predicate of {_label(instr)} is {spec.describe()}")


def _check_replicate(instr: Instr, operands: Sequence[TensorSpec | None]) -> None:
    replication = Replication.of(instr.attrs)
    replicas, count = replication.replicas, replication.inputs_per_replica
    _check_padding(instr, replication)
    _check_assignment(instr, replication)
    own = [operands[k : replicas * count : count] for k in range(count)]
    captured = _captured_specs(operands[replicas * count :])
    parameters = [*(_of_all_replicas(specs, instr) for specs in own), *captured]
    results = _check(instr.blocks[0], parameters, _Active(replicas))
    _check_specs(instr, results * replicas, instr.specs)


def _check_padding(instr: Instr, replication: Replication) -> None:
    if replication.padding is None:
        return
    if len(replication.padding) != replication.inputs_per_replica:
        raise malformed(
            f"{_label(instr)} has {replication.inputs_per_replica} inputs per replica, "
            f"and padding for {len(replication.padding)}"
        )
    sizes = [size for _, dims in replication.padding for size, _ in dims or ()]
    if not all(size is None or 0 <= size < 2**31 for size in sizes):
        raise malformed(f"{_label(instr)} pads to the sizes {sizes}")


def _check_assignment(instr: Instr, replication: Replication) -> None:
    """Check the cores of each replica, and their topology."""
    if replication.assignment is None:
        if replication.topology is not None:
            raise malformed(f"{_label(instr)} has a topology but no assignment")
        return
    if len({len(cores) for cores in replication.assignment}) != 1:
        raise malformed(f"the replicas of {_label(instr)} differ in number of cores")
    try:
        topology = Topology(serialized=replication.topology)
        for cores in replication.assignment:
            for coordinates in cores:
                topology.core_at(coordinates)
    except (ValueError, TypeError) as error:
        raise malformed(f"the cores of {_label(instr)} do not exist: {error}") from None


def _of_all_replicas(specs: Sequence[TensorSpec | None], instr: Instr) -> TensorSpec:
    """Return the spec of one input over all replicas; padding may change its shape."""
    known = [spec for spec in specs if spec is not None]
    if len({spec.dtype for spec in known}) != 1 or len(known) < len(specs):
        raise malformed(f"the replicas of {_label(instr)} have inputs of other dtypes")
    return TensorSpec(unknown_shape(), known[0].dtype)


def _captured_specs(specs: Sequence[TensorSpec | None]) -> list[TensorSpec]:
    """Return the specs of captured values, or raise if dtypes differ by replica."""
    if None in specs:
        raise malformed("a block captures values whose dtypes differ between replicas")
    return [spec for spec in specs if spec is not None]
