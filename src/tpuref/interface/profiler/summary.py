"""The summary of a recording: work and waits of cores, and times of operations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tpuref.engine.ops.definition import Flow
from tpuref.engine.runtime.meaning.recording import STEP, Track
from tpuref.engine.runtime.pool.core_events import COLLECTIVE, RECEIVE, SEND
from tpuref.interface.profiler.chrome import nbytes
from tpuref.interface.profiler.timeline import Slice, Timeline

TOP = 10
"""The number of operations in the text."""


@dataclass(frozen=True)
class CoreTime:
    """The time of one core.

    `busy`, `waiting` and `idle` are seconds of work; seconds of waiting for the last
    core of a collective, for values of other cores and for the host; and seconds
    without work.  `events` is the number of events, `dropped` the number that the
    recording dropped.
    """

    core: str
    busy: float
    waiting: float
    idle: float
    events: int
    dropped: int


@dataclass(frozen=True)
class OperationTime:
    """The time of one operation, over all cores.

    `name`, `type` and `line` are the operation, its type, and the user's line that
    built it.  `seconds` and `waiting` are the seconds of work and of waiting, over all
    cores.  `count` and `bytes` are the number of runs, and the size of all outputs.
    """

    name: str
    type: str
    line: str
    seconds: float
    waiting: float
    count: int
    bytes: int


@dataclass(frozen=True)
class Summary:
    """The summary of a recording.

    `seconds` is the time from the first event of a core to the last.  `cores` is a
    `CoreTime` for each core.  `operations` is an `OperationTime` for each operation,
    the longest first.  `collective_bytes` and `transferred_bytes` are the bytes that
    all cores contributed to collectives, and sent to one another.  `host_dropped` is
    the number of the host's events that the recording dropped.
    """

    seconds: float
    cores: tuple[CoreTime, ...]
    operations: tuple[OperationTime, ...]
    collective_bytes: int
    transferred_bytes: int
    host_dropped: int

    @classmethod
    def of(cls, timeline: Timeline) -> Summary:
        """Summarize a timeline."""
        on_cores = [part for slices in timeline.cores.values() for part in slices]
        return cls(
            seconds=timeline.span / 1e9,
            cores=tuple(_core_time(timeline, track) for track in timeline.cores),
            operations=tuple(_operation_times(timeline.slices())),
            collective_bytes=_bytes_of(on_cores, COLLECTIVE),
            transferred_bytes=_bytes_of(on_cores, SEND),
            host_dropped=sum(
                number for t, number in timeline.dropped.items() if t.job is None
            ),
        )

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain values, for JSON."""
        return asdict(self)

    def by_type(self, seconds_per_byte: float) -> str:
        """Return a table of the types of operations, the longest first.

        ``floor`` is the time to write the outputs at the memory's bandwidth, of which a
        byte takes `seconds_per_byte`.
        """
        types: dict[str, list[OperationTime]] = {}
        for operation in self.operations:
            types.setdefault(operation.type, []).append(operation)
        rows = [
            (sum(o.seconds for o in of_type), name, of_type)
            for name, of_type in types.items()
        ]
        total = sum(seconds for seconds, _, _ in rows) or 1
        cells = []
        for seconds, name, of_type in sorted(rows, key=lambda row: (-row[0], row[1])):
            size = sum(o.bytes for o in of_type)
            waiting = _time(sum(o.waiting for o in of_type))
            count = str(sum(o.count for o in of_type))
            share, floor = f"{seconds / total:.1%}", _time(size * seconds_per_byte)
            cells.append(
                [name, _time(seconds), share, waiting, count, _size(size), floor]
            )
        head = ["type", "time", "share", "waiting", "calls", "outputs", "floor"]
        return "\n".join(["operations by type, all cores:", *_table(head, cells)])

    def __str__(self) -> str:
        lines = [f"{_time(self.seconds)} from a core's first event to the last", ""]
        lines += _table(
            ["core", "busy", "waiting", "idle", "events"],
            [self._core_row(core) for core in self.cores],
        )
        lines += ["", f"longest of {len(self.operations)} operations, all cores:"]
        lines += _table(
            ["time", "waiting", "times", "operation", "type", "line"],
            [
                [
                    _time(o.seconds),
                    _time(o.waiting),
                    str(o.count),
                    o.name,
                    o.type,
                    o.line,
                ]
                for o in self.operations[:TOP]
            ],
        )
        lines += [
            "",
            f"{_size(self.collective_bytes)} contributed to collectives, "
            f"{_size(self.transferred_bytes)} sent from core to core",
        ]
        dropped = self.host_dropped + sum(core.dropped for core in self.cores)
        if dropped:
            lines.append(f"{dropped} early events were dropped; the sums exclude them")
        return "\n".join(lines)

    def _core_row(self, core: CoreTime) -> list[str]:
        parts = (core.busy, core.waiting, core.idle)
        return [core.core, *(self._share(p) for p in parts), str(core.events)]

    def _share(self, seconds: float) -> str:
        return f"{_time(seconds)} ({seconds / (self.seconds or 1):4.0%})"


def _core_time(timeline: Timeline, track: Track) -> CoreTime:
    slices, dropped = timeline.tracks[track], timeline.dropped[track]
    within = sum(part.duration for part in slices if part.depth == 0) / 1e9
    waiting = sum(part.waiting for part in slices) / 1e9
    return CoreTime(
        core=track.name,
        busy=within - waiting,
        waiting=waiting,
        idle=timeline.span / 1e9 - within,
        events=len(slices) + dropped,
        dropped=dropped,
    )


def _operation_times(slices: Iterable[Slice]) -> list[OperationTime]:
    by_operation: dict[tuple[str, str, str], list[Slice]] = {}
    for part in slices:
        event = part.event
        if event.instr is None or event.kind in (STEP, SEND, RECEIVE):
            continue
        if (
            event.instr.definition.flow is Flow.REPLICATION
        ):  # its slice contains those of the cores
            continue
        site = event.instr.site
        key = event.name, event.instr.op, f"{site.filename}:{site.line}"
        by_operation.setdefault(key, []).append(part)
    times = [
        OperationTime(
            *key,
            seconds=sum(part.own for part in parts) / 1e9,
            waiting=sum(part.waiting for part in parts) / 1e9,
            count=len(parts),
            bytes=sum(nbytes(part.event) for part in parts),
        )
        for key, parts in by_operation.items()
    ]
    return sorted(times, key=lambda o: (-o.seconds, o.name))


def _bytes_of(slices: Iterable[Slice], kind: str) -> int:
    return sum(nbytes(part.event) for part in slices if part.event.kind == kind)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return [
        "  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in (head, *rows)
    ]


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def _size(number: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.3g} {unit}" if unit != "bytes" else f"{number} bytes"
        number /= 1024
    return f"{number:.3g} GiB"
