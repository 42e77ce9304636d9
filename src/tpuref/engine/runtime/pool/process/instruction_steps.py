"""The steps of single instructions: one function for each kind of operation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tpuref.base.shapes import static_sizes
from tpuref.engine.ops.control import joined, nothing_kept
from tpuref.engine.ops.definition import Access, Flow, OpDef
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.meaning.lockstep import compute, perform
from tpuref.engine.runtime.meaning.verdict import truth
from tpuref.engine.runtime.pool.columns import Column
from tpuref.engine.runtime.pool.core_events import HOST_CALL, kind
from tpuref.engine.runtime.pool.process.collectives import Addend
from tpuref.engine.runtime.pool.process.feed import CoreFeed
from tpuref.engine.runtime.pool.process.schedule import CoreServices, Path, Step, Values
from tpuref.engine.runtime.pool.split import LocalCore

PREPARED_BLOCKS = 64
"""The number of sets of cores for which a branch or loop keeps a prepared block."""


class Block(Protocol):
    """A branch, or part of a loop, prepared for some cores."""

    def run(self, inputs: Sequence[Column]) -> list[Column]:
        """Run it with the columns of its inputs, and return its results."""


Prepare = Callable[[Program, Sequence[LocalCore], Path], Block]
"""Prepare a block at a path for some cores."""


@dataclass(frozen=True)
class InstructionSteps:
    """The steps of single instructions on some cores of one process."""

    _services: CoreServices
    _local_cores: Sequence[LocalCore]
    _summed: Mapping[int, Addend]  # the contributions to sums, by their slots
    _prepare: Prepare  # prepares the blocks of an instruction

    def step(self, instr: Instr, places: Sequence[int], path: Path) -> Step:
        """Return the step of an instruction for the cores at some places."""
        definition = instr.definition
        if definition.flow is Flow.BRANCH:
            return self._if(instr, places, path)
        if definition.flow is Flow.LOOP:
            return self._while(instr, places, path)
        effects = definition.effects
        if effects.ahead:
            return self._feed(instr, places, path)
        if kind(instr) == HOST_CALL:
            return self._host_call(instr, places, path)
        if effects.access is Access.READ:
            return self._read(instr, places)
        if effects.access is not None:
            return self._write(instr, places)
        if effects.run is not None:
            return self._effect(instr, places)
        return self._compute(definition, instr, places)

    def column(
        self, places: Sequence[int], computed: Sequence[Any], before: Column | None
    ) -> Column:
        """Return a column with the values of the cores at some places.

        `before` is the column so far: towers have separate instructions that write the
        same slot, for a value that all of them sum.
        """
        if len(places) == len(self._local_cores):
            return computed
        column = list(before or [None] * len(self._local_cores))
        for place, value in zip(places, computed, strict=True):
            column[place] = value
        return column

    def _store(
        self,
        values: Values,
        slots: Sequence[int],
        places: Sequence[int],
        results: Sequence[Sequence[Array]],
    ) -> None:
        """Put the outputs of an instruction, core by core, into the columns."""
        for slot, *computed in zip(slots, *results, strict=True):
            values[slot] = self.column(places, computed, values[slot])

    def _for_each(
        self,
        instr: Instr,
        places: Sequence[int],
        carry_out: Callable[[int, list[Array]], Sequence[Array]],
    ) -> Step:
        """Return the step that runs an instruction for one core after the other.

        `carry_out` takes the place of a core and its inputs.
        """
        services, cores = self._services, self._local_cores
        inputs, outputs = instr.inputs, instr.outputs

        def step(values: Values) -> None:
            columns = [values[slot] for slot in inputs]
            results = []
            for place in places:
                services.local = cores[place]
                arrays = [column[place] for column in columns]
                results.append(carry_out(place, arrays))
            services.local = None
            self._store(values, outputs, places, results)

        return step

    def _compute(self, definition: OpDef, instr: Instr, places: Sequence[int]) -> Step:
        services, cores = self._services, self._local_cores

        def carry_out(place: int, arrays: list[Array]) -> Sequence[Array]:
            replica = cores[place].replica
            return compute(definition, instr, arrays, replica, services.run)

        step = self._for_each(instr, places, carry_out)
        if len(instr.outputs) == 1 and instr.outputs[0] in self._summed:
            return self._compute_in_place(definition, instr, places) or step
        if len(instr.outputs) == 1 and definition.foldable:
            return self._compute_quickly(definition, instr, places, step)
        return step

    def _compute_quickly(
        self, definition: OpDef, instr: Instr, places: Sequence[int], thorough: Step
    ) -> Step:
        """Compute one array from others, and leave any special case to `thorough`.

        On small arrays the checks of the thorough step take as long as the operation.
        """
        inputs, (output,), attrs = instr.inputs, instr.outputs, dict(instr.attrs)
        function, dtype = definition.kernel, instr.specs[0].dtype.np
        assert function is not None
        everywhere = len(places) == len(self._local_cores)

        def step(values: Values) -> None:
            columns = [values[slot] for slot in inputs]
            results = []
            try:
                for place in places:
                    result = function(*[column[place] for column in columns], **attrs)
                    if result.__class__ is tuple or result.__class__ is list:
                        thorough(values)
                        return
                    results.append(np.asarray(result, dtype, order="C"))
            except Exception:
                thorough(values)  # fails again, with the message of the interpreter
                return
            if everywhere:
                values[output] = results
            else:
                values[output] = self.column(places, results, values[output])

        return step

    def _compute_in_place(
        self, definition: OpDef, instr: Instr, places: Sequence[int]
    ) -> Step | None:
        """Compute a contribution to a sum where the peers read it, or return None."""
        services, cores, (output,) = self._services, self._local_cores, instr.outputs
        spec, sums = instr.specs[0], self._summed[output]
        alike = sums.local_cores == [cores[place] for place in places]
        if not (alike and definition.writes_into and spec.shape.is_fully_defined()):
            return None
        shape, dtype = static_sizes(spec.shape), spec.dtype.np
        memory: dict[int, Array | None] = {}

        def carry_out(place: int, arrays: list[Array]) -> Sequence[Array]:
            out = memory[place]
            into = {} if out is None else {"out": out}
            replica = cores[place].replica
            return compute(definition, instr, arrays, replica, services.run, **into)

        compute_it = self._for_each(instr, places, carry_out)

        def step(values: Values) -> None:
            memory.update(zip(places, sums.places(shape, dtype), strict=True))
            compute_it(values)
            memory.clear()

        return step

    def _effect(self, instr: Instr, places: Sequence[int]) -> Step:
        services, cores = self._services, self._local_cores

        def carry_out(place: int, arrays: list[Array]) -> Sequence[Array]:
            local = cores[place]
            return perform(instr, arrays, local.replica, services.runs[local.logical])

        return self._for_each(instr, places, carry_out)

    def _read(self, instr: Instr, places: Sequence[int]) -> Step:
        """Read a variable."""
        services, cores = self._services, self._local_cores
        handle = instr.attrs["handle"]
        (target,) = instr.outputs

        def step(values: Values) -> None:
            results = []
            for place in places:
                local = services.local = cores[place]
                variables = services.runs[local.logical].variables[local.replica]
                results.append(variables.read(handle))
            services.local = None
            values[target] = self.column(places, results, values[target])

        return step

    def _write(self, instr: Instr, places: Sequence[int]) -> Step:
        """Assign or change a variable, once for cores that share both arrays.

        Consecutive cores with the same old value and change (the same objects) share
        the new value too, so variables of replicas stay one array.
        """
        services, cores = self._services, self._local_cores
        handle = instr.attrs["handle"]
        (source,), (target,) = instr.inputs, instr.outputs
        # An assigned variable may have no value yet; a value of its shape always fits.
        assigns = instr.definition.effects.access is Access.ASSIGN
        shape = instr.specs[0].shape
        sizes = static_sizes(shape) if shape.is_fully_defined() else None

        def step(values: Values) -> None:
            results: list[Array] = []
            latest: tuple[Any, Any] = None, None
            for place in places:
                local = services.local = cores[place]
                run = services.runs[local.logical]
                variables = run.variables[local.replica]
                before = None if assigns else variables.read(handle)
                change = values[source][place]
                same = before is latest[0] and change is latest[1]
                if same or (assigns and change.shape == sizes):
                    value = results[-1] if same else change
                    variables.write(handle, value)
                    results.append(value)
                else:
                    results += perform(instr, [change], local.replica, run)
                latest = before, change
            services.local = None
            values[target] = self.column(places, results, values[target])

        return step

    def _host_call(self, instr: Instr, places: Sequence[int], path: Path) -> Step:
        services, cores = self._services, self._local_cores

        def step(values: Values) -> None:
            columns = [values[slot] for slot in instr.inputs]
            calls = [(cores[p], [column[p] for column in columns]) for p in places]
            self._store(values, instr.outputs, places, services.call_host(path, calls))

        return step

    def _feed(self, instr: Instr, places: Sequence[int], path: Path) -> Step:
        services, cores = self._services, self._local_cores
        feeds = [CoreFeed(instr) for _ in places]

        def step(values: Values) -> None:
            asking = [
                (feed, cores[place], wanted)
                for feed, place in zip(feeds, places, strict=True)
                if (wanted := feed.wanted(services.run))
            ]
            if asking:
                calls = [(local, [np.asarray(wanted)]) for _, local, wanted in asking]
                answers = services.call_host(path, calls)
                for (feed, _, _), arrays in zip(asking, answers, strict=True):
                    feed.fill(arrays)
            self._store(values, instr.outputs, places, [feed.next() for feed in feeds])

        return step

    def _if(self, instr: Instr, places: Sequence[int], path: Path) -> Step:
        branches = [self._block(instr, number, places, path) for number in (0, 1)]

        def step(values: Values) -> None:
            predicate, *columns = at(values, instr.inputs, places)
            verdicts = [truth(instr, array) for array in predicate]
            results: list[list[Any]] = [[None] * len(places) for _ in instr.outputs]
            for verdict, branch in zip((True, False), branches, strict=True):
                taking = [k for k, each in enumerate(verdicts) if each is verdict]
                if taking:
                    _merge(results, branch(taking).run(_pick(columns, taking)), taking)
            for slot, column in zip(instr.outputs, results, strict=True):
                values[slot] = self.column(places, column, values[slot])

        return step

    def _while(self, instr: Instr, places: Sequence[int], path: Path) -> Step:
        condition = self._block(instr, 0, places, path)
        body = self._block(instr, 1, places, path)
        services = self._services
        split, limit = instr.attrs["loop_variables"], instr.attrs["maximum_iterations"]

        def step(values: Values) -> None:
            loop = _Loop(at(values, instr.inputs, places), split, len(places))
            kept = [nothing_kept(instr.specs[split:]) for _ in places]
            turns = 0
            tested, turned = condition(loop.inside), body(loop.inside)
            while limit is None or turns < limit:
                services.go_on()
                (column,) = tested.run(loop.columns)
                verdicts = [truth(instr, array) for array in column]
                if not all(verdicts):
                    loop.leave(verdicts)
                    if not loop.inside:
                        break
                    tested, turned = condition(loop.inside), body(loop.inside)
                results = turned.run(loop.columns)
                loop.variables = results[:split]
                for number, column in enumerate(results[split:]):
                    for place, array in zip(loop.inside, column, strict=True):
                        # the next turn may reuse its memory
                        kept[place][number].append(array.copy())
                turns += 1
            ends = [joined(each, instr.specs[split:]) for each in kept]
            self._store(values, instr.outputs[split:], places, ends)
            for slot, column in zip(instr.outputs, loop.ends(), strict=False):
                values[slot] = self.column(places, column, values[slot])

        return step

    def _block(
        self, instr: Instr, number: int, places: Sequence[int], path: Path
    ) -> Callable[[Sequence[int]], Block]:
        """Return a function that returns a block, prepared for some of these places."""
        prepared: dict[tuple[int, ...], Block] = {}

        def chosen(taking: Sequence[int]) -> Block:
            key = tuple(taking)
            if key not in prepared:
                if len(prepared) >= PREPARED_BLOCKS:
                    prepared.clear()
                local_cores = [self._local_cores[places[k]] for k in taking]
                block = instr.blocks[number]
                prepared[key] = self._prepare(block, local_cores, (*path, number))
            return prepared[key]

        chosen(range(len(places)))
        return chosen


class _Loop:
    """The loop variables of the cores that are still in a loop, and of those that left.

    A core leaves after its own number of turns.  The others go on with shorter columns,
    without it: `inside` has their places.
    """

    def __init__(self, columns: Sequence[Column], split: int, cores: int) -> None:
        self.variables, self._captured = list(columns[:split]), list(columns[split:])
        self.inside = list(range(cores))
        self._ends = [[None] * cores for _ in self.variables]

    @property
    def columns(self) -> list[Column]:
        """The inputs of the condition and of the body."""
        return [*self.variables, *self._captured]

    def leave(self, verdicts: Sequence[bool]) -> None:
        """Keep the cores whose condition is true."""
        _merge(self._ends, self.variables, self.inside)
        staying = [k for k, verdict in enumerate(verdicts) if verdict]
        self.inside = [self.inside[k] for k in staying]
        self.variables = _pick(self.variables, staying)
        self._captured = _pick(self._captured, staying)

    def ends(self) -> Sequence[Column]:
        """Return the final loop variables of all cores."""
        _merge(self._ends, self.variables, self.inside)
        return self._ends


def at(values: Values, slots: Sequence[int], places: Sequence[int]) -> list[Column]:
    """Return the columns of some slots at some places."""
    return _pick([values[slot] for slot in slots], places)


def _pick(columns: Sequence[Column], places: Sequence[int]) -> list[Column]:
    return [[column[place] for place in places] for column in columns]


def _merge(
    whole: Sequence[list[Any]], parts: Sequence[Column], places: Sequence[int]
) -> None:
    """Write columns of some places into those of all places."""
    for column, part in zip(whole, parts, strict=True):
        for place, value in zip(places, part, strict=True):
            column[place] = value
