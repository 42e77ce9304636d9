"""The trace event format, which Perfetto and chrome://tracing open.

A slice is an ``X`` event; an arrow is a chain of ``s``, ``t`` and ``f`` events, which
viewers attach to the slice that encloses their time; a counter is a ``C`` event.
"""

import json
from collections.abc import Iterator
from typing import IO, Any

from tpuref.base.version import __version__
from tpuref.engine.runtime.meaning.recording import STEP, Event, Track
from tpuref.engine.runtime.pool.core_events import COLLECTIVE, RECEIVE, SEND
from tpuref.interface.profiler.timeline import Slice, Timeline

HOST_PROCESS = 1
"""The process of the host's threads; each TPU system has a later one."""

Entry = dict[str, Any]


def write(timeline: Timeline, file: IO[str]) -> None:
    """Write a timeline, one event on each line."""
    about = {
        "displayTimeUnit": "ms",
        "otherData": {
            "made by": f"tpuref {__version__}",
            "events dropped": {t.name: n for t, n in timeline.dropped.items() if n},
        },
    }
    head = json.dumps(about, indent=1).removesuffix("\n}")
    file.write(f'{head},\n "traceEvents": [')
    mark = "\n"
    for entry in _Writer(timeline).entries():
        file.write(f"{mark}{json.dumps(entry)}")
        mark = ",\n"
    file.write("\n]}\n")


class _Writer:
    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        jobs = dict.fromkeys(t.job for t in timeline.tracks if t.job is not None)
        self._processes = {job: n for n, job in enumerate(jobs, HOST_PROCESS + 1)}
        self._threads = {track: n for n, track in enumerate(timeline.tracks, 1)}
        self._arrows: dict[int, list[Entry]] = {}
        self._sent: dict[int, int] = {}
        for number, met in enumerate(timeline.meetings.values(), 1):
            if len(met) > 1:
                self._add_arrow(number, met)

    def entries(self) -> Iterator[Entry]:
        """Yield all events of the file."""
        yield from self._names()
        for track, slices in self._timeline.tracks.items():
            yield from self._dropped_mark(track, slices)
            for part in slices:
                yield from self._slice(part)
        yield from self._counters()

    def _place(self, track: Track) -> Entry:
        process = HOST_PROCESS if track.job is None else self._processes[track.job]
        return {"pid": process, "tid": self._threads[track]}

    def _time(self, nanoseconds: int) -> float:
        return (nanoseconds - self._timeline.began) / 1000

    def _names(self) -> Iterator[Entry]:
        names = {HOST_PROCESS: "host"}
        for job, process in self._processes.items():
            names[process] = f"cores of job {job}"
        for process, name in names.items():
            place = {"pid": process, "tid": 0}
            yield _metadata("process_name", place, name=name)
            yield _metadata("process_sort_index", place, sort_index=process)
        for track, thread in self._threads.items():
            place = self._place(track)
            yield _metadata("thread_name", place, name=track.name)
            yield _metadata("thread_sort_index", place, sort_index=thread)

    def _dropped_mark(self, track: Track, slices: list[Slice]) -> Iterator[Entry]:
        number = self._timeline.dropped[track]
        if number:
            yield {
                "ph": "i",
                "s": "t",
                "name": f"{number} events before this one were dropped",
                "cat": "recording",
                "ts": self._time(slices[0].event.begin),
                **self._place(track),
            }

    def _slice(self, part: Slice) -> Iterator[Entry]:
        event = part.event
        entry = {
            "ph": "X",
            "name": event.name,
            "cat": event.kind,
            "ts": self._time(event.begin),
            "dur": part.duration / 1000,
            "args": _arguments(part),
            **self._place(part.track),
        }
        yield entry
        # The inner slices start 1 ns later: an arrow at `event.begin` thus attaches to
        # the slice itself, not to an inner one.
        begin, end = event.begin + 1, event.end
        if event.kind == COLLECTIVE and part.waiting:
            yield self._inner(entry, "wait", begin, event.begin + part.waiting)
        sent = self._sent.get(id(part), 0)
        if begin < sent < end:
            yield self._inner(entry, "wait", begin, sent)
            yield self._inner(entry, "transfer", sent, end)
        yield from self._arrows.get(id(part), ())

    def _inner(self, entry: Entry, name: str, begin: int, end: int) -> Entry:
        """Return a slice inside another one."""
        args = {"for": entry["name"]}
        times = {"ts": self._time(begin), "dur": max(0, end - begin) / 1000}
        return {**entry, "name": name, "cat": "wait", **times, "args": args}

    # -- arrows ----------------------------------------------------------------

    def _add_arrow(self, number: int, met: list[Slice]) -> None:
        """Add the arrow from the first core to the last, or from sender to receiver."""
        chain = sorted(met, key=lambda part: part.event.kind == RECEIVE)
        first = chain[0].event.begin
        for position, part in enumerate(chain):
            event = part.event
            entry = {
                "ph": "s" if position == 0 else "t",
                "name": "collective" if event.kind == COLLECTIVE else "transfer",
                "cat": "arrow",
                "id": number,
                # A receiver may have begun to wait before the value was sent, but an
                # arrow must not go back in time.
                "ts": self._time(max(event.begin, first + position)),
                **self._place(part.track),
            }
            if event.kind == RECEIVE:
                self._sent[id(part)] = first + position
            if position == len(chain) - 1:
                entry |= {"ph": "f", "bp": "e"}
            self._arrows.setdefault(id(part), []).append(entry)

    # -- counters --------------------------------------------------------------

    def _counters(self) -> Iterator[Entry]:
        for track, slices in self._timeline.tracks.items():
            totals: dict[str, int] = {}
            for part in sorted(slices, key=lambda part: part.event.end):
                name = _counter(part.event)
                if name is None:
                    continue
                totals[name] = totals.get(name, 0) + nbytes(part.event)
                label = name if track.job is None else f"{track.name}: {name}"
                yield {
                    "ph": "C",
                    "name": label,
                    "ts": self._time(part.event.end),
                    "args": {"bytes": totals[name]},
                    **self._place(track),
                }


