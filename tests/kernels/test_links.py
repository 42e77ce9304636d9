"""How links wait, and how they fail, in threads and in processes."""

import mmap
import signal
import threading
import time

import numpy as np
import pytest

from tpuref.base.dtypes import datatype_enum
from tpuref.kernels import status
from tpuref.kernels.fold import fold
from tpuref.kernels.python import flags as python_flags
from tpuref.kernels.python import links as python_links

from ..crashes.processes import eventually
from .link_sums import Sum, Vectors
from .linked import CORES, DTYPES, KINDS, LINE, Job, Threads, Twin, group, links_core


def test_a_core_follows_the_one_that_brings_its_vector(twin):
    """Core 1 sums for itself and core 2; then all three sum with core 0."""
    pool, flags = Threads(twin), []

    def play(core, ends):
        total = np.zeros(4, np.uint8)
        parts = np.array([0, 1, 1])
        if core < 2:
            source = np.arange(8 if core else 4, dtype=np.uint8)
            outcome = ends.links.flat(
                group([0, 1], 3)._replace(parts=parts), source, total
            )
            assert outcome == status.OK
        if core == 1:
            follower = pool.links(2, ends.flags)
            follower.begin(pool.runs)
            follower.follow(ends.links)
            flags.append(ends.flags.position(2))
            assert follower.flat(group([0, 2], 3), total.copy(), total) == status.OK
            follower.finish()
        if core == 0:
            return ends.links.flat(group([0, 2], 3), total.copy(), total)
        return status.OK

    assert pool.run([0, 1], play) == [status.OK] * 2
    assert flags == [(1, 2)]


def test_the_shared_result_is_where_the_first_member_offered_it(threads):
    each = Sum(threads, "direct", Vectors(threads, [2, 0, 1], 10, np.dtype(np.int32)))

    def play(core, ends):
        links_core.take_part(ends.links, threads.arena, core, each.job)
        return ends.links.shared_result

    assert threads.run([0, 1, 2], play) == [each.results[2]] * 3


WHOLE, PAIRS, ALONE = [[0, 1, 2, 3]], [[0, 1], [2, 3]], [[0], [1], [2], [3]]
OTHER_PAIRS, UNEQUAL = [[2, 0], [3, 1]], [[3, 0, 1], [2]]


@pytest.mark.parametrize(
    ("groupings", "kinds"),
    [
        # The length of a ring depends on the size of its groups, which must not change.
        ([WHOLE], KINDS),
        ([PAIRS, OTHER_PAIRS], KINDS),
        ([WHOLE, PAIRS, OTHER_PAIRS, ALONE, UNEQUAL], ["flat", "direct"]),
    ],
    ids=["one group", "changing pairs", "all sorts of groups"],
)
def test_long_chains_with_delays(pool, twin, groupings, kinds):
    rounds = 300 if twin.name == "python" else 2000
    rooms = [pool.allocate(LINE + 8 * 40 * (rounds + 1)) + LINE for _ in range(4)]
    wrong = pool.run_scenario(range(4), "chain", rounds, rooms, groupings, kinds)
    assert wrong == [[]] * 4


def test_many_runs_follow_one_another(threads):
    some = np.zeros(4, np.uint8)

    def play(core, ends):
        pair = [group([0, 1], fingerprint=number) for number in (5, 6)]
        return [ends.links.flat(each, some, some.copy()) for each in pair]

    # Up to where the number of the run comes round, in leaps of less than half the way.
    for runs in (0, 2**31 - 2, 2**32 - 4):
        threads.runs = runs
        for _ in range(6):
            assert threads.run([0, 1], play) == [[status.OK] * 2] * 2


# Overwriting


@pytest.fixture
def held_up(monkeypatch):
    """Let the core whose thread is put in `held` stay in its fold until `released`."""
    held, released, passed = {}, threading.Event(), threading.Event()

    def slow_fold(contributions):
        if threading.current_thread() is held.get("thread"):
            assert released.wait(10)
        return fold(contributions)

    def release():
        threading.Timer(0.1, lambda: (passed.set(), released.set())).start()

    def hold():
        held["thread"] = threading.current_thread()

    monkeypatch.setattr(python_links, "fold", slow_fold)
    return hold, release, passed


