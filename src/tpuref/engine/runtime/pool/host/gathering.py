"""The host's side of one run: serving the cores until all have answered."""

import contextlib
import functools
import itertools
import select
import time
from collections.abc import Sequence
from time import monotonic_ns
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.callsite import CallSite
from tpuref.base.errors import AbortedError, DeadlineExceededError, OpError
from tpuref.engine.program import Instr
from tpuref.engine.runtime.meaning.divergence import absent_replicas, differing_shapes
from tpuref.engine.runtime.meaning.lockstep import Values, run_instr
from tpuref.engine.runtime.meaning.run import Run
from tpuref.engine.runtime.meaning.state import State
from tpuref.engine.runtime.pool import messages
from tpuref.engine.runtime.pool.columns import Column
from tpuref.engine.runtime.pool.host.cores import GRACE_SECONDS, Cores, LostProcess
from tpuref.engine.runtime.pool.host.memory import LeftValue, ResultSlabs
from tpuref.engine.runtime.pool.host.program_facts import PlacedProgram
from tpuref.engine.runtime.pool.host.stall import Stall
from tpuref.engine.runtime.pool.host.turns import PATIENCE_SECONDS, Turns
from tpuref.engine.runtime.pool.split import LocalCore

HOST_GAVE_UP = 2
"""The poison of a run that the host calls off."""

LAST_LINES, LAST_WIDTH = 5, 200
"""The lines of output, and their width, in the message about a lost core."""


