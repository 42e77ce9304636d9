"""Whether the parts of a received program fit each other.

`tpuref.remote.programs` sees to it that operations are known and have their attributes.
Here every instruction is followed through the program: each replica finds in a slot
what it reads, blocks give what their instruction hands on, and what each operation
gives is what its own inference rule says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tpuref.base.dtypes import DType, bool_
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.ops.definition import Operand, outputs_of
from tpuref.ops.registry import REGISTRY
from tpuref.program import Instr, Program
from tpuref.remote.tensors import malformed
from tpuref.runtime.topology import Topology

Specs = Sequence[TensorSpec]


def check_program(program: Program, inputs: Sequence[DType]) -> None:
    """Check the program of a request.

    Parameters
    ----------
    program
        The program.
    inputs
        The types of what is fed.

    Raises
    ------
    InvalidArgumentError
        If the program does not take so many inputs, or its parts do not fit.
    """
    if len(inputs) != len(program.parameters):
        raise malformed(
            f"the program takes {len(program.parameters)} inputs, got {len(inputs)}"
        )
    fed = [TensorSpec(unknown_shape(), dtype) for dtype in inputs]
    _check(program, fed, _Active(1))


@dataclass(frozen=True)
class _Active:
    """Who carries a program out.

    Parameters
    ----------
    replicas
        The number of replicas.
    alone
        The only one that does, None for all of them.
    """

    replicas: int
    alone: int | None = None

    @property
    def count(self) -> int:
        """How many carry it out."""
        return self.replicas if self.alone is None else 1

    def within(self, instr: Instr) -> _Active:
        """Return who carries out a branch or loop."""
        alone = self.alone if instr.replica is None else instr.replica
        return _Active(self.replicas, alone)


@dataclass
class _Slot:
    """What a slot holds: the same for all replicas, or of some of them their own."""

    common: TensorSpec | None = None
    own: dict[int, TensorSpec] = field(default_factory=dict)


class _Slots:
    """The slots of a program, as far as it was followed."""

    def __init__(self, program: Program, given: Specs, active: _Active) -> None:
        self._active = active
        self._slots = {
            slot: _Slot(spec)
            for slot, spec in zip(program.parameters, given, strict=True)
        }

    def read(self, slot: int, replica: int | None, user: str) -> TensorSpec | None:
        """Return what a replica finds, None where replicas find different things."""
        held = self._slots[slot]
        if replica is not None:
            found = held.own.get(replica, held.common)
            if found is None:
                raise malformed(
                    f"{user} reads slot {slot} on replica {replica}, which has nothing "
                    "there"
                )
            return found
        specs = [*held.own.values()]
        if held.common is not None:
            specs.append(held.common)
        elif len(specs) < self._active.count:
            raise malformed(
                f"{user} reads slot {slot}, which only the replicas "
                f"{sorted(held.own)} of {self._active.count} have"
            )
        return _common(specs)

    def write(self, slot: int, replica: int | None, spec: TensorSpec) -> None:
        """Let one replica, or all of them, hold something else."""
        if replica is None:
            self._slots[slot] = _Slot(spec)
        else:
            self._slots.setdefault(slot, _Slot()).own[replica] = spec


def _check(program: Program, given: Specs, active: _Active) -> list[TensorSpec | None]:
    """Follow a program and return what is known of its results."""
    slots = _Slots(program, given, active)
    for instr in program.instrs:
        _check_replica(instr, active)
        if instr.op == "TowerCopy":
            _check_copy(instr, slots, active)
            continue
        operands = [slots.read(s, instr.replica, _named(instr)) for s in instr.inputs]
        _check_outputs(instr, operands, active)
        for slot, spec in zip(instr.outputs, instr.specs, strict=True):
            slots.write(slot, instr.replica, spec)
    return [slots.read(s, None, repr(program.name)) for s in program.results]


def _named(instr: Instr) -> str:
    return f"{instr.op} ({instr.name!r})"


# -- replicas ------------------------------------------------------------------


def _check_replica(instr: Instr, active: _Active) -> None:
    """Check the only replica that carries an instruction out."""
    if instr.replica is None:
        return
    if not 0 <= instr.replica < active.replicas:
        raise malformed(
            f"{_named(instr)} is for replica {instr.replica}, there are "
            f"{active.replicas}"
        )
    if active.alone not in (None, instr.replica):
        raise malformed(
            f"{_named(instr)} is for replica {instr.replica}, within what only replica "
            f"{active.alone} carries out"
        )


def _check_copy(instr: Instr, slots: _Slots, active: _Active) -> None:
    """Check what is copied from one replica to others, and note that they have it."""
    source, targets = instr.attrs["source"], instr.attrs["targets"]
    if active.alone is not None or instr.replica is not None:
        raise malformed(f"{_named(instr)} stands where only one replica comes")
    if not _are_integers([source, *_tuple(targets, instr, "targets")]) or not all(
        0 <= replica < active.replicas for replica in (source, *targets)
    ):
        raise malformed(
            f"{_named(instr)} copies from replica {source!r} to {targets!r}, there are "
            f"{active.replicas}"
        )
    if len(instr.inputs) != 1 or instr.outputs != instr.inputs:
        raise malformed(f"{_named(instr)} has to copy one slot into itself")
    (slot,) = instr.inputs
    spec = slots.read(slot, source, _named(instr))
    assert spec is not None
    for target in targets:
        slots.write(slot, target, spec)


def _check_groups(instr: Instr, active: _Active) -> None:
    """Check that each replica is in one group of a collective operation."""
    groups = _tuple(instr.attrs["groups"], instr, "groups")
    members = [member for group in groups for member in _tuple(group, instr, "groups")]
    if not _are_integers(members):
        raise malformed(f"{_named(instr)} has the groups {groups!r}")
    if groups and sorted(members) != list(range(active.replicas)):
        raise malformed(
            f"{_named(instr)} has groups that do not hold each of {active.replicas} "
            "replicas once"
        )
    if instr.replica is not None and active.replicas > 1:
        raise malformed(
            f"{_named(instr)} is between replicas, and for replica {instr.replica} only"
        )


def _common(specs: Specs) -> TensorSpec | None:
    """Return what is known of each of some values, None where the types differ."""
    if all(spec == specs[0] for spec in specs):
        return specs[0]
    if all(spec.dtype == specs[0].dtype for spec in specs):
        return TensorSpec(unknown_shape(), specs[0].dtype)
    return None


# -- outputs -------------------------------------------------------------------


def _check_outputs(
    instr: Instr, operands: Sequence[TensorSpec | None], active: _Active
) -> None:
    """Check that an instruction gives what its specs say."""
    _check_names(instr)
    if instr.op == "If":
        _check_if(instr, operands, active)
    elif instr.op == "While":
        _check_while(instr, operands, active)
    elif instr.op == "TPUReplicate":
        _check_replicate(instr, operands)
    else:
        if REGISTRY[instr.op].collective is not None:
            _check_groups(instr, active)
        _check_inference(instr, operands)


def _check_inference(instr: Instr, operands: Sequence[TensorSpec | None]) -> None:
    """Check outputs against the inference rule, where all operands are known."""
    known = [Operand(spec.shape, spec.dtype) for spec in operands if spec is not None]
    if len(known) < len(operands):
        return
    try:
        inferred = outputs_of(REGISTRY[instr.op].infer(*known, **instr.attrs))
    except Exception as error:  # a rule may trip over any attribute
        raise malformed(
            f"{_named(instr)} cannot take its inputs and attributes: "
            f"{type(error).__name__}: {error}"
        ) from None
    _check_specs(instr, inferred, instr.specs)


def _check_specs(
    instr: Instr, found: Sequence[TensorSpec | None], stated: Specs
) -> None:
    """Check that specs that follow fit those that the instruction states."""
    if len(found) != len(stated):
        raise malformed(
            f"{_named(instr)} gives {len(found)} values, and has {len(stated)} outputs"
        )
    for index, (spec, own) in enumerate(zip(found, stated, strict=True)):
        if spec is not None and not _fit(spec, own):
            raise malformed(
                f"output {index} of {_named(instr)} is {spec.describe()}, and stated "
                f"as {own.describe()}"
            )


def _fit(spec: TensorSpec, other: TensorSpec) -> bool:
    return spec.dtype == other.dtype and spec.shape.is_compatible_with(other.shape)


# -- blocks --------------------------------------------------------------------


def _check_if(
    instr: Instr, operands: Sequence[TensorSpec | None], active: _Active
) -> None:
    _check_verdict(instr, operands[0])
    given = _widened(operands[1:])
    for branch in instr.blocks:
        _check_specs(instr, _check(branch, given, active.within(instr)), instr.specs)


def _check_while(
    instr: Instr, operands: Sequence[TensorSpec | None], active: _Active
) -> None:
    count, limit = instr.attrs["loop_variables"], instr.attrs["maximum_iterations"]
    if not _are_integers([count]) or not 0 <= count <= len(operands):
        raise malformed(
            f"{_named(instr)} has {count!r} loop variables and {len(operands)} inputs"
        )
    if limit is not None and (not _are_integers([limit]) or limit < 0):
        raise malformed(f"{_named(instr)} turns at most {limit!r} times")
    _check_specs(instr, operands[:count], instr.specs)
    given = [*instr.specs, *_widened(operands[count:])]
    condition, body = (
        _check(block, given, active.within(instr)) for block in instr.blocks
    )
    if len(condition) != 1:
        raise malformed(
            f"the condition of {_named(instr)} gives {len(condition)} values"
        )
    _check_verdict(instr, condition[0])
    _check_specs(instr, body, instr.specs)


def _check_verdict(instr: Instr, spec: TensorSpec | None) -> None:
    """Check what decides which branch is taken, or whether a loop goes on."""
    verdict = TensorSpec(TensorShape([]), bool_)
    if spec is not None and not _fit(spec, verdict):
        raise malformed(f"{_named(instr)} is decided by {spec.describe()}")


def _check_replicate(instr: Instr, operands: Sequence[TensorSpec | None]) -> None:
    replicas, count = instr.attrs["replicas"], instr.attrs["inputs_per_replica"]
    _check_padding(instr, count)
    _check_assignment(instr)
    own = [operands[k : replicas * count : count] for k in range(count)]
    captured = _widened(operands[replicas * count :])
    given = [*(_of_all_replicas(specs, instr) for specs in own), *captured]
    results = _check(instr.blocks[0], given, _Active(replicas))
    _check_specs(instr, results * replicas, instr.specs)


def _check_padding(instr: Instr, count: int) -> None:
    padding = instr.attrs["padding"]
    if padding is None:
        return
    entries = _tuple(padding, instr, "padding")
    if len(entries) != count or not all(_is_padded_input(entry) for entry in entries):
        raise malformed(
            f"{_named(instr)} has {count} inputs and the padding {padding!r}"
        )


def _is_padded_input(entry: Any) -> bool:
    """Whether this is a name, and None or for each dimension a size and a truth."""
    if not (isinstance(entry, tuple) and len(entry) == 2 and isinstance(entry[0], str)):
        return False
    dimensions = entry[1]
    return dimensions is None or (
        isinstance(dimensions, tuple)
        and all(isinstance(d, tuple) and len(d) == 2 for d in dimensions)
        and all(size is None or _is_size(size) for size, _ in dimensions)
        and all(isinstance(bucketed, bool) for _, bucketed in dimensions)
    )


def _check_assignment(instr: Instr) -> None:
    """Check the cores of each replica, and the topology they are in."""
    assignment, topology = instr.attrs["assignment"], instr.attrs["topology"]
    if assignment is None:
        if topology is not None:
            raise malformed(f"{_named(instr)} has a topology and no assignment")
        return
    try:
        mesh = Topology(serialized=topology)
        cores = [
            [mesh.core_at(coordinates) for coordinates in _tuple(own, instr, "cores")]
            for own in _tuple(assignment, instr, "assignment")
        ]
    except (ValueError, TypeError) as error:
        raise malformed(f"{_named(instr)} has no such cores: {error}") from None
    if len({len(own) for own in cores}) != 1:
        raise malformed(f"the replicas of {_named(instr)} differ in number of cores")


def _of_all_replicas(specs: Sequence[TensorSpec | None], instr: Instr) -> TensorSpec:
    """Return what is known of one input of all replicas, which may be padded."""
    known = [spec for spec in specs if spec is not None]
    if len({spec.dtype for spec in known}) != 1 or len(known) < len(specs):
        raise malformed(
            f"the replicas of {_named(instr)} have inputs of different types"
        )
    return TensorSpec(unknown_shape(), known[0].dtype)


def _widened(specs: Sequence[TensorSpec | None]) -> list[TensorSpec]:
    """Return what blocks capture; replicas may not capture different types."""
    if None in specs:
        raise malformed("a block takes what is of another type on each replica")
    return [spec for spec in specs if spec is not None]


# -- attributes ----------------------------------------------------------------


def _check_names(instr: Instr) -> None:
    """Check what names state and random draws, which inference may not look at."""
    for name in ("handle", "job", "queue"):
        if not isinstance(instr.attrs.get(name), (str, type(None))):
            raise malformed(
                f"the attribute {name!r} of {_named(instr)} is {instr.attrs[name]!r}"
            )
    seed = instr.attrs.get("seed", (None, None))
    pair = _tuple(seed, instr, "seed")
    if len(pair) != 2 or not _are_integers([part for part in pair if part is not None]):
        raise malformed(f"the attribute 'seed' of {_named(instr)} is {seed!r}")


def _are_integers(values: Sequence[Any]) -> bool:
    return all(type(value) is int for value in values)


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**31


def _tuple(value: Any, instr: Instr, attribute: str) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        raise malformed(f"the attribute {attribute!r} of {_named(instr)} is {value!r}")
    return value
