"""Detection of stalls: a report once, an error at the deadline.

A process makes progress if its program counter or the flags of its cores move, or if it
uses processor time outside of a collective: a wait in a collective also spins.  The
culprits of a stall are the processes that a signal holds, else those outside of a
collective while others wait in one, else those with the least flag.
"""

import itertools
import os
import time
from collections.abc import Iterable, Mapping, Sequence

from tpuref.base import error_codes as codes
from tpuref.base.errors import DeadlineExceededError
from tpuref.engine.program import Instr, Program
from tpuref.engine.runtime.log import advice
from tpuref.engine.runtime.pool.control_area import (
    EXCHANGE,
    ProgramCounters,
    instruction,
)
from tpuref.engine.runtime.pool.host.process import CoreProcess
from tpuref.engine.runtime.pool.process import arrangement
from tpuref.engine.runtime.pool.split import LocalCore, Split, named
from tpuref.kernels import flags as kernel

WARNING_SECONDS = 10.0
"""A stall is reported after this time, or after a tenth of the deadline."""

_LOOKS = 5  # until the warning
_STACK_SECONDS = 0.2
_LONG_STACK_SECONDS = 5.0  # if nothing else waits for them
_BUSY = 0.15  # of a processor; a process that uses less does not compute
_TICKS = os.sysconf("SC_CLK_TCK")
_LOG = advice("stall")


