"""Gradients of elementwise functions."""

import math
from collections.abc import Callable
from typing import Any

from tpuref.engine.ops.derivatives.rule import (
    Applied,
    Apply,
    Rule,
    Tensor,
    broadcast,
    chosen,
    conj,
    not_differentiable,
    number,
    of_dtype,
    over_root,
    passed_on,
    unary,
    unless,
    where,
    zeros_like,
)

_LN2, _LN10 = math.log(2), math.log(10)
_ERF = 2 / math.sqrt(math.pi)

_DERIVATIVES: dict[str, Callable[..., Tensor]] = {
    "Square": lambda apply, x, y: 2 * x,
    "Reciprocal": lambda apply, x, y: -y * y,
    "Rsqrt": lambda apply, x, y: -0.5 * y * y * y,
    "Cbrt": lambda apply, x, y: 1 / (3 * y * y),
    "Exp": lambda apply, x, y: y,
    "Exp2": lambda apply, x, y: _LN2 * y,
    "Expm1": lambda apply, x, y: apply("Exp", x),
    "Log": lambda apply, x, y: apply("Reciprocal", x),
    "Log2": lambda apply, x, y: 1 / (_LN2 * x),
    "Log10": lambda apply, x, y: 1 / (_LN10 * x),
    "Log1p": lambda apply, x, y: apply("Reciprocal", 1 + x),
    "Erf": lambda apply, x, y: _ERF * apply("Exp", -x * x),
    "Erfc": lambda apply, x, y: -_ERF * apply("Exp", -x * x),
    "Erfinv": lambda apply, x, y: apply("Exp", y * y) / _ERF,
    "Lgamma": lambda apply, x, y: apply("Digamma", x),
    "Sin": lambda apply, x, y: apply("Cos", x),
    "Cos": lambda apply, x, y: -apply("Sin", x),
    "Tan": lambda apply, x, y: apply("Square", apply("Reciprocal", apply("Cos", x))),
    "Asin": lambda apply, x, y: apply("Rsqrt", 1 - x * x),
    "Acos": lambda apply, x, y: -apply("Rsqrt", 1 - x * x),
    "Atan": lambda apply, x, y: apply("Reciprocal", 1 + x * x),
    "Sinh": lambda apply, x, y: apply("Cosh", x),
    "Cosh": lambda apply, x, y: apply("Sinh", x),
    "Tanh": lambda apply, x, y: 1 - y * y,
    "Asinh": lambda apply, x, y: apply("Reciprocal", apply("Cosh", y)),
    "Acosh": lambda apply, x, y: apply("Reciprocal", apply("Sinh", y)),
    "Atanh": lambda apply, x, y: apply("Reciprocal", 1 - x * x),
    "Fabs": lambda apply, x, y: _side(apply, x),
}


# -- powers ------------------------------------------------------------------------


def _power_of_base(apply: Apply, dz: Tensor, z: Tensor, x: Tensor, y: Tensor) -> Tensor:
    return dz * conj(apply, y * apply("Pow", x, y - 1))


def _power_of_exponent(
    apply: Apply, dz: Tensor, z: Tensor, x: Tensor, y: Tensor
) -> Tensor:
    """Use a logarithm of 0 where it does not exist, so that 0**y has a gradient."""
    real = not x.dtype.is_complex
    exists = x > 0 if real else apply("NotEqual", x, number(0, x))
    safe = chosen(apply, exists, x, number(1, x))
    return dz * conj(apply, z * where(apply, exists, apply("Log", safe)))


def _float_power(apply: Apply, op: Applied, dz: Tensor) -> Any:
    """Differentiate `Pow` in the double precision of the operation."""
    wide = [of_dtype(apply, x, dz) for x in op.inputs]
    parts = (_power_of_base, _power_of_exponent)

    def own(part: Any, x: Tensor) -> Tensor:
        return of_dtype(apply, part(apply, dz, op.outputs[0], *wide), x)

    return broadcast(
        *[lambda apply, dz, z, *xs, k=k: own(parts[k], xs[k]) for k in (0, 1)]
    )(apply, op, dz)


# -- maximum and minimum -----------------------------------------------------------
#
# Of equal numbers the first gets the whole gradient, as in TensorFlow.


