"""The links between cores, in threads and in processes.

The twins promise the same of every call, so all tests run on both; only the pace of the
Python twin keeps it from the longest vectors and chains.
"""

import importlib
import importlib.util
import itertools
import mmap
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest

from tpuref.base.dtypes import datatype_enum
from tpuref.kernels import schedule, status
from tpuref.kernels.fold import SUMMABLE, fold
from tpuref.kernels.group import Group
from tpuref.kernels.python import flags as python_flags
from tpuref.kernels.python import links as python_links

SCRIPT = Path(__file__).with_name("links_core.py")
_SPEC = importlib.util.spec_from_file_location("links_core", SCRIPT)
links_core = importlib.util.module_from_spec(_SPEC)
sys.modules["links_core"] = links_core
_SPEC.loader.exec_module(links_core)
Job = links_core.Job

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
DTYPES = [dtype.np for dtype in SUMMABLE]
KINDS = ["flat", "direct", "ring"]
CORES = 8
LINE = 64
LATE = 99
"""What a run is poisoned with that takes too long."""


class Ends(NamedTuple):
    """What one core holds."""

    flags: object
    links: object


class Twin:
    """The flags and the links of one implementation."""

    def __init__(self, name):
        self.name = name
        flags, links = (
            importlib.import_module(f"tpuref.kernels.{name}.{module}")
            for module in ("flags", "links")
        )
        self.Flags, self.control_bytes = flags.Flags, flags.control_bytes
        self.Links = links.Links


@pytest.fixture(params=["python", "cython"])
def twin(request):
    if request.param == "cython":
        request.getfixturevalue("compiled")
    return Twin(request.param)


def group(members, dtype=1, fingerprint=1):
    return Group(np.array(members, np.int64), dtype, fingerprint)


class Threads:
    """Cores that are threads of this process."""

    def __init__(self, twin, arena_bytes=1 << 20, cores=CORES):
        self.twin, self.cores = twin, cores
        self.arena = np.frombuffer(mmap.mmap(-1, arena_bytes), np.uint8)
        self.heap = twin.control_bytes(cores)
        self.runs = 0

    def flags(self):
        return self.twin.Flags(self.arena, 0, self.cores)

    def links(self, core, flags, spins=0):
        return self.twin.Links(flags, core, spins)

    def run(self, cores, play, seconds=20.0, spins=0):
        """Let each of the cores play its part; give what they return, in order.

        Who still waits after so many seconds is poisoned.
        """
        self.runs += 1
        late = threading.Timer(seconds, lambda: self.flags().poison(LATE))

        def part(core):
            flags = self.flags()
            links = self.links(core, flags, spins)
            links.begin(self.runs)
            try:
                return play(core, Ends(flags, links))
            finally:
                links.finish()

        late.start()
        try:
            with ThreadPoolExecutor(max(len(cores), 1)) as threads:
                return list(threads.map(part, cores))
        finally:
            late.cancel()

    def run_scenario(self, cores, scenario, *arguments):
        play = getattr(links_core, scenario)
        return self.run(
            cores, lambda core, ends: play(ends.links, self.arena, core, *arguments)
        )

    def allocate(self, size):
        """Give the offset of some memory, on a cache line of its own."""
        offset = self.heap
        self.heap += -(-size // LINE) * LINE
        return offset


class Processes:
    """Cores that are processes; they live as long as the tests of one twin."""

    def __init__(self, name, arena_bytes=1 << 28, cores=CORES):
        self.twin = Twin(name)
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
def processes():
    """The processes of each twin, by its name."""
    started = {}

    def of(name):
        if name not in started:
            started[name] = Processes(name)
        started[name].heap = started[name].start
        return started[name]

    yield of
    for each in started.values():
        each.close()


@pytest.fixture(params=["threads", "processes"])
def pool(request, twin, processes):
    if request.param == "threads":
        return Threads(twin, 1 << 28)
    if not hasattr(os, "memfd_create"):
        pytest.skip("the processes of this test share a memfd")
    return processes(twin.name)


# Sums


def numbers(rng, count, dtype):
    """Numbers whose sums round and, for integers, wrap."""
    if dtype.kind in "iu":
        return rng.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)
    scale = 10.0 ** rng.integers(-2, 3, count)
    return (rng.standard_normal(count) * scale).astype(dtype)


def view(pool, offset, count, dtype):
    return pool.arena[offset : offset + count * dtype.itemsize].view(dtype)


def ringed(vectors):
    """The sum by a ring: chunk c is the fold that begins at core c."""
    total, size = np.empty_like(vectors[0]), len(vectors)
    for chunk in range(size):
        place = schedule.chunk_slice(total.size, size, chunk)
        total[place] = fold([v[place] for v in vectors[chunk:] + vectors[:chunk]])
    return total


