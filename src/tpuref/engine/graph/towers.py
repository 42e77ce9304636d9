"""Operations that 1.11's towers have in common, as instructions of all replicas.

Each tower is traced by itself, so its instructions are those of one replica.  The first
instruction of each tower is paired with those of the others, then the second, and so
on; those that are not alike remain.  Towers see nothing of each other between the
instructions that all of them take, so only the order within each tower matters.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.definition import Flow, Place
from tpuref.engine.ops.sources import IDENTITY
from tpuref.engine.program import HOST, Instr, Program

Column = tuple[int, ...]
"""The slot of each tower."""


def joined(
    program: Program, towers: int, specs: Sequence[TensorSpec], divides: bool = False
) -> tuple[Program, list[Column]]:
    """Return a program whose equal tower operations run once for all replicas.

    If it `divides` its parameters, which have these specs, some may become inputs of
    each replica: the columns have the former parameter of each tower.  The parameters
    of the new program are those inputs, then all former ones.
    """
    if all(instr.replica is None for instr in program.all_instrs()):
        return program, []
    variables = _Variables(program, towers)
    block = _Block(
        program, variables, dict(zip(program.parameters, specs, strict=True))
    )
    if divides:
        block.dividable |= {*program.parameters}
    whole = variables.with_common_handles(block.joined())
    components = (*program.components, *variables.components())
    return replace(whole, components=components), block.columns


class _Variables:
    """The variables of the towers of a program."""

    def __init__(self, program: Program, towers: int) -> None:
        self.towers = towers
        self._own: dict[str, tuple[str, ...]] = {}
        known = (handle for own in program.components for handle in own)
        self._users: dict[str, set[int | None]] = {handle: {None} for handle in known}
        for instr in program.all_instrs():
            for attribute in _handles(instr):
                self._users.setdefault(instr.attrs[attribute], set()).add(instr.replica)

    def common(self, handles: tuple[str, ...]) -> str | None:
        """Return a handle under which all towers can access their variables, or None.

        A tower cannot share its variable, and has one for each variable of the others.
        """
        if len(set(handles)) == 1:
            return handles[0]
        if any(self._own.get(handle, handles) != handles for handle in handles):
            return None
        if any(self._users[handle] != {k} for k, handle in enumerate(handles)):
            return None
        self._own.update(dict.fromkeys(handles, handles))
        return handles[0]

    def components(self) -> list[tuple[str, ...]]:
        """Return the handles of the towers' variables by common handle."""
        return list(dict.fromkeys(self._own.values()))

    def with_common_handles(self, program: Program) -> Program:
        """Return a program whose instructions use the common handles."""
        instrs = []
        for instr in program.instrs:
            own = {name: self._own.get(instr.attrs[name]) for name in _handles(instr)}
            common = {name: handles[0] for name, handles in own.items() if handles}
            blocks = tuple(map(self.with_common_handles, instr.blocks))
            attrs = {**instr.attrs, **common} if common else instr.attrs
            instrs.append(replace(instr, attrs=attrs, blocks=blocks))
        return replace(program, instrs=tuple(instrs))


