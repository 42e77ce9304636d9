"""Operations that compute each element from the elements at the same place."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tpuref.base import dtypes
from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.arithmetic import is_integer, widened, written
from tpuref.engine.ops.broadcasting import (
    ANY,
    BOOL,
    FLOATING,
    INDEX,
    INEXACT,
    INTEGER,
    NUMERIC,
    REAL,
    Kind,
    broadcast_same_dtype,
    broadcast_shape,
    describe_all,
    require_kind,
    require_same_dtype,
    same_shape,
)
from tpuref.engine.ops.definition import (
    BROADCASTS,
    ELEMENTWISE,
    Batching,
    OpDef,
    Operand,
    Traits,
    elementary,
)
from tpuref.engine.ops.joining import merged_shape
from tpuref.engine.ops.meaning import Array, Ufunc, describe, ieee
from tpuref.kernels import elementwise as kernel

SIGNED_OR_COMPLEX = Kind(
    "a signed number", tuple(dtype for dtype in NUMERIC.dtypes if not dtype.is_unsigned)
)
INTEGER_OR_BOOL = Kind("an integer or boolean", (*INTEGER.dtypes, dtypes.bool_))

_REAL_PART = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}
_COMPLEX_OF = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}


# Inference: one operand.


Infer = Callable[..., TensorSpec]


def _unary(kind: Kind) -> Infer:
    """Return the inference of a function of one operand that keeps the dtype."""

    def infer(x: Operand) -> TensorSpec:
        return same_shape(x, kind)

    return infer


numeric = _unary(NUMERIC)
inexact = _unary(INEXACT)
floating = _unary(FLOATING)
signed = _unary(SIGNED_OR_COMPLEX)
boolean = _unary(BOOL)
bits = _unary(INTEGER_OR_BOOL)


def classified(x: Operand) -> TensorSpec:
    """Infer a question about a floating-point or complex number."""
    require_kind(x, INEXACT)
    return TensorSpec(x.shape, dtypes.bool_)


def sign_bit(x: Operand) -> TensorSpec:
    """Infer the question whether a floating-point number is negative."""
    require_kind(x, FLOATING)
    return TensorSpec(x.shape, dtypes.bool_)


def real_part(x: Operand) -> TensorSpec:
    """Infer a real property of a number: float32 of complex64, its own of a real."""
    dtype = require_kind(x, NUMERIC)
    return TensorSpec(x.shape, _REAL_PART.get(dtype, dtype))


def argument(x: Operand) -> TensorSpec:
    """Infer the angle of a floating-point or complex number."""
    dtype = require_kind(x, INEXACT)
    return TensorSpec(x.shape, _REAL_PART.get(dtype, dtype))


def fraction_and_whole(x: Operand) -> tuple[TensorSpec, TensorSpec]:
    """Infer the two parts of a floating-point number, both of its dtype."""
    return floating(x), floating(x)


def mantissa_and_exponent(x: Operand) -> tuple[TensorSpec, TensorSpec]:
    """Infer the mantissa, of the dtype of `x`, and the exponent, int32."""
    return floating(x), TensorSpec(x.shape, dtypes.int32)


def cast(x: Operand, *, dtype: str) -> TensorSpec:
    """Infer a conversion; text converts to nothing and nothing to text."""
    target = dtypes.as_dtype(dtype)
    if dtypes.string in (x.dtype, target):
        raise TypeError(f"no cast from {x.describe()} to {target.name} exists")
    return TensorSpec(x.shape, target)


# Inference: two or more operands.


def _binary(kind: Kind) -> Infer:
    """Return the inference of a function of two operands of one dtype."""

    def infer(x: Operand, y: Operand) -> TensorSpec:
        return broadcast_same_dtype(x, y, kind=kind)

    return infer


binary_numeric = _binary(NUMERIC)
binary_real = _binary(REAL)
binary_inexact = _binary(INEXACT)
binary_floating = _binary(FLOATING)
binary_integer = _binary(INTEGER)
binary_bits = _binary(INTEGER_OR_BOOL)
binary_boolean = _binary(BOOL)


def ordering(x: Operand, y: Operand) -> TensorSpec:
    """Infer a comparison by size of two real numbers of one dtype."""
    return TensorSpec(broadcast_same_dtype(x, y, kind=REAL).shape, dtypes.bool_)


def equality(x: Operand, y: Operand) -> TensorSpec:
    """Infer a comparison for equality of two values of any one dtype."""
    return TensorSpec(broadcast_same_dtype(x, y, kind=ANY).shape, dtypes.bool_)


def quotient_dtype(dtype: dtypes.DType) -> dtypes.DType:
    """Return the dtype of a true quotient, floating-point for integers."""
    if not dtype.is_integer:
        return dtype
    return dtypes.float32 if dtype.size <= 2 else dtypes.float64


def true_quotient(x: Operand, y: Operand) -> TensorSpec:
    """Infer a division in which integers become floating-point numbers."""
    spec = binary_numeric(x, y)
    return TensorSpec(spec.shape, quotient_dtype(spec.dtype))


def quotient_and_rest(x: Operand, y: Operand) -> tuple[TensorSpec, TensorSpec]:
    """Infer the whole quotient and the rest, both of the dtype of the operands."""
    return binary_real(x, y), binary_real(x, y)


def double_precision(x: Operand, y: Operand) -> TensorSpec:
    """Infer a function that computes in float64, or complex128 of complex numbers."""
    spec = binary_numeric(x, y)
    return TensorSpec(
        spec.shape, dtypes.complex128 if spec.dtype.is_complex else dtypes.float64
    )


def scaled_by_power(x: Operand, exponent: Operand) -> TensorSpec:
    """Infer a floating-point number times a power of two with an integer exponent."""
    dtype = require_kind(x, FLOATING)
    require_kind(exponent, INDEX)
    return TensorSpec(broadcast_shape(x, exponent), dtype)


def complex_of(real: Operand, imag: Operand) -> TensorSpec:
    """Infer the complex number of two float32 or float64 parts."""
    dtype = require_same_dtype(real, imag)
    if dtype not in _COMPLEX_OF:
        raise TypeError(
            f"expected parts of float32 or float64, got {describe_all(real, imag)}"
        )
    return TensorSpec(broadcast_shape(real, imag), _COMPLEX_OF[dtype])


def clipped(x: Operand, low: Operand, high: Operand) -> TensorSpec:
    """Infer `x` clipped to two bounds, which broadcast with it."""
    return broadcast_same_dtype(x, low, high, kind=REAL)


def total(*operands: Operand) -> TensorSpec:
    """Infer the sum of any number of tensors of one shape and dtype."""
    dtype = require_same_dtype(*operands)
    require_kind(operands[0], NUMERIC)
    return TensorSpec(merged_shape(operands), dtype)


def replaced(x: Operand, *, nan: float, high: float | None, low: float | None) -> Any:
    """Infer the replacement of the values that are not finite."""
    return floating(x)


def closeness(
    x: Operand, y: Operand, *, rtol: float, atol: float, equal_nan: bool
) -> TensorSpec:
    """Infer the question whether two numbers are equal within a tolerance."""
    return TensorSpec(binary_numeric(x, y).shape, dtypes.bool_)


# Computation, where it is more than one function of the namespace.  The checks of
# integers look at values, which only NumPy has at hand; other engines do without.


def _refuse_zero(x: Array, y: Array) -> None:
    if is_integer(y) and x.size and not np.all(y):
        raise InvalidArgumentError(
            f"integer division by zero (inputs: {describe(x)}, {describe(y)}); use "
            "tf.truediv for a quotient that may be infinite",
            code=codes.INTEGER_DIVISION_BY_ZERO,
        )


def _floor_divide(xp: Any, x: Array, y: Array) -> Any:
    """Round the quotient itself, as TensorFlow does: 1.0 // 0.1 is 10, not 9."""
    if is_integer(x):
        return xp.floor_divide(x, y)
    return xp.floor(xp.true_divide(x, y))


