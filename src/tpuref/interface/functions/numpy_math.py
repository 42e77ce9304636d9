"""NumPy's mathematical functions on tensors, with NumPy's arguments and results.

The operations are those of the tf functions.  If the dtypes of NumPy and TensorFlow
differ, the result has NumPy's: a mean of integers is float64, a sum of short integers
int64.
"""

import functools
import math
from typing import Any

import numpy as np

from tpuref.base.dtypes import DType, bool_, float64, int32, int64, uint64
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_operands, convert_to_tensor
from tpuref.engine.graph.numpy_protocol import UFUNCS, implements, implements_reduction
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_axes, static_axis
from tpuref.interface.functions.arithmetic import maximum, minimum, multiply, truediv
from tpuref.interface.functions.complex_numbers import conj, imag, real
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.linalg import einsum, norm, tensordot
from tpuref.interface.functions.numpy_arrays import truth
from tpuref.interface.functions.reductions import (
    count_nonzero,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from tpuref.interface.functions.reductions import reduce_mean as mean_of
from tpuref.interface.functions.rounding import rint
from tpuref.interface.functions.rounding import round as rounded

UFUNCS.update(
    {
        np.add: "AddV2",
        np.subtract: "Sub",
        np.multiply: "Mul",
        np.true_divide: "RealDiv",
        np.floor_divide: "FloorDiv",
        np.remainder: "FloorMod",
        np.fmod: "TruncateMod",
        np.divmod: "DivMod",
        np.power: "Pow",
        np.float_power: "FloatPower",
        np.maximum: "Maximum",
        np.minimum: "Minimum",
        np.fmax: "Fmax",
        np.fmin: "Fmin",
        np.gcd: "Gcd",
        np.lcm: "Lcm",
        np.positive: "Positive",
        np.negative: "Neg",
        np.absolute: "Abs",
        np.fabs: "Fabs",
        np.sign: "Sign",
        np.square: "Square",
        np.reciprocal: "Reciprocal",
        np.rint: "Rint",
        np.floor: "Floor",
        np.ceil: "Ceil",
        np.trunc: "Trunc",
        np.modf: "Modf",
        np.frexp: "Frexp",
        np.ldexp: "Ldexp",
        np.copysign: "Copysign",
        np.nextafter: "NextAfter",
        np.spacing: "Spacing",
        np.heaviside: "Heaviside",
        np.sqrt: "Sqrt",
        np.cbrt: "Cbrt",
        np.hypot: "Hypot",
        np.exp: "Exp",
        np.exp2: "Exp2",
        np.expm1: "Expm1",
        np.log: "Log",
        np.log2: "Log2",
        np.log10: "Log10",
        np.log1p: "Log1p",
        np.logaddexp: "LogAddExp",
        np.logaddexp2: "LogAddExp2",
        np.sin: "Sin",
        np.cos: "Cos",
        np.tan: "Tan",
        np.arcsin: "Asin",
        np.arccos: "Acos",
        np.arctan: "Atan",
        np.arctan2: "Atan2",
        np.sinh: "Sinh",
        np.cosh: "Cosh",
        np.tanh: "Tanh",
        np.arcsinh: "Asinh",
        np.arccosh: "Acosh",
        np.arctanh: "Atanh",
        np.degrees: "Degrees",
        np.rad2deg: "Degrees",
        np.radians: "Radians",
        np.deg2rad: "Radians",
        np.conjugate: "Conj",
        np.equal: "Equal",
        np.not_equal: "NotEqual",
        np.less: "Less",
        np.less_equal: "LessEqual",
        np.greater: "Greater",
        np.greater_equal: "GreaterEqual",
        np.logical_and: "LogicalAnd",
        np.logical_or: "LogicalOr",
        np.logical_xor: "LogicalXor",
        np.logical_not: "LogicalNot",
        np.bitwise_and: "BitwiseAnd",
        np.bitwise_or: "BitwiseOr",
        np.bitwise_xor: "BitwiseXor",
        np.invert: "Invert",
        np.left_shift: "LeftShift",
        np.right_shift: "RightShift",
        np.isnan: "IsNan",
        np.isinf: "IsInf",
        np.isfinite: "IsFinite",
        np.signbit: "Signbit",
        np.matmul: "MatMul",
    }
)


def _prepare(function: str, a: Any, dtype: Any, out: Any) -> Tensor:
    """Return the tensor, cast to `dtype` if given."""
    _refuse_out(function, out)
    return convert_to_tensor(a) if dtype is None else cast(a, dtype)


def _refuse_out(function: str, out: Any) -> None:
    if out is not None:
        raise TypeError(
            f"{function}: out= cannot be used with a tensor, which is immutable; use "
            "the result"
        )


def _sum_dtype(dtype: DType) -> DType:
    """Return the dtype in which NumPy adds and multiplies numbers of `dtype`."""
    if dtype.is_unsigned:
        return uint64
    return int64 if dtype.is_integer or dtype == bool_ else dtype


def _mean_dtype(dtype: DType) -> DType:
    """Return the dtype in which NumPy averages numbers of `dtype`."""
    return float64 if dtype.is_integer or dtype == bool_ else dtype


def _prepare_total(function: str, a: Any, dtype: Any, out: Any) -> Tensor:
    """Return the tensor in `dtype`, by default the one in which NumPy adds."""
    x = _prepare(function, a, dtype, out)
    return x if dtype is not None else cast(x, _sum_dtype(x.dtype))


# Reductions.


@implements(np.sum)
def _sum(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Tensor:
    return reduce_sum(_prepare_total("np.sum", a, dtype, out), axis, keepdims)


@implements(np.prod)
def _prod(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Tensor:
    return reduce_prod(_prepare_total("np.prod", a, dtype, out), axis, keepdims)


@implements(np.mean)
def _mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Tensor:
    x = _prepare("np.mean", a, dtype, out)
    return mean_of(cast(x, _mean_dtype(x.dtype)), axis, keepdims)


@implements(np.var)
def _var(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> Tensor:
    x = _prepare("np.var", a, dtype, out)
    return _spread("Variance", "np.var", x, axis, ddof, keepdims)


@implements(np.std)
def _std(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: int = 0,
    keepdims: bool = False,
) -> Tensor:
    x = _prepare("np.std", a, dtype, out)
    return _spread("Std", "np.std", x, axis, ddof, keepdims)


def _spread(
    op: str, function: str, x: Tensor, axis: Any, ddof: int, keepdims: bool
) -> Tensor:
    axes = static_axes(function, axis, x)
    numbers = cast(x, _mean_dtype(x.dtype))
    return apply_one(op, numbers, axis=axes, keepdims=bool(keepdims), ddof=int(ddof))


@implements(np.amax)
@implements(np.max)
def _max(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Tensor:
    return reduce_max(_prepare("np.max", a, None, out), axis, keepdims)


@implements(np.amin)
@implements(np.min)
def _min(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Tensor:
    return reduce_min(_prepare("np.min", a, None, out), axis, keepdims)


@implements(np.any)
def _any(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Tensor:
    return reduce_any(truth(_prepare("np.any", a, None, out)), axis, keepdims)


@implements(np.all)
def _all(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Tensor:
    return reduce_all(truth(_prepare("np.all", a, None, out)), axis, keepdims)


@implements(np.count_nonzero)
def _count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Tensor:
    return count_nonzero(a, axis, keepdims)


@implements(np.argmax)
def _argmax(
    a: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False
) -> Tensor:
    x = _prepare("np.argmax", a, None, out)
    return _position("ArgMax", "np.argmax", x, axis, keepdims)


@implements(np.argmin)
def _argmin(
    a: Any, axis: int | None = None, out: Any = None, *, keepdims: bool = False
) -> Tensor:
    x = _prepare("np.argmin", a, None, out)
    return _position("ArgMin", "np.argmin", x, axis, keepdims)


def _position(
    op: str, function: str, x: Tensor, axis: int | None, keepdims: bool
) -> Tensor:
    along = None if axis is None else static_axis(function, axis, x)
    return apply_one(op, x, axis=along, keepdims=bool(keepdims), output_type="int64")


@implements(np.cumsum)
def _cumsum(
    a: Any, axis: int | None = None, dtype: Any = None, out: Any = None
) -> Tensor:
    x = _prepare_total("np.cumsum", a, dtype, out)
    return _running("Cumsum", "np.cumsum", x, axis)


@implements(np.cumprod)
def _cumprod(
    a: Any, axis: int | None = None, dtype: Any = None, out: Any = None
) -> Tensor:
    x = _prepare_total("np.cumprod", a, dtype, out)
    return _running("Cumprod", "np.cumprod", x, axis)


def _running(op: str, function: str, x: Tensor, axis: int | None) -> Tensor:
    along = None if axis is None else static_axis(function, axis, x)
    return apply_one(op, x, axis=along, exclusive=False, reverse=False)


# By default, the method reduce of a ufunc works along the first axis.


for _ufunc, _reduction in (
    (np.add, _sum),
    (np.multiply, _prod),
    (np.logical_and, _all),
    (np.logical_or, _any),
):
    implements_reduction(_ufunc)(functools.partial(_reduction, axis=0))


@implements_reduction(np.maximum)
def _reduce_maximum(
    a: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Tensor:
    return reduce_max(_prepare("np.maximum.reduce", a, dtype, out), axis, keepdims)


@implements_reduction(np.minimum)
def _reduce_minimum(
    a: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False
) -> Tensor:
    return reduce_min(_prepare("np.minimum.reduce", a, dtype, out), axis, keepdims)


# Products.


@implements(np.dot)
def _dot(a: Any, b: Any, out: Any = None) -> Tensor:
    _refuse_out("np.dot", out)
    x, y = convert_operands("np.dot", (a, b))
    if 0 in (x.shape.rank, y.shape.rank):
        return multiply(x, y)
    return tensordot(x, y, [-1, -1 if y.shape.rank == 1 else -2])


@implements(np.inner)
def _inner(a: Any, b: Any) -> Tensor:
    x, y = convert_operands("np.inner", (a, b))
    if 0 in (x.shape.rank, y.shape.rank):
        return multiply(x, y)
    return tensordot(x, y, [-1, -1])


@implements(np.outer)
def _outer(a: Any, b: Any, out: Any = None) -> Tensor:
    _refuse_out("np.outer", out)
    x, y = convert_operands("np.outer", (a, b))
    return tensordot(_flat(x), _flat(y), 0)


@implements(np.vdot)
def _vdot(a: Any, b: Any) -> Tensor:
    x, y = convert_operands("np.vdot", (a, b))
    return tensordot(conj(_flat(x)), _flat(y), 1)


def _flat(x: Tensor) -> Tensor:
    if x.shape.rank == 1:
        return x
    return apply_one("Reshape", x, convert_to_tensor([-1], int32))


@implements(np.tensordot)
def _tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    return tensordot(a, b, axes)


@implements(np.einsum)
def _einsum(subscripts: Any, *operands: Any, optimize: Any = False) -> Tensor:
    if not isinstance(subscripts, str):
        raise TypeError(
            "np.einsum: with tensors, subscripts must be text such as 'ij,jk->ik', "
            f"got {type(subscripts).__name__}"
        )
    return einsum(subscripts, *operands)


@implements(np.trace)
def _trace(
    a: Any,
    offset: int = 0,
    axis1: int = 0,
    axis2: int = 1,
    dtype: Any = None,
    out: Any = None,
) -> Tensor:
    x = _prepare_total("np.trace", a, dtype, out)
    return apply_one("Trace", x, offset=int(offset), axis1=int(axis1), axis2=int(axis2))


@implements(np.linalg.norm)
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    tensor = convert_to_tensor(x)
    numbers = cast(tensor, _mean_dtype(tensor.dtype))
    if ord is not None and axis is None:
        if tensor.shape.rank not in (1, 2):
            raise ValueError(
                f"np.linalg.norm: ord={ord!r} needs a vector or matrix, got "
                f"{tensor.describe()}; give the axes"
            )
        axis = tuple(range(tensor.shape.rank))
    return norm(numbers, "euclidean" if ord is None else ord, axis, keepdims)


# Elementwise functions that are not ufuncs.


@implements(np.clip)
def _clip(
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: Any = None,
    *,
    min: Any = None,
    max: Any = None,
) -> Tensor:
    x = _prepare("np.clip", a, None, out)
    low = min if a_min is None else a_min
    high = max if a_max is None else a_max
    if low is not None:
        x = maximum(x, low)
    return x if high is None else minimum(x, high)


@implements(np.around)
@implements(np.round)
def _round(a: Any, decimals: int = 0, out: Any = None) -> Tensor:
    x = _prepare("np.round", a, None, out)
    if decimals == 0:
        return rounded(x)
    if not x.dtype.is_floating:
        raise TypeError(
            f"np.round: decimals={decimals} needs a floating-point tensor, got "
            f"{x.describe()}; use tf.cast"
        )
    # As in NumPy, only positive powers of ten are used, which are exact.
    scale = 10.0 ** math.fabs(decimals)
    if decimals > 0:
        return truediv(rint(multiply(x, scale)), scale)
    return multiply(rint(truediv(x, scale)), scale)


@implements(np.real)
def _real(val: Any) -> Tensor:
    return real(val)


@implements(np.imag)
def _imag(val: Any) -> Tensor:
    return imag(val)


@implements(np.angle)
def _angle(z: Any, deg: bool = False) -> Tensor:
    radians: Tensor = apply("Angle", z)
    if not deg:
        return radians
    return apply_one("Degrees", radians)


@implements(np.nan_to_num)
def _nan_to_num(
    x: Any,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    return apply_one("NanToNum", x, nan=float(nan), high=posinf, low=neginf)


@implements(np.isclose)
def _isclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    return apply_one(
        "IsClose", a, b, rtol=float(rtol), atol=float(atol), equal_nan=bool(equal_nan)
    )


@implements(np.allclose)
def _allclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    return reduce_all(_isclose(a, b, rtol, atol, equal_nan))
