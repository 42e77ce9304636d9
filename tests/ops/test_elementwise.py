"""Elementwise operations: values against NumPy in double precision, and the edges."""

import math

import ml_dtypes
import numpy as np
import pytest

from tpuref.base.dtypes import as_dtype, bfloat16, int32
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.engine.ops.broadcasting import (
    FLOATING,
    INEXACT,
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


INSIDE = (0.25, 0.5, 0.75)
ABOVE = (1.25, 2.0, 3.5)

UNARY = (
    ("Neg", np.negative, INSIDE, INEXACT),
    ("Positive", np.positive, INSIDE, INEXACT),
    ("Square", np.square, ABOVE, INEXACT),
    ("Reciprocal", lambda x: 1 / x, ABOVE, INEXACT),
    ("Sqrt", lambda x: x**0.5, ABOVE, INEXACT),
    ("Rsqrt", lambda x: x**-0.5, ABOVE, INEXACT),
    ("Cbrt", lambda x: x ** (1 / 3), ABOVE, FLOATING),
    ("Exp", lambda x: np.e**x, INSIDE, INEXACT),
    ("Exp2", lambda x: 2**x, INSIDE, INEXACT),
    ("Expm1", lambda x: np.e**x - 1, INSIDE, INEXACT),
    ("Log", np.emath.log, INSIDE, INEXACT),
    ("Log2", np.emath.log2, ABOVE, INEXACT),
    ("Log10", np.emath.log10, ABOVE, INEXACT),
    ("Log1p", lambda x: np.log(1 + x), INSIDE, INEXACT),
    ("Sin", lambda x: np.imag(np.exp(1j * x)), INSIDE, FLOATING),
    ("Cos", lambda x: np.real(np.exp(1j * x)), INSIDE, FLOATING),
    ("Tan", lambda x: np.sin(x) / np.cos(x), INSIDE, INEXACT),
    ("Asin", np.arcsin, INSIDE, INEXACT),
    ("Acos", lambda x: np.pi / 2 - np.arcsin(x), INSIDE, INEXACT),
    ("Atan", np.arctan, INSIDE, INEXACT),
    ("Sinh", lambda x: (np.exp(x) - np.exp(-x)) / 2, INSIDE, INEXACT),
    ("Cosh", lambda x: (np.exp(x) + np.exp(-x)) / 2, INSIDE, INEXACT),
    ("Tanh", lambda x: np.sinh(x) / np.cosh(x), INSIDE, INEXACT),
    ("Asinh", lambda x: np.log(x + np.sqrt(x * x + 1)), INSIDE, INEXACT),
    ("Acosh", lambda x: np.log(x + np.sqrt(x * x - 1)), ABOVE, INEXACT),
    ("Atanh", lambda x: np.log((1 + x) / (1 - x)) / 2, INSIDE, INEXACT),
    ("Degrees", lambda x: x / np.pi * 180, INSIDE, FLOATING),
    ("Radians", lambda x: x * np.pi / 180, ABOVE, FLOATING),
    ("Erf", np.vectorize(math.erf), INSIDE, FLOATING),
    ("Erfc", lambda x: 1 - np.vectorize(math.erf)(x), INSIDE, FLOATING),
    ("Lgamma", lambda x: np.log(np.vectorize(math.gamma)(x)), ABOVE, FLOATING),
)

BINARY = (
    ("AddV2", lambda x, y: x + y, INEXACT),
    ("Sub", lambda x, y: x - y, INEXACT),
    ("Mul", lambda x, y: x * y, INEXACT),
    ("RealDiv", lambda x, y: x / y, INEXACT),
    ("FloorDiv", lambda x, y: np.floor(x / y), FLOATING),
    ("FloorMod", lambda x, y: x - y * np.floor(x / y), FLOATING),
    ("TruncateMod", lambda x, y: x - y * np.trunc(x / y), FLOATING),
    ("Pow", lambda x, y: np.exp(y * np.log(x)), INEXACT),
    ("SquaredDifference", lambda x, y: abs(x - y) ** 2, INEXACT),
    ("Maximum", lambda x, y: np.where(x > y, x, y), FLOATING),
    ("Minimum", lambda x, y: np.where(x < y, x, y), FLOATING),
    ("Hypot", lambda x, y: np.sqrt(x * x + y * y), FLOATING),
    ("Atan2", lambda x, y: np.angle(y + 1j * x), FLOATING),
    ("LogAddExp", lambda x, y: np.log(np.exp(x) + np.exp(y)), FLOATING),
    ("LogAddExp2", lambda x, y: np.log2(2**x + 2**y), FLOATING),
)


def close(result, expected):
    """A few roundings in the dtype of the result, no more."""
    step = float(ml_dtypes.finfo(result.real.dtype).eps)
    np.testing.assert_allclose(
        result.astype(np.complex128), expected, rtol=4 * step, atol=2 * step
    )


@pytest.mark.parametrize("case", UNARY, ids=lambda case: case[0])
def test_unary_values(case):
    name, reference, points, kind = case
    for dtype in kind.dtypes:
        x = np.asarray(points, dtype.np)
        wide = x.astype(np.complex128 if dtype.is_complex else np.float64)
        close(run(name, x), reference(wide))


@pytest.mark.parametrize("case", BINARY, ids=lambda case: case[0])
def test_binary_values(case):
    name, reference, kind = case
    for dtype in kind.dtypes:
        x = np.asarray([[0.75], [3.5], [8.0]], dtype.np)
        y = np.asarray([1.25, 0.5], dtype.np)
        wide = np.complex128 if dtype.is_complex else np.float64
        close(run(name, x, y), reference(x.astype(wide), y.astype(wide)))


def test_complex_trigonometry_follows_the_exponential():
    z = np.asarray([0.5 + 0.25j, -1.0 + 2.0j])
    close(run("Sin", z), (np.exp(1j * z) - np.exp(-1j * z)) / 2j)
    close(run("Cos", z), (np.exp(1j * z) + np.exp(-1j * z)) / 2)


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


def test_floating_point_division_by_zero_is_ieee():
    check(
        ("RealDiv", [1.0, -1.0], [0.0, 0.0], [INF, -INF]),
        ("DivNoNan", [1.0, 0.0, 6.0], [0.0, 0.0, 4.0], [0, 0, 1.5]),
    )
    assert np.isnan(run("FloorMod", [1.0], [0.0])).all()


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


def test_rounding_functions():
    x = [-1.5, -0.5, 0.5, 1.5, 2.5]
    check(
        ("Round", x, [-2, 0, 0, 2, 2]),
        ("Rint", x, [-2, 0, 0, 2, 2]),
        ("Floor", x, [-2, -1, 0, 1, 2]),
        ("Ceil", x, [-1, 0, 1, 2, 3]),
        ("Trunc", x, [-1, 0, 0, 1, 2]),
    )
    large = 2**53 + 1
    assert int(run("Round", large, dtype=np.int64)) == large


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


def test_signs():
    check(
        ("Sign", [-2.5, 0.0, 4.0], [-1, 0, 1]),
        ("Sign", [-4j, 0], [-1j, 0]),
        ("Signbit", [-0.0, 0.0], [True, False]),
        ("Copysign", [1.0, 2.0], [-0.0, 3.0], [-1, 2]),
        ("Abs", [3 + 4j], [5]),
        ("Heaviside", [-1.0, 0.0, 1.0], 0.5, [0, 0.5, 1]),
    )


def test_neighbours():
    one = np.asarray(1, bfloat16.np)
    assert float(run("NextAfter", one, one + one)) == 1 + 2.0**-7
    assert float(run("Spacing", one)) == 2.0**-7


def test_faraway_arguments_give_limits():
    assert run("Log", [0.0, INF]).tolist() == [-INF, INF]
    assert np.isnan(run("Log", -1.0))
    assert np.isnan(run("Sqrt", -1.0))
    assert run("Exp", 1000.0, dtype=np.float32) == INF
    assert run("Erf", [-INF, INF]).tolist() == [-1, 1]
    assert run("Lgamma", [0.0, -3.0, INF, 1e308]).tolist() == [INF] * 4
    assert np.isnan(run("Lgamma", NAN))


def test_digamma_is_the_slope_of_lgamma():
    for x in (0.01, 0.5, 1.0, 3.75, 40.0, 1e5, -0.5, -7.3):
        step = 1e-6 * max(1.0, abs(x))
        if x == 0.01:
            step = 1e-8
        slope = (math.lgamma(x + step) - math.lgamma(x - step)) / (2 * step)
        np.testing.assert_allclose(run("Digamma", x), slope, rtol=1e-6)
    assert run("Digamma", [0.0, -3.0]).tolist() == [INF] * 2


def test_complex_parts():
    z = run("Complex", [1.0, 2.0], [[3.0], [4.0]], dtype=np.float32)
    assert z.dtype == np.complex64
    assert z.tolist() == [[1 + 3j, 2 + 3j], [1 + 4j, 2 + 4j]]
    assert run("Real", z)[0].tolist() == [1, 2]
    assert run("Imag", z)[1].tolist() == [4, 4]
    assert run("Conj", z)[0].tolist() == [1 - 3j, 2 - 3j]
    np.testing.assert_allclose(run("Angle", [1j, -1, 1]), [np.pi / 2, np.pi, 0])
    assert run("Angle", [-2.0, 2.0], dtype=bfloat16.np).astype(float).tolist() == [
        3.140625,
        0,
    ]
    assert run("Imag", [5], dtype=np.int32).tolist() == [0]


def test_casts():
    for value, dtype, expected in (
        ([1.9, -1.9], "int32", [1, -1]),
        ([0.0, 0.5, NAN], "bool", [0, 1, 1]),
        ([1 + 2j], "float32", [1]),
        ([True], "bfloat16", [1]),
        ([300], "uint8", [44]),
        ([1e300], "float16", [INF]),
    ):
        found = REGISTRY["Cast"].kernel(np.asarray(value), dtype=dtype)
        assert found.astype(float).tolist() == expected


def test_clipping_lets_the_lower_bound_win():
    assert run("ClipByValue", [-5.0, 0.0, 5.0], -1.0, 1.0).tolist() == [-1, 0, 1]
    assert run("ClipByValue", [0.0], 2.0, 1.0).tolist() == [2]


def test_long_sums_of_bfloat16_are_rounded_once():
    ones = [np.asarray([1.0], bfloat16.np)] * 300
    assert float(run("AddN", *ones)[0]) == 300
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
