"""Reductions: precision, empty axes, and axes that do not exist."""

import math

import numpy as np
import pytest

from tpuref.base.dtypes import as_dtype, bfloat16
from tpuref.base.errors import InvalidArgumentError

from .records import infer, known, run

INF = math.inf
ALL = {"axis": None, "keepdims": False}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_short_floats_are_summed_in_float32(dtype):
    ones = np.ones(4096, as_dtype(dtype).np)
    assert float(run("Sum", ones, **ALL)) == 4096
    assert float(run("Mean", ones, **ALL)) == 1
    assert float(run("Variance", ones, **ALL, ddof=0)) == 0
    totals = run("Cumsum", ones, axis=0, exclusive=False, reverse=False)
    assert float(totals[-1]) == 4096


def test_long_float32_sums_are_added_pairwise():
    assert abs(float(run("Sum", np.full(10**6, 0.1, np.float32), **ALL)) - 100000) < 0.5


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((8, 30, 32, 16), (0, 1, 2)),
        ((9, 7, 64, 3), (1, 2)),
        ((3, 4099, 8), (1,)),
        ((5, 64, 64, 2), (1, 3)),
    ],
)
def test_sums_over_narrow_rows(shape, axes):
    x = np.random.default_rng(4).random(shape, np.float32)
    for keepdims in (False, True):
        given = run("Sum", x, axis=axes, keepdims=keepdims)
        expected = x.sum(axes, np.float64, keepdims=keepdims)
        assert given.shape == expected.shape
        np.testing.assert_allclose(given, expected, rtol=1e-5)
    if 0 not in axes:  # one call for all cores must give the bits of a call for each
        own = [run("Sum", row, axis=[a - 1 for a in axes], keepdims=False) for row in x]
        np.testing.assert_array_equal(run("Sum", x, axis=axes, keepdims=False), own)


def test_sums_of_integers_wrap_around_and_means_lose_their_fraction():
    assert run("Sum", np.asarray([100, 100], np.int8), **ALL) == -56
    x = np.asarray([[1, 2], [-1, -2], [255, 0]])
    assert run("Mean", x, axis=1, keepdims=False).tolist() == [1, -1, 127]
    assert run("Mean", np.asarray([200, 200], np.uint8), **ALL) == 200


def test_folds_of_nothing():
    empty = np.zeros((0, 2), np.float32)
    attrs = {"axis": 0, "keepdims": False}
    assert run("Sum", empty, **attrs).tolist() == [0, 0]
    assert run("Prod", empty, **attrs).tolist() == [1, 1]
    assert run("Max", empty, **attrs).tolist() == [-INF, -INF]
    assert run("Min", empty, **attrs).tolist() == [INF, INF]
    assert np.isnan(run("Mean", empty, **attrs)).all()
    assert np.isnan(run("Variance", empty, **attrs, ddof=0)).all()
    assert run("LogSumExp", empty, **attrs).tolist() == [-INF, -INF]
    assert run("Any", empty > 0, **attrs).tolist() == [False, False]
    assert run("All", empty > 0, **attrs).tolist() == [True, True]
    assert run("Max", np.zeros(0, np.int16), **ALL) == -(2**15)
    assert run("Mean", np.zeros((0, 2), np.int32), axis=1, keepdims=False).size == 0
    assert run("Mean", np.zeros(0, np.int32), **ALL) == 0


def test_log_sum_exp_neither_overflows_nor_makes_nan():
    assert run("LogSumExp", [1000.0, 1000.0], **ALL) == 1000 + math.log(2)
    assert run("LogSumExp", [-INF, -INF], **ALL) == -INF
    assert run("LogSumExp", [INF, 1.0], **ALL) == INF


def test_counts():
    x = np.asarray([[0.0, -0.0, 2.0], [math.nan, 1.0, 0.0]], bfloat16.np)
    found = run("CountNonzero", x, axis=1, keepdims=False, dtype="int32")
    assert found.tolist() == [1, 2]
    with pytest.raises(TypeError, match="float32"):
        infer("CountNonzero", known([2]), **ALL, dtype="float32")


def test_positions_of_extremes():
    x = np.asarray([[1, 9, 9], [0, 8, 0]])
    attrs = {"keepdims": False, "output_type": "int64"}
    assert run("ArgMax", x, axis=1, **attrs).tolist() == [1, 1]
    assert run("ArgMin", x, axis=0, **attrs).tolist() == [1, 1, 1]
    assert run("ArgMax", x, axis=None, **attrs) == 1
    assert run("ArgMax", x.astype(bfloat16.np), axis=-1, **attrs).tolist() == [1, 1]
    assert run("ArgMax", [False, True], axis=0, **attrs) == 1
    with pytest.raises(InvalidArgumentError, match="empty"):
        run("ArgMax", np.zeros((0, 2)), axis=0, **attrs)
    with pytest.raises(TypeError, match="uint8"):
        infer("ArgMax", known([2]), axis=0, keepdims=False, output_type="uint8")


def test_running_folds_of_the_flattened_tensor_and_of_nothing():
    attrs = {"exclusive": False, "reverse": False}
    assert run("Cumsum", [[1, 2], [3, 4]], axis=None, **attrs).tolist() == [1, 3, 6, 10]
    empty = run("Cumsum", np.zeros((2, 0)), axis=1, exclusive=True, reverse=True)
    assert empty.shape == (2, 0)


def test_axes_that_do_not_exist():
    with pytest.raises(ValueError, match="axis 2 is out of range for rank 2"):
        infer("Sum", known([2, 3]), axis=(2,), keepdims=False)
    with pytest.raises(InvalidArgumentError, match=r"axis 2 .*float64\[2,3\]"):
        run("Sum", np.ones((2, 3)), axis=(2,), keepdims=False)
    with pytest.raises(ValueError, match="twice"):
        infer("Max", known([2, 3]), axis=(1, -1), keepdims=False)
    with pytest.raises(ValueError, match="scalar"):
        infer("Cumsum", known([]), axis=0, exclusive=False, reverse=False)
    with pytest.raises(InvalidArgumentError, match="axis 1"):
        run("Cumprod", np.ones(3), axis=1, exclusive=False, reverse=False)