class _Block:
    """The instructions of a program or block, joined in order.

    `specs` are those of its parameters.
    """

    def __init__(
        self, program: Program, variables: _Variables, specs: Mapping[int, TensorSpec]
    ) -> None:
        self._program, self._variables = program, variables
        self.dividable: set[int] = set()
        self.columns: list[Column] = []
        self._instrs: list[Instr] = []
        self._inputs: list[int] = []
        self._waiting: list[Instr] = []
        self._specs = dict(specs)
        made = [(instr.replica, s) for instr in program.instrs for s in instr.outputs]
        self._next = 1 + max([-1, *program.parameters, *(slot for _, slot in made)])
        counts = Counter(slot for replica, slot in made if replica is not None)
        # Slots that several towers write: what all of them sum or return
        self._shared = {slot for slot, count in counts.items() if count > 1}
        # Slots with a value of each tower's own, which a copy must not overwrite
        self._owned = set(self._shared)
        # By tower and slot: constants, which are added once something reads them, and
        # the slots that have the values of others now
        self._constants: dict[tuple[int, int], Instr] = {}
        self._places: dict[tuple[int, int], int] = {}
        self._united: dict[Column, int] = {}

    def joined(self) -> Program:
        """Return the program."""
        for instr in self._program.instrs:
            if instr.replica is not None and instr.definition.traits.constant:
                self._constants[instr.replica, instr.outputs[0]] = instr
            elif instr.replica is not None and _pairs(instr):
                self._waiting.append(instr)
            else:
                self._pair()
                self._take(instr)
        self._pair()
        results = tuple(
            self._of_all(s, self._instrs[-1]) for s in self._program.results
        )
        slots = (*self._inputs, *self._program.parameters)
        return replace(
            self._program, parameters=slots, instrs=tuple(self._instrs), results=results
        )

    def _take(self, instr: Instr) -> None:
        """Add an instruction that is not paired."""
        if instr.definition.flow is Flow.COPY:
            self._copy(instr)
        elif instr.replica is None:
            inputs = tuple(self._of_all(slot, instr) for slot in instr.inputs)
            blocks = tuple(self._inner(instr, block) for block in instr.blocks)
            self._add(replace(instr, inputs=inputs, blocks=blocks))
        else:
            inputs = tuple(self._place(instr.replica, slot) for slot in instr.inputs)
            self._add(replace(instr, inputs=inputs))

    def _inner(self, instr: Instr, block: Program) -> Program:
        """Return a joined branch or loop body; a loop may change its shapes."""
        arguments = instr.inputs[len(instr.inputs) - len(block.parameters) :]
        specs = {
            slot: TensorSpec(TensorShape(None), self._specs[outer].dtype)
            for slot, outer in zip(block.parameters, arguments, strict=True)
        }
        return _Block(block, self._variables, specs).joined()

    def _pair(self) -> None:
        """Add the waiting instructions, joined where the towers are alike."""
        waiting, self._waiting = self._waiting, []
        left = {id(instr) for instr in waiting}
        towers = range(self._variables.towers)
        own = [[instr for instr in waiting if instr.replica == k] for k in towers]
        for row in zip(*own, strict=False):
            left.difference_update(map(id, row))
            if not self._join(row):
                for instr in row:
                    self._take(instr)
        for instr in waiting:
            if id(instr) in left:
                self._take(instr)

    def _join(self, row: Sequence[Instr]) -> bool:
        """Add one instruction for those of all towers, or return False."""
        first = row[0]
        if first.definition.traits.random:  # each tower draws its own numbers
            return False
        if not all(self._is_alike(first, other) for other in row[1:]):
            return False
        attrs = dict(first.attrs)
        for name in _handles(first):
            attrs[name] = self._variables.common(tuple(i.attrs[name] for i in row))
            if attrs[name] is None:
                return False
        columns = zip(*(instr.inputs for instr in row), strict=True)
        inputs = [self._unite(column, first) for column in columns]
        outputs = []
        for column in zip(*(instr.outputs for instr in row), strict=True):
            output = column[0] if column[0] in self._shared else self._new()
            self._places.update(dict.fromkeys(enumerate(column), output))
            outputs.append(output)
        self._owned.update(outputs)
        joint = replace(first, attrs=attrs, inputs=tuple(inputs), replica=None)
        self._add(replace(joint, outputs=tuple(outputs)))
        return True

    def _is_alike(self, first: Instr, other: Instr) -> bool:
        """Whether two towers' instructions differ in slots and variables alone."""

        def kind(instr: Instr) -> Any:
            shared = [slot if slot in self._shared else None for slot in instr.outputs]
            return instr.op, instr.core, len(instr.inputs), shared

        return kind(first) == kind(other) and _same(first, other, _handles(first))

    # -- slots -----------------------------------------------------------------

    def _add(self, instr: Instr) -> None:
        self._instrs.append(instr)
        self._specs.update(zip(instr.outputs, instr.specs, strict=True))

    def _new(self) -> int:
        self._next += 1
        return self._next - 1

    def _place(self, tower: int, slot: int) -> int:
        """Return the slot that has the value of a tower's slot."""
        if (tower, slot) in self._constants and (tower, slot) not in self._places:
            self._add(self._constants[tower, slot])
            self._places[tower, slot] = slot
        return self._places.get((tower, slot), slot)

    def _of_all(self, slot: int, reader: Instr) -> int:
        """Return the slot that has the value of a slot of all replicas."""
        return self._unite((slot,) * self._variables.towers, reader)

    def _unite(self, column: Column, reader: Instr) -> int:
        """Return a slot with the value of each tower."""
        if all(pair in self._constants for pair in enumerate(column)):
            if column not in self._united:
                self._united[column] = self._new()
                self._add_constants(column, self._united[column])
            return self._united[column]
        places = tuple(self._place(k, slot) for k, slot in enumerate(column))
        if len(set(places)) == 1:
            return places[0]
        if places not in self._united:
            self._united[places] = self._new()
            self._owned.add(self._united[places])
            if self.dividable.issuperset(places):
                self.columns.append(places)
                self._inputs.append(self._united[places])
            else:
                for tower, place in enumerate(places):
                    self._alias(reader, tower, place, self._united[places])
        return self._united[places]

    def _add_constants(self, column: Column, slot: int) -> None:
        """Put a constant of each tower into one slot, once if they are equal."""
        first, *others = [self._constants[pair] for pair in enumerate(column)]
        if all(_same(first, other) for other in others):
            self._add(replace(first, outputs=(slot,), replica=None))
            return
        self._owned.add(slot)
        for constant in (first, *others):
            self._add(replace(constant, outputs=(slot,)))

    def _alias(self, instr: Instr, tower: int, source: int, slot: int) -> None:
        """Let a tower put a value into a further slot."""
        self._add(
            Instr(
                op=IDENTITY.name,
                name=instr.name,
                inputs=(source,),
                outputs=(slot,),
                attrs={},
                specs=(self._specs[source],),
                core=0,
                site=instr.site,
                replica=tower,
            )
        )

    def _copy(self, instr: Instr) -> None:
        """Copy the value of a tower to others."""
        source, targets, (slot,) = *_ends(instr), instr.inputs
        if (source, slot) in self._constants:
            constant = self._constants[source, slot]
            for k in targets:
                self._constants[k, slot] = replace(constant, replica=k)
            return
        place = self._place(source, slot)
        if place in self._owned:
            copy = self._places[source, slot] = self._new()
            self._alias(instr, source, place, copy)
            place = copy
        self._add(replace(instr, inputs=(place,), outputs=(place,)))
        self._places.update({(k, slot): place for k in targets})


