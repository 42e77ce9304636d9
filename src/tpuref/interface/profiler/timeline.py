"""Timelines: nested slices of a recording, and waits in collectives and transfers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tpuref.engine.runtime.meaning.recording import Event, Meeting, Recording, Track
from tpuref.engine.runtime.pool.core_events import COLLECTIVE, HOST_CALL, RECEIVE


@dataclass
class Slice:
    """An event on its track."""

    event: Event
    track: Track
    # The nanoseconds of waiting at its start
    waiting: int = 0
    # The nanoseconds in the slices directly inside it
    inner: int = 0
    # The number of slices around it
    depth: int = 0

    @property
    def duration(self) -> int:
        """Its duration in nanoseconds."""
        return self.event.end - self.event.begin

    @property
    def own(self) -> int:
        """Its nanoseconds of work, without waits and inner slices."""
        return max(0, self.duration - self.inner - self.waiting)


@dataclass
class Timeline:
    """The slices of a recording."""

    # The start of the recording, in nanoseconds of the monotonic clock
    began: int
    tracks: dict[Track, list[Slice]] = field(default_factory=dict)
    # The slices of each collective and transfer, ordered by start
    meetings: dict[Meeting, list[Slice]] = field(default_factory=dict)
    # The number of dropped events of each track
    dropped: dict[Track, int] = field(default_factory=dict)

    @classmethod
    def of(cls, recording: Recording) -> Timeline:
        """Return the timeline of a recording."""
        timeline = cls(recording.began)
        tracks = recording.tracks()
        for track in sorted(tracks, key=_order):
            events, noted = tracks[track]
            timeline.dropped[track] = noted - len(events)
            timeline.tracks[track] = _nest(events, track)
        for part in timeline.slices():
            for meeting in part.event.meetings:
                timeline.meetings.setdefault(meeting, []).append(part)
        for met in timeline.meetings.values():
            met.sort(key=lambda part: part.event.begin)
            _wait_for_the_last(met)
        return timeline

    def slices(self) -> Iterator[Slice]:
        """Yield all slices, track by track."""
        for slices in self.tracks.values():
            yield from slices

    @property
    def cores(self) -> Mapping[Track, Sequence[Slice]]:
        """The tracks of cores."""
        return {t: s for t, s in self.tracks.items() if t.job is not None}

    @property
    def span(self) -> int:
        """The nanoseconds from the first event of the cores to the last."""
        events = [part.event for slices in self.cores.values() for part in slices]
        if not events:
            return 0
        return max(event.end for event in events) - min(e.begin for e in events)


def _order(track: Track) -> tuple[bool, str, int]:
    return track.job is not None, track.job or "", track.number


def _nest(events: list[Event], track: Track) -> list[Slice]:
    """Return the slices of a track, with their depth and inner time."""
    # Sorted so that an outer slice precedes its inner ones; `stack` has the slices that
    # enclose the current one.
    events.sort(key=lambda event: (event.begin, -event.end))
    slices, stack = [], list[Slice]()
    waiting_kinds = (RECEIVE,) if track.job is None else (RECEIVE, HOST_CALL)
    for event in events:
        while stack and stack[-1].event.end <= event.begin:
            stack.pop()
        waiting = event.end - event.begin if event.kind in waiting_kinds else 0
        part = Slice(event, track, waiting, depth=len(stack))
        if stack:
            stack[-1].inner += part.duration
        stack.append(part)
        slices.append(part)
    return slices


def _wait_for_the_last(met: Sequence[Slice]) -> None:
    """Set the waiting times in a collective: until the last core arrived."""
    # If events of some members were dropped, the last arrival is unknown, and the whole
    # slice counts as waiting.
    if met[0].event.kind != COLLECTIVE:
        return
    last = met[-1].event.begin
    for part in met:
        event = part.event
        until = event.end if len(met) < event.group else min(last, event.end)
        part.waiting = until - event.begin