class Vectors:
    """One vector for each member, in the arena, and their sums by one process."""

    def __init__(self, pool, members, count, dtype, odd=0, vectors=None):
        size = count * dtype.itemsize
        self.members, self.count, self.dtype, self.odd = members, count, dtype, odd
        self.offsets = [
            pool.allocate(LINE + size + odd) + LINE + odd for _ in range(CORES)
        ]
        if vectors is None:
            rng = np.random.default_rng([count, dtype.num % 100, len(members)])
            vectors = [numbers(rng, count, dtype) for _ in members]
        for member, vector in zip(members, vectors, strict=True):
            view(pool, self.offsets[member], count, dtype)[:] = vector
        self.folded = fold(vectors).tobytes()
        self.ringed = ringed(vectors).tobytes()


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
    longest = [] if twin.name == "python" and cores > 4 else [100003]
    lengths = sorted({0, 1, cores - 1, cores, cores + 1, 1000, *longest})
    members = list(range(cores))
    sums = [
        Sum(pool, kind, vectors)
        for dtype in DTYPES
        for count in lengths
        for vectors in [Vectors(pool, members, count, dtype)]
        for kind in KINDS
        if kind != "flat" or count * dtype.itemsize <= status.FLAT_LIMIT
    ]
    check_sums(pool, members, sums)


def test_sums_of_unaligned_vectors(pool):
    sums = [
        Sum(pool, kind, Vectors(pool, [0, 1, 2], count, dtype, odd))
        for dtype in DTYPES
        for count in (5, 1000, 30000)
        for odd in (1, dtype.itemsize)
        for kind in ("direct", "ring")
    ]
    check_sums(pool, [0, 1, 2], sums)


def brought(twin, kind, owners, vectors):
    """Give the statuses and sums where members 5, 0 and 3 bring the vectors.

    Except for `flat`, those of a member lie in the reverse of their order.
    """
    members, own = [5, 0, 3][: max(owners) + 1], Counter(owners)
    pool, count, dtype = Threads(twin, 1 << 24), vectors[0].size, vectors[0].dtype
    what = group(members, datatype_enum(dtype))._replace(parts=np.array(owners))
    size = count * dtype.itemsize
    rooms = [
        [pool.allocate(own[place] * room) for room in (size, size, 4 * count)]
        for place in range(len(members))
    ]

    def bring(core, ends):
        place = members.index(core)
        source, result, scratch = rooms[place]
        pairs = zip(vectors, owners, strict=True)
        sources = view(pool, source, own[place] * count, dtype)
        mine = [vector for vector, owner in pairs if owner == place]
        sources[:] = np.concatenate(mine if kind == "flat" else mine[::-1])
        total = view(pool, result, count, dtype)
        if kind == "flat":
            status = ends.links.flat(what, sources.view(np.uint8), total.view(np.uint8))
            return status, [total.tobytes()]
        table = links_core.write_table(
            pool.arena,
            pool.allocate(8 * own[place]),
            [source + size * rank for rank in reversed(range(own[place]))],
        )
        if kind == "direct":
            status = ends.links.direct(what, table, result, count)
            total = view(pool, ends.links.shared_result, count, dtype)
            return status, [total.tobytes()]
        status = ends.links.ring(what, table, result, scratch, count)
        totals = view(pool, result, own[place] * count, dtype)
        return status, [total.tobytes() for total in totals.reshape(-1, count)]

    return pool.run(members, bring)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "owners", [[0, 0, 1, 1, 1], [0, 1, 0, 1], [0, 1, 1, 2, 0, 2, 2], [0, 0, 0], [0]]
)
def test_it_does_not_matter_who_brings_a_vector(twin, kind, owners):
    for dtype, count in itertools.product(DTYPES, [1, 11, 300]):
        rng = np.random.default_rng([count, len(owners)])
        vectors = [numbers(rng, count, dtype) for _ in owners]
        expected = ringed(vectors) if kind == "ring" else fold(vectors)
        for outcome, totals in brought(twin, kind, owners, vectors):
            assert outcome == status.OK
            assert set(totals) == {expected.tobytes()}


@pytest.mark.parametrize("number", [16, 17, 18, 25, 41])
def test_many_vectors_are_added_from_left_to_right(twin, number):
    """More than the compiled kernels add side by side, longer than their blocks."""
    owners = [place % 2 for place in range(number)]
    for dtype, count in itertools.product(DTYPES, [7, 9001]):
        rng = np.random.default_rng([count, number])
        vectors = [numbers(rng, count, dtype) for _ in owners]
        for outcome, totals in brought(twin, "direct", owners, vectors):
            assert outcome == status.OK
            assert set(totals) == {fold(vectors).tobytes()}


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


