"""The pool: one process for each core, and the host that drives them.

::

    host                                        core k
    ----                                        ------
    program, once  --- socket --->              prepares its steps
    run            --- socket --->              runs them
        inputs     --- arena  --->                  |
                                                collectives: arena, with its peers
        host call  <-- socket ---  --- socket --->  |
    results        <-- arena, socket ---        done, stopped, or error

The host waits for all sockets at once, so the death of a core is an event like its
answer.  A core that fails poisons the arena, and its peers give up at their next wait.
"""

from __future__ import annotations

import os
import pickle
import select
import threading
import time
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base import errors
from tpuref.base.callsite import CallSite
from tpuref.base.dtypes import string
from tpuref.base.errors import (
    AbortedError,
    DeadlineExceededError,
    FailedPreconditionError,
    OpError,
    UnavailableError,
)
from tpuref.base.spec import TensorSpec
from tpuref.configuration import config
from tpuref.kernels import links as kernel
from tpuref.ops.definition import Array
from tpuref.ops.registry import REGISTRY
from tpuref.program import Instr, Program
from tpuref.runtime import results
from tpuref.runtime.arena import Arena
from tpuref.runtime.divergence import absent_replicas, differing_shapes
from tpuref.runtime.lockstep import Values, run_instr, run_program
from tpuref.runtime.process import CoreProcess
from tpuref.runtime.run import Run
from tpuref.runtime.stall import Stall
from tpuref.runtime.state import State
from tpuref.runtime.whereabouts import Whereabouts, control_bytes
from tpuref.runtime.wire import (
    INLINE_BYTES,
    Described,
    describe_inline,
    describe_placed,
    describe_strings,
    inline_array,
    placed_dtype,
)

START_SECONDS = 30.0
"""How long the cores may take to start."""

GRACE_SECONDS = 0.5
"""How long cores may take to give up a run that was called off, and to end."""

HOST_GAVE_UP = 2
"""What the arena is poisoned with when the host calls a run off."""

CACHED_PROGRAMS = 256
"""How many programs the cores keep."""


