"""Operations that compute each element from the elements at the same place."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import (
    DType,
    as_dtype,
    bool_,
    complex64,
    complex128,
    float32,
    float64,
    int32,
    string,
)
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.spec import TensorSpec
from tpuref.ops.arithmetic import describe, ieee, is_integer, widened
from tpuref.ops.broadcasting import (
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
from tpuref.ops.definition import Array, OpDef, Operand

SIGNED_OR_COMPLEX = Kind(
    "a signed number",
    tuple(dtype for dtype in NUMERIC.dtypes if not dtype.is_unsigned),
)
INTEGER_OR_BOOL = Kind("an integer or boolean", (*INTEGER.dtypes, bool_))

_REAL_PART = {complex64: float32, complex128: float64}
_COMPLEX_OF = {float32: complex64, float64: complex128}


# Inference: one operand.


def numeric(x: Operand) -> TensorSpec:
    """Infer a function of numbers that keeps the dtype."""
    return same_shape(x, NUMERIC)


def inexact(x: Operand) -> TensorSpec:
    """Infer a function of floating-point or complex numbers that keeps the dtype."""
    return same_shape(x, INEXACT)


def floating(x: Operand) -> TensorSpec:
    """Infer a function of floating-point numbers that keeps the dtype."""
    return same_shape(x, FLOATING)


def signed(x: Operand) -> TensorSpec:
    """Infer a function of numbers that may be negative, which keeps the dtype."""
    return same_shape(x, SIGNED_OR_COMPLEX)


def boolean(x: Operand) -> TensorSpec:
    """Infer a function of booleans."""
    return same_shape(x, BOOL)


def bits(x: Operand) -> TensorSpec:
    """Infer a function of the bits of an integer or boolean."""
    return same_shape(x, INTEGER_OR_BOOL)


def classified(x: Operand) -> TensorSpec:
    """Infer a question about a floating-point or complex number."""
    require_kind(x, INEXACT)
    return TensorSpec(x.shape, bool_)


def sign_bit(x: Operand) -> TensorSpec:
    """Infer the question whether a floating-point number is negative."""
    require_kind(x, FLOATING)
    return TensorSpec(x.shape, bool_)


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
    return floating(x), TensorSpec(x.shape, int32)


def cast(x: Operand, *, dtype: str) -> TensorSpec:
    """Infer a conversion; text converts to nothing and nothing to text."""
    target = as_dtype(dtype)
    if string in (x.dtype, target):
        raise TypeError(f"no cast from {x.describe()} to {target.name} exists")
    return TensorSpec(x.shape, target)


# Inference: two or more operands.


def binary_numeric(x: Operand, y: Operand) -> TensorSpec:
    """Infer a function of two numbers of one dtype."""
    return broadcast_same_dtype(x, y, kind=NUMERIC)


def binary_real(x: Operand, y: Operand) -> TensorSpec:
    """Infer a function of two real numbers of one dtype."""
    return broadcast_same_dtype(x, y, kind=REAL)


def binary_inexact(x: Operand, y: Operand) -> TensorSpec:
    """Infer a function of two floating-point or complex numbers of one dtype."""
    return broadcast_same_dtype(x, y, kind=INEXACT)


def binary_floating(x: Operand, y: Operand) -> TensorSpec:
    """Infer a function of two floating-point numbers of one dtype."""
    return broadcast_same_dtype(x, y, kind=FLOATING)


def binary_integer(x: Operand, y: Operand) -> TensorSpec:
    """Infer a function of two integers of one dtype."""
    return broadcast_same_dtype(x, y, kind=INTEGER)


def binary_bits(x: Operand, y: Operand) -> TensorSpec:
    """Infer a function of the bits of two integers or booleans of one dtype."""
    return broadcast_same_dtype(x, y, kind=INTEGER_OR_BOOL)


def binary_boolean(x: Operand, y: Operand) -> TensorSpec:
    """Infer a function of two booleans."""
    return broadcast_same_dtype(x, y, kind=BOOL)


def ordering(x: Operand, y: Operand) -> TensorSpec:
    """Infer a comparison by size of two real numbers of one dtype."""
    return TensorSpec(broadcast_same_dtype(x, y, kind=REAL).shape, bool_)


def equality(x: Operand, y: Operand) -> TensorSpec:
    """Infer a comparison for equality of two values of any one dtype."""
    return TensorSpec(broadcast_same_dtype(x, y, kind=ANY).shape, bool_)


def quotient_dtype(dtype: DType) -> DType:
    """Return the dtype of a true quotient: integers give a floating-point type."""
    if not dtype.is_integer:
        return dtype
    return float32 if dtype.size <= 2 else float64


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
    return TensorSpec(spec.shape, complex128 if spec.dtype.is_complex else float64)


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
    """Infer `x` kept between two bounds, which broadcast with it."""
    return broadcast_same_dtype(x, low, high, kind=REAL)


def total(*operands: Operand) -> TensorSpec:
    """Infer the sum of any number of tensors of one shape and dtype."""
    dtype = require_same_dtype(*operands)
    require_kind(operands[0], NUMERIC)
    shape = operands[0].shape
    for operand in operands[1:]:
        if not shape.is_compatible_with(operand.shape):
            raise ValueError(f"expected equal shapes, got {describe_all(*operands)}")
        shape = shape.merge_with(operand.shape)
    return TensorSpec(shape, dtype)


def replaced(x: Operand, *, nan: float, high: float | None, low: float | None) -> Any:
    """Infer the replacement of the values that are not finite."""
    return floating(x)


def closeness(
    x: Operand, y: Operand, *, rtol: float, atol: float, equal_nan: bool
) -> TensorSpec:
    """Infer the question whether two numbers are equal within a tolerance."""
    return TensorSpec(binary_numeric(x, y).shape, bool_)


# Computation, where it is more than one function of NumPy.


def _refuse_zero(x: Array, y: Array) -> None:
    if is_integer(y) and not np.all(y):
        raise InvalidArgumentError(
            f"integer division by zero (inputs: {describe(x)}, {describe(y)}); use "
            "tf.truediv for a quotient that may be infinite",
            code=codes.INTEGER_DIVISION_BY_ZERO,
        )


def _floor_divide(x: Array, y: Array) -> Any:
    _refuse_zero(x, y)
    return np.floor_divide(x, y)


def _floor_mod(x: Array, y: Array) -> Any:
    _refuse_zero(x, y)
    return np.remainder(x, y)


def _truncate_mod(x: Array, y: Array) -> Any:
    _refuse_zero(x, y)
    return np.fmod(x, y)


def _div_mod(x: Array, y: Array) -> Any:
    _refuse_zero(x, y)
    return np.divmod(x, y)


def _true_divide(x: Array, y: Array, *, out: Array | None = None) -> Any:
    if not is_integer(x):
        return np.true_divide(x, y, out=out)
    dtype = np.float32 if x.dtype.itemsize <= 2 else np.float64
    return np.true_divide(x.astype(dtype), y.astype(dtype), out=out)


def _divide_no_nan(x: Array, y: Array) -> Any:
    return np.where(y == 0, np.zeros((), x.dtype), np.true_divide(x, y))


def _power(x: Array, y: Array) -> Any:
    if is_integer(y) and np.any(y < 0):
        raise InvalidArgumentError(
            f"an integer to a negative power is no integer (inputs: {describe(x)}, "
            f"{describe(y)}); cast to a floating-point type first"
        )
    return np.power(x, y)


def _float_power(x: Array, y: Array) -> Any:
    dtype = np.complex128 if x.dtype.kind == "c" else np.float64
    return np.power(x.astype(dtype), y.astype(dtype))


def _squared_difference(x: Array, y: Array) -> Any:
    difference = np.subtract(x, y)
    if difference.dtype.kind != "c":
        return np.square(difference)
    return np.multiply(difference, np.conj(difference))


def _sign(x: Array) -> Any:
    if x.dtype.kind != "c":
        return np.sign(x)
    size = np.abs(x)
    return np.where(size == 0, np.zeros((), x.dtype), x / size)


def _rsqrt(x: Array) -> Any:
    return np.reciprocal(np.sqrt(widened(x))).astype(x.dtype)


def _round(x: Array) -> Any:
    return x if is_integer(x) else np.rint(x)


def _imag(x: Array) -> Any:
    return x.imag if x.dtype.kind == "c" else np.zeros_like(x)


def _real(x: Array) -> Any:
    return x.real if x.dtype.kind == "c" else x


def _angle(x: Array) -> Any:
    return np.arctan2(_imag(x), _real(x))


def _complex(real: Array, imag: Array) -> Any:
    real, imag = np.broadcast_arrays(real, imag)
    result = np.empty(
        real.shape, np.complex64 if real.dtype == np.float32 else np.complex128
    )
    result.real, result.imag = real, imag
    return result


def _ldexp(x: Array, exponent: Array) -> Any:
    # Beyond these exponents every type has overflowed to infinity or vanished.
    steps = np.clip(exponent, -5000, 5000).astype(np.intc)
    return np.ldexp(widened(x), steps).astype(x.dtype)


def _log_gamma(value: float) -> float:
    try:
        return math.lgamma(value)
    except (ValueError, OverflowError):  # a pole, or a value beyond float64
        return math.inf


_ERF = np.frompyfunc(math.erf, 1, 1)
_ERFC = np.frompyfunc(math.erfc, 1, 1)
_LGAMMA = np.frompyfunc(_log_gamma, 1, 1)


def _erf(x: Array) -> Any:
    return np.asarray(_ERF(x.astype(np.float64)), np.float64).astype(x.dtype)


def _erfc(x: Array) -> Any:
    return np.asarray(_ERFC(x.astype(np.float64)), np.float64).astype(x.dtype)


def _lgamma(x: Array) -> Any:
    return np.asarray(_LGAMMA(x.astype(np.float64)), np.float64).astype(x.dtype)


def _cast(x: Array, *, dtype: str) -> Any:
    target = as_dtype(dtype)
    if x.dtype.kind == "c" and not (target.is_complex or target.is_bool):
        x = x.real
    return x.astype(target.np)


def _clip(x: Array, low: Array, high: Array) -> Any:
    return np.maximum(np.minimum(x, high), low)


def _add_n(*arrays: Array) -> Any:
    result = widened(arrays[0])
    for array in arrays[1:]:
        if array.shape != result.shape:
            raise ValueError("expected equal shapes")
        result = np.add(result, widened(array))
    return np.asarray(result).astype(arrays[0].dtype, copy=False)


def _replace(x: Array, *, nan: float, high: float | None, low: float | None) -> Any:
    limits = as_dtype(x.dtype)
    top = limits.max if high is None else high
    bottom = limits.min if low is None else low
    result = np.where(np.isnan(x), np.asarray(nan, x.dtype), x)
    result = np.where(np.isposinf(widened(x)), np.asarray(top, x.dtype), result)
    return np.where(np.isneginf(widened(x)), np.asarray(bottom, x.dtype), result)


def _is_close(x: Array, y: Array, *, rtol: float, atol: float, equal_nan: bool) -> Any:
    return np.isclose(widened(x), widened(y), rtol, atol, equal_nan)


OPERATIONS: tuple[OpDef, ...] = (
    # Arithmetic.
    OpDef("AddV2", binary_numeric, ieee(np.add)),
    OpDef("Sub", binary_numeric, ieee(np.subtract)),
    OpDef("Mul", binary_numeric, ieee(np.multiply)),
    OpDef("RealDiv", true_quotient, ieee(_true_divide)),
    OpDef("DivNoNan", binary_inexact, ieee(_divide_no_nan)),
    OpDef("FloorDiv", binary_real, ieee(_floor_divide)),
    OpDef("FloorMod", binary_real, ieee(_floor_mod)),
    OpDef("TruncateMod", binary_real, ieee(_truncate_mod)),
    OpDef("DivMod", quotient_and_rest, ieee(_div_mod)),
    OpDef("Pow", binary_numeric, ieee(_power)),
    OpDef("FloatPower", double_precision, ieee(_float_power)),
    OpDef("SquaredDifference", binary_numeric, ieee(_squared_difference)),
    OpDef("Maximum", binary_real, ieee(np.maximum)),
    OpDef("Minimum", binary_real, ieee(np.minimum)),
    OpDef("Fmax", binary_real, ieee(np.fmax)),
    OpDef("Fmin", binary_real, ieee(np.fmin)),
    OpDef("Gcd", binary_integer, ieee(np.gcd)),
    OpDef("Lcm", binary_integer, ieee(np.lcm)),
    OpDef("AddN", total, ieee(_add_n)),
    OpDef("ClipByValue", clipped, ieee(_clip)),
    OpDef("Positive", numeric, ieee(np.positive)),
    OpDef("Neg", signed, ieee(np.negative)),
    OpDef("Abs", real_part, ieee(np.absolute)),
    OpDef("Fabs", floating, ieee(np.fabs)),
    OpDef("Sign", numeric, ieee(_sign)),
    OpDef("Heaviside", binary_floating, ieee(np.heaviside)),
    OpDef("Square", numeric, ieee(np.square)),
    OpDef("Reciprocal", inexact, ieee(np.reciprocal)),
    # Rounding, and the parts of a floating-point number.
    OpDef("Round", numeric, ieee(_round)),
    OpDef("Rint", floating, ieee(np.rint)),
    OpDef("Floor", floating, ieee(np.floor)),
    OpDef("Ceil", floating, ieee(np.ceil)),
    OpDef("Trunc", floating, ieee(np.trunc)),
    OpDef("Modf", fraction_and_whole, ieee(np.modf)),
    OpDef("Frexp", mantissa_and_exponent, ieee(np.frexp)),
    OpDef("Ldexp", scaled_by_power, ieee(_ldexp)),
    OpDef("Copysign", binary_floating, ieee(np.copysign)),
    OpDef("NextAfter", binary_floating, ieee(np.nextafter)),
    OpDef("Spacing", floating, ieee(np.spacing)),
    # Powers, exponentials and logarithms.
    OpDef("Sqrt", inexact, ieee(np.sqrt)),
    OpDef("Rsqrt", inexact, ieee(_rsqrt)),
    OpDef("Cbrt", floating, ieee(np.cbrt)),
    OpDef("Hypot", binary_floating, ieee(np.hypot)),
    OpDef("Exp", inexact, ieee(np.exp)),
    OpDef("Exp2", inexact, ieee(np.exp2)),
    OpDef("Expm1", inexact, ieee(np.expm1)),
    OpDef("Log", inexact, ieee(np.log)),
    OpDef("Log2", inexact, ieee(np.log2)),
    OpDef("Log10", inexact, ieee(np.log10)),
    OpDef("Log1p", inexact, ieee(np.log1p)),
    OpDef("LogAddExp", binary_floating, ieee(np.logaddexp)),
    OpDef("LogAddExp2", binary_floating, ieee(np.logaddexp2)),
    OpDef("Erf", floating, ieee(_erf)),
    OpDef("Erfc", floating, ieee(_erfc)),
    OpDef("Lgamma", floating, ieee(_lgamma)),
    # Angles.
    OpDef("Sin", inexact, ieee(np.sin)),
    OpDef("Cos", inexact, ieee(np.cos)),
    OpDef("Tan", inexact, ieee(np.tan)),
    OpDef("Asin", inexact, ieee(np.arcsin)),
    OpDef("Acos", inexact, ieee(np.arccos)),
    OpDef("Atan", inexact, ieee(np.arctan)),
    OpDef("Atan2", binary_floating, ieee(np.arctan2)),
    OpDef("Sinh", inexact, ieee(np.sinh)),
    OpDef("Cosh", inexact, ieee(np.cosh)),
    OpDef("Tanh", inexact, ieee(np.tanh)),
    OpDef("Asinh", inexact, ieee(np.arcsinh)),
    OpDef("Acosh", inexact, ieee(np.arccosh)),
    OpDef("Atanh", inexact, ieee(np.arctanh)),
    OpDef("Degrees", floating, ieee(np.rad2deg)),
    OpDef("Radians", floating, ieee(np.deg2rad)),
    # Complex numbers.
    OpDef("Complex", complex_of, ieee(_complex)),
    OpDef("Real", real_part, ieee(_real)),
    OpDef("Imag", real_part, ieee(_imag)),
    OpDef("Conj", numeric, ieee(np.conj)),
    OpDef("Angle", argument, ieee(_angle)),
    # Comparison.
    OpDef("Equal", equality, ieee(np.equal)),
    OpDef("NotEqual", equality, ieee(np.not_equal)),
    OpDef("Less", ordering, ieee(np.less)),
    OpDef("LessEqual", ordering, ieee(np.less_equal)),
    OpDef("Greater", ordering, ieee(np.greater)),
    OpDef("GreaterEqual", ordering, ieee(np.greater_equal)),
    OpDef("IsClose", closeness, ieee(_is_close)),
    # Logic and bits.
    OpDef("LogicalAnd", binary_boolean, ieee(np.logical_and)),
    OpDef("LogicalOr", binary_boolean, ieee(np.logical_or)),
    OpDef("LogicalXor", binary_boolean, ieee(np.logical_xor)),
    OpDef("LogicalNot", boolean, ieee(np.logical_not)),
    OpDef("BitwiseAnd", binary_bits, ieee(np.bitwise_and)),
    OpDef("BitwiseOr", binary_bits, ieee(np.bitwise_or)),
    OpDef("BitwiseXor", binary_bits, ieee(np.bitwise_xor)),
    OpDef("Invert", bits, ieee(np.invert)),
    OpDef("LeftShift", binary_integer, ieee(np.left_shift)),
    OpDef("RightShift", binary_integer, ieee(np.right_shift)),
    # Special values.
    OpDef("IsNan", classified, ieee(np.isnan)),
    OpDef("IsInf", classified, ieee(np.isinf)),
    OpDef("IsFinite", classified, ieee(np.isfinite)),
    OpDef("Signbit", sign_bit, ieee(np.signbit)),
    OpDef("NanToNum", replaced, ieee(_replace)),
    # Conversion.
    OpDef("Cast", cast, ieee(_cast)),
)