class Gathering:
    """One run, until all of its processes have answered or it is called off.

    A process answers a run once, with ``done``, ``error``, ``diverged`` or ``stopped``;
    host calls, values for other processes and events come before.  When one has failed,
    the poison ends the waits of the others at a collective, and ``stop`` ends those at
    a message, so that all answer, and the next run starts with empty channels.  Cores
    that do not answer in time are restarted.

    `broken` is the reason why these cores are unusable; `restart` says whether to start
    new ones.  `lost` is the first core of a process that has ended and its replica,
    None if it ran nothing; it is None while no process has ended.
    """

    def __init__(self, cores: Cores, placed: PlacedProgram, run: Run) -> None:
        self._cores = cores
        self._placed = placed
        self._local_cores = placed.local_cores
        self._program = placed.known.program
        self._run = run
        self._watch = run.watch
        self.slabs: ResultSlabs
        self.broken: str | None = None
        self.restart = False
        self.lost: tuple[int, int | None] | None = None
        self._waiting: set[int] = set()
        self._results: Values = {}
        self._diverged: dict[int, messages.Divergence] = {}
        self._turns = Turns()
        self._stall: Stall | None = None
        self._called_off = False
        # Whether an exception now interrupts no message half sent or half read.
        self._settled = False

    def expect(self) -> None:
        """Wait for all processes of this run from now on."""
        self._waiting.update(self._local_cores)

    @functools.cached_property
    def _place(self) -> dict[int, LocalCore]:
        """The place of each core."""
        every = itertools.chain(*self._local_cores.values())
        return {local.core: local for local in every}

    def results(self) -> Values:
        """Return the results of all replicas, or raise the first error."""
        begin = monotonic_ns()
        try:
            return self._gather()
        finally:
            if self._run.events is not None:
                gathered = self._results.values()
                size = sum(array.nbytes for arrays in gathered for array in arrays)
                self._run.events.on_host("wait for cores", begin, size)

    def _gather(self) -> Values:
        if self._placed.split != self._cores.split:
            self._hear(0.0)  # notices the end of a process without a part in this run
        while self._waiting:
            self._take_messages()
            if self._turns:
                self._turns.serve(self._running(), patient=True)
            if self._waiting:
                self._await_messages()
        if self._diverged:
            raise self._divergence()
        return self._results

    def _await_messages(self) -> None:
        seconds = self._until_next_look()
        if not self._turns:
            self._attend(seconds)
        elif not self._attend(min(seconds, PATIENCE_SECONDS)):
            self._turns.serve(self._running(), patient=False)

    def _running(self) -> set[int]:
        """Return the replicas without results."""
        cores = (
            core for process in self._waiting for core in self._local_cores[process]
        )
        return {core.replica for core in cores}

    def _take_messages(self) -> None:
        for process in list(self._waiting):
            channel = self._channel(process)
            message = channel.take()
            while message is not None:
                self._answer(process, message)
                message = channel.take()

    def _attend(self, seconds: float) -> bool:
        """Wait some seconds for mail or for bytes in a socket; return whether any came.

        First it polls the mailboxes, then it asks all processes for wake-ups, looks
        once more, and sleeps on the sockets (see `messages`).
        """
        channels = [self._channel(process) for process in self._waiting]
        behind = any(channel.is_behind for channel in channels)
        if not behind and self._is_there_mail(channels):
            return True
        for channel in channels:
            channel.doze()
        try:
            return self._has_mail(channels) or self._hear(seconds)
        except LostProcess:
            if not self._has_mail(channels):  # its last messages come first
                raise
            return True
        finally:
            for channel in channels:
                channel.wake()

    def _is_there_mail(self, channels: Sequence[messages.Channel]) -> bool:
        self._settled = True
        arrived = messages.await_mail(channels)
        self._settled = False
        return arrived

    @staticmethod
    def _has_mail(channels: Sequence[messages.Channel]) -> bool:
        return any(channel.has_mail() for channel in channels)

    def _hear(self, seconds: float) -> bool:
        """Read from the sockets and send the rest of messages; return whether any came.

        The socket of every process is polled, so the end of any is noticed at once.
        """
        poll = self._cores.poll
        behind = [p for p in self._waiting if self._channel(p).is_behind]
        for process in behind:
            poll.modify(self._channel(process), select.POLLIN | select.POLLOUT)
        self._settled = True
        ready = poll.poll(max(0.0, seconds) * 1000)
        self._settled = False
        for process in behind:
            poll.modify(self._channel(process), select.POLLIN)
        for descriptor, events in ready:
            process = self._cores.by_descriptor[descriptor]
            channel = self._channel(process)
            try:
                if events & select.POLLOUT:
                    channel.flush()
                else:
                    channel.fill()
            except EOFError:
                raise LostProcess(process) from None
        return bool(ready)

    def _channel(self, process: int) -> messages.Channel:
        return self._cores.processes[process].channel

    def _the_stall(self) -> Stall:
        if self._stall is None:
            self._stall = Stall(
                self._program,
                self._cores.split,
                self._local_cores,
                self._cores.processes,
                self._cores.counters,
                self._cores.flags,
                self._run.timeout,
            )
        return self._stall

    def _until_next_look(self) -> float:
        """Look at the cores if it is time; return the seconds until the next look."""
        stall = self._the_stall()
        if stall.next_look <= time.monotonic():
            if self._watch is not None:
                self._watch()
            for process in self._waiting:
                self._cores.processes[process].output.show()
            overdue = stall.look(self._waiting)
            if overdue is not None:
                raise overdue
        return stall.next_look - time.monotonic()

    def stacks(self) -> str:
        """Say where each core is, with the stacks of those that have not answered."""
        return self._the_stall().stacks(tuple(self._waiting))

    # -- messages of the cores --------------------------------------------------------

    def _answer(self, process: int, message: tuple[Any, ...]) -> None:
        kind = message[0]
        if kind in ("call", "pass"):
            if not self._called_off:
                self._serve(kind, *message[1:])
            return
        if kind == "events":
            if self._run.events is not None:
                _, replica, logical = self._place[message[1]]
                self._run.events.take(self._program, replica, logical, *message[2:])
            return
        if kind == "wrote":
            self._cores.processes[process].output.show()
            return
        self._waiting.discard(process)
        if kind == "done":
            self._take_results(process, messages.Results(*message[1:]))
        elif kind == "diverged":
            for report in map(messages.Divergence._make, message[1]):
                self._diverged[report.replica] = report
            self._stop()
        elif kind == "error" and not self._called_off:
            raise messages.rebuild(messages.Failure(*message[1:]))

    def _serve(self, kind: str, *content: Any) -> None:
        if kind == "call":
            self._take_call(*content)
        else:
            self._post(content[0], ("value", *content))

    def _post(self, core: int, message: tuple[Any, ...]) -> None:
        self._cores.post(self._placed.split.carrier(core), message)

    def _stop(self) -> None:
        """End every wait for the host or for a value of another core."""
        for process in self._waiting:
            self._cores.post(process, ("stop",))

    def _take_results(self, process: int, left: messages.Results) -> None:
        replicas = self._local_cores[process].leaders
        columns = [
            self._column(process, number, described, replicas)
            for number, described in enumerate(left.outputs)
        ]
        for place, replica in enumerate(replicas):
            self._results[replica] = [column[place] for column in columns]
        announced, memory = self._placed.announced[process], self._cores.memory
        for described, users in left.written:
            value = LeftValue(memory, process, described)
            for replica, handle in users:
                self._run.view(replica).write(handle, value)
            announced.leave(users, value)
        if left.unused:
            self._placed.need(process, left.unused)
        state = self._run.state
        assert isinstance(state, State)
        for replica, name, count in left.draws:
            if count > state.draws(name, replica):
                state.set_draws(name, replica, count)
        if self._run.trace is not None and self._run.record is not None:
            for core, names in left.trace:
                where = self._place[core][1:]
                self._run.trace += [self._run.record(name, *where) for name in names]

    def _column(
        self,
        process: int,
        number: int,
        described: messages.DescribedColumn | None,
        replicas: Sequence[int],
    ) -> Column:
        """Return one result of some replicas of a process."""
        if described is None:
            return [self.slabs.array(number, replica) for replica in replicas]
        pinned = functools.partial(self._cores.memory.pin, process)
        return messages.column_of(described, len(replicas), pinned)

    def _take_call(
        self, core: int, path: Sequence[int], inputs: Sequence[messages.Described]
    ) -> None:
        instr, replica = self._program.instr_at(path), self._place[core].replica
        call = functools.partial(self._call, core, replica, instr, inputs)
        if instr.definition.writes is not None:
            self._turns.add(replica, path, call)
        else:
            call()

    def _call(
        self,
        core: int,
        replica: int,
        instr: Instr,
        inputs: Sequence[messages.Described],
    ) -> None:
        arrays, run = [self._cores.memory.copied(each) for each in inputs], self._run
        run.watch = self._look_after
        self._settled = True
        try:
            outputs = run_instr(instr, {replica: arrays}, run)[replica]
        finally:
            run.watch = self._watch  # the cycle would keep the session until a gc
        self._settled = False
        self._the_stall().host_was_busy()
        answer = [messages.describe_inline(np.asarray(array)) for array in outputs]
        self._post(core, ("answer", core, answer))

    def _look_after(self) -> None:
        """Notice the loss of a core while the host waits for something else."""
        self._hear(0.0)
        self._settled = True
        if self._watch is not None:
            self._watch()

    def _divergence(self) -> OpError:
        """Return the error for the reports of the first group."""
        first = self._diverged[min(self._diverged)]
        op, group = first.op, first.group
        present = {
            replica: each.shape
            for replica, each in self._diverged.items()
            if each.name == first.name
        }
        if set(present) < set(group):
            error = absent_replicas(op, group, list(present))
        else:
            error = differing_shapes(op, group, [present[r] for r in group])
        error.op, error.site = first.name, CallSite(*first.site)
        return error

    # -- calling it off -------------------------------------------------

    def call_off(self, error: BaseException) -> BaseException:
        """Stop the cores that still run, and return the error to raise."""
        self._called_off = True
        if isinstance(error, LostProcess):
            return self._lost(error.number)
        if not self._settled and not isinstance(error, OpError):
            self.restart = True  # an interrupt; messages may be lost
            return error
        try:
            self._cores.flags.poison(HOST_GAVE_UP)
            self._stop()
            self._await_the_rest()
        except LostProcess as gone:
            self._lost(gone.number)
            return error
        except BaseException:  # another interrupt
            self.restart = True
            return error
        if self._waiting:
            self._give_up_the_late(error)
        else:
            self._cores.flags.heal()
        return error

    def _await_the_rest(self) -> None:
        deadline = time.monotonic() + GRACE_SECONDS
        self._take_messages()
        while self._waiting and time.monotonic() < deadline:
            self._attend(deadline - time.monotonic())
            self._take_messages()

    def _hear_the_others(self, lost: int) -> None:
        """Let the other cores send the events of the run."""
        self._waiting.discard(lost)
        self._cores.poll.unregister(self._channel(lost))
        with contextlib.suppress(LostProcess):
            self._cores.flags.poison(HOST_GAVE_UP)
            self._stop()
            self._await_the_rest()

    def _give_up_the_late(self, error: BaseException) -> None:
        """Report cores that do not stop; if they are at fault, they are not restarted.

        That is so if a signal holds them, or if they caused the error, a timeout.
        """
        processes, late = self._cores.processes, sorted(self._waiting)
        held = any(processes[process].is_stopped() for process in late)
        if not held and not isinstance(error, DeadlineExceededError):
            self.restart = True
            return
        report = self._the_stall().report(late, late)
        if isinstance(error, OpError):
            error.message += (
                f"\n{report}\nThe cores were ended; run tf.tpu.initialize_system() to "
                "start new ones"
            )
        cores = [local.core for process in late for local in self._local_cores[process]]
        self.broken = f"cores {cores} did not answer"

    def _lost(self, number: int) -> OpError:
        """Return the error for the cores of a process that has ended."""
        stall, process = self._the_stall(), self._cores.processes[number]
        instr, about = stall.instruction(number), stall.describe(number)
        self.lost = self._cores.split.carried(number)[0], None
        if number in self._local_cores:
            self.lost = self._local_cores[number][0][:2]
        if self._run.events is not None:
            self._hear_the_others(number)
        if self._cores.closing:
            self.broken = "they were shut down"
            fault = AbortedError(f"the cores were shut down; {about}")
        else:
            self.broken = f"lost {about}: {process.fate(GRACE_SECONDS)}"
            fault = AbortedError(
                f"{self.broken}. The other cores were stopped; run "
                "tf.tpu.initialize_system() to start new ones"
                f" [{codes.CORE_LOST}]{_last_words(process.log())}"
            )
        if instr is not None:
            fault.op, fault.site = instr.name, instr.site
        fault.__cause__ = messages.remote_traceback(process.log())
        process.output.skip()  # the error shows it
        return fault


def _last_words(log: str) -> str:
    """Return the last lines that a core wrote, for the message about its loss."""
    written = [line for line in log.splitlines() if line.strip()]
    lines = [f"\n  {line[:LAST_WIDTH]}" for line in written[-LAST_LINES:]]
    return f"\nIts last output:{''.join(lines)}" if lines else ""
