"""The pool: processes that carry the cores, and the host that drives them.

::

    host                                         process k
    ----                                         ---------
    program, once  --- socket ---->              prepares its steps
    run            --- mailbox --->              runs them
        inputs     --- arena ----->                  |
                                                 collectives: arena, with its peers
        host call  <-- mailbox ---  -- mailbox -->   |
    results        <-- arena, mailbox ---        done, stopped, or error

A process that waits polls its mailbox a moment before it sleeps on its socket.  The
host sleeps on all sockets together, so the end of a process wakes it as a reply does.
A process that fails poisons the flags, and its peers stop at their next wait.
"""

import atexit
import functools
import itertools
import logging
import math
import os
import pickle
import threading
import weakref
from collections.abc import Sequence
from time import monotonic_ns
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.errors import FailedPreconditionError, ResourceExhaustedError
from tpuref.engine.configuration import config
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Program
from tpuref.engine.runtime.log import logger
from tpuref.engine.runtime.meaning.known_values import without_repeats
from tpuref.engine.runtime.meaning.lockstep import Values, run_program
from tpuref.engine.runtime.meaning.recording import note_on_host
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.meaning.state import OnDevice, State, have_equal_bits
from tpuref.engine.runtime.pool.host.cores import GRACE_SECONDS, Cores
from tpuref.engine.runtime.pool.host.gathering import Gathering
from tpuref.engine.runtime.pool.host.long_runs import add_run
from tpuref.engine.runtime.pool.host.memory import InputBlocks, ResultSlabs
from tpuref.engine.runtime.pool.host.occupation import Occupation
from tpuref.engine.runtime.pool.host.program_facts import (
    PlacedProgram,
    ProgramFacts,
    RegisteredProgram,
)
from tpuref.engine.runtime.pool.host.workload import LIGHT_WORK, workload
from tpuref.engine.runtime.pool.messages import INLINE_BYTES, Drawn, RunRequest
from tpuref.engine.runtime.pool.split import Placement, Split, local_cores_of

CACHED_PROGRAMS = 256
"""The number of programs that the processes keep."""

_LOG = logger("pool")
_EPOCHS = itertools.count(1)