def test_a_record_is_not_filled_in_while_others_still_read_it(held_up):
    # Core 2 is held up while it folds what all four published. Cores 0 and 1 go on by
    # themselves, and may get through one more sum, but not begin the one after that,
    # which takes the same staging.
    hold, release, passed = held_up

    def play(core, ends):
        if core == 2:
            hold()
        source, result = np.full(8, core + 1, np.int32), np.zeros(8, np.int32)
        outcomes = []
        for turn, members in enumerate([[0, 1, 2, 3], [0, 1], [0, 1]]):
            if turn == 1 and core >= 2:
                break
            if turn == 2 and core == 0:
                release()
            status_ = ends.links.flat(group(members, 3, turn), source, result)
            outcomes.append((status_, int(result[0])))
            if turn == 2:
                assert passed.is_set()
            source[:] = 100
        return outcomes

    found = Threads(Twin("python")).run(range(4), play)
    assert found == [[(0, 10), (0, 200), (0, 200)]] * 2 + [[(0, 10)]] * 2


def test_who_followed_in_between_still_knows_its_readers(held_up):
    # Cores 0 and 1 share a process. Core 2 is held up while it folds what core 1
    # published. Core 0 then sums for both, and core 1 alone, with that same staging.
    hold, release, passed = held_up
    pool = Threads(Twin("python"))

    def play(core, ends):
        source, result = np.full(8, core, np.int32), np.zeros(8, np.int32)
        pair, lone = group([1, 2], 3, 0), [group([core], 3, 1) for core in (0, 1)]
        if core == 2:
            hold()
            return ends.links.flat(pair, source, result), int(result[0])
        other = pool.links(0, ends.flags)
        other.begin(pool.runs)
        outcomes = [ends.links.flat(pair, source, result)]
        other.follow(ends.links)
        outcomes.append(other.flat(lone[0], source, source.copy()))
        ends.links.follow(other)
        release()
        source[:] = 100
        outcomes.append(ends.links.flat(lone[1], source, source.copy()))
        assert passed.is_set()
        other.finish()
        return outcomes, int(result[0])

    assert pool.run([1, 2], play) == [([status.OK] * 3, 3), (status.OK, 3)]


# Failures


def come(pool, ends, core, kind, members, **changes):
    """Come to a collective of 100 float32 whose sum nobody looks at."""
    start = pool.twin.control_bytes(pool.cores) + LINE
    rooms = [[start + 4096 * (3 * c + i) for c in range(CORES)] for i in range(3)]
    job = Job(kind, members, *rooms, 100, np.dtype(np.float32))
    job = job._replace(**changes)
    return links_core.take_part(ends.links, pool.arena, core, job)


def timed(play):
    """Let a part tell how long it took as well."""

    def timed_play(core, ends):
        start = time.monotonic()
        return play(core, ends), time.monotonic() - start

    return timed_play


@pytest.mark.parametrize("kind", KINDS)
def test_who_waits_for_a_core_that_left_is_told_at_once(threads, kind):
    @timed
    def play(core, ends):
        if core == 1:
            time.sleep(0.1)
            return ends.flags.position(core)
        # The ring hears of it where the core is missing: to its right.
        outcome = come(threads, ends, core, kind, [0, 1, 2])
        if outcome == status.LEFT:
            ends.flags.poison(1)
        return outcome

    (first, a), (gone, _), (last, b) = threads.run([0, 1, 2], play)
    assert gone == (1, 0)
    assert last == status.LEFT or kind != "ring"
    assert status.LEFT in (first, last)
    assert {first, last} <= {status.LEFT, status.POISONED}
    assert max(a, b) < 5


@pytest.mark.parametrize("kind", KINDS)
def test_a_core_that_leaves_after_its_last_collective_is_not_missed(threads, kind):
    def play(core, ends):
        outcome = come(threads, ends, core, kind, [0, 1])
        return outcome, come(threads, ends, core, kind, [0, 1])

    for _ in range(100):
        assert threads.run([0, 1], play) == [(status.OK, status.OK)] * 2