def _clip(apply: Apply, dz: Tensor, z: Tensor, *operands: Tensor) -> list[Tensor]:
    """Return the gradients of maximum(minimum(x, high), low)."""
    x, low, high = operands
    above = apply("GreaterEqual", apply("Minimum", x, high), low)
    below = apply("LessEqual", x, high)
    inside = where(apply, above, dz)
    return [
        where(apply, below, inside),
        unless(apply, above, dz),
        unless(apply, below, inside),
    ]


_CLIP = [lambda apply, dz, z, *xs, k=k: _clip(apply, dz, z, *xs)[k] for k in range(3)]


def _first_is_greater(apply: Apply, x: Tensor, y: Tensor) -> Tensor:
    """Whether Fmax selects x, also where y is NaN."""
    return apply("LogicalOr", x >= y, apply("IsNan", y))


def _first_is_smaller(apply: Apply, x: Tensor, y: Tensor) -> Tensor:
    return apply("LogicalOr", x <= y, apply("IsNan", y))


# -- parts of numbers --------------------------------------------------------------


def _same_sign(apply: Apply, dz: Tensor, z: Tensor, x: Tensor, y: Tensor) -> Tensor:
    turned = apply("LogicalXor", apply("Signbit", x), apply("Signbit", y))
    return chosen(apply, turned, -dz, dz)


def _mantissa(apply: Apply, op: Applied, dm: Tensor, de: Tensor) -> Tensor:
    return apply("Ldexp", dm, -op.outputs[1])


def _rest(apply: Apply, op: Applied, dq: Tensor, dr: Tensor) -> Any:
    return _FLOOR_MOD(apply, _Rest(op), dr)


class _Rest:
    """DivMod as an operation with only its second output."""

    def __init__(self, op: Applied) -> None:
        self.type, self.inputs, self.attrs = op.type, op.inputs, op.attrs
        self.outputs = op.outputs[1:]


_FLOOR_MOD = broadcast(
    lambda apply, dz, z, x, y: dz,
    lambda apply, dz, z, x, y: -dz * apply("FloorDiv", x, y),
)

# -- conversion and complex numbers ------------------------------------------------