def _checked_floor_divide(x: Array, y: Array) -> Any:
    _refuse_zero(x, y)
    return _floor_divide(np, x, y)


def _floor_mod(x: Array, y: Array) -> Any:
    _refuse_zero(x, y)
    return np.remainder(x, y)


def _truncate_mod(x: Array, y: Array) -> Any:
    _refuse_zero(x, y)
    return np.fmod(x, y)


def _div_mod(x: Array, y: Array) -> Any:
    _refuse_zero(x, y)
    return np.divmod(x, y)


def _true_divide(xp: Any, x: Array, y: Array, *, out: Array | None = None) -> Any:
    into = {} if out is None else {"out": out}
    if not is_integer(x):
        return xp.true_divide(x, y, **into)
    dtype = np.float32 if x.dtype.itemsize <= 2 else np.float64
    return xp.true_divide(x.astype(dtype), y.astype(dtype), **into)


def _divide_no_nan(xp: Any, x: Array, y: Array) -> Any:
    return xp.where(y == 0, xp.zeros((), x.dtype), xp.true_divide(x, y))


def _power(x: Array, y: Array, *, out: Array | None = None) -> Any:
    if is_integer(y) and np.any(y < 0):
        raise InvalidArgumentError(
            f"an integer to a negative power is no integer (inputs: {describe(x)}, "
            f"{describe(y)}); cast to a floating-point type first"
        )
    into = {} if out is None else {"out": out}
    if y.size == 1 and y.ndim <= x.ndim:
        known = _KNOWN_POWERS.get((x.dtype, y.item()))
        if known is not None:
            return known(x, **into)
    return np.power(x, y, **into)


