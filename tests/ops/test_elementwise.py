"""Elementwise operations: edges, element types, and shapes that broadcast."""

import math

import numpy as np
import pytest

from tpuref.base.dtypes import as_dtype, bfloat16, int32
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.engine.ops.broadcasting import (
    broadcast_pair,
    broadcast_shape,
    normalize_axes,
    reduced_shape,
)
from tpuref.engine.ops.registry import REGISTRY

from .records import infer, known

INF, NAN = math.inf, math.nan


def run(name, *values, dtype=None, **attrs):
    arrays = [np.asarray(value, dtype) for value in values]
    return REGISTRY[name].kernel(*arrays, **attrs)


def check(*rows, dtype=None):
    """Compare rows of a name, inputs and the expected values."""
    for name, *inputs, expected in rows:
        assert run(name, *inputs, dtype=dtype).tolist() == expected, name


def test_bfloat16_is_rounded_to_nearest_even():
    total = run("AddV2", [1.0, 1.0078125], [0.00390625] * 2, dtype=bfloat16.np)
    assert total.dtype == bfloat16.np
    assert total.astype(float).tolist() == [1.0, 1.015625]


def test_integer_arithmetic_wraps_around():
    check(("AddV2", [127], [1], [-128]), dtype=np.int8)
    check(("Mul", [200], [2], [144]), dtype=np.uint8)


@pytest.mark.parametrize("name", ["FloorDiv", "FloorMod", "TruncateMod", "DivMod"])
def test_integer_division_by_zero_is_an_error(name):
    with pytest.raises(InvalidArgumentError, match=r"division by zero.*int32\[2\]"):
        run(name, [1, 2], [1, 0], dtype=np.int32)


def test_quotients_round_down_and_rests_follow_the_divisor():
    x, y = [7, -7, 7, -7], [3, 3, -3, -3]
    check(
        ("FloorDiv", x, y, [2, -3, -3, 2]),
        ("FloorMod", x, y, [1, 2, -2, -1]),
        ("TruncateMod", x, y, [1, -1, 1, -1]),
        ("Gcd", [12, 0], [18, 5], [6, 5]),
        ("Lcm", [4, 3], [6, 0], [12, 0]),
        dtype=np.int32,
    )
    quotient, rest = run("DivMod", x, y, dtype=np.int32)
    assert (quotient.tolist(), rest.tolist()) == ([2, -3, -3, 2], [1, 2, -2, -1])


QUOTIENTS = {"int8": "float32", "uint16": "float32", "int32": "float64"}
QUOTIENTS |= {"uint64": "float64", "bfloat16": "bfloat16"}


@pytest.mark.parametrize(("dtype", "expected"), QUOTIENTS.items())
def test_true_quotient_of_integers_is_floating_point(dtype, expected):
    quotient = run("RealDiv", [3], [2], dtype=as_dtype(dtype).np)
    assert quotient.dtype == as_dtype(expected).np
    assert float(quotient[0]) == 1.5


def test_powers_of_integers():
    assert run("Pow", [2, -3], [10, 3], dtype=np.int64).tolist() == [1024, -27]
    with pytest.raises(InvalidArgumentError, match=r"negative power.*cast"):
        run("Pow", [2], [-1], dtype=np.int32)
    assert run("FloatPower", [2], [-1], dtype=np.int32).tolist() == [0.5]


POWERS_OF_TENSORFLOW = {
    -1.0: [INF, -INF, 1.0, 0.4, -0.32258067, 1e12, 1e-12, 0.0, -0.0, NAN],
    -0.5: [INF, INF, 1.0, 0.63245553, NAN, 1e6, 1e-6, 0.0, 0.0, NAN],
    0.5: [0.0, 0.0, 1.0, 1.5811388, NAN, 1e-6, 1e6, INF, INF, NAN],
    1.0: [0.0, -0.0, 1.0, 2.5, -3.1, 1e-12, 1e12, INF, -INF, NAN],
    2.0: [0.0, 0.0, 1.0, 6.25, 9.61, 1e-24, 1e24, INF, INF, NAN],
    3.0: [0.0, -0.0, 1.0, 15.625, -29.790997, 1e-36, 1e36, INF, -INF, NAN],
}
"""As computed by TensorFlow 1.15.5 and 2.21."""


@pytest.mark.parametrize("exponent", POWERS_OF_TENSORFLOW)
def test_powers_with_one_known_exponent_are_those_of_tensorflow(exponent):
    x = np.float32([0, -0.0, 1, 2.5, -3.1, 1e-12, 1e12, INF, -INF, NAN])
    expected = np.float32(POWERS_OF_TENSORFLOW[exponent])
    power = REGISTRY["Pow"]
    given, out = np.full((), exponent, np.float32), np.empty_like(x)
    assert power.kernel(x, given, out=out) is out
    for result in (
        out,
        power.kernel(x, given),
        np.concatenate([power.kernel(each, given[None]) for each in np.split(x, 10)]),
    ):
        np.testing.assert_allclose(result, expected, rtol=3e-7)
        signs = [np.signbit(each[~np.isnan(expected)]) for each in (result, expected)]
        np.testing.assert_array_equal(*signs)


