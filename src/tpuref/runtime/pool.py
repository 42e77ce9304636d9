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
import signal
import socket
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

import tpuref
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
from tpuref.runtime.lockstep import Values, run_instr
from tpuref.runtime.run import Run
from tpuref.runtime.state import State
from tpuref.runtime.wire import (
    INLINE_BYTES,
    Channel,
    Described,
    describe_inline,
    describe_placed,
    describe_strings,
    inline_array,
    placed_dtype,
)

START_SECONDS = 30.0
"""How long the cores may take to start."""

GRACE_SECONDS = 1.0
"""How long cores may take to give up a run that was called off."""

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
        control = kernel.control_bytes(cores)
        self._arena = Arena.create(control, cores + 1)
        self._heap = self._arena.heap(0)
        self._links = kernel.Links(self._arena.bytes, 0, -1, cores, 0)
        self._returned: deque[int] = deque()
        self._freed: list[list[int]] = [[] for _ in range(cores)]
        self._programs: dict[int, tuple[Program, _Facts]] = {}
        self._runs = 0
        self._broken: str | None = None
        self._processes: list[subprocess.Popen[bytes]] = []
        self._channels: list[Channel] = []
        lifeline, self._lifeline = os.pipe()
        try:
            for number in range(cores):
                self._start(number, control, lifeline)
            self._await_ready()
        except BaseException:
            self.close()
            raise
        finally:
            os.close(lifeline)

    # -- life ------------------------------------------------------------------

    def _start(self, number: int, control: int, lifeline: int) -> None:
        mine, theirs = socket.socketpair()
        passed = (self._arena.descriptor, theirs.fileno(), lifeline)
        arguments = (number, self.cores, os.getpid(), control, *passed)
        self._channels.append(Channel(mine))
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "tpuref.runtime.worker", *map(str, arguments)],
                pass_fds=passed,
                stdin=subprocess.DEVNULL,
                env=_environment(self.cores),
                start_new_session=True,  # Ctrl-C is the host's to answer
            )
        finally:
            theirs.close()
        self._processes.append(process)

    def _await_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        for number, channel in enumerate(self._channels):
            try:
                while channel.take() is None:
                    left = deadline - time.monotonic()
                    if not select.select([channel], [], [], max(0.0, left))[0]:
                        raise UnavailableError(
                            f"core {number} did not start within {START_SECONDS:g} s"
                        )
                    channel.fill()
            except EOFError:
                raise UnavailableError(
                    f"core {number} ended while it started: {self._fate(number)}"
                ) from None

    def close(self) -> None:
        """End the cores; results that were handed out stay valid."""
        self._broken = self._broken or "it was closed"
        for channel in self._channels:
            channel.close()
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1
        deadline = time.monotonic() + GRACE_SECONDS
        for process in self._processes:
            try:
                process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._processes.clear()

    def _break(self, reason: str) -> None:
        """Give up the pool for good."""
        self._broken = reason
        for process in self._processes:
            process.kill()
        self.close()

    def _fate(self, number: int) -> str:
        try:
            status = self._processes[number].wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            return "its process still runs, but closed its socket"
        if status < 0:
            return f"its process was ended by {signal.Signals(-status).name}"
        return f"its process ended with status {status}"

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
        for channel in self._channels:
            channel.send(message)

    # -- runs ------------------------------------------------------------------

    def run(self, program: Program, inputs: Values, run: Run) -> Values:
        """Carry out `program` for the replicas in `inputs` and return their results."""
        if self._broken is not None:
            raise FailedPreconditionError(
                f"the core processes cannot be used any more: {self._broken}. Run "
                "tf.tpu.initialize_system() to start new ones"
            )
        number, facts = self._registered(program)
        self._runs += 1
        self._free_returned()
        sent = _Placed(self)
        targets = _Targets(self, facts, len(inputs))
        try:
            for replica, arrays in inputs.items():
                self._send_run(number, facts, replica, arrays, run, sent, targets)
            return _Gathering(self, program, targets, run).results()
        finally:
            sent.release()

    def _free_returned(self) -> None:
        """Free the blocks whose last user has gone; that may happen at any moment."""
        while self._returned:
            self._heap.free(self._returned.popleft())

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
            freed, self._freed[core] = self._freed[core], []
            self._channels[core].send(
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
                    freed,
                )
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

    def __init__(
        self, pool: CorePool, program: Program, targets: _Targets, run: Run
    ) -> None:
        self._pool = pool
        self._program = program
        self._targets = targets
        self._run = run
        self._place = {
            core: (replica, logical)
            for replica, cores in enumerate(run.cores)
            for logical, core in enumerate(cores)
        }
        self._waiting = set(self._place)
        self._results: Values = {}
        self._diverged: dict[int, tuple[Any, ...]] = {}
        self._error: BaseException | None = None
        self._deadline = time.monotonic() + run.timeout + GRACE_SECONDS

    def results(self) -> Values:
        """Return the results of all replicas, or raise the first error."""
        try:
            while self._waiting:
                self._serve_once()
        except BaseException as error:
            self._call_off(error)
        if self._diverged and self._error is None:
            self._error = self._divergence()
        if self._error is not None:
            self._pool._links.heal()
            raise self._error
        return self._results

    def _serve_once(self) -> None:
        channels = self._pool._channels
        for core in list(self._waiting):
            message = channels[core].take()
            while message is not None:
                self._answer(core, message)
                message = channels[core].take()
        if not self._waiting:
            return
        poll = select.poll()
        by_descriptor = {channels[core].fileno(): core for core in self._waiting}
        for descriptor in by_descriptor:
            poll.register(descriptor, select.POLLIN)
        left = self._deadline - time.monotonic()
        ready = poll.poll(max(0.0, left) * 1000)
        if not ready:
            raise self._stalled()
        for descriptor, _ in ready:
            core = by_descriptor[descriptor]
            try:
                channels[core].fill()
            except EOFError:
                raise self._lost(core) from None

    def _answer(self, core: int, message: tuple[Any, ...]) -> None:
        kind, replica = message[0], self._place[core][0]
        if kind == "call":
            self._call(core, replica, message[1], message[2])
            return
        if kind == "pass":
            self._pool._channels[message[1]].send(("value", message[2], message[3]))
            return
        self._waiting.discard(core)
        if kind == "done":
            self._take_results(core, replica, *message[2:])
        elif kind == "diverged":
            self._diverged[replica] = message[2:]
        elif kind == "error":
            self._error = self._error or _rebuilt(*message[2:])
            self._deadline = min(self._deadline, time.monotonic() + GRACE_SECONDS)

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
        array = self._targets.array(number, replica)
        assert array is not None
        return array

    def _call(
        self, core: int, replica: int, path: Sequence[int], inputs: Sequence[Described]
    ) -> None:
        instr = _instr_at(self._program, path)
        arrays = [self._copied(described) for described in inputs]
        outputs = run_instr(instr, {replica: arrays}, self._run)[replica]
        answer = [_whole(np.asarray(array)) for array in outputs]
        self._pool._channels[core].send(("answer", answer))

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

    def _lost(self, core: int) -> OpError:
        replica, logical = self._place[core]
        fate = self._pool._fate(core)
        reason = f"core {core} (replica {replica}, logical core {logical}) was lost: {fate}"
        self._pool._break(reason)
        self._waiting.clear()
        return AbortedError(
            f"{reason}, while it ran {self._program.name!r}. The other cores were "
            "stopped; run tf.tpu.initialize_system() to start new ones"
        )

    def _stalled(self) -> OpError:
        late = sorted(self._waiting)
        reason = f"cores {late} did not answer in time"
        self._pool._break(reason)
        self._waiting.clear()
        return DeadlineExceededError(
            f"{reason} ({self._run.timeout:g} s, TPUREF_TIMEOUT) and were ended; run "
            "tf.tpu.initialize_system() to start new ones"
        )

    def _call_off(self, error: BaseException) -> None:
        """Stop the cores that still run; those that do not stop are ended."""
        self._error = self._error or error
        if self._pool._broken is not None:
            return
        self._pool._links.poison(2)
        for core in self._waiting:
            self._pool._channels[core].send(("stop",))
        self._deadline = time.monotonic() + GRACE_SECONDS
        try:
            while self._waiting:
                self._serve_once()
        except OpError:
            return


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
    error.__cause__ = RemoteTraceback(text)
    return error


class RemoteTraceback(Exception):
    """The traceback of an error, as text from the process where it was raised."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _environment(cores: int) -> dict[str, str]:
    """Return the environment of a core: where tpuref is, and how many BLAS threads."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(tpuref.__file__)))
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    threads = str(max(1, len(os.sched_getaffinity(0)) // cores))
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "OMP_NUM_THREADS": threads,
        "OPENBLAS_NUM_THREADS": threads,
        "MKL_NUM_THREADS": threads,
    }
