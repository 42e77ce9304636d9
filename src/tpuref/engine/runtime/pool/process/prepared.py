"""Programs prepared for the cores of one process.

A program is prepared once for some cores: each instruction becomes a step, a function
that reads and writes the per-core values of all of them.  A run calls the steps in
order.  All processes prepare the same program in the same order, so their collectives
and transfers match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tpuref.engine.ops.definition import Access, Flow
from tpuref.engine.program import HOST, Instr, Program
from tpuref.engine.runtime.meaning.lockstep import compute
from tpuref.engine.runtime.pool.columns import Column
from tpuref.engine.runtime.pool.control_area import EXCHANGE, numbered
from tpuref.engine.runtime.pool.core_events import (
    COLLECTIVE,
    RECEIVE,
    SEND,
    TO_CORE,
    TO_REPLICA,
    Label,
    Peer,
    kind,
)
from tpuref.engine.runtime.pool.process import arrangement, schedule, summed_products
from tpuref.engine.runtime.pool.process.collectives import Addend
from tpuref.engine.runtime.pool.process.divided_writes import Share, share_of
from tpuref.engine.runtime.pool.process.fusion import fuses
from tpuref.engine.runtime.pool.process.instruction_steps import InstructionSteps, at
from tpuref.engine.runtime.pool.split import LocalCore


class PreparedProgram:
    """A program, prepared for some of the cores of one process.

    `path` is the position of a block within the whole program, `numbers` the program
    counter of each instruction, by its id.  This is process `number` of `processes`
    that divide the writes of values that all replicas share; `shared` are the variables
    that it writes for all, `unused` those that it leaves to others.
    """

    def __init__(
        self,
        program: Program,
        services: schedule.CoreServices,
        local_cores: Sequence[LocalCore],
        plan: arrangement.PlacementPlan,
        path: schedule.Path = (),
        numbers: Mapping[int, int] | None = None,
        processes: int = 1,
        number: int = 0,
    ) -> None:
        self._services = services
        self._numbers = numbers or numbered(program)
        self._local_cores = local_cores
        self._plan = plan
        self._parameters = program.parameters
        self._results = program.results
        order = arrangement.arranged(program, plan)
        self._products = summed_products.summed_products(program, order, plan.before)
        products = set(map(id, self._products.values()))
        self._addends: dict[int, Addend] = {}
        summed: dict[int, Addend] = {}
        for together in order:
            if together[0].definition.collective is not None:
                self._note_exchange(together, summed)
        readers = schedule.readers_of(program, plan)
        share = Share()
        if processes > 1 and plan.cores == 1:
            share = share_of(program, readers, processes, number)
        self.shared, self.unused = share.handles, share.unused
        left = set() if path else self._left(program, share)
        self._schedule = schedule.Schedule(
            services, local_cores, program, readers, self._numbers, summed, left
        )
        self._instructions = InstructionSteps(
            services, local_cores, summed, self._block
        )
        paths = {id(instr): (*path, k) for k, instr in enumerate(program.instrs)}
        # They must not depend on `share`: all processes have to wait equally often.
        order = [each for each in order if id(each[0]) not in products]
        self._covered = summed_products.covered_sums(order, self._products)
        for together in order:
            if len(together) > 1:
                self._add_exchange(together)
            elif id(together[0]) in self._products:
                self._add_sum_of_products(together[0])
            elif id(together[0]) not in share.left_out:
                self._add(together[0], paths[id(together[0])])
        for transfer in plan.at_the_end(program):
            self._add_transfer(transfer, program.instrs[-1], range(len(local_cores)))
        self._schedule.close()

    def _block(
        self, program: Program, local_cores: Sequence[LocalCore], path: schedule.Path
    ) -> PreparedProgram:
        """Prepare a block of the program for some of the cores."""
        return PreparedProgram(
            program, self._services, local_cores, self._plan, path, self._numbers
        )

    def _left(self, program: Program, share: Share) -> set[int]:
        """Return the slots whose values this process leaves to the host."""
        first = any(local.replica == 0 for local in self._local_cores)
        return {
            instr.inputs[0]
            for instr in program.instrs
            if instr.definition.effects.access is Access.ASSIGN
            and (first or instr.attrs["handle"] in share.handles)
        }

    def run(self, inputs: Sequence[Column]) -> list[Column]:
        """Run the program with the columns of its inputs, and return its results."""
        values = self._schedule.constants.copy()
        for slot, column in zip(self._parameters, inputs, strict=True):
            values[slot] = column
        self._schedule.run(values)
        return [values[slot] for slot in self._results]

    def _places(self, instr: Instr) -> list[int]:
        """Return the places of the cores that run an instruction."""
        there = self._plan.runs_on(instr)
        return [
            place
            for place, local in enumerate(self._local_cores)
            if local.logical in there and instr.concerns(local.replica)
        ]

    def _add(self, instr: Instr, path: schedule.Path) -> None:
        if instr.definition.flow is Flow.COPY:
            self._add_copy(instr)
            return
        cores = enumerate(self._local_cores)
        concerned = [place for place, core in cores if instr.concerns(core.replica)]
        for transfer in self._plan.before(instr):
            self._add_transfer(transfer, instr, concerned)
        places = self._places(instr)
        if not places:
            return
        if instr.definition.traits.constant:
            self._add_constant(instr, places)
        else:
            event, on_core = kind(instr), instr.core != HOST
            if event == COLLECTIVE:
                step = self._sum(instr, places)
            else:
                step = self._instructions.step(instr, places, path)
            label = self._schedule.label(instr, event, instr.outputs, places, on_core)
            if fuses(instr) and len(places) == len(self._local_cores):
                self._schedule.add((step, label.number, label))
            elif instr.definition.effects.access is Access.READ and on_core:
                self._schedule.append_read(step, label)
            elif instr.definition.effects.access is not None and on_core:
                self._schedule.append_write(step, label)
            elif instr.definition.foldable and not instr.outputs:
                self._schedule.note(label)  # it only orders others
            else:
                self._schedule.append(step, label)

    def _note_exchange(
        self, sums: arrangement.Together, summed: dict[int, Addend]
    ) -> None:
        """Note the contributions to an exchange, before their operations are prepared.

        An operation can then write its result where the peers read it.
        """
        there = [self._local_cores[place] for place in self._places(sums[0])]
        exchange = self._services.exchange(sums, there)
        for number, instr in enumerate(sums):
            addend = self._addends[id(instr)] = Addend(exchange, number)
            if id(instr) not in self._products:
                summed.setdefault(instr.inputs[0], addend)

    def _add_exchange(self, sums: arrangement.Together) -> None:
        """Append several sums as one step, and one by one for an observer."""
        places = self._places(sums[0])
        if not places:
            return
        exchange = self._addends[id(sums[0])].exchange
        alone = [
            self._numbered(instr, places, self._sum(instr, places)) for instr in sums
        ]

        def step(values: schedule.Values) -> None:
            columns = [at(values, instr.inputs, places)[0] for instr in sums]
            if not exchange.joins(columns):
                self._schedule.take(alone, values)
                return
            totals = exchange(columns)
            for instr, total in zip(sums, totals, strict=True):
                (target,) = instr.outputs
                values[target] = self._instructions.column(
                    places, total, values[target]
                )

        number = self._numbers[id(sums[0])] | EXCHANGE
        self._schedule.append_in_parts(step, number, alone, sums[0])

    def _add_sum_of_products(self, instr: Instr) -> None:
        """Append a sum with the products that it adds."""
        product, places = self._products[id(instr)], self._places(instr)
        if not places:
            return
        multiply = self._instructions.step(product, places, ())
        alone = [
            self._numbered(product, places, multiply),
            self._numbered(instr, places, self._sum(instr, places)),
        ]
        exchange, (target,) = self._addends[id(instr)].exchange, instr.outputs
        covered = id(instr) in self._covered

        def step(values: schedule.Values) -> None:
            lefts, rights = at(values, product.inputs, places)
            sums = exchange.of_products(lefts, rights)
            if sums is None or not covered:
                exchange.end_of_products()
            if sums is None:
                self._schedule.take(alone, values)
            else:
                values[target] = self._instructions.column(places, sums, values[target])

        self._schedule.append_in_parts(step, self._numbers[id(instr)], alone, instr)

    def _numbered(
        self, instr: Instr, places: Sequence[int], step: schedule.Step
    ) -> schedule.Numbered:
        """Return a step of an instruction that observers see."""
        label = self._schedule.label(
            instr, kind(instr), instr.outputs, places, traced=True
        )
        return step, label.number, label

    def _sum(self, instr: Instr, places: Sequence[int]) -> schedule.Step:
        """Return the step of a sum by itself."""
        exchange, number = self._addends[id(instr)]
        alone = len(exchange.sums) == 1
        sum_up = exchange.sums[0] if alone else partial(exchange.one, number)
        (source,), (target,) = instr.inputs, instr.outputs
        everywhere = len(places) == len(self._local_cores)

        def step(values: schedule.Values) -> None:
            column = values[source]
            if everywhere:
                values[target] = sum_up(column)
            else:
                sums = sum_up([column[place] for place in places])
                values[target] = self._instructions.column(places, sums, values[target])

        return step

    def _add_constant(self, instr: Instr, places: Sequence[int]) -> None:
        """Compute a constant now; a run only lists it in its trace."""
        services, (slot,) = self._services, instr.outputs
        replica = self._local_cores[places[0]].replica
        (value,) = compute(instr.definition, instr, [], replica, services.run)
        if len(places) == len(self._local_cores):
            self._schedule.known[slot] = value
        column, before = [value] * len(places), self._schedule.constants[slot]
        self._schedule.constants[slot] = self._instructions.column(
            places, column, before
        )
        label = self._schedule.label(instr, None, (), places, traced=instr.core != HOST)
        self._schedule.note(label)

    def _add_copy(self, instr: Instr) -> None:
        """Send a value to other replicas, or receive it."""
        source, targets = instr.attrs["source"], instr.attrs["targets"]
        cores = list(enumerate(self._local_cores))
        self._add_moves(
            instr,
            instr.inputs[0],
            [
                (place, (TO_REPLICA, target))
                for target in targets
                for place, local in cores
                if local.replica == source
            ],
            [(p, (TO_REPLICA, source)) for p, c in cores if c.replica in targets],
        )

    def _add_transfer(
        self, transfer: arrangement.Transfer, instr: Instr, concerned: Sequence[int]
    ) -> None:
        """Send a value to another core of the same replica, or receive it."""
        to, of = (TO_CORE, transfer.target), (TO_CORE, transfer.source)
        logical = {place: self._local_cores[place].logical for place in concerned}
        self._add_moves(
            instr,
            transfer.slot,
            [(place, to) for place in concerned if logical[place] == transfer.source],
            [(place, of) for place in concerned if logical[place] == transfer.target],
        )

    def _add_moves(
        self,
        instr: Instr,
        slot: int,
        sends: Sequence[tuple[int, Peer]],
        receives: Sequence[tuple[int, Peer]],
    ) -> None:
        """Send the value of a slot from some cores to others, and receive it."""
        services, cores = self._services, self._local_cores

        def send(values: schedule.Values) -> None:
            for place, peer in sends:
                services.send(cores[place], peer, values[slot][place])

        def receive(values: schedule.Values) -> None:
            column = list(values[slot] or [None] * len(cores))
            for place, peer in receives:
                column[place] = services.receive(cores[place], peer)
            values[slot] = column

        if sends:
            self._schedule.append(send, self._moving(instr, SEND, slot, sends))
        if receives:
            self._schedule.append(receive, self._moving(instr, RECEIVE, slot, receives))

    def _moving(
        self, instr: Instr, kind: str, slot: int, moves: Sequence[tuple[int, Peer]]
    ) -> Label:
        places = list(dict.fromkeys(place for place, _ in moves))
        peers = {p: tuple(peer for q, peer in moves if q == p) for p in places}
        return self._schedule.label(instr, kind, (slot,), places, peers=peers)
