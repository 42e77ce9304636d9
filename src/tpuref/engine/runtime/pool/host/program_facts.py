"""The host's records of programs: facts for each run, and sent programs."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tpuref.base.dtypes import string
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.pool.messages import INLINE_BYTES
from tpuref.engine.runtime.pool.split import LocalCores, Placement, Split


class ResultBlock(NamedTuple):
    """The block of a large result of static shape; `size` is in bytes per replica."""

    size: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, spec: TensorSpec | None) -> ResultBlock | None:
        """Return the block for a result of static shape, or None."""
        if spec is None or spec.dtype == string or not spec.shape.is_fully_defined():
            return None
        size = (spec.shape.num_elements() or 0) * spec.dtype.size
        shape = tuple(length or 0 for length in spec.shape.as_list())
        return None if size <= INLINE_BYTES else cls(size, shape, spec.dtype.np)


class ProgramFacts:
    """The variables, random draws and results of a program.

    `users` has the replicas that use each variable, None among them for all; `owners`
    are the replicas whose writes count.  `random` are the names of random operations,
    and `results` has the block of each result, None where there is none.
    """

    def __init__(self, program: Program) -> None:
        instrs = list(program.all_instrs())
        on_cores = [instr for instr in instrs if instr.core != HOST]
        self.users = users_of(on_cores)
        for own in program.components:
            if self.users.pop(own[0], None):
                for replica, handle in enumerate(own):
                    self.users.setdefault(handle, set()).add(replica)
        self.variables = list(self.users)
        self.owners = {0, *program.owners.values()}
        self.random = [instr.name for instr in instrs if instr.definition.traits.random]
        specs = {
            slot: spec
            for instr in program.instrs
            for slot, spec in zip(instr.outputs, instr.specs, strict=True)
        }
        self.results = [ResultBlock.of(specs.get(slot)) for slot in program.results]


def users_of(instrs: Iterable[Instr]) -> dict[str, set[int | None]]:
    """Return for each variable the replicas that use it, None among them for all."""
    users: dict[str, set[int | None]] = {}
    for instr in instrs:
        name = instr.definition.reads or instr.definition.writes
        if name:
            users.setdefault(instr.attrs[name], set()).add(instr.replica)
    return users


class AnnouncedVariables:
    """The variables whose values the processes hold, for one placed program.

    An array of a variable never changes: a new value is a new array.  So a value is
    sent again only when the variable has another array, compared by identity.  The
    references are weak: the id of a dead array may be that of the next one.
    """

    def __init__(self) -> None:
        self._values: dict[str, weakref.ref[Array]] = {}
        self._left: dict[int, dict[str, weakref.ref[Array]]] = {}

    def leave(self, process: int, handles: Iterable[str], value: Array) -> None:
        """Note a value that a process, and no other, has written to variables."""
        self._left.setdefault(process, {}).update(
            dict.fromkeys(handles, weakref.ref(value))
        )

    def kept(self, values: Mapping[str, Array | None]) -> dict[int, list[str]]:
        """Return by process the variables that have the value that it left.

        After a run that failed, or another program's, they have other values.
        """
        return {
            process: [h for h, left in own.items() if left() is values[h] is not None]
            for process, own in self._left.items()
        }

    def lacks(self, handle: str, value: Array | None) -> bool:
        """Return whether the processes hold another value of a variable, or none."""
        known = self._values.get(handle)
        if known is None:
            return value is not None
        return known() is not value or value is None

    def update(
        self,
        values: Iterable[tuple[str, Array | None]],
        kept: Mapping[int, Sequence[str]],
    ) -> None:
        """Note values that all processes have received, or kept."""
        for process, handles in kept.items():
            left = self._left[process]
            self._values.update((handle, left[handle]) for handle in handles)
        self._left.clear()
        for handle, value in values:
            if value is None:
                del self._values[handle]
            else:
                self._values[handle] = weakref.ref(value)


@dataclass
class RegisteredProgram:
    """A program, its placements, whether it was sent, and how long it has run.

    The processes run `program`, which is `source` without repeats.
    """

    source: Program
    program: Program
    facts: ProgramFacts
    placed: dict[Placement, PlacedProgram] = field(default_factory=dict)
    sent: bool = False
    seconds: float = 0.0


@dataclass
class PlacedProgram:
    """A program on certain cores, and the variables that the processes hold."""

    known: RegisteredProgram
    number: int
    placement: Placement
    split: Split
    local_cores: Mapping[int, LocalCores]
    announced: AnnouncedVariables = field(default_factory=AnnouncedVariables)
    sent: bool = False

    @cached_property
    def used(self) -> dict[int, set[str]]:
        """The variables that each process uses."""
        users = self.known.facts.users
        return {
            process: {
                h for h in users if not users[h].isdisjoint((None, *own.replicas))
            }
            for process, own in self.local_cores.items()
        }

    @cached_property
    def used_alone(self) -> dict[int, set[str]]:
        """The variables that each process uses, and no other."""
        counts = Counter(handle for used in self.used.values() for handle in used)
        return {p: {h for h in used if counts[h] == 1} for p, used in self.used.items()}
