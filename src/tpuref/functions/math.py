"""Functions of numbers: arithmetic, comparison, logic, conversion and reductions.

Two operands must have one dtype and shapes that broadcast; a plain Python or NumPy
value takes the dtype of the tensor beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base.dtypes import DType, as_dtype, bfloat16, float32, float64, int32, int64
from tpuref.base.shapes import as_shape
from tpuref.functions.arguments import static_integer, static_integers
from tpuref.graph.build import apply
from tpuref.graph.convert import convert_operands, convert_to_tensor
from tpuref.graph.tensor import Tensor
from tpuref.ops.broadcasting import Axis

__all__ = [
    "abs",
    "accumulate_n",
    "acos",
    "acosh",
    "add",
    "add_n",
    "angle",
    "argmax",
    "argmin",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cast",
    "ceil",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "complex",
    "conj",
    "cos",
    "cosh",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "div",
    "div_no_nan",
    "divide",
    "divide_no_nan",
    "equal",
    "erf",
    "erfc",
    "exp",
    "expm1",
    "floor",
    "floor_div",
    "floordiv",
    "floormod",
    "global_norm",
    "greater",
    "greater_equal",
    "imag",
    "is_finite",
    "is_inf",
    "is_nan",
    "less",
    "less_equal",
    "lgamma",
    "log",
    "log1p",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "pow",
    "real",
    "realdiv",
    "reciprocal",
    "reduce_all",
    "reduce_any",
    "reduce_euclidean_norm",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_std",
    "reduce_sum",
    "reduce_variance",
    "rint",
    "round",
    "rsqrt",
    "saturate_cast",
    "scalar_mul",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "squared_difference",
    "subtract",
    "tan",
    "tanh",
    "to_bfloat16",
    "to_double",
    "to_float",
    "to_int32",
    "to_int64",
    "truediv",
    "truncatemod",
]


def _apply(op: str, *inputs: Any, name: str | None = None, **attrs: Any) -> Tensor:
    """Apply an operation that has one output."""
    result: Tensor = apply(op, *inputs, name=name, **attrs)
    return result


# Arithmetic.


def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x + y``, element by element.

    Parameters
    ----------
    x, y
        Numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands.

    Raises
    ------
    TypeError
        If the dtypes differ or are no numbers.
    ValueError
        If the shapes do not broadcast.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.add([1, 2], [[10], [20]]))
    array([[11, 12],
           [21, 22]], dtype=int32)
    """
    return _apply("AddV2", x, y, name=name or "Add")


def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x - y``, element by element.

    Parameters
    ----------
    x, y
        Numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.subtract([5, 7], 2))
    array([3, 5], dtype=int32)
    """
    return _apply("Sub", x, y, name=name)


def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x * y``, element by element.

    Parameters
    ----------
    x, y
        Numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.multiply([1., 2.], [3., 4.]))
    array([3., 8.], dtype=float32)
    """
    return _apply("Mul", x, y, name=name)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """Return `x` times one number.

    Parameters
    ----------
    scalar
        A number of the dtype of `x`, of rank 0.
    x
        A tensor of numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Raises
    ------
    ValueError
        If `scalar` is known not to be of rank 0.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.scalar_mul(3, [1, 2]))
    array([3, 6], dtype=int32)
    """
    x = convert_to_tensor(x)
    factor = convert_to_tensor(scalar, x.dtype)
    if factor.shape.rank not in (None, 0):
        raise ValueError(
            f"tf.scalar_mul: scalar must have rank 0, got {factor.describe()}; use "
            "tf.multiply for shapes that broadcast"
        )
    return _apply("Mul", factor, x, name=name)


def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the quotient as Python 3 has it: integers give fractions.

    Parameters
    ----------
    x, y
        Numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands; float32 of integers of 8 and 16 bits, float64 of
        longer ones.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.truediv([1, 3], 2))
    array([0.5, 1.5])
    """
    return _apply("RealDiv", x, y, name=name or "truediv")


def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x / y``, the same as `truediv`.

    Parameters
    ----------
    x, y
        Numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        The quotient, as `truediv` gives it.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.realdiv([1., 0.], [4., 0.]))
    array([0.25,  nan], dtype=float32)
    """
    return _apply("RealDiv", x, y, name=name)


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x / y`` by the rules of Python 3, the same as `truediv`.

    Parameters
    ----------
    x, y
        Numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        The quotient, as `truediv` gives it.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.divide([9., 3.], 2.))
    array([4.5, 1.5], dtype=float32)
    """
    return _apply("RealDiv", x, y, name=name or "truediv")


def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the quotient as Python 2 had it: integers give the whole part below.

    Parameters
    ----------
    x, y
        Numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands.

    Raises
    ------
    InvalidArgumentError
        At run time, if an integer is divided by zero.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.div([-7, 7], 2))
    array([-4,  3], dtype=int32)
    """
    x, y = convert_operands("tf.div", (x, y))
    op = "FloorDiv" if x.dtype.is_integer else "RealDiv"
    return _apply(op, x, y, name=name or "div")


def div_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x / y``, and 0 wherever `y` is 0.

    Parameters
    ----------
    x, y
        Floating-point or complex numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.div_no_nan([1., 1.], [0., 4.]))
    array([0.  , 0.25], dtype=float32)
    """
    return _apply("DivNoNan", x, y, name=name or "div_no_nan")


divide_no_nan = div_no_nan


def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x // y``: the greatest whole number that is not above the quotient.

    Parameters
    ----------
    x, y
        Real numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands.

    Raises
    ------
    InvalidArgumentError
        At run time, if an integer is divided by zero.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.floordiv([7, -7], 2))
    array([ 3, -4], dtype=int32)
    """
    return _apply("FloorDiv", x, y, name=name or "floordiv")


floor_div = floordiv