def _known_power(x: Operand, y: Operand) -> str | None:
    """Return the name of a known power; the bits of others depend on the place."""
    exponent = None if y.value is None or y.shape.rank else y.value.item()
    known = _KNOWN_POWERS.get((x.dtype.np, exponent))
    return known and known.__name__.removeprefix("_")


def _cube(x: Array, *, out: Array | None = None) -> Any:
    return written(kernel.cube, x, out=out)


def _root(x: Array, **into: Any) -> Any:
    """Return the power 0.5: other than a root, it is 0 at -0 and infinity at -inf."""
    root = np.asarray(np.sqrt(np.add(x, x.dtype.type(0), **into), **into))
    np.copyto(root, np.inf, where=x == -np.inf)
    return root


def _reciprocal_root(x: Array, *, out: Array | None = None) -> Any:
    out = np.empty_like(x) if out is None else out
    return np.reciprocal(_root(x.astype(np.float64)), casting="same_kind", out=out)


_POWERS: dict[float, Callable[..., Any]] = {
    -1.0: np.reciprocal,
    0.5: _root,
    1.0: np.positive,
    2.0: np.square,
}
_KNOWN_POWERS: dict[tuple[np.dtype[Any], float | None], Callable[..., Any]] = {
    **{(np.dtype(np.float32), y): power for y, power in _POWERS.items()},
    **{(np.dtype(np.float64), y): power for y, power in _POWERS.items()},
    (np.dtype(np.float32), -0.5): _reciprocal_root,
    (np.dtype(np.float32), 3.0): _cube,
}
"""Functions for exponents that are one number: `np.power` takes 20 to 100 times
as long.

All round once, as a power does.  Adam needs that: its 1 - beta ** 3 is small.
"""


def _float_power(xp: Any, x: Array, y: Array) -> Any:
    dtype = np.complex128 if x.dtype.kind == "c" else np.float64
    return xp.power(x.astype(dtype), y.astype(dtype))


def _squared_difference(xp: Any, x: Array, y: Array) -> Any:
    difference = xp.subtract(x, y)
    if difference.dtype.kind != "c":
        return xp.square(difference)
    return xp.multiply(difference, xp.conj(difference))


def _sign(xp: Any, x: Array) -> Any:
    if x.dtype.kind != "c":
        return xp.sign(x)
    size = xp.abs(x)
    return xp.where(size == 0, xp.zeros((), x.dtype), x / size)


def _rsqrt(xp: Any, x: Array) -> Any:
    return xp.reciprocal(xp.sqrt(widened(x))).astype(x.dtype, copy=False)


def _round(xp: Any, x: Array) -> Any:
    return x if is_integer(x) else xp.rint(x)


def _imag(xp: Any, x: Array) -> Any:
    return x.imag if x.dtype.kind == "c" else xp.zeros_like(x)


def _real(xp: Any, x: Array) -> Any:
    return x.real if x.dtype.kind == "c" else x


def _angle(xp: Any, x: Array) -> Any:
    return xp.arctan2(_imag(xp, x), _real(xp, x))


def _shift(function: str) -> Any:
    """Return the meaning of a shift; the distance is clamped as in TensorFlow."""

    def shift(xp: Any, x: Array, y: Array) -> Any:
        # Of the operands' dtype: NumPy 1 widens a scalar beside a Python integer.
        first, last = y.dtype.type(0), y.dtype.type(8 * x.dtype.itemsize - 1)
        return getattr(xp, function)(x, xp.minimum(xp.maximum(y, first), last))

    return shift


def _complex(real: Array, imag: Array) -> Any:
    real, imag = np.broadcast_arrays(real, imag)
    result = np.empty(
        real.shape, np.complex64 if real.dtype == np.float32 else np.complex128
    )
    result.real, result.imag = real, imag
    return result


