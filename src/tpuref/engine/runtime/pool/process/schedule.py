"""The schedule: the steps of a prepared program, in order.

Consecutive operations that can be fused are collected until another kind of instruction
comes, and are then one step.  There are two lists of steps: `_steps`, and `_observed`
with one step for each instruction, for runs with a trace or a recording.  Both compute
the same bits.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from tpuref.base.errors import OpError
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.meaning.lockstep import locate
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.pool.columns import Stacked
from tpuref.engine.runtime.pool.core_events import CoreEvents, Label, Peer
from tpuref.engine.runtime.pool.process.arrangement import PlacementPlan
from tpuref.engine.runtime.pool.process.collectives import Addend, Exchange
from tpuref.engine.runtime.pool.process.fusion import Fusion
from tpuref.engine.runtime.pool.process.fusion_plan import Memory
from tpuref.engine.runtime.pool.split import LocalCore

Values = list[Any]
"""The columns of all slots; None for a slot without values."""

Step = Callable[[Values], None]
"""Reads and writes the values of all cores of a process."""

Path = tuple[int, ...]
"""The position of an instruction: its index, then block and index at each level."""


class CoreServices(Protocol):
    """The services of a process for its programs.

    `runs` is the run with the variables as each logical core sees them.  `local` is the
    core of the current operation, None while it runs for all.
    """

    run: Run
    runs: dict[int, Run]
    local: LocalCore | None
    events: CoreEvents | None
    counter: memoryview

    def go_on(self) -> None:
        """Raise if the run was called off."""

    def new_value(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """Return memory for a new value of a variable, where the host can read it."""

    def exchange(
        self, instrs: Sequence[Instr], local_cores: Sequence[LocalCore]
    ) -> Exchange:
        """Return the sums of these instructions as one exchange."""

    def send(self, local: LocalCore, peer: Peer, value: Array) -> None:
        """Send a value from a core of this process to any other."""

    def receive(self, local: LocalCore, peer: Peer) -> Array:
        """Return the next value for a core of this process from another."""

    def call_host(
        self, path: Path, calls: Sequence[tuple[LocalCore, Sequence[Array]]]
    ) -> Sequence[Sequence[Array]]:
        """Let the host run the instruction at `path` for some cores."""


Numbered = tuple[Step, int, Label]
"""A step, the number of its instruction, and its description for an observer."""


class Schedule:
    """The steps of a program on some cores of one process.

    `local_cores` are the cores of the process, `numbers` the program counter of each
    instruction, by id, and `summed` the contributions to exchanges, by slot.
    `constants` are the columns that no run changes, and `known` those that
    all cores share.  `readers` of a slot are ids of instructions and of the program
    itself.  `left` are the slots of values that are left to the host in variables.
    """

    def __init__(
        self,
        services: CoreServices,
        local_cores: Sequence[LocalCore],
        program: Program,
        readers: Mapping[int, set[int]],
        numbers: Mapping[int, int],
        summed: Mapping[int, Addend],
        left: Collection[int],
    ) -> None:
        slots = 1 + max(
            [-1, *program.parameters]
            + [slot for instr in program.instrs for slot in instr.outputs]
        )
        self.constants: Values = [None] * slots
        self.known: dict[int, Array] = {}
        self.readers = readers
        self._services = services
        self._local_cores = local_cores
        self._numbers = numbers
        self._summed = summed
        self._left = left
        self._steps: list[Numbered] = []
        self._observed: list[Numbered] = []
        self._fusing: list[Numbered] = []
        self._writes: list[Numbered] = []
        self._written: set[int | str] = set()  # slots and variables of `_writes`

    def run(self, values: Values) -> None:
        """Run all steps; with an observer, one instruction at a time."""
        if self._services.events is None:
            self.take(self._steps, values)
        else:
            self.take(self._observed, values, self._services.events.observe)

    def take(
        self,
        steps: Sequence[Numbered],
        values: Values,
        observe: Callable[[Step, Label, Values], None] | None = None,
    ) -> None:
        """Run some steps, and name the instruction in an error."""
        counter = self._services.counter
        try:
            for step, number, label in steps:
                counter[0] = number
                if observe is None:
                    step(values)
                else:
                    observe(step, label, values)
        except OpError as error:
            if label.instr is not None:
                locate(error, label.instr)
            raise

    def label(
        self,
        instr: Instr,
        kind: str | None,
        slots: tuple[int, ...],
        places: Sequence[int],
        traced: bool = False,
        peers: Mapping[int, tuple[Peer, ...]] | None = None,
    ) -> Label:
        """Return the description of a step of an instruction."""
        local_cores = {place: self._local_cores[place] for place in places}
        number = self._numbers[id(instr)]
        return Label(instr, number, kind, local_cores, slots, peers or {}, traced)

    def append(self, step: Step, label: Label) -> None:
        """Append the step of an instruction."""
        self.fuse()
        self._steps.append((step, label.number, label))
        self._observed.append((step, label.number, label))

    def append_read(self, step: Step, label: Label) -> None:
        """Append a read of a variable: before operations that wait to be fused.

        None of them can change a variable.
        """
        if _handle(label) in self._written:
            self.fuse()
        self._steps.append((step, label.number, label))
        self._observed.append((step, label.number, label))

    def append_write(self, step: Step, label: Label) -> None:
        """Append a write to a variable: after operations that wait to be fused."""
        self._writes.append((step, label.number, label))
        self._written.update((*label.slots, _handle(label)))
        self._observed.append((step, label.number, label))

    def append_in_parts(
        self,
        step: Step,
        number: int,
        parts: Sequence[Numbered],
        instr: Instr | None = None,
    ) -> None:
        """Append a step; a run with an observer takes `parts` instead.

        An error of the step that names no operation names `instr`.
        """
        self.fuse()
        self._steps.append((step, number, Label(instr, number, None, {})))
        self._observed += parts

    def note(self, label: Label) -> None:
        """Add an instruction without a step to traces."""
        self._observed.append((lambda values: None, label.number, label))

    def add(self, alone: Numbered) -> None:
        """Add an operation on all cores to the next fusion: its step without one."""
        instr = alone[2].instr
        if instr is not None and not self._written.isdisjoint(instr.inputs):
            self.fuse()
        self._fusing.append(alone)
        self._observed.append(alone)

    def close(self) -> None:
        """Append the last fusion; nothing is added afterwards."""
        self.fuse()
        self._observed.sort(key=lambda numbered: numbered[1])  # in program order

    def fuse(self) -> None:
        """Append the operations that were collected for a fusion, and the writes."""
        self._fuse_operations()
        self._steps += self._writes
        self._writes = []
        self._written.clear()

    def _fuse_operations(self) -> None:
        if not self._fusing:
            return
        fusing, self._fusing = self._fusing, []
        one_by_one = sorted(fusing, key=lambda numbered: numbered[1])
        instrs = [label.instr for _, _, label in fusing if label.instr is not None]
        # A slot is an output of the fusion if anything else reads it.
        inside = set(map(id, instrs))
        made = [slot for instr in instrs for slot in instr.outputs]
        wanted = [slot for slot in made if self.readers.get(slot, inside) - inside]
        fusion = Fusion(
            instrs,
            [number for _, number, _ in fusing],
            len(self._local_cores),
            self.known,
            wanted,
            {slot: self._memory(slot) for slot in made if self._is_summed(slot)},
            {slot: self._services.new_value for slot in made if slot in self._left},
            self._services.counter,
        )

        def step(values: Values) -> None:
            # A fusion that fails has changed nothing that others read, so its
            # operations can run again one by one, and the one at fault raises the
            # error with its name.
            if not fusion.run(values):
                self.take(one_by_one, values)

        number = fusing[0][1]
        self._steps.append((step, number, Label(None, number, None, {})))

    def _is_summed(self, slot: int) -> bool:
        """Whether the value of a slot is a contribution of all these cores to a sum."""
        return slot in self._summed and self._summed[slot].local_cores == list(
            self._local_cores
        )

    def _memory(self, slot: int) -> Memory:
        """Return a function that returns the memory of a contribution to a sum."""
        places = self._summed[slot].places

        def memory(shape: tuple[int, ...], dtype: np.dtype[Any]) -> list[Array]:
            there = places(shape, dtype)
            if isinstance(there, Stacked):
                return there
            if all(place is None for place in there):
                return Stacked(np.empty((len(there), *shape), dtype))
            return [np.empty(shape, dtype) if p is None else p for p in there]

        return memory


def _handle(label: Label) -> str:
    """Return the variable that a step reads or writes."""
    assert label.instr is not None
    return str(label.instr.attrs["handle"])


def readers_of(program: Program, plan: PlacementPlan) -> dict[int, set[int]]:
    """Return the ids of the readers of each slot: instructions, the program itself."""
    readers: dict[int, set[int]] = {slot: {id(program)} for slot in program.results}
    for instr in program.instrs:
        for slot in instr.inputs:
            readers.setdefault(slot, set()).add(id(instr))
        for transfer in plan.before(instr):
            readers.setdefault(transfer.slot, set()).add(id(program))
    for transfer in plan.at_the_end(program):
        readers.setdefault(transfer.slot, set()).add(id(program))
    return readers