CHANGES = {"fingerprint": 3, "dtype": np.dtype(np.int32), "count": 50}


@pytest.mark.parametrize("odd_one", range(4))
@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        *((kind, {name: value}) for kind in KINDS for name, value in CHANGES.items()),
        ("flat", {"kind": "direct"}),
        ("direct", {"kind": "ring"}),
        ("ring", {"kind": "flat"}),
    ],
)
def test_all_members_see_that_one_brought_something_else(
    threads, kind, changes, odd_one
):
    @timed
    def play(core, ends):
        brought = {"kind": kind, "members": [0, 1, 2, 3]}
        if core == odd_one:
            brought.update(changes)
        return come(threads, ends, core, **brought)

    for outcome, seconds in threads.run(range(4), play):
        assert outcome == status.MISMATCH
        assert seconds < 5


@pytest.mark.parametrize("kind", KINDS)
def test_members_in_different_phases_do_not_match(threads, kind):
    def play(core, ends):
        if core == 1:
            come(threads, ends, core, "flat", [1])
            come(threads, ends, core, "flat", [1])
        return come(threads, ends, core, kind, [0, 1])

    assert status.OK not in threads.run([0, 1], play, seconds=0.5)


@pytest.mark.parametrize("asleep", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_poison_ends_every_wait(threads, kind, asleep):
    poisoned_at = []

    def play(core, ends):
        if core == 2:
            time.sleep(0.2 if asleep else 0.001)
            poisoned_at.append(time.monotonic())
            ends.flags.poison(5)
            return None
        outcome = come(threads, ends, core, kind, [0, 1, 3])
        return outcome, ends.flags.poisoned(), time.monotonic()

    for outcome, code, at in (threads.run([0, 1, 2], play))[:2]:
        assert (outcome, code) == (status.POISONED, 5)
        assert at - poisoned_at[0] < 2


def test_the_first_poison_stays_until_the_host_heals(threads):
    def sums():
        return threads.run([0], lambda c, ends: come(threads, ends, c, "flat", [0]))

    host = threads.flags()
    assert host.poisoned() == 0
    host.poison(3)
    threads.flags().poison(4)
    assert threads.flags().poisoned() == 3
    assert sums() == [status.POISONED]
    host.heal()
    assert threads.flags().poisoned() == 0
    assert sums() == [status.OK]


def test_who_waits_for_a_stopped_process_can_be_released(twin, processes):
    pool = processes(twin.name)
    pool.runs += 1
    pool.processes[1].send_signal(signal.SIGSTOP)
    try:
        each = Sum(pool, "direct", Vectors(pool, [0, 1], 10, np.dtype(np.float32)))
        pool.send(0, pool.runs, "all_jobs", [each.job])
        pool.send(1, pool.runs, "all_jobs", [])
        host = pool.twin.Flags(pool.arena, 0, CORES)
        assert eventually(lambda: host.position(0) == (pool.runs, 1), 10)
        assert host.position(1)[0] < pool.runs
        host.poison(9)
        assert pool.receive(0) == [status.POISONED]
        host.heal()
    finally:
        pool.processes[1].send_signal(signal.SIGCONT)
    assert pool.receive(1) == []


def test_a_flag_tells_run_and_phase(threads):
    def play(core, ends):
        before = ends.flags.position(0)
        come(threads, ends, core, "flat", [0])
        return before, ends.flags.position(0), ends.flags.position(1)

    assert threads.run([0], play) == [((1, 0), (1, 2), (0, 0))]
    assert threads.flags().position(0) == (1, 0xFFFFFFFF)


# Arguments


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("members", [[], [1], [0, 8], [0, -1], [0, 0]])
def test_members_must_be_cores_and_this_core_one_of_them(threads, kind, members):
    outcomes = threads.run([0], lambda c, k: come(threads, k, c, kind, members))
    assert outcomes == [status.BAD_MEMBERS]


def test_vectors_must_lie_within_the_arena(threads):
    end, alone = threads.arena.size, group([0])
    outside = [(-4, 1), (end, 1), (end - 396, 100), (0, 1 << 62)]
    place = threads.allocate(16)

    def table(*offsets):
        return links_core.write_table(threads.arena, place, offsets)

    def play(core, ends):
        direct, ring = ends.links.direct, ends.links.ring
        two = alone._replace(parts=np.array([0, 0]))
        return [
            *(direct(alone, table(offset), 0, count) for offset, count in outside),
            *(direct(two, table(0, offset), 0, count) for offset, count in outside),
            *(
                direct(alone, table(end - 400), offset, count)
                for offset, count in outside
            ),
            direct(alone, -8, 0, 1),
            direct(alone, end, 0, 1),
            direct(two, end - 8, 0, 1),
            direct(alone, place + 4, 0, 1),
            direct(alone, table(0), 0, -1),
            ring(group([0], dtype=19), table(end - 200), end - 200, end - 399, 100),
            ring(alone, table(end - 400), end - 400, end, 100),
        ]

    expected = [status.BAD_OFFSET] * 16
    expected += [status.BAD_COUNT, status.BAD_OFFSET, status.OK]
    assert threads.run([0], play) == [expected]


def test_both_twins_add_the_same_types(twin):
    pool, some = Threads(twin), np.zeros(16, np.uint8)
    table = pool.allocate(8)

    def play(core, ends):
        statuses = {}
        for dtype in (-1, 0, *range(1, 30), 1000):
            alone = group([0], dtype)
            (statuses[dtype],) = {
                ends.links.flat(alone, some, some),
                ends.links.direct(alone, table, 0, 1),
                ends.links.ring(alone, table, 0, 0, 1),
            }
        return statuses

    (statuses,) = pool.run([0], play)
    known = {datatype_enum(dtype) for dtype in DTYPES}
    assert statuses == {
        dtype: status.OK if dtype in known else status.BAD_DTYPE for dtype in statuses
    }


def test_flat_takes_small_whole_vectors_of_one_size(threads):
    limit = status.FLAT_LIMIT

    def play(core, ends):
        return [
            ends.links.flat(group([0]), np.zeros(a, np.uint8), np.zeros(b, np.uint8))
            for a, b in [(limit, limit), (limit + 4, limit + 4), (6, 6), (8, 4)]
        ]

    assert threads.run([0], play) == [
        [status.OK, status.SOURCE_SIZE, status.SOURCE_SIZE, status.DESTINATION_SIZE]
    ]


def test_what_cannot_be_a_link_is_refused(twin):
    arena = np.frombuffer(mmap.mmap(-1, twin.control_bytes(2)), np.uint8)
    for control, cores, message in [
        (0, 0, "expected 1 core or more"),
        (64, 2, "does not have at 64"),
        (-64, 1, "does not have at -64"),
        (8, 1, "multiple of 64"),
    ]:
        with pytest.raises(ValueError, match=message):
            twin.Flags(arena, control, cores)
    flags = twin.Flags(arena, 0, 2)
    for core in (2, -1):
        with pytest.raises(ValueError, match=f"there are 2 cores, got core {core}"):
            flags.position(core)
        with pytest.raises(ValueError, match=f"0 to cores - 1, got core={core}"):
            twin.Links(flags, core, 0)


def test_the_twins_lay_memory_out_alike(compiled):
    pool = Threads(Twin("cython"))
    assert pool.twin.control_bytes(5) == python_flags.control_bytes(5)

    def end(core, flags, spins):
        if core == 1:
            flags = python_flags.Flags(pool.arena, 0, CORES)
            return python_links.Links(flags, 1, spins)
        return pool.twin.Links(flags, core, spins)

    pool.links = end

    def play(core, ends):
        return [
            come(pool, ends, core, kind, [0, 1, 2], dtype=dtype)
            for kind in KINDS
            for dtype in DTYPES
        ]

    assert pool.run([0, 1, 2], play) == [[status.OK] * len(KINDS) * len(DTYPES)] * 3


def test_spinning_is_a_matter_of_pace(threads):
    each = Sum(threads, "direct", Vectors(threads, [0, 1], 1000, np.dtype(np.float32)))

    def play(core, ends):
        return links_core.take_part(ends.links, threads.arena, core, each.job)

    assert threads.run([0, 1], play, spins=50) == [status.OK] * 2
    assert each.found() == each.expected