def _pairs(instr: Instr) -> bool:
    """Whether an instruction of a tower can be paired with those of others.

    Whoever looks from outside sees one tower after the other.
    """
    definition = instr.definition
    computes = definition.kernel is not None and definition.effects.run is None
    computes = computes and definition.place is Place.ANYWHERE
    seen = definition.traits.printing or instr.core == HOST
    return not seen and (computes or definition.effects.access is not None)


def _handles(instr: Instr) -> list[str]:
    """Return the attributes that name a variable."""
    named = dict.fromkeys((instr.definition.reads, instr.definition.writes))
    return [name for name in named if name is not None]


def _same(first: Instr, other: Instr, apart: Sequence[str] = ()) -> bool:
    """Whether attributes, apart from some, and specs are equal."""

    def described(instr: Instr) -> Any:
        attrs = {k: _bits(v) for k, v in instr.attrs.items() if k not in apart}
        return attrs, [spec.describe() for spec in instr.specs]

    return bool(described(first) == described(other))


def _bits(value: Any) -> Any:
    """Return a cache key of an attribute: its type and bits."""
    if not isinstance(value, np.ndarray):
        return repr(value)
    bits = value.tolist() if value.dtype == object else value.tobytes()
    return value.shape, value.dtype.str, bits


def _ends(copy: Instr) -> tuple[int, Sequence[int]]:
    return copy.attrs["source"], copy.attrs["targets"]