def floormod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the rest of the floor division, which has the sign of `y`.

    Parameters
    ----------
    x, y
        Real numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands.

    Raises
    ------
    InvalidArgumentError
        At run time, if an integer is divided by zero.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.floormod([7, -7], 3))
    array([1, 2], dtype=int32)
    """
    return _apply("FloorMod", x, y, name=name)


mod = floormod


def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the rest of the division that rounds to zero; it has the sign of `x`.

    Parameters
    ----------
    x, y
        Real numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands.

    Raises
    ------
    InvalidArgumentError
        At run time, if an integer is divided by zero.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.truncatemod([7, -7], 3))
    array([ 1, -1], dtype=int32)
    """
    return _apply("TruncateMod", x, y, name=name)


def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x` to the power `y`, element by element.

    Parameters
    ----------
    x, y
        Numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands.

    Raises
    ------
    InvalidArgumentError
        At run time, if an integer has a negative exponent.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.pow([2, 3], [3, 2]))
    array([8, 9], dtype=int32)
    """
    return _apply("Pow", x, y, name=name)


def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the square of ``x - y``; of complex numbers, that of its length.

    Parameters
    ----------
    x, y
        Numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.squared_difference([1, 5], 3))
    array([4, 4], dtype=int32)
    """
    return _apply("SquaredDifference", x, y, name=name)


def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the greater of `x` and `y`, element by element; nan if either is nan.

    Parameters
    ----------
    x, y
        Real numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.maximum([1, 5], 3))
    array([3, 5], dtype=int32)
    """
    return _apply("Maximum", x, y, name=name)


def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the lesser of `x` and `y`, element by element; nan if either is nan.

    Parameters
    ----------
    x, y
        Real numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.minimum([1, 5], 3))
    array([1, 3], dtype=int32)
    """
    return _apply("Minimum", x, y, name=name)


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """Return the sum of a list of tensors, which are not broadcast.

    Parameters
    ----------
    inputs
        A list or tuple of tensors of one shape and dtype.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of the inputs.  float16 and bfloat16 are added in float32
        and rounded once.

    Raises
    ------
    ValueError
        If `inputs` is no list, is empty, or holds different shapes.
    TypeError
        If the dtypes differ.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.add_n([tf.constant([1, 2]), tf.constant([3, 4])]))
    array([4, 6], dtype=int32)
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(
            "tf.add_n: inputs must be a list of at least one tensor, got "
            f"{type(inputs).__name__} {inputs!r}"
        )
    return _apply("AddN", *inputs, name=name)


def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """Return the sum of a list of tensors, as `add_n` does.

    Parameters
    ----------
    inputs
        A list or tuple of tensors of one shape and dtype.
    shape
        The shape that the inputs must be compatible with.
    tensor_dtype
        The dtype that the inputs must have.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of the inputs.

    Raises
    ------
    ValueError
        If `inputs` is no list, is empty, or holds other shapes.
    TypeError
        If an input has another dtype.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.accumulate_n([[1, 2], [3, 4], [5, 6]]))
    array([ 9, 12], dtype=int32)
    """
    total = add_n(inputs, name)
    if tensor_dtype is not None and total.dtype != as_dtype(tensor_dtype):
        raise TypeError(
            f"tf.accumulate_n: tensor_dtype is {as_dtype(tensor_dtype).name}, but the "
            f"inputs are {total.dtype.name}"
        )
    if not total.shape.is_compatible_with(as_shape(shape)):
        raise ValueError(
            f"tf.accumulate_n: shape is {as_shape(shape)}, but the inputs have shape "
            f"{total.shape}"
        )
    return total


def negative(x: Any, name: str | None = None) -> Tensor:
    """Return ``-x``.

    Parameters
    ----------
    x
        Floating-point, complex or signed integer numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.negative([1, -2]))
    array([-1,  2], dtype=int32)
    """
    return _apply("Neg", x, name=name)


def abs(x: Any, name: str | None = None) -> Tensor:
    """Return the size of each number without its sign.

    Parameters
    ----------
    x
        Numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the shape of `x`, and of its dtype; complex numbers give their length,
        float32 or float64.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.abs([-1.5, 2.]))
    array([1.5, 2. ], dtype=float32)
    """
    return _apply("Abs", x, name=name)


def sign(x: Any, name: str | None = None) -> Tensor:
    """Return -1, 0 or 1 by the sign; of a complex number, itself at length 1.

    Parameters
    ----------
    x
        Numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.sign([-3, 0, 5]))
    array([-1,  0,  1], dtype=int32)
    """
    return _apply("Sign", x, name=name)


def square(x: Any, name: str | None = None) -> Tensor:
    """Return ``x * x``.

    Parameters
    ----------
    x
        Numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.square([2, -3]))
    array([4, 9], dtype=int32)
    """
    return _apply("Square", x, name=name)


def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """Return ``1 / x``.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.reciprocal([2., 0.]))
    array([0.5, inf], dtype=float32)
    """
    return _apply("Reciprocal", x, name=name)


# Rounding.


def round(x: Any, name: str | None = None) -> Tensor:
    """Return the nearest whole number, the even one of two that are as near.

    Parameters
    ----------
    x
        Numbers; integers stay as they are.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.round([0.5, 1.5, 2.6]))
    array([0., 2., 3.], dtype=float32)
    """
    return _apply("Round", x, name=name)


def rint(x: Any, name: str | None = None) -> Tensor:
    """Return the nearest whole number, the even one of two that are as near.

    Parameters
    ----------
    x
        Floating-point numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.rint([-1.7, -1.5, 2.5]))
    array([-2., -2.,  2.], dtype=float32)
    """
    return _apply("Rint", x, name=name)


def floor(x: Any, name: str | None = None) -> Tensor:
    """Return the greatest whole number that is not above `x`.

    Parameters
    ----------
    x
        Floating-point numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.floor([-1.5, 1.5]))
    array([-2.,  1.], dtype=float32)
    """
    return _apply("Floor", x, name=name)


def ceil(x: Any, name: str | None = None) -> Tensor:
    """Return the least whole number that is not below `x`.

    Parameters
    ----------
    x
        Floating-point numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.ceil([-1.5, 1.5]))
    array([-1.,  2.], dtype=float32)
    """
    return _apply("Ceil", x, name=name)


def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """Return the number next to `x1` on the way to `x2`.

    Parameters
    ----------
    x1, x2
        Floating-point numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands.

    Examples
    --------
    >>> import tpuref as tf
    >>> float(tf.Session().run(tf.math.nextafter(1.0, 2.0))) == 1 + 2.0**-23
    True
    """
    return _apply("NextAfter", x1, x2, name=name)


# Roots, exponentials and logarithms.


def sqrt(x: Any, name: str | None = None) -> Tensor:
    """Return the square root; nan of a negative number.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.sqrt([4., 9.]))
    array([2., 3.], dtype=float32)
    """
    return _apply("Sqrt", x, name=name)


def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """Return 1 divided by the square root.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.rsqrt([4., 0.]))
    array([0.5, inf], dtype=float32)
    """
    return _apply("Rsqrt", x, name=name)


def exp(x: Any, name: str | None = None) -> Tensor:
    """Return e to the power `x`.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.exp([0., float("-inf")]))
    array([1., 0.], dtype=float32)
    """
    return _apply("Exp", x, name=name)


def expm1(x: Any, name: str | None = None) -> Tensor:
    """Return ``exp(x) - 1``, exact for small `x` too.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.expm1([0., 1e-20]))
    array([0.e+00, 1.e-20], dtype=float32)
    """
    return _apply("Expm1", x, name=name)


def log(x: Any, name: str | None = None) -> Tensor:
    """Return the natural logarithm; nan of a negative number, -inf of 0.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.log([1., 0.]))
    array([  0., -inf], dtype=float32)
    """
    return _apply("Log", x, name=name)


def log1p(x: Any, name: str | None = None) -> Tensor:
    """Return ``log(1 + x)``, exact for small `x` too.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.log1p([0., 1e-20]))
    array([0.e+00, 1.e-20], dtype=float32)
    """
    return _apply("Log1p", x, name=name)


def erf(x: Any, name: str | None = None) -> Tensor:
    """Return the Gauss error function.

    Parameters
    ----------
    x
        Floating-point numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.erf([0., 10.]))
    array([0., 1.], dtype=float32)
    """
    return _apply("Erf", x, name=name)


def erfc(x: Any, name: str | None = None) -> Tensor:
    """Return ``1 - erf(x)``, exact where that is small too.

    Parameters
    ----------
    x
        Floating-point numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.erfc([0., 20.]))
    array([1., 0.], dtype=float32)
    """
    return _apply("Erfc", x, name=name)


def lgamma(x: Any, name: str | None = None) -> Tensor:
    """Return the logarithm of the size of the gamma function, inf at its poles.

    Parameters
    ----------
    x
        Floating-point numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.lgamma([1., 2., 0.]))
    array([ 0.,  0., inf], dtype=float32)
    """
    return _apply("Lgamma", x, name=name)


# Angles.


def sin(x: Any, name: str | None = None) -> Tensor:
    """Return the sine of an angle in radians.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.sin([0.]))
    array([0.], dtype=float32)
    """
    return _apply("Sin", x, name=name)


def cos(x: Any, name: str | None = None) -> Tensor:
    """Return the cosine of an angle in radians.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.cos([0.]))
    array([1.], dtype=float32)
    """
    return _apply("Cos", x, name=name)


def tan(x: Any, name: str | None = None) -> Tensor:
    """Return the tangent of an angle in radians.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.tan([0.]))
    array([0.], dtype=float32)
    """
    return _apply("Tan", x, name=name)


def asin(x: Any, name: str | None = None) -> Tensor:
    """Return the angle in radians that has the sine `x`; nan beyond -1 to 1.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.asin([0., 2.]))
    array([ 0., nan], dtype=float32)
    """
    return _apply("Asin", x, name=name)


def acos(x: Any, name: str | None = None) -> Tensor:
    """Return the angle in radians that has the cosine `x`; nan beyond -1 to 1.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.acos([1., 2.]))
    array([ 0., nan], dtype=float32)
    """
    return _apply("Acos", x, name=name)


def atan(x: Any, name: str | None = None) -> Tensor:
    """Return the angle in radians that has the tangent `x`.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.atan([0.]))
    array([0.], dtype=float32)
    """
    return _apply("Atan", x, name=name)


def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """Return the angle in radians from the first axis to the point ``(x, y)``.

    Parameters
    ----------
    y, x
        Floating-point numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the operands, from -pi to pi.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.atan2([1., 0.], [0., -1.]))
    array([1.5707964, 3.1415927], dtype=float32)
    """
    return _apply("Atan2", y, x, name=name)


def sinh(x: Any, name: str | None = None) -> Tensor:
    """Return the hyperbolic sine.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.sinh([0.]))
    array([0.], dtype=float32)
    """
    return _apply("Sinh", x, name=name)


def cosh(x: Any, name: str | None = None) -> Tensor:
    """Return the hyperbolic cosine.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.cosh([0.]))
    array([1.], dtype=float32)
    """
    return _apply("Cosh", x, name=name)


def tanh(x: Any, name: str | None = None) -> Tensor:
    """Return the hyperbolic tangent.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.tanh([0., 100.]))
    array([0., 1.], dtype=float32)
    """
    return _apply("Tanh", x, name=name)


def asinh(x: Any, name: str | None = None) -> Tensor:
    """Return the inverse of the hyperbolic sine.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.asinh([0.]))
    array([0.], dtype=float32)
    """
    return _apply("Asinh", x, name=name)


def acosh(x: Any, name: str | None = None) -> Tensor:
    """Return the inverse of the hyperbolic cosine; nan below 1.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.acosh([1., 0.]))
    array([ 0., nan], dtype=float32)
    """
    return _apply("Acosh", x, name=name)


def atanh(x: Any, name: str | None = None) -> Tensor:
    """Return the inverse of the hyperbolic tangent; nan beyond -1 to 1.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.atanh([0., 1.]))
    array([ 0., inf], dtype=float32)
    """
    return _apply("Atanh", x, name=name)


# Complex numbers.


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Return the complex numbers that have the given parts.

    Parameters
    ----------
    real, imag
        Numbers, both float32 or both float64; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        complex64 of float32, complex128 of float64.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.complex([1., 2.], [3., 4.]))
    array([1.+3.j, 2.+4.j], dtype=complex64)
    """
    return _apply("Complex", real, imag, name=name)


def real(input: Any, name: str | None = None) -> Tensor:
    """Return the real part; a real tensor is returned as it is.

    Parameters
    ----------
    input
        Numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        float32 of complex64, float64 of complex128.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.real(tf.complex([1., 2.], 3.)))
    array([1., 2.], dtype=float32)
    """
    x = convert_to_tensor(input)
    return _apply("Real", x, name=name) if x.dtype.is_complex else x


def imag(input: Any, name: str | None = None) -> Tensor:
    """Return the imaginary part, which is 0 for real numbers.

    Parameters
    ----------
    input
        Numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        float32 of complex64, float64 of complex128, otherwise of the dtype of `input`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.imag(tf.complex([1., 2.], 3.)))
    array([3., 3.], dtype=float32)
    """
    return _apply("Imag", input, name=name)


def conj(x: Any, name: str | None = None) -> Tensor:
    """Return the complex conjugate; a real tensor is returned as it is.

    Parameters
    ----------
    x
        Numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.conj(tf.complex([1., 2.], 3.)))
    array([1.-3.j, 2.-3.j], dtype=complex64)
    """
    x = convert_to_tensor(x)
    return _apply("Conj", x, name=name) if x.dtype.is_complex else x


def angle(input: Any, name: str | None = None) -> Tensor:
    """Return the angle in radians of a complex number; 0 for a real one.

    Parameters
    ----------
    input
        Complex numbers; others give zeros, below 0 too (`np.angle` gives pi there).
    name
        The name of the operation.

    Returns
    -------
    Tensor
        float32 of complex64, float64 of complex128, otherwise of the dtype of `input`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.angle(tf.constant([1j, -1.], tf.complex64)))
    array([1.5707964, 3.1415927], dtype=float32)
    """
    value = convert_to_tensor(input)
    op = "Angle" if value.dtype.is_complex else "ZerosLike"
    return _apply(op, value, name=name or "Angle")


# Comparison.


def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return whether the elements are equal.

    Parameters
    ----------
    x, y
        Values of one dtype, text included; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Booleans.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.equal([1, 2], 2))
    array([False,  True])
    """
    return _apply("Equal", x, y, name=name)


def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return whether the elements differ.

    Parameters
    ----------
    x, y
        Values of one dtype, text included; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Booleans.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.not_equal([1, 2], 2))
    array([ True, False])
    """
    return _apply("NotEqual", x, y, name=name)


def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x < y``, element by element.

    Parameters
    ----------
    x, y
        Real numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Booleans.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.less([1, 2, 3], 2))
    array([ True, False, False])
    """
    return _apply("Less", x, y, name=name)


def less_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x <= y``, element by element.

    Parameters
    ----------
    x, y
        Real numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Booleans.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.less_equal([1, 2, 3], 2))
    array([ True,  True, False])
    """
    return _apply("LessEqual", x, y, name=name)


def greater(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x > y``, element by element.

    Parameters
    ----------
    x, y
        Real numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Booleans.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.greater([1, 2, 3], 2))
    array([False, False,  True])
    """
    return _apply("Greater", x, y, name=name)


def greater_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x >= y``, element by element.

    Parameters
    ----------
    x, y
        Real numbers of one dtype; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Booleans.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.greater_equal([1, 2, 3], 2))
    array([False,  True,  True])
    """
    return _apply("GreaterEqual", x, y, name=name)


def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Return whether each element is nan.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Booleans of the shape of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.is_nan([1., float("nan")]))
    array([False,  True])
    """
    return _apply("IsNan", x, name=name)


def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Return whether each element is infinite.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Booleans of the shape of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.is_inf([1., float("-inf")]))
    array([False,  True])
    """
    return _apply("IsInf", x, name=name)


def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Return whether each element is neither infinite nor nan.

    Parameters
    ----------
    x
        Floating-point or complex numbers.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Booleans of the shape of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.is_finite([1., float("nan")]))
    array([ True, False])
    """
    return _apply("IsFinite", x, name=name)


# Logic.


def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return whether both are true, element by element.

    Parameters
    ----------
    x, y
        Booleans; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Booleans.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.logical_and([True, True], [True, False]))
    array([ True, False])
    """
    return _apply("LogicalAnd", x, y, name=name)


def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return whether either is true, element by element.

    Parameters
    ----------
    x, y
        Booleans; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Booleans.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.logical_or([True, False], False))
    array([ True, False])
    """
    return _apply("LogicalOr", x, y, name=name)


def logical_xor(x: Any, y: Any, name: str | None = "LogicalXor") -> Tensor:
    """Return whether exactly one is true, element by element.

    Parameters
    ----------
    x, y
        Booleans; the shapes broadcast.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Booleans.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.logical_xor([True, False], True))
    array([False,  True])
    """
    return _apply("LogicalXor", x, y, name=name)


def logical_not(x: Any, name: str | None = None) -> Tensor:
    """Return whether each element is false.

    Parameters
    ----------
    x
        Booleans.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Booleans of the shape of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.logical_not([True, False]))
    array([False,  True])
    """
    return _apply("LogicalNot", x, name=name)


# Conversion and clipping.


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Return the values as another element type.

    Parameters
    ----------
    x
        Numbers or booleans.
    dtype
        The element type to convert to.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the shape of `x`.  A tensor that has the type is returned as it is.
        Fractions are cut off by integers, imaginary parts by real types.

    Raises
    ------
    TypeError
        If either type is string.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.cast([1.8, -1.8], tf.int32))
    array([ 1, -1], dtype=int32)
    """
    x = convert_to_tensor(x)
    target = as_dtype(dtype)
    return x if x.dtype == target else _apply("Cast", x, name=name, dtype=target.name)


def to_float(x: Any, name: str | None = "ToFloat") -> Tensor:
    """Return the values as float32.

    Parameters
    ----------
    x
        Numbers or booleans.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        float32 of the shape of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.to_float([1, 2]))
    array([1., 2.], dtype=float32)
    """
    return cast(x, float32, name)


def to_double(x: Any, name: str | None = "ToDouble") -> Tensor:
    """Return the values as float64.

    Parameters
    ----------
    x
        Numbers or booleans.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        float64 of the shape of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.to_double([1, 2]))
    array([1., 2.])
    """
    return cast(x, float64, name)


def to_int32(x: Any, name: str | None = "ToInt32") -> Tensor:
    """Return the values as int32, without their fractions.

    Parameters
    ----------
    x
        Numbers or booleans.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        int32 of the shape of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.to_int32([1.5, 2.5]))
    array([1, 2], dtype=int32)
    """
    return cast(x, int32, name)


def to_int64(x: Any, name: str | None = "ToInt64") -> Tensor:
    """Return the values as int64, without their fractions.

    Parameters
    ----------
    x
        Numbers or booleans.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        int64 of the shape of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.to_int64([1.5, 2.5]))
    array([1, 2])
    """
    return cast(x, int64, name)


def to_bfloat16(x: Any, name: str | None = "ToBFloat16") -> Tensor:
    """Return the values as bfloat16, rounded to 8 significant bits.

    Parameters
    ----------
    x
        Numbers or booleans.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        bfloat16 of the shape of `x`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.to_bfloat16([1.001, 257.0])).tolist()
    [1.0, 256.0]
    """
    return cast(x, bfloat16, name)


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Return the values as another element type, kept within its range first.

    Parameters
    ----------
    value
        Real numbers.
    dtype
        The element type to convert to, a real one.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the shape of `value`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.saturate_cast([-5., 300.], tf.uint8))
    array([  0, 255], dtype=uint8)
    """
    x = convert_to_tensor(value)
    target = as_dtype(dtype)
    least, greatest = _range(x.dtype)
    low, high = _range(target)
    if low > least:
        x = _apply("Maximum", x, _bound_within(low, x.dtype, target))
    if high < greatest:
        x = _apply("Minimum", x, _bound_within(high, x.dtype, target))
    return cast(x, target, name)


def _range(dtype: DType) -> tuple[float, float]:
    if dtype.is_integer:
        return int(dtype.min), int(dtype.max)
    return float(dtype.min), float(dtype.max)


def _bound_within(bound: float, dtype: DType, target: DType) -> Any:
    """Return `bound` as `dtype`, one step nearer to zero where it rounds outside."""
    value = np.asarray(bound).astype(dtype.np)
    low, high = _range(target)
    inside = low <= value.item() <= high
    return value if inside else np.nextafter(value, np.zeros_like(value))


def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Tensor:
    """Return `t` kept between two bounds; the lower one wins where they cross.

    Parameters
    ----------
    t
        Real numbers.
    clip_value_min, clip_value_max
        The bounds, of the dtype of `t` and of shapes that broadcast to its shape.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `t`.

    Raises
    ------
    ValueError
        If the bounds do not broadcast to the shape of `t`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.clip_by_value([-5, 0, 5], -1, 1))
    array([-1,  0,  1], dtype=int32)
    """
    t = convert_to_tensor(t)
    low = convert_to_tensor(clip_value_min, t.dtype)
    high = convert_to_tensor(clip_value_max, t.dtype)
    clipped = _apply("ClipByValue", t, low, high, name=name or "clip_by_value")
    if not t.shape.is_compatible_with(clipped.shape):
        raise ValueError(
            f"tf.clip_by_value: the bounds {low.describe()} and {high.describe()} do "
            f"not broadcast to the shape of {t.describe()}"
        )
    return clipped


def clip_by_norm(
    t: Any, clip_norm: Any, axes: Any = None, name: str | None = None
) -> Tensor:
    """Return `t`, shrunk to the Euclidean length `clip_norm` where it is longer.

    Parameters
    ----------
    t
        Floating-point numbers.
    clip_norm
        The greatest length, positive.
    axes
        The axes along which the length is taken; all by default.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `t`.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.clip_by_norm([3., 4.], 1.))
    array([0.6, 0.8], dtype=float32)
    """
    t = convert_to_tensor(t)
    limit = convert_to_tensor(clip_norm, t.dtype)
    length = reduce_euclidean_norm(t, axes, keepdims=True)
    return truediv(multiply(t, limit), maximum(length, limit), name or "clip_by_norm")


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """Return the Euclidean length of all tensors of a list together.

    Parameters
    ----------
    t_list
        Tensors of one floating-point dtype; None entries are left out.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        A scalar of that dtype.

    Raises
    ------
    ValueError
        If the list has no tensor.

    Examples
    --------
    >>> import tpuref as tf
    >>> float(tf.Session().run(tf.global_norm([[3.], None, [4.]])))
    5.0
    """
    present = [convert_to_tensor(t) for t in t_list if t is not None]
    if not present:
        raise ValueError("tf.global_norm: t_list must hold at least one tensor")
    return sqrt(add_n([reduce_sum(square(t)) for t in present]), name)


def clip_by_global_norm(
    t_list: Sequence[Any],
    clip_norm: Any,
    use_norm: Any = None,
    name: str | None = None,
) -> tuple[list[Tensor | None], Tensor]:
    """Return the tensors, shrunk together to the length `clip_norm` if longer.

    Parameters
    ----------
    t_list
        Tensors of one floating-point dtype; None entries stay None.
    clip_norm
        The greatest length of all tensors together, positive.
    use_norm
        Their length, where it is known; `global_norm` finds it otherwise.
    name
        The name of the operations.

    Returns
    -------
    list of Tensor, Tensor
        The tensors, and the length that they had before.

    Examples
    --------
    >>> import tpuref as tf
    >>> clipped, length = tf.clip_by_global_norm([[3.], [4.]], 1.)
    >>> [x.tolist() for x in tf.Session().run([*clipped, length])]
    [[0.6000000238418579], [0.800000011920929], 5.0]
    """
    norm = global_norm(t_list) if use_norm is None else convert_to_tensor(use_norm)
    limit = convert_to_tensor(clip_norm, norm.dtype)
    scale = truediv(limit, maximum(norm, limit))
    clipped = [None if t is None else multiply(t, scale, name) for t in t_list]
    return clipped, norm


# Reductions.


def reduce_sum(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return the sum along the axes.

    Parameters
    ----------
    input_tensor
        Numbers.
    axis
        The axis or axes to sum along, negative ones counted from the last; all by
        default.
    keepdims
        Whether summed axes stay, with size 1.
    name
        The name of the operation.
    reduction_indices, keep_dims
        Former names of `axis` and `keepdims`.

    Returns
    -------
    Tensor
        Of the dtype of the input: integers wrap around, float16 and bfloat16 are
        summed in float32 and rounded once.

    Raises
    ------
    ValueError
        If an axis does not exist or is named twice, or an argument is given under
        both of its names.

    Examples
    --------
    >>> import tpuref as tf
    >>> x = tf.constant([[1, 2, 3], [4, 5, 6]])
    >>> tf.Session().run(tf.reduce_sum(x, axis=0))
    array([5, 7, 9], dtype=int32)
    """
    axis = _either(
        "tf.reduce_sum", "axis", axis, "reduction_indices", reduction_indices
    )
    keep = _either("tf.reduce_sum", "keepdims", keepdims, "keep_dims", keep_dims)
    return _reduce("Sum", "tf.reduce_sum", input_tensor, axis, keep, name)


def reduce_mean(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return the arithmetic mean along the axes.

    Parameters
    ----------
    input_tensor
        Numbers.
    axis
        The axis or axes to average along, negative ones counted from the last; all by
        default.
    keepdims
        Whether those axes stay, with size 1.
    name
        The name of the operation.
    reduction_indices, keep_dims
        Former names of `axis` and `keepdims`.

    Returns
    -------
    Tensor
        Of the dtype of the input.  The mean of integers is an integer, its fraction
        cut off; ``np.mean`` of the same tensor is a float64.

    Raises
    ------
    ValueError
        If an axis does not exist or is named twice, or an argument is given under
        both of its names.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.reduce_mean([[1., 2.], [3., 6.]], axis=1))
    array([1.5, 4.5], dtype=float32)
    >>> int(tf.Session().run(tf.reduce_mean([1, 0, 1, 0])))
    0

    References
    ----------
    003_0632b6613bf28dbc.txt averages losses with it.
    """
    axis = _either(
        "tf.reduce_mean", "axis", axis, "reduction_indices", reduction_indices
    )
    keep = _either("tf.reduce_mean", "keepdims", keepdims, "keep_dims", keep_dims)
    return _reduce("Mean", "tf.reduce_mean", input_tensor, axis, keep, name)


def reduce_prod(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return the product along the axes.

    Parameters
    ----------
    input_tensor
        Numbers.
    axis
        The axis or axes to multiply along; all by default.
    keepdims
        Whether those axes stay, with size 1.
    name
        The name of the operation.
    reduction_indices, keep_dims
        Former names of `axis` and `keepdims`.

    Returns
    -------
    Tensor
        Of the dtype of the input.

    Raises
    ------
    ValueError
        If an axis does not exist or is named twice, or an argument is given under
        both of its names.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.reduce_prod([[1, 2], [3, 4]], axis=1))
    array([ 2, 12], dtype=int32)
    """
    axis = _either(
        "tf.reduce_prod", "axis", axis, "reduction_indices", reduction_indices
    )
    keep = _either("tf.reduce_prod", "keepdims", keepdims, "keep_dims", keep_dims)
    return _reduce("Prod", "tf.reduce_prod", input_tensor, axis, keep, name)


def reduce_max(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return the greatest element along the axes.

    Parameters
    ----------
    input_tensor
        Real numbers.
    axis
        The axis or axes to look along; all by default.
    keepdims
        Whether those axes stay, with size 1.
    name
        The name of the operation.
    reduction_indices, keep_dims
        Former names of `axis` and `keepdims`.

    Returns
    -------
    Tensor
        Of the dtype of the input; of no elements, -inf or the least integer.

    Raises
    ------
    ValueError
        If an axis does not exist or is named twice, or an argument is given under
        both of its names.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.reduce_max([[1, 5], [3, 4]], axis=1))
    array([5, 4], dtype=int32)
    """
    axis = _either(
        "tf.reduce_max", "axis", axis, "reduction_indices", reduction_indices
    )
    keep = _either("tf.reduce_max", "keepdims", keepdims, "keep_dims", keep_dims)
    return _reduce("Max", "tf.reduce_max", input_tensor, axis, keep, name)


def reduce_min(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return the least element along the axes.

    Parameters
    ----------
    input_tensor
        Real numbers.
    axis
        The axis or axes to look along; all by default.
    keepdims
        Whether those axes stay, with size 1.
    name
        The name of the operation.
    reduction_indices, keep_dims
        Former names of `axis` and `keepdims`.

    Returns
    -------
    Tensor
        Of the dtype of the input; of no elements, inf or the greatest integer.

    Raises
    ------
    ValueError
        If an axis does not exist or is named twice, or an argument is given under
        both of its names.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.reduce_min([[1, 5], [3, 4]], axis=1))
    array([1, 3], dtype=int32)
    """
    axis = _either(
        "tf.reduce_min", "axis", axis, "reduction_indices", reduction_indices
    )
    keep = _either("tf.reduce_min", "keepdims", keepdims, "keep_dims", keep_dims)
    return _reduce("Min", "tf.reduce_min", input_tensor, axis, keep, name)


def reduce_any(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return whether any element along the axes is true.

    Parameters
    ----------
    input_tensor
        Booleans.
    axis
        The axis or axes to look along; all by default.
    keepdims
        Whether those axes stay, with size 1.
    name
        The name of the operation.
    reduction_indices, keep_dims
        Former names of `axis` and `keepdims`.

    Returns
    -------
    Tensor
        Booleans.

    Raises
    ------
    TypeError
        If the input is not boolean.
    ValueError
        If an axis does not exist or is named twice, or an argument is given under
        both of its names.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.reduce_any([[True, False], [False, False]], axis=1))
    array([ True, False])
    """
    axis = _either(
        "tf.reduce_any", "axis", axis, "reduction_indices", reduction_indices
    )
    keep = _either("tf.reduce_any", "keepdims", keepdims, "keep_dims", keep_dims)
    return _reduce("Any", "tf.reduce_any", input_tensor, axis, keep, name)


def reduce_all(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return whether all elements along the axes are true.

    Parameters
    ----------
    input_tensor
        Booleans.
    axis
        The axis or axes to look along; all by default.
    keepdims
        Whether those axes stay, with size 1.
    name
        The name of the operation.
    reduction_indices, keep_dims
        Former names of `axis` and `keepdims`.

    Returns
    -------
    Tensor
        Booleans.

    Raises
    ------
    TypeError
        If the input is not boolean.
    ValueError
        If an axis does not exist or is named twice, or an argument is given under
        both of its names.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.reduce_all([[True, True], [True, False]], axis=1))
    array([ True, False])
    """
    axis = _either(
        "tf.reduce_all", "axis", axis, "reduction_indices", reduction_indices
    )
    keep = _either("tf.reduce_all", "keepdims", keepdims, "keep_dims", keep_dims)
    return _reduce("All", "tf.reduce_all", input_tensor, axis, keep, name)


def reduce_logsumexp(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return ``log(sum(exp(x)))`` along the axes, without overflow on the way.

    Parameters
    ----------
    input_tensor
        Floating-point numbers.
    axis
        The axis or axes to sum along; all by default.
    keepdims
        Whether those axes stay, with size 1.
    name
        The name of the operation.
    reduction_indices, keep_dims
        Former names of `axis` and `keepdims`.

    Returns
    -------
    Tensor
        Of the dtype of the input.

    Raises
    ------
    ValueError
        If an axis does not exist or is named twice, or an argument is given under
        both of its names.

    Examples
    --------
    >>> import tpuref as tf
    >>> float(tf.Session().run(tf.reduce_logsumexp([1000., float("-inf")])))
    1000.0
    """
    function = "tf.reduce_logsumexp"
    axis = _either(function, "axis", axis, "reduction_indices", reduction_indices)
    keep = _either(function, "keepdims", keepdims, "keep_dims", keep_dims)
    return _reduce("LogSumExp", function, input_tensor, axis, keep, name)


def reduce_euclidean_norm(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the Euclidean length along the axes.

    Parameters
    ----------
    input_tensor
        Floating-point numbers.
    axis
        The axis or axes to take the length along; all by default.
    keepdims
        Whether those axes stay, with size 1.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the input.

    Raises
    ------
    ValueError
        If an axis does not exist or is named twice.

    Examples
    --------
    >>> import tpuref as tf
    >>> float(tf.Session().run(tf.math.reduce_euclidean_norm([3., 4.])))
    5.0
    """
    function = "tf.math.reduce_euclidean_norm"
    return _reduce("EuclideanNorm", function, input_tensor, axis, keepdims, name)


def reduce_variance(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the mean square of the distances from the mean along the axes.

    Parameters
    ----------
    input_tensor
        Floating-point or complex numbers.
    axis
        The axis or axes to look along; all by default.
    keepdims
        Whether those axes stay, with size 1.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the input, real for complex numbers.

    Raises
    ------
    TypeError
        If the input has integers.
    ValueError
        If an axis does not exist or is named twice.

    Examples
    --------
    >>> import tpuref as tf
    >>> float(tf.Session().run(tf.math.reduce_variance([1., 3.])))
    1.0
    """
    function = "tf.math.reduce_variance"
    return _reduce("Variance", function, input_tensor, axis, keepdims, name, ddof=0)


def reduce_std(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the square root of the variance along the axes.

    Parameters
    ----------
    input_tensor
        Floating-point or complex numbers.
    axis
        The axis or axes to look along; all by default.
    keepdims
        Whether those axes stay, with size 1.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of the dtype of the input, real for complex numbers.

    Raises
    ------
    TypeError
        If the input has integers.
    ValueError
        If an axis does not exist or is named twice.

    Examples
    --------
    >>> import tpuref as tf
    >>> float(tf.Session().run(tf.math.reduce_std([1., 5.])))
    2.0
    """
    function = "tf.math.reduce_std"
    return _reduce("Std", function, input_tensor, axis, keepdims, name, ddof=0)


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: Any = None,
) -> Tensor:
    """Return how many elements along the axes are not 0.

    Parameters
    ----------
    input_tensor
        Numbers or booleans.
    axis
        The axis or axes to count along; all by default.
    keepdims
        Whether those axes stay, with size 1.
    dtype
        The integer type of the count.
    name
        The name of the operation.
    reduction_indices, keep_dims, input
        Other names of `axis`, `keepdims` and `input_tensor`.

    Returns
    -------
    Tensor
        Integers of `dtype`.

    Raises
    ------
    ValueError
        If an axis does not exist or is named twice, or an argument is given under
        both of its names.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.count_nonzero([[0, 1, 0], [1, 1, 0]], axis=1))
    array([1, 2])
    """
    function = "tf.count_nonzero"
    x = _either(function, "input_tensor", input_tensor, "input", input)
    axis = _either(function, "axis", axis, "reduction_indices", reduction_indices)
    keep = _either(function, "keepdims", keepdims, "keep_dims", keep_dims)
    counted = as_dtype(dtype).name
    return _reduce("CountNonzero", function, x, axis, keep, name, dtype=counted)


def argmax(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = int64,
) -> Tensor:
    """Return where the greatest element along one axis is, the first of equal ones.

    Parameters
    ----------
    input
        Real numbers or booleans.
    axis
        The axis to look along, 0 by default.
    name
        The name of the operation.
    dimension
        A former name of `axis`.
    output_type
        int32 or int64.

    Returns
    -------
    Tensor
        Indices; the axis is gone.

    Raises
    ------
    ValueError
        If the axis does not exist.
    InvalidArgumentError
        At run time, if there is no element along the axis.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.argmax([[1, 9, 2], [8, 0, 8]], axis=1))
    array([1, 0])
    """
    along = _either("tf.argmax", "axis", axis, "dimension", dimension)
    return _position("ArgMax", "tf.argmax", input, along, name, output_type)


def argmin(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = int64,
) -> Tensor:
    """Return where the least element along one axis is, the first of equal ones.

    Parameters
    ----------
    input
        Real numbers or booleans.
    axis
        The axis to look along, 0 by default.
    name
        The name of the operation.
    dimension
        A former name of `axis`.
    output_type
        int32 or int64.

    Returns
    -------
    Tensor
        Indices; the axis is gone.

    Raises
    ------
    ValueError
        If the axis does not exist.
    InvalidArgumentError
        At run time, if there is no element along the axis.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.argmin([[1, 9, 2], [8, 0, 8]], axis=1))
    array([0, 1])
    """
    along = _either("tf.argmin", "axis", axis, "dimension", dimension)
    return _position("ArgMin", "tf.argmin", input, along, name, output_type)


def cumsum(
    x: Any,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the running sum along one axis.

    Parameters
    ----------
    x
        Numbers.
    axis
        The axis to run along.
    exclusive
        Whether each sum leaves out its own element and so starts with 0.
    reverse
        Whether to run from the end.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Raises
    ------
    ValueError
        If the axis does not exist.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.cumsum([1, 2, 3]))
    array([1, 3, 6], dtype=int32)
    >>> tf.Session().run(tf.cumsum([1, 2, 3], exclusive=True, reverse=True))
    array([5, 3, 0], dtype=int32)
    """
    return _run_along("Cumsum", "tf.cumsum", x, axis, exclusive, reverse, name)


def cumprod(
    x: Any,
    axis: Any = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the running product along one axis.

    Parameters
    ----------
    x
        Numbers.
    axis
        The axis to run along.
    exclusive
        Whether each product leaves out its own element and so starts with 1.
    reverse
        Whether to run from the end.
    name
        The name of the operation.

    Returns
    -------
    Tensor
        Of shape and dtype of `x`.

    Raises
    ------
    ValueError
        If the axis does not exist.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.Session().run(tf.cumprod([2, 3, 4], exclusive=True))
    array([1, 2, 6], dtype=int32)
    """
    return _run_along("Cumprod", "tf.cumprod", x, axis, exclusive, reverse, name)


def _reduce(
    op: str,
    function: str,
    input_tensor: Any,
    axis: Any,
    keepdims: bool | None,
    name: str | None,
    **attrs: Any,
) -> Tensor:
    x = convert_to_tensor(input_tensor)
    axes = static_axes(function, axis, x)
    return _apply(op, x, name=name, axis=axes, keepdims=bool(keepdims), **attrs)


def _position(
    op: str, function: str, input: Any, axis: Any, name: str | None, output_type: Any
) -> Tensor:
    x = convert_to_tensor(input)
    along = static_axis(function, 0 if axis is None else axis, x)
    result = as_dtype(output_type).name
    return _apply(op, x, name=name, axis=along, keepdims=False, output_type=result)


def _run_along(
    op: str,
    function: str,
    x: Any,
    axis: Any,
    exclusive: bool,
    reverse: bool,
    name: str | None,
) -> Tensor:
    x = convert_to_tensor(x)
    along = static_axis(function, axis, x)
    return _apply(
        op, x, name=name, axis=along, exclusive=bool(exclusive), reverse=bool(reverse)
    )


def _either(function: str, name: str, value: Any, other: str, alias: Any) -> Any:
    """Return an argument that may be given under either of two names."""
    if value is not None and alias is not None:
        raise ValueError(
            f"{function}: {name} and {other} name one argument; give {name} alone"
        )
    return alias if value is None else value


def static_axes(function: str, axis: Any, x: Tensor) -> Axis:
    """Return the axes of `x` as integers, counted from the left where that is known.

    Parameters
    ----------
    function
        The name of the public function, for messages.
    axis
        None, an integer, a sequence of integers or a constant tensor.
    x
        The tensor that has the axes.

    Raises
    ------
    TypeError
        If `axis` is none of these.
    ValueError
        If it is a tensor whose value is not known while the graph is built.
    """
    if axis is None:
        return None
    axes = static_integers(axis, f"{function}: axis")
    rank = x.shape.rank
    # An axis that does not exist is left for the operation's own rule to report.
    if rank is None or not all(-rank <= each < rank for each in axes):
        return axes
    return tuple(sorted(each % rank for each in axes))


def static_axis(function: str, axis: Any, x: Tensor) -> int:
    """Return one axis of `x` as `static_axes` does."""
    index = static_integer(axis, f"{function}: axis")
    rank = x.shape.rank
    return index if rank is None or not -rank <= index < rank else index % rank