def _ldexp(xp: Any, x: Array, exponent: Array) -> Any:
    # Beyond these exponents every type has overflowed to infinity or vanished.
    steps = xp.clip(exponent, -5000, 5000).astype(np.intc)
    return xp.ldexp(widened(x), steps).astype(x.dtype, copy=False)


def _log_gamma(value: float) -> float:
    try:
        return math.lgamma(value)
    except (ValueError, OverflowError):  # a pole, or a value beyond float64
        return math.inf


def _apply_to_each(function: np.ufunc, x: Array) -> Array:
    """Apply a function of Python's numbers to each element."""
    results = np.asarray(function(x.astype(np.float64)), np.float64)
    return results.astype(x.dtype, copy=False)


_erf = partial(_apply_to_each, np.frompyfunc(math.erf, 1, 1))
_erfc = partial(_apply_to_each, np.frompyfunc(math.erfc, 1, 1))
_lgamma = partial(_apply_to_each, np.frompyfunc(_log_gamma, 1, 1))


def _digamma(x: Array) -> Any:
    """Return the derivative of lgamma: by reflection, recurrence, and Stirling."""
    wide = x.astype(np.float64)
    turned = wide <= 0
    z = np.where(turned, 1 - wide, wide)
    total = np.where(turned, -np.pi / np.tan(np.pi * wide), 0.0)
    for _ in range(10):  # beyond 10 the series below has 16 digits
        total, z = np.where(z < 10, total - 1 / z, total), np.where(z < 10, z + 1, z)
    w = 1 / (z * z)
    series = w * (1 / 12 - w * (1 / 120 - w * (1 / 252 - w * (1 / 240 - w / 132))))
    result = total + np.log(z) - 0.5 / z - series
    pole = turned & (wide == np.floor(wide))
    return np.where(pole, np.inf, result).astype(x.dtype, copy=False)


def _erfinv(x: Array) -> Array:
    """Invert the error function: Giles' approximation, then Newton's steps."""
    wide = x.astype(np.float64)
    w = -np.log((1 - wide) * (1 + wide))
    near, far = w - 2.5, np.sqrt(np.maximum(w, 5)) - 3
    small = np.polynomial.polynomial.polyval(near, _ERFINV_NEAR)
    large = np.polynomial.polynomial.polyval(far, _ERFINV_FAR)
    y = np.where(w < 5, small, large) * wide
    inside = np.abs(wide) < 1
    for _ in range(2):
        step = (_erf(y) - wide) * (math.sqrt(math.pi) / 2) * np.exp(y * y)
        y = np.where(inside & np.isfinite(step), y - step, y)
    edge = np.where(np.abs(wide) == 1, np.copysign(np.inf, wide), np.nan)
    return np.where(inside, y, edge).astype(x.dtype, copy=False)


_ERFINV_NEAR = (
    *(1.50140941, 0.246640727, -0.00417768164, -0.00125372503, 0.000218580870),
    *(-4.39150654e-06, -3.5233877e-06, 3.43273939e-07, 2.81022636e-08),
)
_ERFINV_FAR = (
    *(2.83297682, 1.00167406, 0.00943887047, -0.0076224613, 0.00573950773),
    *(-0.00367342844, 0.00134934322, 0.000100950558, -0.000200214257),
)


def _cast(xp: Any, x: Array, *, dtype: str, out: Array | None = None) -> Any:
    target = dtypes.as_dtype(dtype)
    if x.dtype.kind == "c" and not (target.is_complex or target.is_bool):
        x = x.real
    if out is None:
        return x.astype(target.np)
    out[...] = x
    return out


def _cannot_overflow(x: Operand, *, dtype: str) -> bool:
    """Whether no number lies outside the range of an integer type."""
    return x.dtype.is_bool or not dtypes.as_dtype(dtype).is_integer


def _clip(xp: Any, x: Array, low: Array, high: Array) -> Any:
    return xp.maximum(xp.minimum(x, high), low)


_FEW = 1 << 10
"""Up to this many elements, allocating the sum is faster than adding in place."""


def _add_n(xp: Any, *arrays: Array, out: Array | None = None) -> Any:
    result = widened(arrays[0])
    shape, is_wide = result.shape, result is arrays[0]
    fits = out is not None and result.dtype == out.dtype
    into = {"out": out} if fits and result.size > _FEW else {}
    for array in arrays[1:]:
        if array.shape != shape:
            raise ValueError("expected equal shapes")
        result = xp.add(result, array if is_wide else widened(array), **into)
    return xp.asarray(result).astype(arrays[0].dtype, copy=len(arrays) == 1)


