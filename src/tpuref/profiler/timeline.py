"""What was recorded, put in order: who waited for whom, and what nests in what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tpuref.runtime.core_events import COLLECTIVE, HOST_CALL, RECEIVE
from tpuref.runtime.recording import Event, Meeting, Recording, Track


@dataclass
class Slice:
    """An event on its track.

    Attributes
    ----------
    event
        What happened.
    track
        Where.
    waiting
        How many nanoseconds of it, from its begin on, went by in waiting.
    inner
        How many went by in the slices directly inside it.
    depth
        In how many others it lies.
    """

    event: Event
    track: Track
    waiting: int = 0
    inner: int = 0
    depth: int = 0

    @property
    def duration(self) -> int:
        """How long it took, in nanoseconds."""
        return self.event.end - self.event.begin

    @property
    def own(self) -> int:
        """How long it was at work itself."""
        return max(0, self.duration - self.inner - self.waiting)


@dataclass
class Timeline:
    """The slices of a recording.

    Attributes
    ----------
    began
        When the recording was started, in nanoseconds of the monotonic clock.
    tracks
        The slices of each track, by their begin, an outer one before those inside it.
    meetings
        The slices of each collective and transfer, in the order in which they began.
    dropped
        How many events of a track were not kept.
    """

    began: int
    tracks: dict[Track, list[Slice]] = field(default_factory=dict)
    meetings: dict[Meeting, list[Slice]] = field(default_factory=dict)
    dropped: dict[Track, int] = field(default_factory=dict)

    @classmethod
    def of(cls, recording: Recording) -> Timeline:
        """Put a recording in order."""
        timeline = cls(recording.began)
        tracks = recording.tracks()
        for track in sorted(tracks, key=_order):
            events, noted = tracks[track]
            timeline.dropped[track] = noted - len(events)
            timeline.tracks[track] = _nested(events, track)
        for part in timeline.slices():
            for meeting in part.event.meetings:
                timeline.meetings.setdefault(meeting, []).append(part)
        for met in timeline.meetings.values():
            met.sort(key=lambda part: part.event.begin)
            _wait_for_the_last(met)
        return timeline

    def slices(self) -> Iterator[Slice]:
        """Give all slices, track by track."""
        for slices in self.tracks.values():
            yield from slices

    @property
    def cores(self) -> Mapping[Track, Sequence[Slice]]:
        """The tracks of cores."""
        return {t: s for t, s in self.tracks.items() if t.job is not None}

    @property
    def span(self) -> int:
        """How many nanoseconds the cores worked, from the first event to the last."""
        events = [part.event for slices in self.cores.values() for part in slices]
        if not events:
            return 0
        return max(event.end for event in events) - min(e.begin for e in events)


def _order(track: Track) -> tuple[bool, str, int]:
    return track.job is not None, track.job or "", track.number


def _nested(events: list[Event], track: Track) -> list[Slice]:
    """Return the slices of a track, which know how much lies inside them."""
    events.sort(key=lambda event: (event.begin, -event.end))
    slices, around = [], list[Slice]()
    for event in events:
        while around and around[-1].event.end <= event.begin:
            around.pop()
        waits = event.kind == RECEIVE or (event.kind == HOST_CALL and _on_core(track))
        waiting = event.end - event.begin if waits else 0
        part = Slice(event, track, waiting, depth=len(around))
        if around:
            around[-1].inner += part.duration
        around.append(part)
        slices.append(part)
    return slices


def _on_core(track: Track) -> bool:
    return track.job is not None


def _wait_for_the_last(met: Sequence[Slice]) -> None:
    """Say of those in a collective how long they waited until the last one came."""
    first = met[0].event
    if first.kind != COLLECTIVE:
        return
    last = met[-1].event.begin
    for part in met:
        event = part.event
        until = event.end if len(met) < event.group else min(last, event.end)
        part.waiting = until - event.begin
