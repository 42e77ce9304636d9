"""The three all-reduce algorithms against sums of single numbers."""

from __future__ import annotations

import functools
import operator

import ml_dtypes
import numpy as np
import pytest

from tpuref.kernels import allreduce, schedule

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
DTYPES = [
    *("float16", BFLOAT16, "float32", "float64"),
    *("int32", "uint32", "int64"),
]
CORES = [1, 2, 3, 4, 7, 8, 16]


def contributions(num_cores, length, dtype, seed=0):
    """Numbers whose sums round and, for integers, wrap."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng([seed, num_cores, length])
    if dtype.kind in "iu":
        bits = rng.integers(0, 256, (num_cores, length, dtype.itemsize), np.uint8)
        return list(bits.view(dtype).reshape(num_cores, length))
    values = rng.standard_normal((num_cores, length)) * 10.0 ** rng.integers(
        -2, 3, (num_cores, length)
    )
    return list(values.astype(dtype))


def lengths(num_cores):
    return sorted({0, 1, num_cores - 1, num_cores, num_cores + 1, 1000})


def sum_of(numbers, dtype):
    """Add the numbers of one element up, one after the other."""
    if dtype.kind in "iu":
        modulus = 1 << (8 * dtype.itemsize)
        total = sum(int(number) for number in numbers) % modulus
        wraps = dtype.kind == "i" and total >= modulus // 2
        return np.array(total - modulus if wraps else total, dtype)
    wide = np.float64 if dtype == np.float64 else np.float32
    total = functools.reduce(operator.add, [wide(number) for number in numbers])
    return np.array(total).astype(dtype)


def folded(vectors, order):
    dtype = vectors[0].dtype
    result = np.empty(vectors[0].size, dtype)
    for element in range(result.size):
        result[element] = sum_of([vectors[core][element] for core in order], dtype)
    return result


@pytest.mark.parametrize("num_cores", CORES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_direct_and_flat_fold_in_replica_order(dtype, num_cores):
    for length in lengths(num_cores):
        vectors = contributions(num_cores, length, dtype)
        expected = folded(vectors, range(num_cores)).tobytes()
        assert allreduce.fold(vectors).tobytes() == expected
        assert allreduce.direct(vectors).tobytes() == expected
        results = allreduce.flat(vectors)
        assert [result.tobytes() for result in results] == [expected] * num_cores


@pytest.mark.parametrize("num_cores", CORES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_ring_folds_each_chunk_from_where_it_set_out(dtype, num_cores):
    for length in lengths(num_cores):
        vectors = contributions(num_cores, length, dtype)
        expected = np.empty_like(vectors[0])
        for chunk in range(num_cores):
            place = schedule.chunk_slice(length, num_cores, chunk)
            order = schedule.ring_fold_order(num_cores, chunk)
            expected[place] = folded([vector[place] for vector in vectors], order)
        results = allreduce.ring(vectors)
        assert [result.tobytes() for result in results] == (
            [expected.tobytes()] * num_cores
        )
        assert all(result.dtype == np.dtype(dtype) for result in results)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_bits_of_direct_and_flat_do_not_depend_on_chunks(dtype):
    vectors = contributions(7, 1000, dtype)
    whole = allreduce.direct(vectors)
    for place in (slice(0, 1), slice(3, 500), slice(499, 1000)):
        part = [vector[place] for vector in vectors]
        assert allreduce.direct(part).tobytes() == whole[place].tobytes()
        assert allreduce.flat(part)[0].tobytes() == whole[place].tobytes()


@pytest.mark.parametrize("algorithm", ["ring", "direct", "flat"])
@pytest.mark.parametrize(("dtype", "step"), [("float16", 2048.0), (BFLOAT16, 256.0)])
def test_halves_round_once(algorithm, dtype, step):
    # Rounded after each addition, step + 1 would stay at step.
    vectors = [np.array([first], dtype) for first in (step, 1, 1)]
    result = np.reshape(getattr(allreduce, algorithm)(vectors), -1)[0]
    assert float(result) == step + 2


@pytest.mark.parametrize("algorithm", ["ring", "direct", "flat"])
@pytest.mark.parametrize("dtype", ["float16", BFLOAT16, "float32", "float64"], ids=str)
def test_overflow_and_infinities_pass_without_a_warning(algorithm, dtype):
    largest = float(ml_dtypes.finfo(dtype).max)
    vectors = [np.array([largest, np.inf], dtype), np.array([largest, -np.inf], dtype)]
    result = np.reshape(getattr(allreduce, algorithm)(vectors), (-1, 2))[0]
    assert np.isinf(result[0].astype(np.float64))
    assert np.isnan(result[1].astype(np.float64))


@pytest.mark.parametrize("algorithm", ["ring", "direct", "flat"])
def test_contributions_are_left_as_they_were(algorithm):
    for num_cores in (1, 3):
        vectors = contributions(num_cores, 10, "int32")
        before = [vector.copy() for vector in vectors]
        results = getattr(allreduce, algorithm)(vectors)
        for result in [results] if algorithm == "direct" else results:
            result[...] = 0
        assert [v.tolist() for v in vectors] == [v.tolist() for v in before]


@pytest.mark.parametrize("algorithm", ["ring", "direct", "flat", "fold"])
@pytest.mark.parametrize(
    ("vectors", "error", "message"),
    [
        ([], ValueError, "got no contribution"),
        ([np.zeros(2), np.zeros(3)], ValueError, r"core 1: float64\[3\]"),
        ([np.zeros(2, "f4"), np.zeros(2, "i4")], ValueError, r"core 1: int32\[2\]"),
        ([np.zeros((2, 2))], ValueError, r"flat vector .* core 0: float64\[2, 2\]"),
        ([np.zeros(2, bool)], TypeError, "numeric dtype to sum, got bool"),
        ([np.zeros(2, object)], TypeError, "numeric dtype to sum, got object"),
    ],
)
def test_contributions_that_do_not_belong_together(algorithm, vectors, error, message):
    with pytest.raises(error, match=message):
        getattr(allreduce, algorithm)(vectors)
