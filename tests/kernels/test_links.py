"""The links between cores, in threads and in processes.

The twins promise the same of every call, so all tests run on both; only the pace of the
Python twin keeps it from the longest vectors and chains.
"""

from __future__ import annotations

import importlib
import importlib.util
import mmap
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from tpuref.kernels import status
from tpuref.kernels.python import allreduce as in_one_process
from tpuref.kernels.python import links as python_links

SCRIPT = Path(__file__).with_name("links_core.py")
_SPEC = importlib.util.spec_from_file_location("links_core", SCRIPT)
links_core = importlib.util.module_from_spec(_SPEC)
sys.modules["links_core"] = links_core
_SPEC.loader.exec_module(links_core)
Job = links_core.Job

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
DTYPES = [
    *(np.dtype(name) for name in ("float16", "float32", "float64")),
    *(np.dtype(name) for name in ("int32", "uint32", "int64")),
    BFLOAT16,
]
KINDS = ["barrier", "flat", "direct", "ring"]
CORES = 8
LINE = 64


@pytest.fixture(params=["python", "cython"])
def twin(request):
    if request.param == "cython":
        request.getfixturevalue("compiled")
    return importlib.import_module(f"tpuref.kernels.{request.param}.links")


class Threads:
    """Cores that are threads of this process."""

    def __init__(self, twin, arena_bytes=1 << 20, cores=CORES):
        self.twin, self.cores = twin, cores
        self.arena = np.frombuffer(mmap.mmap(-1, arena_bytes), np.uint8)
        self.heap = twin.control_bytes(cores)
        self.runs = 0

    def links(self, core, spins=0):
        return self.twin.Links(self.arena, 0, core, self.cores, spins)

    def run(self, cores, play, seconds=20.0, spins=0):
        """Let each of the cores play its part; give what they return, in order."""
        self.runs += 1

        def part(core):
            links = self.links(core, spins)
            links.begin(self.runs, seconds)
            try:
                return play(core, links)
            finally:
                links.finish()

        with ThreadPoolExecutor(max(len(cores), 1)) as threads:
            return list(threads.map(part, cores))

    def run_scenario(self, cores, scenario, *arguments):
        play = getattr(links_core, scenario)
        return self.run(
            cores,
            lambda core, links: play(self.twin, links, self.arena, core, *arguments),
        )

    def allocate(self, size):
        """Give the offset of some memory, on a cache line of its own."""
        offset = self.heap
        self.heap += -(-size // LINE) * LINE
        return offset


class Processes:
    """Cores that are processes; they live as long as the tests of one twin."""

    def __init__(self, name, arena_bytes=1 << 28, cores=CORES):
        self.twin = importlib.import_module(f"tpuref.kernels.{name}.links")
        descriptor = os.memfd_create("arena")
        os.ftruncate(descriptor, arena_bytes)
        self.arena = np.frombuffer(mmap.mmap(descriptor, arena_bytes), np.uint8)
        self.start = self.heap = self.twin.control_bytes(cores)
        self.runs = 0
        self.processes = [
            subprocess.Popen(
                [
                    *(sys.executable, str(SCRIPT), name),
                    *map(str, (descriptor, arena_bytes, core, cores)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[descriptor],
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            )
            for core in range(cores)
        ]
        os.close(descriptor)

    def send(self, core, run, scenario, *arguments):
        pickle.dump((scenario, run, arguments), self.processes[core].stdin)
        self.processes[core].stdin.flush()

    def receive(self, core):
        return pickle.load(self.processes[core].stdout)

    def run_scenario(self, cores, scenario, *arguments):
        self.runs += 1
        for core in cores:
            self.send(core, self.runs, scenario, *arguments)
        return [self.receive(core) for core in cores]

    allocate = Threads.allocate

    def close(self):
        for process in self.processes:
            process.stdin.close()
        for process in self.processes:
            process.wait(20)
            process.stdout.close()


@pytest.fixture(scope="module")
def python_processes():
    processes = Processes("python")
    yield processes
    processes.close()


@pytest.fixture(scope="module")
def cython_processes():
    processes = Processes("cython")
    yield processes
    processes.close()


@pytest.fixture(params=["threads", "processes"])
def pool(request, twin):
    if request.param == "threads":
        return Threads(twin, 1 << 28)
    if not hasattr(os, "memfd_create"):
        pytest.skip("the processes of this test share a memfd")
    name = "python" if twin is python_links else "cython"
    processes = request.getfixturevalue(f"{name}_processes")
    processes.heap = processes.start
    return processes


# Sums


def numbers(rng, count, dtype):
    """Numbers whose sums round and, for integers, wrap."""
    if dtype.kind in "iu":
        return rng.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)
    scale = 10.0 ** rng.integers(-2, 3, count)
    return (rng.standard_normal(count) * scale).astype(dtype)


def view(pool, offset, count, dtype):
    return pool.arena[offset : offset + count * dtype.itemsize].view(dtype)


class Vectors:
    """One vector for each member, in the arena, and their sums by one process."""

    def __init__(self, pool, members, count, dtype, odd=0):
        size = count * dtype.itemsize
        self.members, self.count, self.dtype, self.odd = members, count, dtype, odd
        self.offsets = [pool.allocate(size + odd) + odd for _ in range(CORES)]
        rng = np.random.default_rng([count, dtype.num % 100, len(members)])
        vectors = [numbers(rng, count, dtype) for _ in members]
        for member, vector in zip(members, vectors, strict=True):
            view(pool, self.offsets[member], count, dtype)[:] = vector
        self.folded = in_one_process.fold(vectors).tobytes()
        self.ringed = in_one_process.ring(vectors)[0].tobytes()


class Sum:
    """One job, and the bits that must come out."""

    def __init__(self, pool, kind, vectors):
        self.pool, self.kind, self.vectors = pool, kind, vectors
        self.expected = {vectors.ringed if kind == "ring" else vectors.folded}
        size, odd = vectors.count * vectors.dtype.itemsize, vectors.odd
        self.results, scratches = (
            [pool.allocate(room + odd) + odd for _ in range(CORES)]
            for room in (size, 4 * vectors.count if kind == "ring" else 0)
        )
        self.job = Job(
            kind,
            vectors.members,
            vectors.offsets,
            self.results,
            scratches,
            vectors.count,
            vectors.dtype,
            fingerprint=2**64 - 1 - vectors.count,
        )

    def found(self):
        """Give the results; the first member's is the shared one of direct."""
        members = self.vectors.members
        return {
            view(
                self.pool, self.results[owner], self.vectors.count, self.vectors.dtype
            ).tobytes()
            for owner in (members[:1] if self.kind == "direct" else members)
        }


@pytest.mark.parametrize("cores", [1, 2, 3, 4, 7, 8])
def test_sums_have_the_bits_of_one_process(pool, twin, cores):
    longest = [] if twin is python_links and cores > 4 else [100003]
    lengths = sorted({0, 1, cores - 1, cores, cores + 1, 1000, *longest})
    sums = [
        Sum(pool, kind, vectors)
        for dtype in DTYPES
        for count in lengths
        for vectors in [Vectors(pool, list(range(cores)), count, dtype)]
        for kind in ("flat", "direct", "ring")
        if kind != "flat" or count * dtype.itemsize <= twin.FLAT_LIMIT
    ]
    jobs = [each.job for each in sums]
    statuses = pool.run_scenario(list(range(cores)), "all_jobs", jobs)
    assert statuses == [[status.OK] * len(jobs)] * cores
    for each in sums:
        assert each.found() == each.expected, each.job


def test_sums_of_unaligned_vectors(pool):
    sums = [
        Sum(pool, kind, Vectors(pool, [0, 1, 2], count, dtype, odd))
        for dtype in DTYPES
        for count in (5, 1000, 30000)
        for odd in (1, dtype.itemsize)
        for kind in ("direct", "ring")
    ]
    jobs = [each.job for each in sums]
    statuses = pool.run_scenario([0, 1, 2], "all_jobs", jobs)
    assert statuses == [[status.OK] * len(jobs)] * 3
    for each in sums:
        assert each.found() == each.expected, each.job


def test_groups_sum_by_themselves_in_their_own_order(pool):
    groups = [[2, 0], [3, 1]]
    sums = [
        Sum(pool, kind, Vectors(pool, group, 1000, np.dtype(np.float32)))
        for kind in ("flat", "direct", "ring")
        for group in groups
    ]
    jobs = [each.job for each in sums]
    statuses = pool.run_scenario(range(4), "all_jobs", jobs)
    assert statuses == [[status.OK] * 3] * 4
    for each in sums:
        assert each.found() == each.expected, each.job


@pytest.mark.parametrize("kind", ["direct", "ring"])
def test_the_result_may_be_the_source(twin, kind):
    pool = Threads(twin)
    for dtype in (np.dtype(np.float32), BFLOAT16):
        each = Sum(pool, kind, Vectors(pool, [0, 1, 2, 3], 1000, dtype))
        job = each.job._replace(results=each.job.sources)
        assert pool.run_scenario(range(4), "all_jobs", [job]) == [[status.OK]] * 4
        each.results = each.job.sources
        assert each.found() == each.expected


def test_the_shared_result_is_where_the_first_member_offered_it(twin):
    pool = Threads(twin)
    each = Sum(pool, "direct", Vectors(pool, [2, 0, 1], 10, np.dtype(np.int32)))

    def play(core, links):
        links_core.take_part(twin, links, pool.arena, core, each.job)
        return links.shared_result

    assert pool.run([0, 1, 2], play) == [each.results[2]] * 3


WHOLE, PAIRS, ALONE = [[0, 1, 2, 3]], [[0, 1], [2, 3]], [[0], [1], [2], [3]]
OTHER_PAIRS, UNEQUAL = [[2, 0], [3, 1]], [[3, 0, 1], [2]]


@pytest.mark.parametrize(
    ("groupings", "kinds"),
    [
        # The length of a ring depends on the size of its groups, which must not change.
        ([WHOLE], KINDS),
        ([PAIRS, OTHER_PAIRS], KINDS),
        ([WHOLE, PAIRS, OTHER_PAIRS, ALONE, UNEQUAL], ["barrier", "flat", "direct"]),
    ],
    ids=["one group", "changing pairs", "all sorts of groups"],
)
def test_long_chains_with_delays(pool, twin, groupings, kinds):
    rounds = 300 if twin is python_links else 2000
    rooms = [pool.allocate(8 * 40 * (rounds + 1)) for _ in range(4)]
    wrong = pool.run_scenario(range(4), "chain", rounds, rooms, groupings, kinds)
    assert wrong == [[]] * 4


def test_many_runs_follow_one_another(twin):
    pool = Threads(twin)

    def play(core, links):
        return [links.barrier(np.arange(2), 5), links.barrier(np.arange(2), 6)]

    # Up to where the number of the run comes round, in leaps of less than half the way.
    for runs in (0, 2**31 - 2, 2**32 - 4):
        pool.runs = runs
        for _ in range(6):
            assert pool.run([0, 1], play) == [[status.OK] * 2] * 2


# Overwriting


def test_a_record_is_not_filled_in_while_others_still_read_it(monkeypatch):
    # Core 2 is held up while it folds what all four published. Cores 0 and 1 go on by
    # themselves, and may get through one more sum, but not begin the one after that,
    # which takes the same staging.
    pool = Threads(python_links)
    released, passed = threading.Event(), threading.Event()
    fold = in_one_process.fold

    def slow_fold(contributions):
        if threading.current_thread() is held.get("thread"):
            assert released.wait(10)
        return fold(contributions)

    held = {}
    monkeypatch.setattr(python_links.allreduce, "fold", slow_fold)

    def play(core, links):
        if core == 2:
            held["thread"] = threading.current_thread()
        source, result = np.full(8, core + 1, np.uint8), np.zeros(8, np.uint8)
        outcomes = []
        for turn, members in enumerate([[0, 1, 2, 3], [0, 1], [0, 1]]):
            if turn == 1 and core >= 2:
                break
            if turn == 2 and core == 0:
                threading.Timer(0.1, lambda: (passed.set(), released.set())).start()
            status_ = links.flat(np.array(members), source, result, 4, turn)
            outcomes.append((status_, int(result[0])))
            if turn == 2:
                assert passed.is_set()
            source[:] = 100
        return outcomes

    assert pool.run(range(4), play) == [
        [(0, 10), (0, 200), (0, 200)],
        [(0, 10), (0, 200), (0, 200)],
        [(0, 10)],
        [(0, 10)],
    ]


# Failures


def come(pool, links, core, kind, members, **changes):
    """Come to a collective of 100 float32 whose sum nobody looks at."""
    start = pool.twin.control_bytes(pool.cores)
    rooms = [[start + 4096 * (3 * c + i) for c in range(CORES)] for i in range(3)]
    job = Job(kind, members, *rooms, 100, np.dtype(np.float32))
    job = job._replace(**changes)
    return links_core.take_part(pool.twin, links, pool.arena, core, job)


def timed(play):
    """Let a part tell how long it took as well."""

    def timed_play(core, links):
        start = time.monotonic()
        return play(core, links), time.monotonic() - start

    return timed_play


@pytest.mark.parametrize("kind", KINDS)
def test_who_waits_for_a_core_that_left_is_told_at_once(twin, kind):
    pool = Threads(twin)

    @timed
    def play(core, links):
        if core == 1:
            time.sleep(0.1)
            return links.position(core)
        # The ring hears of it where the core is missing: to its right.
        outcome = come(pool, links, core, kind, [0, 1, 2])
        if outcome == status.LEFT:
            links.poison(1)
            return outcome, links.late([0, 1, 2])
        return outcome, []

    (first, a), (gone, _), (last, b) = pool.run([0, 1, 2], play)
    assert gone == (1, 0)
    told = (status.LEFT, [1])
    assert last == told or kind != "ring"
    assert told in (first, last)
    assert {first[0], last[0]} <= {status.LEFT, status.POISONED}
    assert max(a, b) < 5


@pytest.mark.parametrize("kind", KINDS)
def test_a_core_that_leaves_after_its_last_collective_is_not_missed(twin, kind):
    pool = Threads(twin)

    def play(core, links):
        outcome = come(pool, links, core, kind, [0, 1])
        return outcome, come(pool, links, core, kind, [0, 1])

    for _ in range(100):
        assert pool.run([0, 1], play) == [(status.OK, status.OK)] * 2


CHANGES = {"fingerprint": 3, "dtype": np.dtype(np.int32), "count": 50}


@pytest.mark.parametrize("odd_one", range(4))
@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        *(
            (kind, {name: value})
            for kind in ("flat", "direct", "ring")
            for name, value in CHANGES.items()
        ),
        ("barrier", {"fingerprint": 3}),
        ("barrier", {"kind": "flat"}),
        ("flat", {"kind": "direct"}),
        ("direct", {"kind": "ring"}),
        ("ring", {"kind": "barrier"}),
    ],
)
def test_all_members_see_that_one_brought_something_else(twin, kind, changes, odd_one):
    pool = Threads(twin)

    @timed
    def play(core, links):
        brought = {"kind": kind, "members": [0, 1, 2, 3]}
        if core == odd_one:
            brought.update(changes)
        outcome = come(pool, links, core, **brought)
        return outcome, links.differing([0, 1, 2, 3])

    others = [core for core in range(4) if core != odd_one]
    for core, ((outcome, found), seconds) in enumerate(pool.run(range(4), play)):
        assert outcome == status.MISMATCH
        assert seconds < 5
        if "ring" in (kind, changes.get("kind")):
            # In a ring a core may see it before all have come.
            assert found
            assert odd_one in found or {0, core} & {odd_one}
        else:
            assert found == ([odd_one] if odd_one != 0 else others)