class Stall:
    """The progress of the processes of one run; `seconds` is the deadline."""

    def __init__(
        self,
        program: Program,
        split: Split,
        local_cores: Mapping[int, Sequence[LocalCore]],
        processes: Sequence[CoreProcess],
        counters: ProgramCounters,
        flags: kernel.Flags,
        seconds: float,
    ) -> None:
        self._program = program
        self._split = split
        self._local_cores = local_cores
        self._processes = processes
        self._counters = counters
        self._flags = flags
        self._seconds = seconds
        self._patience = min(WARNING_SECONDS, seconds / 10)
        self._warned = False
        self._looked = time.monotonic()
        self._seen: dict[int, tuple[int, ...]] = {}
        self._since: dict[int, float] = {}
        self._ticks: dict[int, int] = {}
        self._alive = self._looked

    @property
    def next_look(self) -> float:
        """The time of the next look."""
        return self._looked + self._patience / _LOOKS

    def host_was_busy(self) -> None:
        """Start counting again, as the cores may have waited for the host."""
        self._looked = self._alive = time.monotonic()
        self._seen.clear()

    def look(self, running: Iterable[int]) -> DeadlineExceededError | None:
        """Look at the processes that have not answered.

        A stall is reported once; when its time is over, an error is returned.
        """
        now, running = time.monotonic(), sorted(running)
        for core in running:
            seen = (self._counters.at(core), *self._position(core))
            if self._seen.get(core) != seen:
                self._seen[core], self._since[core] = seen, now
                self._alive = now
            elif self._is_busy(core, now - self._looked):
                self._alive = now
        self._looked = now
        late = [c for c in running if now - self._since[c] >= self._patience]
        if late and not self._warned:
            self._warn(running, late)
        return self._overdue(running, now)

    def _overdue(
        self, running: Sequence[int], now: float
    ) -> DeadlineExceededError | None:
        """Return the error if a process, or all of them, waited too long."""
        for core in running:
            if now - self._since[core] >= self._seconds and self._is_waiting(core):
                sums = self._together(core)
                absent = self._missing(running, running)
                here = self._local_cores
                missing = [core.replica for p in absent for core in here[p]]
                return DeadlineExceededError(
                    f"{_title(sums)}: replica {here[core][0].replica} waited "
                    f"{self._seconds:g} s (TPUREF_TIMEOUT) for replicas {missing}",
                    code=codes.STALLED,
                    op=sums[0].name,
                    site=sums[0].site,
                )
        if now - self._alive < self._seconds:
            return None
        return DeadlineExceededError(
            f"{self._program.name!r} made no progress for {self._seconds:g} s "
            "(TPUREF_TIMEOUT)",
            code=codes.STALLED,
        )

    def _is_busy(self, core: int, seconds: float) -> bool:
        ticks = self._processes[core].processor_ticks()
        used = ticks - self._ticks.get(core, ticks)
        self._ticks[core] = ticks
        return not self._is_waiting(core) and used > _BUSY * seconds * _TICKS

    def _warn(self, running: Sequence[int], late: Sequence[int]) -> None:
        missing = self._missing(running, late)
        if missing:
            self._warned, first = True, self._local_cores[missing[0]][0]
            _LOG.warning(
                "%r made no progress for %g s and ends after %g s (TPUREF_TIMEOUT) "
                "[%s]\n%s",
                self._program.name,
                self._patience,
                self._seconds,
                codes.STALL_REPORT,
                self.report(running, missing),
                extra={"core": first.core, "replica": first.replica},
            )

    def _missing(self, running: Sequence[int], late: Sequence[int]) -> list[int]:
        """Return the processes for which the others, or the host, wait."""
        stopped = [core for core in late if self._processes[core].is_stopped()]
        waiting = [core for core in late if self._is_waiting(core)]
        if stopped or not waiting:
            return stopped
        absent = [core for core in running if not self._is_waiting(core)]
        positions = {core: self._position(core) for core in running}
        least = min(positions.values())
        return absent or [core for core in running if positions[core] == least]

    def _position(self, process: int) -> tuple[int, int]:
        """Return the least run and phase of the cores of a process."""
        cores = (local.core for local in self._local_cores[process])
        return min(self._flags.position(core) for core in cores)

    def _is_waiting(self, core: int) -> bool:
        instr = self.instruction(core)
        return instr is not None and instr.definition.collective is not None

    def instruction(self, core: int) -> Instr | None:
        """Return the instruction that a process is in, None for none."""
        return instruction(self._program, self._counters.at(core))

    def _together(self, core: int) -> arrangement.Together:
        """Return the instruction that a process is in, or all sums of its exchange."""
        first = self.instruction(core)
        if first is None:
            return ()
        if not self._counters.at(core) & EXCHANGE:
            return (first,)
        every = itertools.chain(*self._local_cores.values())
        cores = 1 + max(local.logical for local in every)
        plan = arrangement.PlacementPlan(self._program, cores)
        return arrangement.exchange_of(first, self._program, plan)

    def report(self, running: Iterable[int], missing: Iterable[int]) -> str:
        """Describe the position of the cores, with the stacks of the missing ones."""
        lines, missing = [], set(missing)
        stacks = self._stacks(missing)
        for process in sorted(running):
            mark = "missing" if process in missing else "waits"
            lines += [f"  {mark}: {line}" for line in self._describe_cores(process)]
            if process in missing:
                lines.append(f"    {stacks[process]}")
        return "\n".join(lines)

    def _describe_cores(self, process: int) -> list[str]:
        """Describe each core of a process, with its operation."""
        pid, doing = self._processes[process].pid, self._doing(process)
        return [
            f"core {core} (replica {replica}, logical core {logical}, process {pid}) "
            f"{doing}"
            for core, replica, logical in self._local_cores[process]
        ]

    def _doing(self, process: int) -> str:
        together = self._together(process)
        if not together:
            return "in no operation, before its first or after its last"
        built = [f"{one.op} {one.name!r}, built at {one.site}" for one in together]
        if len(built) == 1:
            return f"in {built[0]}"
        return f"in {len(built)} sums in one exchange: {'; '.join(built)}"

    def describe(self, process: int) -> str:
        """Describe all cores of a process in a line, with their operation."""
        own = self._local_cores.get(process, ())
        if len(own) == 1:
            return self._describe_cores(process)[0]
        if not own:
            idle = named(self._split.carried(process))
            return f"{idle} (process {self._processes[process].pid}), which ran nothing"
        cores = ", ".join(str(local.core) for local in own)
        replicas = ", ".join(map(str, dict.fromkeys(local.replica for local in own)))
        return (
            f"cores {cores} (replicas {replicas}, process "
            f"{self._processes[process].pid}) {self._doing(process)}"
        )

    def stacks(self, running: Iterable[int]) -> str:
        """Describe the position of all cores, with the stacks of running processes."""
        stacks, lines = self._stacks(running, _LONG_STACK_SECONDS), []
        for process in sorted(self._local_cores):
            lines += [f"  {line}" for line in self._describe_cores(process)]
            lines.append(f"    {stacks.get(process, 'it has answered')}")
        return "\n".join(lines)

    def _stacks(
        self, cores: Iterable[int], seconds: float = _STACK_SECONDS
    ) -> dict[int, str]:
        stacks = {}
        asked = {}
        for core in cores:
            if self._processes[core].is_stopped():
                stacks[core] = "a signal such as SIGSTOP holds it, so it has no stack"
            else:
                asked[core] = self._processes[core].ask_for_stack()
        deadline = time.monotonic() + seconds
        for core, start in asked.items():
            while "  File " not in self._processes[core].log(start):
                if time.monotonic() > deadline:
                    break
                time.sleep(0.01)
            stack = self._processes[core].log(start) or "it gave no stack"
            self._processes[core].output.skip()
            stacks[core] = stack.replace("\n", "\n    ")
        return stacks


def _title(sums: arrangement.Together) -> str:
    """Return the title of an error in a sum, or in several of one exchange."""
    if len(sums) == 1:
        return sums[0].op
    names = ", ".join(repr(instr.name) for instr in sums)
    return f"{sums[0].op} ({len(sums)} sums in one exchange: {names})"