def _metadata(kind: str, place: Entry, **args: Any) -> Entry:
    return {"ph": "M", "name": kind, **place, "args": args}


def nbytes(event: Event) -> int:
    """Return the size of the values of an event."""
    return sum(size for _, size in event.outputs)


def _counter(event: Event) -> str | None:
    """Return the name of the counter that an event adds to, or None."""
    if event.kind == COLLECTIVE:
        return "summed"
    if event.kind in (SEND, RECEIVE):
        return "sent" if event.kind == SEND else "received"
    if event.kind == STEP and event.outputs:
        return {
            "send to cores": "sent to cores",
            "wait for cores": "received from cores",
        }.get(event.name)
    return None


def _arguments(part: Slice) -> Entry:
    """Return the details of a slice."""
    event, instr = part.event, part.event.instr
    args: Entry = {k: _plain(v) for k, v in (event.details or {}).items()}
    if instr is not None:
        args["for" if event.kind in (SEND, RECEIVE) else "type"] = instr.op
        args["line"] = str(instr.site)
    if event.place is not None:
        args["replica"], args["logical core"] = event.place
    if event.outputs:
        if event.kind != STEP:
            args["outputs"] = _output_types(event)
        args["bytes"] = nbytes(event)
    if event.kind == COLLECTIVE and event.meetings:
        args["replicas"] = list(event.meetings[0][2])
        args["waited us"] = part.waiting / 1000
    return args


def _plain(value: object) -> object:
    return value if isinstance(value, (str, int, float, bool)) else str(value)


def _output_types(event: Event) -> list[str]:
    """Return the type and shape of each value."""
    specs = event.instr.specs if event.instr is not None else ()
    names = [spec.dtype.name for spec in specs]
    if event.kind in (SEND, RECEIVE) or len(names) != len(event.outputs):
        names = [""] * len(event.outputs)
    return [
        f"{name}{list(shape)}"
        for name, (shape, _) in zip(names, event.outputs, strict=True)
    ]