def _replace(
    xp: Any, x: Array, *, nan: float, high: float | None, low: float | None
) -> Any:
    limits = dtypes.as_dtype(x.dtype)
    top = limits.max if high is None else high
    bottom = limits.min if low is None else low
    result = xp.where(xp.isnan(x), xp.asarray(nan, x.dtype), x)
    result = xp.where(xp.isposinf(widened(x)), xp.asarray(top, x.dtype), result)
    return xp.where(xp.isneginf(widened(x)), xp.asarray(bottom, x.dtype), result)


def _is_close(
    xp: Any, x: Array, y: Array, *, rtol: float, atol: float, equal_nan: bool
) -> Any:
    return xp.isclose(widened(x), widened(y), rtol, atol, equal_nan)


# The others do not broadcast, or the bits depend on what lies beside: those of Pow on
# whether there is one exponent, those of Cast to an integer that cannot hold a number.
_broadcasts = partial(OpDef, gradient="elementwise", batching=BROADCASTS)
_op = partial(_broadcasts, batching=ELEMENTWISE)

OPERATIONS: tuple[OpDef, ...] = (
    # Arithmetic.
    _op("AddV2", binary_numeric, Ufunc("add")),
    _op("Sub", binary_numeric, Ufunc("subtract")),
    _op("Mul", binary_numeric, Ufunc("multiply")),
    _op("RealDiv", true_quotient, _true_divide, inexact=np.true_divide),
    _op("DivNoNan", binary_inexact, _divide_no_nan),
    _op(
        "FloorDiv",
        binary_real,
        _floor_divide,
        ieee(_checked_floor_divide),
        xla="elementwise",
    ),
    _op(
        "FloorMod",
        binary_real,
        Ufunc("remainder"),
        ieee(_floor_mod),
        inexact=np.remainder,
        xla="elementwise",
    ),
    _op(
        "TruncateMod",
        binary_real,
        Ufunc("fmod"),
        ieee(_truncate_mod),
        inexact=np.fmod,
        xla="elementwise",
    ),
    _op(
        "DivMod",
        quotient_and_rest,
        Ufunc("divmod"),
        compute=ieee(_div_mod),
        xla="elementwise",
    ),
    _broadcasts(
        "Pow",
        binary_numeric,
        Ufunc("power"),
        ieee(_power),
        batching=Batching(broadcasts=True, elementary=_known_power),
        xla="elementwise",
    ),
    _broadcasts("FloatPower", double_precision, _float_power),
    _op(
        "SquaredDifference",
        binary_numeric,
        _squared_difference,
        batching=elementary("squared_difference"),
    ),
    _op("Maximum", binary_real, Ufunc("maximum")),
    _op("Minimum", binary_real, Ufunc("minimum")),
    _broadcasts("Fmax", binary_real, Ufunc("fmax")),
    _broadcasts("Fmin", binary_real, Ufunc("fmin")),
    _op("Gcd", binary_integer, Ufunc("gcd")),
    _op("Lcm", binary_integer, Ufunc("lcm")),
    _op("AddN", total, _add_n, batching=Batching(broadcasts=True, of_two="AddV2")),
    _op("ClipByValue", clipped, _clip),
    _op("Positive", numeric, Ufunc("positive")),
    _op("Neg", signed, Ufunc("negative"), traits=Traits(linear=True)),
    _op("Abs", real_part, Ufunc("absolute")),
    _op("Fabs", floating, Ufunc("fabs")),
    _op("Sign", numeric, _sign),
    _op("Heaviside", binary_floating, Ufunc("heaviside")),
    _op("Square", numeric, Ufunc("square")),
    _op("Reciprocal", inexact, Ufunc("reciprocal")),
    # Rounding, and the parts of a floating-point number.
    _op("Round", numeric, _round, inexact=np.rint),
    _op("Rint", floating, Ufunc("rint")),
    _op("Floor", floating, Ufunc("floor")),
    _op("Ceil", floating, Ufunc("ceil")),
    _op("Trunc", floating, Ufunc("trunc")),
    _op("Modf", fraction_and_whole, Ufunc("modf"), xla="elementwise"),
    _op("Frexp", mantissa_and_exponent, Ufunc("frexp")),
    _op("Ldexp", scaled_by_power, _ldexp),
    _op("Copysign", binary_floating, Ufunc("copysign")),
    _op("NextAfter", binary_floating, Ufunc("nextafter")),
    _op("Spacing", floating, Ufunc("spacing")),
    # Powers, exponentials and logarithms.
    _op("Sqrt", inexact, Ufunc("sqrt")),
    _op("Rsqrt", inexact, _rsqrt, batching=elementary("rsqrt")),
    _op("Cbrt", floating, Ufunc("cbrt")),
    _op("Hypot", binary_floating, Ufunc("hypot")),
    _op("Exp", inexact, Ufunc("exp")),
    _op("Exp2", inexact, Ufunc("exp2")),
    _op("Expm1", inexact, Ufunc("expm1")),
    _op("Log", inexact, Ufunc("log")),
    _op("Log2", inexact, Ufunc("log2")),
    _op("Log10", inexact, Ufunc("log10")),
    _op("Log1p", inexact, Ufunc("log1p")),
    _op("LogAddExp", binary_floating, Ufunc("logaddexp")),
    _op("LogAddExp2", binary_floating, Ufunc("logaddexp2")),
    _op("Erf", floating, compute=ieee(_erf), xla="elementwise"),
    _op("Erfc", floating, compute=ieee(_erfc), xla="elementwise"),
    _op("Erfinv", floating, compute=ieee(_erfinv), xla="elementwise"),
    _op("Lgamma", floating, compute=ieee(_lgamma), xla="elementwise"),
    OpDef(
        "Digamma",
        floating,
        compute=ieee(_digamma),
        batching=ELEMENTWISE,
        xla="elementwise",
    ),
    # Angles.
    _op("Sin", inexact, Ufunc("sin")),
    _op("Cos", inexact, Ufunc("cos")),
    _op("Tan", inexact, Ufunc("tan")),
    _op("Asin", inexact, Ufunc("arcsin")),
    _op("Acos", inexact, Ufunc("arccos")),
    _op("Atan", inexact, Ufunc("arctan")),
    _op("Atan2", binary_floating, Ufunc("arctan2")),
    _op("Sinh", inexact, Ufunc("sinh")),
    _op("Cosh", inexact, Ufunc("cosh")),
    _op("Tanh", inexact, Ufunc("tanh")),
    _op("Asinh", inexact, Ufunc("arcsinh")),
    _op("Acosh", inexact, Ufunc("arccosh")),
    _op("Atanh", inexact, Ufunc("arctanh")),
    _op("Degrees", floating, Ufunc("rad2deg")),
    _op("Radians", floating, Ufunc("deg2rad")),
    # Complex numbers.
    _op("Complex", complex_of, compute=ieee(_complex), xla="elementwise"),
    _op("Real", real_part, _real),
    _op("Imag", real_part, _imag),
    _op("Conj", numeric, Ufunc("conj")),
    _op("Angle", argument, _angle),
    # Comparison.
    _op("Equal", equality, Ufunc("equal")),
    _op("NotEqual", equality, Ufunc("not_equal")),
    _op("Less", ordering, Ufunc("less")),
    _op("LessEqual", ordering, Ufunc("less_equal")),
    _op("Greater", ordering, Ufunc("greater")),
    _op("GreaterEqual", ordering, Ufunc("greater_equal")),
    _op("IsClose", closeness, _is_close),
    # Logic and bits.
    _op("LogicalAnd", binary_boolean, Ufunc("logical_and")),
    _op("LogicalOr", binary_boolean, Ufunc("logical_or")),
    _op("LogicalXor", binary_boolean, Ufunc("logical_xor")),
    _op("LogicalNot", boolean, Ufunc("logical_not")),
    _op("BitwiseAnd", binary_bits, Ufunc("bitwise_and")),
    _op("BitwiseOr", binary_bits, Ufunc("bitwise_or")),
    _op("BitwiseXor", binary_bits, Ufunc("bitwise_xor")),
    _op("Invert", bits, Ufunc("invert")),
    _op("LeftShift", binary_integer, _shift("left_shift")),
    _op("RightShift", binary_integer, _shift("right_shift")),
    # Special values.
    _op("IsNan", classified, Ufunc("isnan")),
    _op("IsInf", classified, Ufunc("isinf")),
    _op("IsFinite", classified, Ufunc("isfinite")),
    _op("Signbit", sign_bit, Ufunc("signbit")),
    _op("NanToNum", replaced, _replace),
    # Conversion.
    _op(
        "Cast",
        cast,
        _cast,
        traits=Traits(linear=True),
        xla="elementwise",
        batching=Batching(broadcasts=True, elementwise_for=_cannot_overflow),
    ),
)
