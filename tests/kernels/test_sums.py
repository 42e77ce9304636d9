"""Sums along an axis and at rows: the same bits of both twins, and their accuracy."""

import numpy as np
import pytest

from tpuref.engine.ops.arithmetic import summed
from tpuref.kernels.python import sums as by_numpy

SHAPES = [
    *(
        (3, 1, 5),
        (2, 10, 1),
        (2, 64, 1),
        (3, 128, 1),
        (2, 64 * 32 + 7, 1),
        (1, 70001, 1),
    ),
    *((2, 31, 3), (1, 5000, 16), (2, 33, 64), (4, 256, 128), (1, 100, 1500)),
    *((2, 0, 3), (0, 4, 2)),
]


def random(shape, dtype=np.float32):
    return np.random.default_rng(len(shape) + sum(shape)).standard_normal(shape, dtype)


def along_middle(module, values):
    result = np.full(values.shape[::2], np.nan, values.dtype)
    module.along_middle(values, result)
    return result


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_along_the_middle(kernels, shape, dtype):
    values = random(shape, dtype)
    result = along_middle(kernels.sums, values)
    assert result.tobytes() == along_middle(by_numpy, values).tobytes()
    # NumPy's pairwise sum has an error of this order too.
    bound = 40 * np.finfo(dtype).eps * np.abs(values).sum(1, np.longdouble)
    assert (np.abs(result - values.sum(1, np.longdouble)) <= bound).all()


def test_long_sums_are_as_accurate_as_numpys(kernels):
    for shape in ((1, 10**6, 1), (1, 10**5, 16), (1, 10**4, 128)):
        values = np.random.default_rng(3).random(shape, np.float32)
        exact = values.sum(1, np.float64)
        error = np.abs(along_middle(kernels.sums, values) - exact).max()
        rows = np.ascontiguousarray(values.swapaxes(1, 2))
        assert error <= 4 * np.abs(rows.sum(2) - exact).max() + exact.max() * 1e-7


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_greatest_of_rows(kernels, dtype):
    for shape in ((3, 1), (700, 10), (5, 16), (2, 63), (4, 1000), (3, 0), (0, 4)):
        values = random(shape, dtype)
        for special in (0, -np.inf, np.inf, np.nan):
            result = np.full(len(values), 7, dtype)
            kernels.sums.greatest_of_rows(values, result)
            wanted = values.max(1, initial=-np.inf)
            np.testing.assert_array_equal(result, wanted)
            values[:1, shape[1] // 2 :][:, :1] = special


def test_signs_of_zero_and_values_that_are_not_finite(kernels):
    for count in (1, 9, 64, 200):
        zeros = np.full((1, count, 2), -0.0, np.float32)
        assert np.signbit(along_middle(kernels.sums, zeros)).all()
        zeros[0, count // 2] = np.inf, np.nan
        (total,) = along_middle(kernels.sums, zeros)
        assert total[0] == np.inf
        assert np.isnan(total[1])


@pytest.mark.parametrize("axes", [(1,), (0, 2), (0, 1, 2, 3), (1, 3), ()])
def test_a_stack_has_the_bits_of_its_arrays_in_every_layout(axes):
    stack = random((5, 6, 33, 4, 7))
    behind = tuple(axis + 1 for axis in axes)
    together = summed(np, stack, behind)
    for array, total in zip(stack, together, strict=True):
        turned = np.ascontiguousarray(array.T).T
        for layout in (array, turned, np.repeat(array, 2, 1)[:, ::2]):
            assert summed(np, layout, axes).tobytes() == total.tobytes()
    kept = summed(np, stack, behind, keepdims=True)
    assert kept.shape == np.sum(stack, behind, keepdims=True).shape


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [0, 1, 31, 32, 100])
def test_updates_are_added_to_rows_in_their_order(kernels, width, dtype):
    updates = random((50, width), dtype) * 10 ** random((50, 1), dtype)
    rows = np.random.default_rng(1).integers(0, 7, 50)
    total = random((8, width), dtype)
    expected = total.copy()
    for row, update in zip(rows, updates, strict=True):
        expected[row] += update
    kernels.sums.at_rows(total, rows, updates)
    assert total.tobytes() == expected.tobytes()