def test_groups_sum_by_themselves_in_their_own_order(pool):
    sums = [
        Sum(pool, kind, Vectors(pool, group, 1000, np.dtype(np.float32)))
        for kind in KINDS
        for group in ([2, 0], [3, 1])
    ]
    check_sums(pool, list(range(4)), sums)


def check_sums(pool, cores, sums):
    """Take sums on the cores, and compare their bits with those of one process."""
    jobs = [each.job for each in sums]
    own = [[status.OK for job in jobs if core in job.members] for core in cores]
    assert pool.run_scenario(cores, "all_jobs", jobs) == own
    for each in sums:
        assert each.found() == each.expected, each.job


def check_vectors(pool, chosen):
    cores, (first, *_) = list(range(len(chosen))), chosen
    check_sums(
        pool,
        cores,
        [
            Sum(pool, kind, Vectors(pool, cores, first.size, first.dtype, 0, chosen))
            for kind in ("direct", "ring")
        ],
    )


@pytest.mark.parametrize("dtype", [np.dtype(np.float16), BFLOAT16], ids=str)
def test_all_half_values_have_equal_bits(twin, dtype):
    # Every value by itself, next to nothing, and with something that makes it round.
    values = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    finite = np.isfinite(values.astype(np.float32))
    partners = np.random.default_rng(1).permutation(values[finite])
    partners = np.resize(partners, values.size)
    pool = Threads(twin, 1 << 26)
    for vectors in (
        [values],
        [values, np.zeros_like(values)],
        [-np.zeros_like(values), values],
        [values, partners],
        [partners, values, partners[::-1].copy()],
    ):
        check_vectors(pool, vectors)


@pytest.mark.parametrize("dtype", DTYPES[:4], ids=str)
def test_ties_overflow_and_what_is_no_number_have_equal_bits(twin, dtype):
    info = ml_dtypes.finfo(dtype)
    largest, eps = float(info.max), float(info.eps)
    special = [0.0, -0.0, 1.0, 1 + eps, eps / 2, largest, largest * eps]
    special += [float(info.tiny), float(info.smallest_subnormal)]
    special = np.array([*special, np.inf, -np.inf, np.nan, -np.nan], dtype)
    # One operand at most is not a number: which of two survives is left open.
    first, second = (each.ravel() for each in np.meshgrid(special, special))
    both = np.isnan(first.astype(np.float64)) & np.isnan(second.astype(np.float64))
    first, second = first[~both], second[~both]
    pool = Threads(twin)
    for length in (first.size, 5):  # in whole vectors, and in what is left over
        check_vectors(pool, [first[-length:].copy(), second[-length:].copy()])


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

    def play(core, ends):
        links_core.take_part(ends.links, pool.arena, core, each.job)
        return ends.links.shared_result

    assert pool.run([0, 1, 2], play) == [each.results[2]] * 3


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


def test_many_runs_follow_one_another(twin):
    pool = Threads(twin)

    some = np.zeros(4, np.uint8)

    def play(core, ends):
        pair = [group([0, 1], fingerprint=number) for number in (5, 6)]
        return [ends.links.flat(each, some, some.copy()) for each in pair]

    # Up to where the number of the run comes round, in leaps of less than half the way.
    for runs in (0, 2**31 - 2, 2**32 - 4):
        pool.runs = runs
        for _ in range(6):
            assert pool.run([0, 1], play) == [[status.OK] * 2] * 2


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
def test_who_waits_for_a_core_that_left_is_told_at_once(twin, kind):
    pool = Threads(twin)

    @timed
    def play(core, ends):
        if core == 1:
            time.sleep(0.1)
            return ends.flags.position(core)
        # The ring hears of it where the core is missing: to its right.
        outcome = come(pool, ends, core, kind, [0, 1, 2])
        if outcome == status.LEFT:
            ends.flags.poison(1)
        return outcome

    (first, a), (gone, _), (last, b) = pool.run([0, 1, 2], play)
    assert gone == (1, 0)
    assert last == status.LEFT or kind != "ring"
    assert status.LEFT in (first, last)
    assert {first, last} <= {status.LEFT, status.POISONED}
    assert max(a, b) < 5