@pytest.mark.parametrize("kind", KINDS)
def test_members_in_different_phases_do_not_match(twin, kind):
    pool = Threads(twin)

    def play(core, links):
        if core == 1:
            come(pool, links, core, "barrier", [1])
            come(pool, links, core, "barrier", [1])
        return come(pool, links, core, kind, [0, 1])

    assert status.OK not in pool.run([0, 1], play, seconds=0.5)


@pytest.mark.parametrize("asleep", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_poison_ends_every_wait(twin, kind, asleep):
    pool = Threads(twin)
    poisoned_at = []

    def play(core, links):
        if core == 2:
            time.sleep(0.2 if asleep else 0.001)
            poisoned_at.append(time.monotonic())
            links.poison(5)
            return None
        outcome = come(pool, links, core, kind, [0, 1, 3])
        return outcome, links.poisoned(), time.monotonic()

    for outcome, code, at in (pool.run([0, 1, 2], play))[:2]:
        assert (outcome, code) == (status.POISONED, 5)
        assert at - poisoned_at[0] < 2


def test_the_first_poison_stays_until_the_host_heals(twin):
    pool = Threads(twin)
    host = pool.links(-1)
    assert host.poisoned() == 0
    host.poison(3)
    pool.links(0).poison(4)
    assert pool.links(1).poisoned() == 3
    assert pool.run([0], lambda c, k: come(pool, k, c, "barrier", [0])) == [
        status.POISONED
    ]
    host.heal()
    assert pool.links(1).poisoned() == 0
    assert pool.run([0], lambda c, k: come(pool, k, c, "barrier", [0])) == [status.OK]


@pytest.mark.parametrize("kind", KINDS)
def test_waiting_ends_at_the_deadline(twin, kind):
    pool = Threads(twin)

    @timed
    def play(core, links):
        outcome = come(pool, links, core, kind, [0, 1, 2])
        return outcome, links.late([0, 1, 2])

    outcomes = pool.run([0, 1], play, seconds=0.3)
    assert (status.DEADLINE, [2]) in [outcome for outcome, _ in outcomes]
    for (outcome, late), seconds in outcomes:
        # In a ring one gives up first, and the other may notice only that.
        assert outcome == status.DEADLINE or (kind, outcome) == ("ring", status.LEFT)
        assert late == [2]
        assert 0.25 < seconds < 3


def test_the_deadline_is_for_the_whole_run(twin):
    pool = Threads(twin)

    @timed
    def play(core, links):
        time.sleep(0.3)
        return come(pool, links, core, "barrier", [0, 1])

    [(outcome, seconds)] = pool.run([0], play, seconds=0.2)
    assert outcome == status.DEADLINE
    assert seconds < 2


def test_a_run_may_have_no_deadline(twin):
    pool = Threads(twin)
    outcomes = pool.run(
        [0, 1], lambda c, k: come(pool, k, c, "direct", [0, 1]), seconds=float("inf")
    )
    assert outcomes == [status.OK] * 2


@pytest.mark.parametrize("steps", [0, 3, 5])
def test_the_core_that_stopped_within_a_ring_is_the_late_one(twin, steps):
    # Core 2 goes through so many steps of the ring of four and no further.
    pool = Threads(twin)

    def play(core, links):
        if core != 2:
            return come(pool, links, core, "ring", [0, 1, 2, 3]), links.late(range(4))
        stopped = python_links.Links(pool.arena, 0, 2, CORES, 0)
        stopped.begin(1, 1.0)
        advance = stopped._advance

        def advance_or_stop():
            if stopped._flag - (1 << 32) == 1 + steps:
                raise InterruptedError
            advance()

        stopped._advance = advance_or_stop
        with pytest.raises(InterruptedError):
            come(pool, stopped, 2, "ring", [0, 1, 2, 3])
        time.sleep(1.8)
        return None

    outcomes = [outcome for outcome in pool.run(range(4), play, seconds=1.0) if outcome]
    assert (status.DEADLINE, [2]) in outcomes
    assert all(late == [2] for outcome, late in outcomes if outcome == status.DEADLINE)


def test_who_waits_for_a_stopped_process_can_be_released(twin, request):
    if not hasattr(os, "memfd_create"):
        pytest.skip("the processes of this test share a memfd")
    name = "python" if twin is python_links else "cython"
    pool = request.getfixturevalue(f"{name}_processes")
    pool.runs += 1
    pool.processes[1].send_signal(signal.SIGSTOP)
    try:
        each = Sum(pool, "direct", Vectors(pool, [0, 1], 10, np.dtype(np.float32)))
        pool.send(0, pool.runs, "all_jobs", [each.job])
        pool.send(1, pool.runs, "all_jobs", [])
        host = pool.twin.Links(pool.arena, 0, -1, CORES, 0)
        patience = time.monotonic() + 10
        while host.position(0) != (pool.runs, 1) and time.monotonic() < patience:
            time.sleep(0.001)
        assert host.position(0) == (pool.runs, 1)
        assert host.position(1)[0] < pool.runs
        host.poison(9)
        assert pool.receive(0) == [status.POISONED]
        host.heal()
    finally:
        pool.processes[1].send_signal(signal.SIGCONT)
    assert pool.receive(1) == []


def test_a_flag_tells_run_and_phase(twin):
    pool = Threads(twin)

    def play(core, links):
        before = links.position(0)
        links.barrier(np.array([0]), 1)
        return before, links.position(0), links.position(1)

    assert pool.run([0], play) == [((1, 0), (1, 2), (0, 0))]
    assert pool.links(-1).position(0) == (1, 0xFFFFFFFF)


# Arguments


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("members", [[], [1], [0, 8], [0, -1], [0, 0]])
def test_members_must_be_cores_and_this_core_one_of_them(twin, kind, members):
    pool = Threads(twin)
    outcomes = pool.run([0], lambda c, k: come(pool, k, c, kind, members))
    assert outcomes == [status.BAD_MEMBERS]


def test_vectors_must_lie_within_the_arena(twin):
    pool = Threads(twin)
    end = pool.arena.size
    alone = np.array([0])

    def play(core, links):
        return [
            links.direct(alone, offset, 0 if source else offset, count, 1, 1)
            if source
            else links.direct(alone, end - 400, offset, count, 1, 1)
            for source in (True, False)
            for offset, count in [(-4, 1), (end, 1), (end - 396, 100), (0, 1 << 62)]
        ] + [
            links.direct(alone, 0, 0, -1, 1, 1),
            links.ring(alone, end - 200, end - 200, end - 399, 100, 19, 1),
            links.ring(alone, end - 400, end - 400, end, 100, 1, 1),
        ]

    assert pool.run([0], play) == [
        [status.BAD_OFFSET] * 8 + [status.BAD_COUNT, status.BAD_OFFSET, status.OK]
    ]


@pytest.mark.parametrize("dtype", [0, 7, 10, 20, -1, 1000])
def test_only_numbers_can_be_added(twin, dtype):
    pool = Threads(twin)
    some = np.zeros(8, np.uint8)

    def play(core, links):
        return [
            links.flat(np.array([0]), some, some, dtype, 1),
            links.direct(np.array([0]), 0, 0, 1, dtype, 1),
            links.ring(np.array([0]), 0, 0, 0, 1, dtype, 1),
        ]

    assert pool.run([0], play) == [[status.BAD_DTYPE] * 3]


def test_flat_takes_small_whole_vectors_of_one_size(twin):
    pool = Threads(twin)
    limit = twin.FLAT_LIMIT

    def play(core, links):
        return [
            links.flat(
                np.array([0]), np.zeros(a, np.uint8), np.zeros(b, np.uint8), 1, 1
            )
            for a, b in [(limit, limit), (limit + 4, limit + 4), (6, 6), (8, 4)]
        ]

    assert pool.run([0], play) == [
        [status.OK, status.SOURCE_SIZE, status.SOURCE_SIZE, status.DESTINATION_SIZE]
    ]


def test_what_cannot_be_a_link_is_refused(twin):
    arena = np.frombuffer(mmap.mmap(-1, twin.control_bytes(2)), np.uint8)
    for control, core, cores, message in [
        (0, 2, 2, "from 0 to cores - 1"),
        (0, -2, 2, "from 0 to cores - 1"),
        (0, 0, 0, "from 0 to cores - 1"),
        (64, 0, 2, "does not have at 64"),
        (-64, 0, 1, "does not have at -64"),
        (8, 0, 1, "multiple of 64"),
    ]:
        with pytest.raises(ValueError, match=message):
            twin.Links(arena, control, core, cores, 0)
    host = twin.Links(arena, 0, -1, 2, 0)
    with pytest.raises(ValueError, match="the host takes no part"):
        host.begin(1, 1.0)
    with pytest.raises(ValueError, match="the host takes no part"):
        host.finish()
    with pytest.raises(ValueError, match="there are 2 cores, got core 2"):
        host.position(2)
    with pytest.raises(ValueError, match="there are 2 cores, got core -1"):
        host.differing([0, -1])
    with pytest.raises(TypeError, match="expected a numeric dtype"):
        twin.dtype_code(np.dtype(bool))


def test_the_twins_lay_memory_out_alike(compiled):
    compiled_links = importlib.import_module("tpuref.kernels.cython.links")
    assert compiled_links.control_bytes(5) == python_links.control_bytes(5)
    pool = Threads(compiled_links)
    compiled_end = pool.links

    def end(core, spins):
        if core == 1:
            return python_links.Links(pool.arena, 0, 1, CORES, spins)
        return compiled_end(core, spins)

    pool.links = end

    def play(core, links):
        return [
            come(pool, links, core, kind, [0, 1, 2], dtype=dtype)
            for kind in KINDS
            for dtype in DTYPES
        ]

    assert pool.run([0, 1, 2], play) == [[status.OK] * len(KINDS) * len(DTYPES)] * 3


def test_spinning_is_a_matter_of_pace(twin):
    pool = Threads(twin)
    each = Sum(pool, "direct", Vectors(pool, [0, 1], 1000, np.dtype(np.float32)))

    def play(core, links):
        return links_core.take_part(twin, links, pool.arena, core, each.job)

    assert pool.run([0, 1], play, spins=50) == [status.OK] * 2
    assert each.found() == each.expected