def _cast_back(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    return of_dtype(apply, dy, op.inputs[0])


def _abs(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    x = op.inputs[0]
    if x.dtype.is_complex:
        return of_dtype(apply, apply("DivNoNan", dy, op.outputs[0]), x) * x
    return dy * _side(apply, x)


def _side(apply: Apply, x: Tensor) -> Tensor:
    """Return the sign, 0 for NaN; its own gradient is zeros, as in TensorFlow."""
    return where(apply, apply("Equal", x, x), apply("Sign", x))


def _imag(apply: Apply, op: Applied, dy: Tensor) -> Tensor | None:
    if not op.inputs[0].dtype.is_complex:
        return None
    return apply("Complex", zeros_like(apply, dy), dy)


def _angle(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Return ``i x / |x|^2``, the direction that changes only the angle of x."""
    x = op.inputs[0]
    if not x.dtype.is_complex:
        return zeros_like(apply, x)
    real, imag = apply("Real", x), apply("Imag", x)
    scale = dy / (real * real + imag * imag)
    return apply("Complex", -imag * scale, real * scale)


def _sum(apply: Apply, op: Applied, dy: Tensor) -> Any:
    return (dy,) * len(op.inputs)


RULES: dict[str, Rule] = {
    **{name: unary(derivative) for name, derivative in _DERIVATIVES.items()},
    **dict.fromkeys(
        (
            *("FloorDiv", "Gcd", "Lcm", "Heaviside", "Spacing"),
            *("Round", "Rint", "Floor", "Ceil", "Trunc"),
            *("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"),
            *("IsClose", "IsNan", "IsInf", "IsFinite", "Signbit"),
            *("LogicalAnd", "LogicalOr", "LogicalXor", "LogicalNot"),
            *("BitwiseAnd", "BitwiseOr", "BitwiseXor", "Invert"),
            *("LeftShift", "RightShift"),
        ),
        not_differentiable,
    ),
    # Sums, products and quotients.
    "Positive": passed_on,
    "Neg": lambda apply, op, dy: -dy,
    "AddN": _sum,
    "AddV2": broadcast(lambda apply, dz, z, x, y: dz, lambda apply, dz, z, x, y: dz),
    "Sub": broadcast(lambda apply, dz, z, x, y: dz, lambda apply, dz, z, x, y: -dz),
    "Mul": broadcast(
        lambda apply, dz, z, x, y: dz * conj(apply, y),
        lambda apply, dz, z, x, y: dz * conj(apply, x),
    ),
    "RealDiv": broadcast(
        lambda apply, dz, z, x, y: dz / conj(apply, y),
        lambda apply, dz, z, x, y: dz * conj(apply, -x / y / y),
    ),
    "DivNoNan": broadcast(
        lambda apply, dz, z, x, y: apply("DivNoNan", dz, conj(apply, y)),
        lambda apply, dz, z, x, y: (
            dz * conj(apply, apply("DivNoNan", apply("DivNoNan", -x, y), y))
        ),
    ),
    "FloorMod": _FLOOR_MOD,
    "TruncateMod": broadcast(
        lambda apply, dz, z, x, y: dz,
        lambda apply, dz, z, x, y: -dz * apply("Trunc", x / y),
    ),
    "DivMod": _rest,
    "SquaredDifference": broadcast(
        lambda apply, dz, z, x, y: 2 * dz * (x - y),
        lambda apply, dz, z, x, y: -2 * dz * (x - y),
    ),
    # Powers and logarithms.
    "Sqrt": lambda apply, op, dy: 0.5 * over_root(apply, dy, op.outputs[0]),
    "Pow": broadcast(_power_of_base, _power_of_exponent),
    "FloatPower": _float_power,
    "Hypot": broadcast(
        lambda apply, dz, z, x, y: dz * x / z, lambda apply, dz, z, x, y: dz * y / z
    ),
    "LogAddExp": broadcast(
        lambda apply, dz, z, x, y: dz * apply("Sigmoid", x - y),
        lambda apply, dz, z, x, y: dz * apply("Sigmoid", y - x),
    ),
    "LogAddExp2": broadcast(
        lambda apply, dz, z, x, y: dz * apply("Sigmoid", _LN2 * (x - y)),
        lambda apply, dz, z, x, y: dz * apply("Sigmoid", _LN2 * (y - x)),
    ),
    # Maximum and minimum.
    "Maximum": broadcast(
        lambda apply, dz, z, x, y: where(apply, x >= y, dz),
        lambda apply, dz, z, x, y: unless(apply, x >= y, dz),
    ),
    "Minimum": broadcast(
        lambda apply, dz, z, x, y: where(apply, x <= y, dz),
        lambda apply, dz, z, x, y: unless(apply, x <= y, dz),
    ),
    "Fmax": broadcast(
        lambda apply, dz, z, x, y: where(apply, _first_is_greater(apply, x, y), dz),
        lambda apply, dz, z, x, y: unless(apply, _first_is_greater(apply, x, y), dz),
    ),
    "Fmin": broadcast(
        lambda apply, dz, z, x, y: where(apply, _first_is_smaller(apply, x, y), dz),
        lambda apply, dz, z, x, y: unless(apply, _first_is_smaller(apply, x, y), dz),
    ),
    "ClipByValue": broadcast(*_CLIP),
    # Signs, and the parts of a floating-point number.
    "Abs": _abs,
    "Sign": lambda apply, op, dy: zeros_like(apply, op.inputs[0]),
    "Copysign": broadcast(_same_sign, None),
    "NextAfter": broadcast(lambda apply, dz, z, x, y: dz, None),
    "Ldexp": broadcast(lambda apply, dz, z, x, e: apply("Ldexp", dz, e), None),
    "Modf": lambda apply, op, fraction, whole: fraction,
    "Frexp": _mantissa,
    "NanToNum": lambda apply, op, dy: where(apply, apply("IsFinite", op.inputs[0]), dy),
    # Angles.
    "Atan2": broadcast(
        lambda apply, dz, z, y, x: dz * x / (x * x + y * y),
        lambda apply, dz, z, y, x: -dz * y / (x * x + y * y),
    ),
    "Degrees": lambda apply, op, dy: apply("Degrees", dy),
    "Radians": lambda apply, op, dy: apply("Radians", dy),
    # Complex numbers and conversion.
    "Complex": broadcast(
        lambda apply, dz, z, x, y: apply("Real", dz),
        lambda apply, dz, z, x, y: apply("Imag", dz),
    ),
    "Real": _cast_back,
    "Imag": _imag,
    "Conj": lambda apply, op, dy: conj(apply, dy),
    "Angle": _angle,
    "Cast": _cast_back,
}
