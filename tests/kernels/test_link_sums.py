"""Sums over links have the bits of one process.

The twins promise the same of every call, so all tests run on both; only the pace of the
Python twin keeps it from the longest vectors and chains.
"""

import itertools
from collections import Counter

import ml_dtypes
import numpy as np
import pytest

from tpuref.base.dtypes import datatype_enum
from tpuref.kernels import status
from tpuref.kernels.fold import fold

from .link_sums import Sum, Vectors, check_sums, numbers, ringed, view
from .linked import BFLOAT16, DTYPES, KINDS, Threads, group, links_core


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


def test_groups_sum_by_themselves_in_their_own_order(pool):
    sums = [
        Sum(pool, kind, Vectors(pool, group, 1000, np.dtype(np.float32)))
        for kind in KINDS
        for group in ([2, 0], [3, 1])
    ]
    check_sums(pool, list(range(4)), sums)


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
def test_ties_overflow_and_what_is_no_number_have_equal_bits(threads, dtype):
    info = ml_dtypes.finfo(dtype)
    largest, eps = float(info.max), float(info.eps)
    special = [0.0, -0.0, 1.0, 1 + eps, eps / 2, largest, largest * eps]
    special += [float(info.tiny), float(info.smallest_subnormal)]
    special = np.array([*special, np.inf, -np.inf, np.nan, -np.nan], dtype)
    # One operand at most is not a number: which of two survives is left open.
    first, second = (each.ravel() for each in np.meshgrid(special, special))
    both = np.isnan(first.astype(np.float64)) & np.isnan(second.astype(np.float64))
    first, second = first[~both], second[~both]
    for length in (first.size, 5):  # in whole vectors, and in what is left over
        check_vectors(threads, [first[-length:].copy(), second[-length:].copy()])


@pytest.mark.parametrize("kind", ["direct", "ring"])
def test_the_result_may_be_the_source(threads, kind):
    for dtype in (np.dtype(np.float32), BFLOAT16):
        each = Sum(threads, kind, Vectors(threads, [0, 1, 2, 3], 1000, dtype))
        job = each.job._replace(results=each.job.sources)
        assert threads.run_scenario(range(4), "all_jobs", [job]) == [[status.OK]] * 4
        each.results = each.job.sources
        assert each.found() == each.expected