def test_extremes_keep_or_skip_nan():
    assert np.isnan(run("Maximum", [NAN, 1.0], [1.0, NAN])).all()
    check(
        ("Fmax", [NAN, 1.0], [1.0, NAN], [1, 1]),
        ("Fmin", [NAN, 1.0], [2.0, NAN], [2, 1]),
    )


def test_parts_of_a_number_make_it_again():
    x = np.asarray([6.25, -0.75, 0.0], bfloat16.np)
    fraction, whole = run("Modf", x)
    assert (fraction + whole).tolist() == x.tolist()
    assert whole.astype(float).tolist() == [6, 0, 0]
    mantissa, exponent = run("Frexp", x)
    assert exponent.tolist() == [3, 0, 0]
    assert run("Ldexp", mantissa, exponent).tolist() == x.tolist()
    powers = run("Ldexp", np.float64(1), np.asarray([2**40, -(2**40), 1023]))
    assert powers.tolist() == [INF, 0.0, 2.0**1023]


def test_neighbours():
    one = np.asarray(1, bfloat16.np)
    assert float(run("NextAfter", one, one + one)) == 1 + 2.0**-7
    assert float(run("Spacing", one)) == 2.0**-7


def test_digamma_is_the_slope_of_lgamma():
    for x in (0.01, 0.5, 1.0, 3.75, 40.0, 1e5, -0.5, -7.3):
        step = 1e-6 * max(1.0, abs(x))
        if x == 0.01:
            step = 1e-8
        slope = (math.lgamma(x + step) - math.lgamma(x - step)) / (2 * step)
        np.testing.assert_allclose(run("Digamma", x), slope, rtol=1e-6)
    assert run("Digamma", [0.0, -3.0]).tolist() == [INF] * 2


def test_long_sums_of_bfloat16_are_rounded_once():
    assert float(run("AddN", *[np.asarray([1.0], bfloat16.np)] * 300)[0]) == 300
    halves = [np.asarray([0.5], np.float16)] * 4098
    assert float(run("AddN", *halves)[0]) == 2048  # 2049 is a tie


def test_sum_of_many_wants_one_shape():
    with pytest.raises(ValueError, match=r"equal .*float32\[2\] and float32\[1\]"):
        infer("AddN", known([2]), known([1]))
    assert infer("AddN", known([None, 3]), known([2, None])).shape == [2, 3]
    with pytest.raises(InvalidArgumentError, match=r"float32\[2\], float32\[1\]"):
        run("AddN", np.ones(2, np.float32), np.ones(1, np.float32))


def test_shapes_broadcast_as_far_as_they_are_known():
    for left, right, expected in (
        ([2, None, 1], [3, None], [2, 3, None]),
        ([None], [5], [5]),
        ([None], [1], [None]),
    ):
        assert infer("AddV2", known(left), known(right)).shape == TensorShape(expected)
    assert infer("AddV2", known(None), known([5])).shape.rank is None
    assert broadcast_shape(known([2, 1]), known([3]), known([1, 1])) == [2, 3]
    assert broadcast_pair(unknown_shape(), TensorShape([2])) == unknown_shape()


def test_operands_that_do_not_fit_are_refused_with_both_shown():
    with pytest.raises(ValueError, match=r"float32\[2,3\] and float32\[4\] do not"):
        infer("AddV2", known([2, 3]), known([4]))
    with pytest.raises(InvalidArgumentError, match=r"float64\[2,3\], float64\[4\]"):
        run("AddV2", np.ones((2, 3)), np.ones(4))
    with pytest.raises(TypeError, match=r"float32\[\] and int32\[2\].*tf\.cast"):
        infer("Mul", known([]), known([2], int32))
    with pytest.raises(TypeError, match=r"int32, int64.*float32\[2\]"):
        infer("Ldexp", known([2]), known([2]))


def test_axes_are_counted_from_either_end():
    assert normalize_axes((2, -3), 3) == (0, 2)
    assert normalize_axes((), 3) == ()
    for axes, rank, message in (
        (3, 3, "axis 3 is out of range for rank 3"),
        ((1, -2), 3, "twice"),
        (0, 0, "any scalar"),
    ):
        with pytest.raises(ValueError, match=message):
            normalize_axes(axes, rank)


def test_reduced_shapes():
    assert reduced_shape(TensorShape([2, None, 4]), 1, False) == [2, 4]
    assert reduced_shape(unknown_shape(), None, False) == []
    assert reduced_shape(unknown_shape(), None, True).rank is None
    assert reduced_shape(unknown_shape(), (0,), False).rank is None