class CorePool:
    """The core processes of one TPU system.

    Parameters
    ----------
    cores
        How many processes to start.

    Raises
    ------
    UnavailableError
        If the processes cannot be started in time.
    """

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self._broken: str | None = None
        self._restart = False
        self._retired = False
        self._lock = threading.Lock()
        self._owner = 0
        self._launch()
        _POOLS.add(self)

    # -- life ------------------------------------------------------------------

    def _launch(self) -> None:
        """Start the processes, with new memory."""
        self._arena = Arena.create(control_bytes(self.cores), self.cores + 1)
        self._heap = self._arena.heap(0)
        self._links = kernel.Links(self._arena.bytes, 0, -1, self.cores, 0)
        self._whereabouts = Whereabouts(self._arena.bytes, self.cores)
        self._returned: deque[int] = deque()
        self._freed: list[deque[int]] = [deque() for _ in range(self.cores)]
        self._programs: dict[int, tuple[Program, _Facts]] = {}
        self._runs = 0
        self._processes: list[CoreProcess] = []
        self._ending = weakref.finalize(self, _end, self._processes, self._arena)
        memory, heap_bytes = self._arena.descriptor, self._arena.heap_bytes
        try:
            for number in range(self.cores):
                process = CoreProcess(number, self.cores, memory, heap_bytes)
                self._processes.append(process)
            self._await_ready()
        except BaseException:
            self._kill()
            raise

    def _await_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        for number, process in enumerate(self._processes):
            poll = select.poll()
            poll.register(process.channel, select.POLLIN)
            try:
                while process.channel.take() is None:
                    left = max(0.0, deadline - time.monotonic())
                    if not poll.poll(left * 1000):
                        raise UnavailableError(
                            f"core {number} did not start within {START_SECONDS:g} s"
                        )
                    process.channel.fill()
            except EOFError:
                fate = process.fate(GRACE_SECONDS)
                raise UnavailableError(
                    f"core {number} ended while it started: {fate}"
                ) from _remote(process.log())

    @property
    def process_ids(self) -> list[int]:
        """The processes of the cores."""
        return [process.pid for process in self._processes]

    def close(self) -> None:
        """End the cores; results that were handed out stay valid.

        A run of another thread ends with an error.
        """
        if self._owner == threading.get_ident():
            raise FailedPreconditionError(
                "the TPU system cannot be stopped by a host function of a computation "
                "that runs on it; do it outside"
            )
        self._broken = self._broken or "they were shut down"
        if not self._lock.acquire(blocking=False):
            for process in self._processes:
                process.kill()
            if not self._lock.acquire(timeout=GRACE_SECONDS):
                self._retired = True  # its thread is in a host function
                return
        self._ending()
        self._lock.release()

    def retire(self) -> None:
        """End the cores once the run that uses them is over."""
        if self._lock.locked():
            self._retired = True
        else:
            self.close()

    def _kill(self) -> None:
        """End the cores at once, whatever they are doing."""
        for process in self._processes:
            process.kill()
        self._ending()

    def _break(self, reason: str) -> None:
        """Give up the pool for good."""
        self._broken = reason
        self._kill()

    def _restart_later(self) -> None:
        """End the cores, and start new ones for the next run."""
        self._restart = True
        self._kill()

    def _abandon(self) -> None:
        """Let go of everything: this process is a fork of the host."""
        if self._ending.detach() is not None:
            for process in self._processes:
                process.abandon()
            self._arena.close()
        self._lock, self._owner = threading.Lock(), 0
        self._broken = (
            f"they belong to process {os.getppid()}, of which this one is a fork"
        )

    # -- programs --------------------------------------------------------------

    def _registered(self, program: Program) -> tuple[int, _Facts]:
        """Send a program to all cores, once, and return its number."""
        number = id(program)
        known = self._programs.pop(number, None)
        if known is None:
            known = program, _Facts(program)
            content = pickle.dumps(program, pickle.HIGHEST_PROTOCOL)
            self._send_all(("program", number, content))
            if len(self._programs) >= CACHED_PROGRAMS:
                oldest = next(iter(self._programs))
                del self._programs[oldest]
                self._send_all(("forget", oldest))
        self._programs[number] = known  # the latest stands last
        return number, known[1]

    def _send_all(self, message: tuple[Any, ...]) -> None:
        for core in range(self.cores):
            self.post(core, message)

    def post(self, core: int, message: tuple[Any, ...]) -> None:
        """Send a message, or begin to: what a core does not take now comes later."""
        try:
            self._processes[core].channel.post(message)
        except EOFError:
            raise _Gone(core) from None

    # -- runs ------------------------------------------------------------------

    def run(self, program: Program, inputs: Values, run: Run) -> Values:
        """Carry out `program` for the replicas in `inputs` and return their results."""
        if self._owner == threading.get_ident():
            # A host function asks for it, and the cores wait for that.
            return run_program(program, inputs, run)
        with self._lock:
            try:
                self._owner = threading.get_ident()
                self._make_usable()
                return self._run(program, inputs, run)
            finally:
                self._owner = 0
                if self._retired:
                    self._broken = self._broken or "they were shut down"
                    self._ending()

    def _make_usable(self) -> None:
        if self._broken is not None:
            raise FailedPreconditionError(
                f"the core processes cannot be used any more: {self._broken}. Run "
                "tf.tpu.initialize_system() to start new ones"
            )
        if self._restart:
            self._launch()
            self._restart = False

    def _run(self, program: Program, inputs: Values, run: Run) -> Values:
        self._free_returned()
        sent, gathering = _Placed(self), _Gathering(self, program, run)
        try:
            number, facts = self._registered(program)
            self._runs += 1
            targets = gathering.targets = _Targets(self, facts, len(inputs))
            for replica, arrays in inputs.items():
                gathering.expect(run.cores[replica])
                self._send_run(number, facts, replica, arrays, run, sent, targets)
            return gathering.results()
        except BaseException as error:
            fault = gathering.call_off(error)
            try:
                if fault is error:
                    raise
                raise fault from fault.__cause__
            finally:
                del fault  # it would keep this frame, and all that lives in it
        finally:
            sent.release()

    def _free_returned(self) -> None:
        """Free the blocks whose last user has gone; that may happen at any moment."""
        for offset in _drained(self._returned):
            self._heap.free(offset)

    def _send_run(
        self,
        number: int,
        facts: _Facts,
        replica: int,
        arrays: Sequence[Array],
        run: Run,
        sent: _Placed,
        targets: _Targets,
    ) -> None:
        variables = run.variables[replica]
        held = [
            (handle, sent.describe(variables.read(handle)))
            for handle in facts.handles
            if variables.is_initialized(handle)
        ]
        state = run.state
        assert isinstance(state, State)
        draws = [(name, state.draws(name, replica)) for name in facts.random]
        described = [sent.describe(array) for array in arrays]
        for logical, core in enumerate(run.cores[replica]):
            self.post(
                core,
                (
                    "run",
                    self._runs,
                    number,
                    replica,
                    logical,
                    run.cores,
                    described,
                    held,
                    draws,
                    state.entropy,
                    run.timeout,
                    logical == 0 and (replica == 0 or config.check_replicas),
                    run.trace is not None,
                    targets.places(replica),
                    _drained(self._freed[core]),
                ),
            )

    def result_block(self, size: int) -> tuple[int, Array]:
        """Return memory for results, free again when nobody uses it any more."""
        offset = self._heap.allocate(size)
        block = self._arena.view(offset, (size,), np.dtype(np.uint8))
        results.add(block)
        weakref.finalize(block, self._returned.append, offset)
        return offset, block

    def pinned(self, core: int, described: Described) -> Array:
        """Return a result that stays in the core's heap for as long as it is used."""
        if not isinstance(described[2], int):
            return inline_array(described)
        array = self._arena.view(described[2], described[1], placed_dtype(described))
        weakref.finalize(array, self._freed[core].append, described[2])
        return array