class CorePool:
    """The executor that runs cores in processes.

    `epoch` is the number of these processes among all starts of this program, from 1.
    It raises UnavailableError if they do not start in time.
    """

    def __init__(self, cores: int) -> None:
        self._number = cores
        self.epoch = 0
        self._broken: str | None = None
        self._restart = False
        self._retired = False
        self._occupation = Occupation()
        self._gathering: Gathering | None = None
        self._launch()
        _POOLS.add(self)

    def _launch(self) -> None:
        """Start the processes with new memory."""
        _require_running_program()
        begin = monotonic_ns()
        self._cores = Cores(Split.configured(self._number), self._occupation)
        _close_all_at_exit()
        note_on_host("start cores", begin)
        self.epoch = next(_EPOCHS)
        seconds = (monotonic_ns() - begin) / 1e9
        self._say(logging.INFO, "%d cores started in %.2f s", self._number, seconds)
        self._programs: dict[int, RegisteredProgram] = {}
        self._runs = 0

    def _say(self, level: int, message: str, *values: object) -> None:
        _LOG.log(level, message, *values, extra={"epoch": self.epoch})

    @property
    def process_ids(self) -> list[int]:
        """The process ids, in the order of cores."""
        return [process.pid for process in self._cores.processes]

    # -- life ------------------------------------------------------------------

    def close(self) -> None:
        """Shut the cores down; earlier results stay valid.

        A run of another thread ends with an error.
        """
        if self._occupation.is_own:
            raise FailedPreconditionError(
                "the TPU system cannot be stopped by a host function of a computation "
                "that runs on it; do it outside",
                code=codes.NESTED_COMPUTATION,
            )
        self._broken = self._broken or "they were shut down"
        self._cores.closing = True
        with self._occupation.held() as idle:
            if idle:
                self._end()
                return
        for process in self._cores.processes:
            process.kill()
        with self._occupation.held(seconds=GRACE_SECONDS) as idle:
            if idle:
                self._end()
            else:
                self._retired = True  # its thread is in a host function

    def _end(self) -> None:
        self._cores.end()
        self._say(logging.INFO, "%d cores ended", self._number)

    def retire(self) -> None:
        """End the cores once the run that uses them is over."""
        if self._occupation.locked():
            self._retired = True
        else:
            self.close()

    def is_sound(self) -> bool:
        """Return whether all cores wait for the next run."""
        usable = self._broken is None and not self._restart
        usable = usable and not self._occupation.locked()
        return usable and self._cores.are_well()

    def stacks(self) -> str:
        """Say where each core is, if a run is under way in another thread."""
        gathering = self._gathering
        if gathering is None:
            return f"  pool: no program runs on its {self._number} cores"
        return gathering.stacks()

    def abandon(self) -> None:
        """Release everything, as this process is a fork of the host."""
        self._cores.abandon()
        self._occupation.close()  # arrays that end here free nothing of the host's
        self._occupation = Occupation()
        self._broken = (
            f"they belong to process {os.getppid()}, of which this one is a fork"
        )

    # -- runs ------------------------------------------------------------------

    def run(self, program: Program, inputs: Values, run: Run) -> Values:
        """Run `program` for the replicas in `inputs` and return their results."""
        if self._occupation.is_own:
            # A host function asks for it, while the cores wait for that function.
            return run_program(program, inputs, run)
        with self._occupation.held(program.name, run.timeout, self._require_sound):
            try:
                self._make_usable()
                return self._run(program, inputs, run)
            finally:
                self._end_if_retired()

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return an array for an input, in the arena unless a program runs.

        That program may wait for this thread, so this must not wait for the cores; the
        input is then copied when its run starts.
        """
        size = math.prod(shape) * dtype.itemsize
        if dtype.hasobject or size <= INLINE_BYTES:
            return np.empty(shape, dtype)
        with self._occupation.held() as idle:
            if not idle or self._broken is not None or self._restart:
                return np.empty(shape, dtype)
            try:
                self._restart = True  # an interrupt may leave the heap inconsistent
                slab = self._cores.memory.slab(size)[1]
            except ResourceExhaustedError:
                self._restart = False
                return np.empty(shape, dtype)
            else:
                self._restart = False
                return slab.part(0, shape, dtype)
            finally:
                self._end_if_retired()

    def _end_if_retired(self) -> None:
        if self._retired:
            self._broken = self._broken or "they were shut down"
            self._cores.end()

    def _make_usable(self) -> None:
        self._require_sound()
        if self._restart:
            self._say(logging.INFO, "the cores are started again after a broken run")
            self._cores.kill()
            self._launch()
            self._restart = False

    def _require_sound(self) -> None:
        if self._broken is not None:
            raise FailedPreconditionError(
                f"the core processes cannot be used any more: {self._broken}. Run "
                "tf.tpu.initialize_system() to start new ones",
                code=codes.CORE_LOST,
            )

    def _run(self, program: Program, inputs: Values, run: Run) -> Values:
        memory, begin = self._cores.memory, monotonic_ns()
        self._restart = True  # until all is well: an interrupt may come at any bytecode
        memory.free_returned()
        memory.heap.begin_run()
        sent, placed = InputBlocks(memory), self._place(program, inputs, run.cores)
        gathering = Gathering(self._cores, placed, run)
        self._gathering = gathering
        try:
            self._send_run(placed, inputs, run, sent, gathering)
            results = gathering.results()
            self._restart = False
            add_run(placed.known, (monotonic_ns() - begin) / 1e9)
            return results
        except BaseException as error:
            fault = gathering.call_off(error)
            self._log_loss(gathering)
            self._kill_unless_usable(gathering)
            try:
                if fault is error:
                    raise
                raise fault from fault.__cause__
            finally:
                del fault  # its traceback has this frame: a cycle
        finally:
            self._gathering = None
            sent.release()

    def _send_run(
        self,
        placed: PlacedProgram,
        inputs: Values,
        run: Run,
        sent: InputBlocks,
        gathering: Gathering,
    ) -> None:
        """Send each process its inputs, and the variables of its replicas."""
        cores, facts, begin = self._cores, placed.known.facts, monotonic_ns()
        self._send_program(placed)
        self._runs += 1
        gathering.slabs = ResultSlabs(cores.memory, facts.results, len(inputs))
        common = self._request(placed, gathering.slabs, run)
        kept, news = self._new_values(placed, common.divides, run)
        gathering.expect()
        requests = {}
        for process, local_cores in placed.local_cores.items():
            columns = zip(*[inputs[r] for r in local_cores.replicas], strict=True)
            request = common._replace(
                inputs=[sent.describe_column(column) for column in columns],
                variables=[
                    (handle, None if value is None else sent.describe_value(value))
                    for handle, value in news[process]
                ],
                kept=kept[process],
                draws=_draws(facts, local_cores.replicas, run),
                freed=cores.memory.take_freed(process),
            )
            requests[process] = "run", *request
        cores.post_each(requests)
        for process, announced in placed.announced.items():
            announced.update(news[process])
        if run.events is not None:
            size = sum(a.nbytes for arrays in inputs.values() for a in arrays)
            run.events.on_host("send to cores", begin, size)

    def _log_loss(self, gathering: Gathering) -> None:
        if gathering.lost is not None and not self._cores.closing:
            core, replica = gathering.lost
            where = {"core": core, "replica": replica, "run": self._runs}
            extra = {**where, "epoch": self.epoch}
            _LOG.warning("%s", gathering.broken, extra=extra)

    def _kill_unless_usable(self, gathering: Gathering) -> None:
        """Kill the cores if the run left them in a state that cannot go on."""
        if gathering.broken is not None:
            self._broken = self._broken or gathering.broken
        elif not gathering.restart:
            self._restart = False
            return
        self._cores.kill()

    def _place(
        self, program: Program, inputs: Values, placement: Placement
    ) -> PlacedProgram:
        """Return the record of a program on some cores, a new one at first."""
        known = self._programs.pop(id(program), None)
        if known is None:
            sent = without_repeats(program)
            known = RegisteredProgram(program, sent, ProgramFacts(sent))
        self._programs[id(program)] = known  # the one used last is at the end
        placed = known.placed.get(placement)
        if placed is None:
            split = self._split_for(program, inputs)
            number, local_cores = len(known.placed), local_cores_of(split, placement)
            placed = PlacedProgram(known, number, placement, split, local_cores)
            known.placed[placement] = placed
        return placed

    def _split_for(self, program: Program, inputs: Values) -> Split:
        """Return the split of a program: one process if its work is light.

        It stays the same, even if later inputs are larger.
        """
        split = self._cores.split
        if config.processes is not None:
            return split
        sizes = [array.size for array in inputs[0]]
        light = workload(program, len(inputs), sizes) <= LIGHT_WORK
        return split.together if light else split

    def _send_program(self, placed: PlacedProgram) -> None:
        """Send all processes a program and its placement, unless they have them."""
        known, number = placed.known, id(placed.known.source)
        if not known.sent:
            content = pickle.dumps(known.program, pickle.HIGHEST_PROTOCOL)
            self._cores.post_to_all(("program", number, content))
            known.sent = True
            self._say(
                logging.DEBUG,
                "program %r sent to the cores: %d instructions, %d bytes",
                known.program.name,
                len(known.program.instrs),
                len(content),
            )
            if len(self._programs) > CACHED_PROGRAMS:
                oldest = next(iter(self._programs))
                del self._programs[oldest]
                self._cores.post_to_all(("forget", oldest))
        if not placed.sent:
            where = placed.number, placed.placement, placed.split.processes
            self._cores.post_to_all(("place", number, *where))
            placed.sent = True

    def _new_values(
        self, placed: PlacedProgram, divides: bool, run: Run
    ) -> tuple[dict[int, bool], dict[int, list[tuple[str, Array | OnDevice | None]]]]:
        """Return, by process, whether it keeps what it left, and the new values.

        New are the values of variables that it does not have yet.

        All replicas begin with the same values.  A large one moves into the arena, and
        stays there until the variable has a new value.  Equal components of a variable,
        which follow each other, move into one array.
        """
        variables, memory = run.view(0), self._cores.memory
        moved: tuple[Array, Array] | None = None
        held = variables.values(placed.known.facts.variables)
        values = {h: v if v is None else memory.readable(v) for h, v in held.items()}
        kept = {p: each.keep(values) for p, each in placed.announced.items()}
        lacking = {
            process: announced.lacking(placed.uses(process, divides), values)
            for process, announced in placed.announced.items()
        }
        for handle in dict.fromkeys(itertools.chain(*lacking.values())):
            value = values[handle]
            if isinstance(value, np.ndarray) and not memory.can_read(value):
                if moved is None or not have_equal_bits(value, moved[0]):
                    moved = value, memory.move(value)
                variables.relocate(handle, value, moved[1])
                values[handle] = moved[1]
        return kept, {p: [(h, values[h]) for h in own] for p, own in lacking.items()}

    def _request(
        self, placed: PlacedProgram, slabs: ResultSlabs, run: Run
    ) -> RunRequest:
        """Return the parts of the request that are equal for all processes."""
        state, known, every = run.state, placed.known, range(len(run.cores))
        assert isinstance(state, State)
        owners = list(every if config.check_replicas else known.facts.owners)
        # With an observer, or if all values are compared, each core writes all.
        observed = run.trace is not None or run.events is not None
        return RunRequest(
            run=self._runs,
            program=id(known.source),
            placement=placed.number,
            inputs=[],
            draws=[],
            owners=owners,
            divides=owners == [0] and not observed,
            blocks=slabs.blocks,
            variables=[],
            kept=False,
            entropy=state.entropy,
            timeout=run.timeout,
            traced=run.trace is not None,
            capacity=0 if run.events is None else run.events.capacity,
            freed=[],
            all_reduce=config.all_reduce,
        )


def _draws(facts: ProgramFacts, replicas: Sequence[int], run: Run) -> list[Drawn]:
    """Return the numbers of evaluations of random operations by some replicas."""
    state = run.state
    assert isinstance(state, State)
    return [(r, name, state.draws(name, r)) for name in facts.random for r in replicas]


_POOLS: weakref.WeakSet[CorePool] = weakref.WeakSet()
"""All pools of this process, for a fork to abandon. Only `CorePool` adds to it."""


def _abandon_all() -> None:
    for pool in list(_POOLS):
        pool.abandon()


os.register_at_fork(after_in_child=_abandon_all)

_ENDING = threading.Event()
"""Set when this program ends: threads that still run get errors, not new cores."""


@functools.cache
def _close_all_at_exit() -> None:
    """Register the handler with the first cores: it runs before Python's finalizers."""
    atexit.register(_close_all)


def _close_all() -> None:
    _ENDING.set()
    for pool in list(_POOLS):
        pool.close()


def _require_running_program() -> None:
    if _ENDING.is_set():
        raise FailedPreconditionError(
            "no cores are started any more, as this program ends; let its threads end "
            "before it does",
            code=codes.SYSTEM_SHUT_DOWN,
        )
