"""What a sum is, against sums of single numbers."""

import functools
import operator

import ml_dtypes
import numpy as np
import pytest

from tpuref.kernels.fold import fold

from .link_sums import numbers
from .linked import BFLOAT16, DTYPES

CORES = [1, 2, 3, 4, 7, 8, 16]


def contributions(num_cores, length, dtype):
    rng = np.random.default_rng([num_cores, length])
    return [numbers(rng, length, dtype) for _ in range(num_cores)]


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


@pytest.mark.parametrize("num_cores", CORES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_contributions_are_added_in_replica_order(dtype, num_cores):
    for length in (0, 1, 1000):
        vectors = contributions(num_cores, length, dtype)
        expected = np.empty(length, dtype)
        for element in range(length):
            expected[element] = sum_of([each[element] for each in vectors], dtype)
        assert fold(vectors).tobytes() == expected.tobytes()


@pytest.mark.parametrize(("dtype", "step"), [("float16", 2048.0), (BFLOAT16, 256.0)])
def test_halves_round_once(dtype, step):
    # Rounded after each addition, step + 1 would stay at step.
    (result,) = fold([np.array([first], dtype) for first in (step, 1, 1)])
    assert float(result) == step + 2


@pytest.mark.parametrize("dtype", ["float16", BFLOAT16, "float32", "float64"], ids=str)
def test_overflow_and_infinities_pass_without_a_warning(dtype):
    largest = float(ml_dtypes.finfo(dtype).max)
    vectors = [np.array([largest, np.inf], dtype), np.array([largest, -np.inf], dtype)]
    result = fold(vectors)
    assert np.isinf(result[0].astype(np.float64))
    assert np.isnan(result[1].astype(np.float64))


@pytest.mark.parametrize("num_cores", [1, 3])
def test_contributions_are_left_as_they_were(num_cores):
    vectors = contributions(num_cores, 10, np.dtype(np.int32))
    before = [vector.copy() for vector in vectors]
    fold(vectors)[...] = 0
    assert [v.tolist() for v in vectors] == [v.tolist() for v in before]


def test_shapes_and_wide_types_are_kept():
    # Sums over towers on the host take these.
    first = np.asfortranarray(np.arange(6.0).reshape(2, 3) * 1j)
    total = fold([first, first, first])
    assert total.dtype == np.complex128 and total.flags.c_contiguous
    assert np.array_equal(total, 3 * first)
    assert fold([np.array(2**62), np.array(1)]).tolist() == 2**62 + 1


@pytest.mark.parametrize(
    ("arrays", "error", "message"),
    [
        ([], ValueError, "got no contribution"),
        ([np.zeros(2), np.zeros(3)], ValueError, r"core 1: float64\[3\]"),
        ([np.zeros(2), np.zeros((2, 1))], ValueError, r"core 1: float64\[2, 1\]"),
        ([np.zeros(2, "f4"), np.zeros(2, "i4")], ValueError, r"core 1: int32\[2\]"),
        ([np.zeros(2, bool)], TypeError, "numeric dtype to sum, got bool"),
        ([np.zeros(2, object)], TypeError, "numeric dtype to sum, got object"),
    ],
)
def test_contributions_that_do_not_belong_together(arrays, error, message):
    with pytest.raises(error, match=message):
        fold(arrays)
