"""The running processes of a pool, and the memory that they share with the host.

They are started together and ended together. After a fault the pool starts new ones.
"""

import select
import time
import weakref
from collections.abc import Iterable, Mapping
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import ResourceExhaustedError, UnavailableError
from tpuref.engine.configuration import config
from tpuref.engine.runtime.available_memory import available_bytes
from tpuref.engine.runtime.pool.arena import Arena
from tpuref.engine.runtime.pool.control_area import ProgramCounters, control_bytes
from tpuref.engine.runtime.pool.host.interrupts import interrupts_later
from tpuref.engine.runtime.pool.host.memory import HostMemory
from tpuref.engine.runtime.pool.host.occupation import Occupation
from tpuref.engine.runtime.pool.host.process import CoreProcess
from tpuref.engine.runtime.pool.messages import remote_traceback
from tpuref.engine.runtime.pool.split import Split, named
from tpuref.kernels import flags as kernel

PROCESS_BYTES = 16 << 20
"""The least memory of a process, without data."""

CORE_BYTES = 16 << 10
"""The least memory of a run for each core, on host and process together."""

START_SECONDS = 30.0
"""The time for cores to start while they compute, even with a shorter deadline."""

_LOOK_SECONDS = 1.0  # how often to see whether cores that start make progress

GRACE_SECONDS = 0.5
"""The time for cores to stop a run that was called off, and to end."""


class LostProcess(Exception):
    """A process has closed its socket, so it has ended."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Cores:
    """The cores, carried by processes.

    `flags` are those of the links, and the poison.  `poll` waits for messages of all
    processes.  It raises UnavailableError if the processes do not start in time, and
    ResourceExhaustedError without enough memory.
    """

    def __init__(self, split: Split, occupation: Occupation) -> None:
        number = split.processes
        _require_memory(split)
        self.split = split
        self.arena = Arena.create(control_bytes(*split), number + 1)
        self.flags = kernel.Flags(self.arena.bytes, 0, split.cores)
        self.counters = ProgramCounters(self.arena.bytes, *split)
        self.processes: list[CoreProcess] = []
        self.closing = False
        self.poll = select.poll()
        self.by_descriptor: dict[int, int] = {}
        self.memory = HostMemory(self.arena, occupation, number)
        self._ending = weakref.finalize(self, _end, self.processes, self.arena)
        self._ending.atexit = False  # a thread may be in a run: the pool sees to it
        try:
            for process in range(number):
                with interrupts_later():
                    started = CoreProcess(process, split, self.arena)
                    self.processes.append(started)
            self._await_ready()
            for process, started in enumerate(self.processes):
                self.poll.register(started.channel, select.POLLIN)
                self.by_descriptor[started.channel.fileno()] = process
        except BaseException:
            self.kill()
            raise

    def _await_ready(self) -> None:
        """Wait for all processes together, to notice the death of any at once.

        A start is late only if nothing happens for the deadline: neither a process is
        ready, nor do they use processor time.  Imports on a busy machine take long.
        """
        begin = alive = time.monotonic()
        used, poll = 0, select.poll()
        starting = {}
        for number, process in enumerate(self.processes):
            starting[process.channel.fileno()] = number
            poll.register(process.channel, select.POLLIN)
        while starting:
            ready = poll.poll(min(_LOOK_SECONDS, config.timeout / 10) * 1000)
            now = time.monotonic()
            before, used = used, self._processor_ticks(starting.values())
            if ready or used > before:
                alive = now
            elif now - alive >= config.timeout:
                raise self._not_started(starting.values(), now - begin)
            if now - begin >= max(config.timeout, START_SECONDS):
                raise self._not_started(starting.values(), now - begin)
            for descriptor, _ in ready:
                if self._is_ready(starting[descriptor]):
                    poll.unregister(descriptor)
                    del starting[descriptor]

    def _processor_ticks(self, numbers: Iterable[int]) -> int:
        return sum(self.processes[number].processor_ticks() for number in numbers)

    def _not_started(self, numbers: Iterable[int], waited: float) -> UnavailableError:
        late = [c for number in sorted(numbers) for c in self.split.carried(number)]
        return UnavailableError(
            f"cores {late} did not start within {waited:.1f} s (TPUREF_TIMEOUT is "
            f"{config.timeout:g} s)",
            code=codes.CORE_NOT_STARTED,
        )

    def _is_ready(self, number: int) -> bool:
        process = self.processes[number]
        try:
            process.channel.fill()
        except EOFError:
            fate = process.fate(GRACE_SECONDS)
            process.output.skip()  # what it wrote is in the error
            raise UnavailableError(
                f"{named(self.split.carried(number))} ended while starting: {fate}",
                code=codes.CORE_NOT_STARTED,
            ) from remote_traceback(process.log())
        return process.channel.take() is not None

    # -- messages --------------------------------------------------------------

    def post(self, process: int, message: tuple[Any, ...]) -> None:
        """Send a message without waiting; the rest of a large one is sent later."""
        self.post_each({process: message})

    def post_each(self, messages: Mapping[int, tuple[Any, ...]]) -> None:
        """Send messages to processes, and wake them when all messages are there.

        A process that wakes may take the processor of this one for a while.
        """
        for process, message in messages.items():
            self.processes[process].channel.put(message)
        for process in messages:
            try:
                self.processes[process].channel.flush()
            except EOFError:
                raise LostProcess(process) from None

    def post_to_all(self, message: tuple[Any, ...]) -> None:
        """Send a message to every process."""
        self.post_each(dict.fromkeys(range(len(self.processes)), message))

    # -- the end ---------------------------------------------------------------

    def end(self) -> None:
        """Shut the processes down; results that were handed out stay valid."""
        with interrupts_later():
            self._ending()

    def are_well(self) -> bool:
        """Return whether all processes run: none is stopped or ending."""
        return all(process.is_well() for process in self.processes)

    def kill(self) -> None:
        """Kill the processes, also in the middle of a run."""
        with interrupts_later():
            for process in self.processes:
                process.kill()
            self._ending()

    def abandon(self) -> None:
        """Release everything, as this process is a fork of the host."""
        if self._ending.detach() is not None:
            for process in self.processes:
                process.abandon()
            self.arena.close()


def _require_memory(split: Split) -> None:
    """Refuse so many cores before the system runs out of memory."""
    need, have = split.processes * PROCESS_BYTES, available_bytes()
    need += control_bytes(*split) + split.cores * CORE_BYTES
    if need > have:
        raise ResourceExhaustedError(
            f"{split.cores} cores need {need} bytes of memory to start with, {have} "
            "are available; use fewer cores (TPUREF_CORES), TPUREF_EXECUTOR=lockstep, "
            "or give the container more memory",
            code=codes.OUT_OF_MEMORY,
        )


def _end(processes: list[CoreProcess], arena: Arena) -> None:
    """End the processes of a pool, and release its memory."""
    with interrupts_later():
        for process in processes:
            process.channel.close()
        deadline = time.monotonic() + GRACE_SECONDS
        for process in processes:
            process.wait(max(0.0, deadline - time.monotonic()))
        for process in processes:
            process.end()
        arena.close()
