"""The host's records of programs: facts for each run, and sent programs."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tpuref.base.dtypes import string
from tpuref.base.shapes import static_sizes
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import HOST, Program, users_of
from tpuref.engine.runtime.meaning.state import OnDevice
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
        if size <= INLINE_BYTES:
            return None
        return cls(size, static_sizes(spec.shape), spec.dtype.np)


class ProgramFacts:
    """The variables, random draws and results of a program.

    `users` has the replicas that use each variable, None among them for all; `owners`
    are the replicas whose writes count.  `random` are the names of random operations,
    and `results` has the block of each result, None where there is none.
    """

    def __init__(self, program: Program) -> None:
        instrs = list(program.all_instrs())
        self.users = users_of([instr for instr in instrs if instr.core != HOST])
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


class AnnouncedVariables:
    """The variables whose values a process holds, for one placed program.

    An array of a variable never changes: a new value is a new array.  So a value is
    sent again only when the variable has another array, compared by identity.  The
    references are weak: the id of a dead array may be that of the next one.
    """

    def __init__(self) -> None:
        self._values: dict[str, weakref.ref[Array | OnDevice]] = {}
        self._left: dict[str, weakref.ref[Array | OnDevice]] = {}

    def leave(self, users: Iterable[tuple[int, str]], value: OnDevice) -> None:
        """Note a value that the process has written to variables of replicas."""
        reference = weakref.ref[Array | OnDevice](value)
        for _, handle in users:
            self._left[handle] = reference

    def keep(self, values: Mapping[str, Array | OnDevice | None]) -> bool:
        """Return whether a variable has a value that the process left.

        If so, the process has all that it left.  After a run that failed, or another
        program's, variables have other values.
        """
        left, self._left = self._left, {}
        kept = any(own() is values[h] is not None for h, own in left.items())
        if kept:
            self._values.update(left)
        return kept

    def lacking(
        self, handles: Iterable[str], values: Mapping[str, Array | OnDevice | None]
    ) -> list[str]:
        """Return the variables whose values the process lacks."""
        known, lacking = self._values, []
        for handle in handles:
            value = values[handle]
            if handle not in known:
                lacks = value is not None
            else:
                lacks = value is None or known[handle]() is not value
            if lacks:
                lacking.append(handle)
        return lacking

    def update(self, values: Iterable[tuple[str, Array | OnDevice | None]]) -> None:
        """Note values that the process receives."""
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
    """A program on certain cores, and the variables that each process holds.

    `needed` are those that a process uses when writes are divided, once it has said so.
    """

    known: RegisteredProgram
    number: int
    placement: Placement
    split: Split
    local_cores: Mapping[int, LocalCores]
    sent: bool = False
    needed: dict[int, list[str]] = field(default_factory=dict)

    @cached_property
    def announced(self) -> dict[int, AnnouncedVariables]:
        """The variables whose values each process holds."""
        return {process: AnnouncedVariables() for process in self.local_cores}

    @cached_property
    def used(self) -> dict[int, list[str]]:
        """The variables that each process uses."""
        users = self.known.facts.users
        return {
            process: [
                h for h in users if not users[h].isdisjoint((None, *own.replicas))
            ]
            for process, own in self.local_cores.items()
        }

    def need(self, process: int, unused: Collection[str]) -> None:
        """Note the variables that a process does not use when writes are divided."""
        left_out = set(unused)
        used = self.used[process]
        self.needed[process] = [h for h in used if h not in left_out]

    def uses(self, process: int, divides: bool) -> list[str]:
        """Return the variables that a process uses in a run."""
        used = self.used[process]
        return self.needed.get(process, used) if divides else used