class _Facts:
    """What the host has to know of a program: its variables and random draws."""

    def __init__(self, program: Program) -> None:
        instrs = list(program.all_instrs())
        self.handles = list(
            dict.fromkeys(i.attrs["handle"] for i in instrs if "handle" in i.attrs)
        )
        self.random = [
            i.name for i in instrs if i.op in REGISTRY and REGISTRY[i.op].random
        ]
        specs = {
            slot: spec
            for instr in program.instrs
            for slot, spec in zip(instr.outputs, instr.specs, strict=True)
        }
        self.results = [specs.get(slot) for slot in program.results]


class _Targets:
    """Where the cores put results whose shapes are known: side by side, by replica.

    What is joined along the first dimension afterwards then lies joined already.
    """

    def __init__(self, pool: CorePool, facts: _Facts, replicas: int) -> None:
        self._specs = facts.results
        self._blocks = [self._block(pool, s, replicas) for s in facts.results]

    @staticmethod
    def _block(
        pool: CorePool, spec: TensorSpec | None, replicas: int
    ) -> tuple[int, int, Array] | None:
        if spec is None or spec.dtype == string or not spec.shape.is_fully_defined():
            return None
        size = (spec.shape.num_elements() or 0) * spec.dtype.size
        if size <= INLINE_BYTES:
            return None
        return (size, *pool.result_block(size * replicas))

    def places(self, replica: int) -> list[tuple[int, int] | None]:
        """Return offset and size for each result of a replica, None for no place."""
        return [
            None if b is None else (b[1] + replica * b[0], b[0]) for b in self._blocks
        ]

    def array(self, result: int, replica: int) -> Array | None:
        """Return the array that the replica has put in its place."""
        block, spec = self._blocks[result], self._specs[result]
        if block is None or spec is None:
            return None
        size, _, memory = block
        part = memory[replica * size : (replica + 1) * size]
        array: Array = part.view(spec.dtype.np).reshape(spec.shape.as_list())
        return array


class _Placed:
    """The inputs of one run: where each array lies for the cores to read."""

    def __init__(self, pool: CorePool) -> None:
        self._pool = pool
        self._known: dict[int, tuple[Array, Described]] = {}
        self._blocks: list[int] = []

    def describe(self, array: Array) -> Described:
        """Return the array for a message, copied into the arena where it is large."""
        known = self._known.get(id(array))
        if known is None:
            known = array, self._place(array)
            self._known[id(array)] = known
        return known[1]

    def _place(self, array: Array) -> Described:
        if array.dtype == object:
            return describe_strings(array)
        if array.nbytes <= INLINE_BYTES:
            return describe_inline(array)
        arena, heap = self._pool._arena, self._pool._heap
        offset = arena.offset_of(array)
        if offset is None:
            offset = heap.allocate(array.nbytes)
            self._blocks.append(offset)
            arena.view(offset, array.shape, array.dtype)[...] = array
        return describe_placed(array, offset)

    def release(self) -> None:
        """Free what was copied."""
        for offset in self._blocks:
            self._pool._heap.free(offset)


