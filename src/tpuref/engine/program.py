"""A program: the instructions that every replica runs, as plain data.

A program contains no callables and no objects of the user's, so none of them is pickled
when it is sent to another process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tpuref.base.callsite import CallSite
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.definition import OpDef
from tpuref.engine.ops.registry import REGISTRY

HOST = -1
"""The place of an instruction that runs on the host instead of a logical core."""


@dataclass(frozen=True)
class Instr:
    """One instruction of a program.

    `inputs` and `outputs` are slots, `specs` the static specs of the outputs.  `core`
    is the logical core within the replica, or `HOST`.  `blocks` are inner programs: the
    branches of If, condition and body of While, the replicated body of TPUReplicate.
    `replica` is the only replica that runs it, None for all; `site` the user's line.
    """

    op: str
    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    attrs: Mapping[str, Any]
    specs: tuple[TensorSpec, ...]
    core: int
    site: CallSite
    blocks: tuple[Program, ...] = ()
    replica: int | None = None

    @property
    def definition(self) -> OpDef:
        """The definition of the operation."""
        return REGISTRY[self.op]

    @property
    def is_filler(self) -> bool:
        """Whether it is a constant that stands for a result of other replicas only.

        Nobody reads it; its shape is open, unlike that of any other constant.
        """
        return self.definition.traits.constant and self.specs[0].shape.rank is None

    def concerns(self, replica: int) -> bool:
        """Return whether a replica runs it."""
        return self.replica is None or self.replica == replica


@dataclass(frozen=True)
class Program:
    """Straight-line instructions over numbered slots.

    `parameters` are the slots that hold the inputs at the start, `results` those that
    hold the outputs at the end.  `components` has the handles of a variable's component
    on each replica; the instructions use the first one.
    """

    name: str
    parameters: tuple[int, ...]
    instrs: tuple[Instr, ...]
    results: tuple[int, ...]
    components: tuple[tuple[str, ...], ...] = ()

    def handles_on(self, replica: int) -> dict[str, str]:
        """Return the handles of a replica's own components, by their common handle."""
        return self._handles[replica] if self.components else {}

    @cached_property
    def _handles(self) -> list[dict[str, str]]:
        replicas = range(len(self.components[0]))
        return [{own[0]: own[k] for own in self.components} for k in replicas]

    @cached_property
    def num_cores(self) -> int:
        """The number of logical cores that the program uses."""
        return 1 + max([0, *(instr.core for instr in self.all_instrs())])

    @cached_property
    def owners(self) -> Mapping[str, int]:
        """The replica whose value is kept of each variable that is not shared."""
        writers: dict[str, set[int | None]] = {}
        for instr in self.all_instrs():
            written = instr.definition.writes
            if written is not None and instr.core != HOST:
                writers.setdefault(instr.attrs[written], set()).add(instr.replica)
        own = {
            component: replica
            for components in self.components
            if components[0] in writers
            for replica, component in enumerate(components)
        }
        alone = {
            handle: replica
            for handle, (replica, *others) in writers.items()
            if replica is not None and not others
        }
        return {**own, **alone}

    def all_instrs(self) -> Iterator[Instr]:
        """Yield the instructions, each followed by those of its inner programs."""
        for instr in self.instrs:
            yield instr
            for block in instr.blocks:
                yield from block.all_instrs()

    def instr_at(self, path: Sequence[int]) -> Instr:
        """Return the instruction at a path of index, block, index, and so on."""
        instr = self.instrs[path[0]]
        for block, index in zip(path[1::2], path[2::2], strict=True):
            instr = instr.blocks[block].instrs[index]
        return instr


def users_of(instrs: Iterable[Instr]) -> dict[str, set[int | None]]:
    """Return for each variable the replicas that use it, None among them for all."""
    users: dict[str, set[int | None]] = {}
    for instr in instrs:
        name = instr.definition.reads or instr.definition.writes
        if name:
            users.setdefault(instr.attrs[name], set()).add(instr.replica)
    return users
