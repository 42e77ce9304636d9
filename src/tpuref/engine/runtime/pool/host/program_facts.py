"""What the host needs to know of a program that cores run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from tpuref.base.dtypes import string
from tpuref.base.spec import TensorSpec
from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.pool.descriptions import INLINE_BYTES


class ResultBlock(NamedTuple):
    """A large result whose size is known.

    Attributes
    ----------
    size
        The bytes that it takes for each replica.
    shape, dtype
        What it is.
    """

    size: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, spec: TensorSpec | None) -> ResultBlock | None:
        """Return it for what is known of a result, None for another kind of result."""
        if spec is None or spec.dtype == string or not spec.shape.is_fully_defined():
            return None
        size = (spec.shape.num_elements() or 0) * spec.dtype.size
        shape = tuple(length or 0 for length in spec.shape.as_list())
        return None if size <= INLINE_BYTES else cls(size, shape, spec.dtype.np)


class ProgramFacts:
    """The variables, random draws and results of a program.

    Attributes
    ----------
    variables
        The names of the variables that replicas read or write.
    users
        For each variable the replicas that use it, None among them for all.
    owners
        The replicas whose values of the variables that they write are kept.
    random
        The names of its random operations.
    results
        The block of each result, None where there is none.
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
        self.random = [instr.name for instr in instrs if instr.definition.random]
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