@pytest.mark.parametrize("kind", KINDS)
def test_a_core_that_leaves_after_its_last_collective_is_not_missed(twin, kind):
    pool = Threads(twin)

    def play(core, ends):
        outcome = come(pool, ends, core, kind, [0, 1])
        return outcome, come(pool, ends, core, kind, [0, 1])

    for _ in range(100):
        assert pool.run([0, 1], play) == [(status.OK, status.OK)] * 2


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
def test_all_members_see_that_one_brought_something_else(twin, kind, changes, odd_one):
    pool = Threads(twin)

    @timed
    def play(core, ends):
        brought = {"kind": kind, "members": [0, 1, 2, 3]}
        if core == odd_one:
            brought.update(changes)
        return come(pool, ends, core, **brought)

    for outcome, seconds in pool.run(range(4), play):
        assert outcome == status.MISMATCH
        assert seconds < 5


@pytest.mark.parametrize("kind", KINDS)
def test_members_in_different_phases_do_not_match(twin, kind):
    pool = Threads(twin)

    def play(core, ends):
        if core == 1:
            come(pool, ends, core, "flat", [1])
            come(pool, ends, core, "flat", [1])
        return come(pool, ends, core, kind, [0, 1])

    assert status.OK not in pool.run([0, 1], play, seconds=0.5)


@pytest.mark.parametrize("asleep", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_poison_ends_every_wait(twin, kind, asleep):
    pool = Threads(twin)
    poisoned_at = []

    def play(core, ends):
        if core == 2:
            time.sleep(0.2 if asleep else 0.001)
            poisoned_at.append(time.monotonic())
            ends.flags.poison(5)
            return None
        outcome = come(pool, ends, core, kind, [0, 1, 3])
        return outcome, ends.flags.poisoned(), time.monotonic()

    for outcome, code, at in (pool.run([0, 1, 2], play))[:2]:
        assert (outcome, code) == (status.POISONED, 5)
        assert at - poisoned_at[0] < 2


def test_the_first_poison_stays_until_the_host_heals(twin):
    pool = Threads(twin)

    def sums():
        return pool.run([0], lambda c, ends: come(pool, ends, c, "flat", [0]))

    host = pool.flags()
    assert host.poisoned() == 0
    host.poison(3)
    pool.flags().poison(4)
    assert pool.flags().poisoned() == 3
    assert sums() == [status.POISONED]
    host.heal()
    assert pool.flags().poisoned() == 0
    assert sums() == [status.OK]


def test_who_waits_for_a_stopped_process_can_be_released(twin, processes):
    if not hasattr(os, "memfd_create"):
        pytest.skip("the processes of this test share a memfd")
    pool = processes(twin.name)
    pool.runs += 1
    pool.processes[1].send_signal(signal.SIGSTOP)
    try:
        each = Sum(pool, "direct", Vectors(pool, [0, 1], 10, np.dtype(np.float32)))
        pool.send(0, pool.runs, "all_jobs", [each.job])
        pool.send(1, pool.runs, "all_jobs", [])
        host = pool.twin.Flags(pool.arena, 0, CORES)
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

    def play(core, ends):
        before = ends.flags.position(0)
        come(pool, ends, core, "flat", [0])
        return before, ends.flags.position(0), ends.flags.position(1)

    assert pool.run([0], play) == [((1, 0), (1, 2), (0, 0))]
    assert pool.flags().position(0) == (1, 0xFFFFFFFF)


# Arguments


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("members", [[], [1], [0, 8], [0, -1], [0, 0]])
def test_members_must_be_cores_and_this_core_one_of_them(twin, kind, members):
    pool = Threads(twin)
    outcomes = pool.run([0], lambda c, k: come(pool, k, c, kind, members))
    assert outcomes == [status.BAD_MEMBERS]


def test_vectors_must_lie_within_the_arena(twin):
    pool = Threads(twin)
    end, alone = pool.arena.size, group([0])
    outside = [(-4, 1), (end, 1), (end - 396, 100), (0, 1 << 62)]
    place = pool.allocate(16)

    def table(*offsets):
        return links_core.write_table(pool.arena, place, offsets)

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
    assert pool.run([0], play) == [expected]


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


def test_flat_takes_small_whole_vectors_of_one_size(twin):
    pool = Threads(twin)
    limit = status.FLAT_LIMIT

    def play(core, ends):
        return [
            ends.links.flat(group([0]), np.zeros(a, np.uint8), np.zeros(b, np.uint8))
            for a, b in [(limit, limit), (limit + 4, limit + 4), (6, 6), (8, 4)]
        ]

    assert pool.run([0], play) == [
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


def test_spinning_is_a_matter_of_pace(twin):
    pool = Threads(twin)
    each = Sum(pool, "direct", Vectors(pool, [0, 1], 1000, np.dtype(np.float32)))

    def play(core, ends):
        return links_core.take_part(ends.links, pool.arena, core, each.job)

    assert pool.run([0, 1], play, spins=50) == [status.OK] * 2
    assert each.found() == each.expected