class _Gathering:
    """The host's side of one run: it serves the cores until all have answered."""

    def __init__(self, pool: CorePool, program: Program, run: Run) -> None:
        self._pool = pool
        self._program = program
        self._run = run
        self._place = {
            core: (replica, logical)
            for replica, cores in enumerate(run.cores)
            for logical, core in enumerate(cores)
        }
        self.targets: _Targets
        self._waiting: set[int] = set()
        self._results: Values = {}
        self._diverged: dict[int, tuple[Any, ...]] = {}
        self._stall: Stall | None = None
        self._called_off = False
        self._settled = False  # an exception now would find nothing half done

    def expect(self, cores: Sequence[int]) -> None:
        """Wait for these cores as well."""
        self._waiting.update(cores)

    def results(self) -> Values:
        """Return the results of all replicas, or raise the first error."""
        while self._waiting:
            self._take_messages()
            if self._waiting:
                self._attend(self._until_next_look())
        if self._diverged:
            raise self._divergence()
        return self._results

    def _take_messages(self) -> None:
        for core in list(self._waiting):
            channel = self._pool._processes[core].channel
            message = channel.take()
            while message is not None:
                self._answer(core, message)
                message = channel.take()

    def _attend(self, seconds: float) -> None:
        """Read what comes from the cores within some seconds, and send what is left."""
        poll = select.poll()
        channels = {}
        for core in self._waiting:
            channel = self._pool._processes[core].channel
            channels[channel.fileno()] = core, channel
            events = select.POLLIN | select.POLLOUT * channel.is_behind
            poll.register(channel, events)
        self._settled = True
        ready = poll.poll(max(0.0, seconds) * 1000)
        self._settled = False
        for descriptor, events in ready:
            core, channel = channels[descriptor]
            try:
                if events & select.POLLOUT:
                    channel.flush()
                else:
                    channel.fill()
            except EOFError:
                raise _Gone(core) from None

    def _watched(self) -> Stall:
        pool = self._pool
        if self._stall is None:
            self._stall = Stall(
                self._program,
                self._place,
                pool._processes,
                pool._whereabouts,
                pool._links,
                self._run.timeout,
            )
        return self._stall

    def _until_next_look(self) -> float:
        """Return how long to wait; look after the cores where it is time to."""
        stall = self._watched()
        if stall.next_look <= time.monotonic():
            overdue = stall.look(self._waiting)
            if overdue is not None:
                raise overdue
        return stall.next_look - time.monotonic()

    def _answer(self, core: int, message: tuple[Any, ...]) -> None:
        kind, replica = message[0], self._place[core][0]
        if kind in ("call", "pass"):
            if not self._called_off:
                self._serve(kind, core, *message[1:])
            return
        self._waiting.discard(core)
        if kind == "done":
            self._take_results(core, replica, *message[2:])
        elif kind == "diverged":
            self._diverged[replica] = message[2:]
            self._stop()
        elif kind == "error" and not self._called_off:
            raise _rebuilt(*message[2:])

    def _serve(self, kind: str, core: int, *content: Any) -> None:
        if kind == "call":
            self._call(core, self._place[core][0], *content)
        else:
            target, source, described = content
            self._pool.post(target, ("value", source, described))

    def _stop(self) -> None:
        """Let no core wait for the host or for a value of another core."""
        for core in self._waiting:
            self._pool.post(core, ("stop",))

    def _take_results(
        self,
        core: int,
        replica: int,
        outputs: Sequence[Described | None],
        written: Sequence[tuple[str, Described]],
        draws: Sequence[tuple[str, int]],
        trace: Sequence[str],
    ) -> None:
        logical = self._place[core][1]
        if logical == 0:
            self._results[replica] = [
                self._result(core, replica, k, d) for k, d in enumerate(outputs)
            ]
        for handle, described in written:
            value = self._pool.pinned(core, described)
            self._run.variables[replica].write(handle, value)
        state = self._run.state
        assert isinstance(state, State)
        for name, count in draws:
            if count > state.draws(name, replica):
                state.set_draws(name, replica, count)
        if self._run.trace is not None and self._run.record is not None:
            self._run.trace += [self._run.record(n, replica, logical) for n in trace]

    def _result(
        self, core: int, replica: int, number: int, described: Described | None
    ) -> Array:
        if described is not None:
            return self._pool.pinned(core, described)
        array = self.targets.array(number, replica)
        assert array is not None
        return array

    def _call(
        self, core: int, replica: int, path: Sequence[int], inputs: Sequence[Described]
    ) -> None:
        instr = _instr_at(self._program, path)
        arrays = [self._copied(described) for described in inputs]
        self._run.watch = self._look_after
        self._settled = True
        outputs = run_instr(instr, {replica: arrays}, self._run)[replica]
        self._settled = False
        self._watched().host_was_busy()
        answer = [_whole(np.asarray(array)) for array in outputs]
        self._pool.post(core, ("answer", answer))

    def _look_after(self) -> None:
        """Notice the loss of a core while the host itself waits for something."""
        self._attend(0.0)
        self._settled = True

    def _copied(self, described: Described) -> Array:
        if not isinstance(described[2], int):
            return inline_array(described)
        view = self._pool._arena.view(
            described[2], described[1], placed_dtype(described)
        )
        array: Array = view.copy()
        return array

    def _divergence(self) -> OpError:
        """Put together what the replicas of the first group reported."""
        op, name, site, _, group = self._diverged[min(self._diverged)]
        present = {r: d[3] for r, d in self._diverged.items() if d[1] == name}
        if set(present) < set(group):
            error = absent_replicas(op, group, list(present))
        else:
            error = differing_shapes(op, group, [present[r] for r in group])
        error.op, error.site = name, CallSite(*site)
        return error

    def call_off(self, error: BaseException) -> BaseException:
        """Stop the cores that still run, and return what is to be raised."""
        pool = self._pool
        self._called_off = True
        if isinstance(error, _Gone):
            return self._lost(error.core)
        if not self._settled and not isinstance(error, OpError):
            pool._restart_later()  # an interrupt; messages may be lost
            return error
        try:
            pool._links.poison(HOST_GAVE_UP)
            self._stop()
            self._await_the_rest()
        except _Gone as gone:
            self._lost(gone.core)
            return error
        except BaseException:  # one interrupt more
            pool._restart_later()
            return error
        if self._waiting:
            self._end_the_late(error)
        else:
            pool._links.heal()
        return error

    def _await_the_rest(self) -> None:
        deadline = time.monotonic() + GRACE_SECONDS
        self._take_messages()
        while self._waiting and time.monotonic() < deadline:
            self._attend(deadline - time.monotonic())
            self._take_messages()

    def _end_the_late(self, error: BaseException) -> None:
        """End cores that do not stop; where it was they who failed, for good."""
        processes, late = self._pool._processes, sorted(self._waiting)
        held = any(processes[core].is_stopped() for core in late)
        if not held and not isinstance(error, DeadlineExceededError):
            self._pool._restart_later()
            return
        report = self._watched().report(late, late)
        if isinstance(error, OpError):
            error.message += (
                f"\n{report}\nThe cores were ended; run tf.tpu.initialize_system() to "
                "start new ones"
            )
        self._pool._break(f"cores {late} did not answer")

    def _lost(self, core: int) -> OpError:
        """Return the error for a core whose process has ended, and end the others."""
        stall, process = self._watched(), self._pool._processes[core]
        instr = stall.instruction(core)
        about = stall.describe(core)
        if self._pool._broken is not None:
            fault = AbortedError(f"the cores were shut down; {about}")
        else:
            reason = f"lost {about}: {process.fate(GRACE_SECONDS)}"
            fault = AbortedError(
                f"{reason}. The other cores were stopped; run "
                "tf.tpu.initialize_system() to start new ones"
            )
            self._pool._broken = reason
        if instr is not None:
            fault.op, fault.site = instr.name, instr.site
        fault.__cause__ = _remote(process.log())
        self._pool._kill()
        return fault


