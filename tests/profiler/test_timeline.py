"""Recordings put in order, with times made up."""

import io
import json
import threading

import pytest

from tpuref.engine.runtime.meaning.recording import Event, Recording, Track
from tpuref.engine.runtime.pool.core_events import (
    BLOCK,
    COLLECTIVE,
    HOST_CALL,
    OPERATION,
    RECEIVE,
    SEND,
    CoreEvents,
    Label,
)
from tpuref.engine.runtime.pool.split import LocalCore
from tpuref.interface.profiler import chrome
from tpuref.interface.profiler.summary import Summary
from tpuref.interface.profiler.timeline import Timeline

from .trace_format import checked_tracks

HOST = Track(None, 77, "MainThread")
CORES = [Track("localhost", k, f"core {k}") for k in range(4)]


def event(kind, begin, end, **more):
    return Event(more.pop("name", kind), kind, begin, end, **more)


def timeline(events):
    recording = Recording()
    recording.began = 0
    for track, of_track in events.items():
        recording.add(track, of_track, len(of_track))
    return Timeline.of(recording)


def trace_of(line):
    file = io.StringIO()
    chrome.write(line, file)
    return json.loads(file.getvalue())


def summed(begin, end, meeting="sum", group=3):
    meetings = ((0, 0, (0, 1, 2), meeting),)
    return event(COLLECTIVE, begin, end, meetings=meetings, group=group)


def of_cores(*tracks):
    return timeline(dict(zip(CORES, tracks, strict=False)))


def test_all_wait_for_the_last():
    line = of_cores([summed(1000, 5000)], [summed(4000, 5500)], [summed(2000, 5200)])
    assert [slices[0].waiting for slices in line.cores.values()] == [3000, 0, 2000]
    tracks = checked_tracks(trace_of(line))
    assert [e["dur"] for e in tracks["core 0"]] == [4.0, 2.999]
    assert len(tracks["core 1"]) == 1


def test_a_core_may_end_before_the_last_has_begun():
    # It was stopped, or its clock was read late.
    line = of_cores([summed(1000, 2000, group=2)], [summed(3000, 4000, group=2)])
    assert line.cores[CORES[0]][0].waiting == 1000
    checked_tracks(trace_of(line))


def test_without_all_of_its_group_it_is_all_waiting():
    line = of_cores([summed(0, 10)], [summed(5, 10)])
    assert [s[0].waiting for s in line.cores.values()] == [10, 5]


def test_different_meetings_are_kept_apart():
    line = of_cores(
        [summed(0, 100, "a", 2), summed(200, 300, "b", 2)],
        [summed(50, 100, "a", 2), summed(290, 300, "b", 2)],
    )
    assert [part.waiting for part in line.cores[CORES[0]]] == [50, 90]


def test_own_time_is_without_what_lies_inside():
    times = [(10, 20), (15, 20), (30, 45), (60, 70)]
    line = of_cores([event(BLOCK, 0, 50), *(event(OPERATION, *t) for t in times)])
    assert [(p.event.begin, p.own, p.depth) for p in line.cores[CORES[0]]] == [
        *((0, 25, 0), (10, 5, 1), (15, 5, 2), (30, 15, 1), (60, 10, 0))
    ]
    (core,) = Summary.of(line).cores
    assert core.busy == pytest.approx(60e-9) and core.idle == pytest.approx(10e-9)


def test_cores_wait_for_the_host_and_for_values():
    line = timeline(
        {
            HOST: [event(HOST_CALL, 10, 90)],
            CORES[0]: [event(HOST_CALL, 0, 100), event(RECEIVE, 100, 150)],
            CORES[1]: [event(SEND, 0, 150)],
        }
    )
    assert line.tracks[HOST][0].waiting == 0
    first, second = Summary.of(line).cores
    assert first.waiting == pytest.approx(150e-9) and first.busy == 0.0
    assert second.waiting == 0.0 and second.busy == pytest.approx(150e-9)


@pytest.mark.parametrize("receives", [0, 400, 900])
def test_the_arrow_of_a_value_goes_from_its_sender(receives):
    value = {"meetings": ((0, (0, 1), (0, 0), 0),), "outputs": (((5,), 20),)}
    line = of_cores(
        [event(RECEIVE, receives, 1000, **value)], [event(SEND, 400, 600, **value)]
    )
    inner = [e["name"] for e in checked_tracks(trace_of(line))["core 0"][1:]]
    assert inner == (["wait", "transfer"] if receives < 400 else [])
    assert Summary.of(line).transferred_bytes == 20


def test_systems_of_several_jobs_are_processes_of_their_own():
    tracks = CORES[0], Track("worker", 0, "core 0")
    line = timeline({track: [event(OPERATION, 0, 1)] for track in tracks})
    events = trace_of(line)["traceEvents"]
    names = {e["args"]["name"]: e["pid"] for e in events if e["name"] == "process_name"}
    assert names == {"host": 1, "cores of job localhost": 2, "cores of job worker": 3}
    assert {e["pid"] for e in events if e["ph"] == "X"} == {2, 3}


def test_a_core_counts_its_meetings_beyond_what_it_keeps():
    events = CoreEvents(False, 2)
    values, local_cores = [[memoryview(b"12345678")]], {0: LocalCore(7, 0, 0)}
    for _ in range(5):
        events.note(Label(None, 3, COLLECTIVE, local_cores, (0,)), 0, values)
        peers = {0: ((0, 1), (1, 2))}
        events.note(Label(None, 4, SEND, local_cores, (0,), peers), 0, values)
    assert events.noted[7] == 10
    assert [(e[0], e[4], e[5]) for e in events.taken(7)] == [
        (3, (4,), (((8,), 8),)),
        (4, ((0, 1, 4), (1, 2, 4)), (((8,), 8),)),
    ]


def test_events_may_come_while_others_are_read():
    recording, done = Recording(), threading.Event()

    def add():
        while not done.is_set():
            recording.add(HOST, [event(OPERATION, 0, 1)], 1)

    adding = threading.Thread(target=add)
    adding.start()
    try:
        for _ in range(50):
            for events, noted in recording.tracks().values():
                assert noted >= len(events)
    finally:
        done.set()
        adding.join()