def _drained(offsets: deque[int]) -> list[int]:
    """Take all out; more may come in at any moment, from wherever an array dies."""
    taken = []
    while offsets:
        taken.append(offsets.popleft())
    return taken


def _whole(array: Array) -> Described:
    return describe_strings(array) if array.dtype == object else describe_inline(array)


def _instr_at(program: Program, path: Sequence[int]) -> Instr:
    """Return the instruction at a path of index, block, index, ..."""
    instr = program.instrs[path[0]]
    for block, index in zip(path[1::2], path[2::2], strict=True):
        instr = instr.blocks[block].instrs[index]
    return instr


def _rebuilt(
    name: str,
    message: str,
    op: str | None,
    site: tuple[str, int, str] | None,
    text: str,
) -> OpError:
    """Return the error of a core, with its traceback there as the cause."""
    kind: type[OpError] = getattr(errors, name)
    error = kind(message, op=op, site=None if site is None else CallSite(*site))
    error.__cause__ = _remote(text)
    return error


class _Gone(Exception):
    """A core has closed its socket, so its process has ended."""

    def __init__(self, core: int) -> None:
        super().__init__(core)
        self.core = core


def _remote(text: str) -> RemoteTraceback | None:
    return RemoteTraceback(text) if text else None


class RemoteTraceback(Exception):
    """The traceback of an error, as text from the process where it was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


_POOLS: weakref.WeakSet[CorePool] = weakref.WeakSet()


def _end(processes: list[CoreProcess], arena: Arena) -> None:
    """End the processes of a pool, and let go of its memory."""
    for process in processes:
        process.channel.close()
    deadline = time.monotonic() + GRACE_SECONDS
    for process in processes:
        process.wait(max(0.0, deadline - time.monotonic()))
    for process in processes:
        process.end()
    arena.close()


def _abandon_all() -> None:
    for pool in list(_POOLS):
        pool._abandon()


os.register_at_fork(after_in_child=_abandon_all)
