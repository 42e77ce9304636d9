"""Elementwise arithmetic."""

from typing import Any

from tpuref.base.arguments import name_or
from tpuref.base.dtypes import as_dtype
from tpuref.base.shapes import as_shape
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_operands, convert_to_tensor
from tpuref.engine.graph.tensor import Tensor


def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x + y``, element by element.

    `x` and `y` are numbers of one dtype, which the result has too; shapes broadcast.
    It raises TypeError if the dtypes differ or are not numeric, and ValueError if the
    shapes do not broadcast.

    Examples
    --------
    >>> tf.Session().run(tf.add([1, 2], [[10], [20]]))
    array([[11, 12],
           [21, 22]], dtype=int32)
    """
    return apply_one("AddV2", x, y, name=name_or(name, "Add"))


def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x - y``, element by element; see `add`."""
    return apply_one("Sub", x, y, name=name)


def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x * y``, element by element; see `add`."""
    return apply_one("Mul", x, y, name=name)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Tensor:
    """Return `x` times one number.

    The result has the shape and dtype of `x`.  `scalar` is a number of the dtype of
    `x`, of rank 0.  `x` is a tensor of numbers.  It raises ValueError if `scalar` is
    known not to be of rank 0.

    Examples
    --------
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
    return apply_one("Mul", factor, x, name=name)


def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the quotient as in Python 3: integers give fractions.

    Parameters and result are those of `add`.  Integers of 8 and 16 bits give float32,
    longer ones float64.
    """
    return apply_one("RealDiv", x, y, name=name_or(name, "truediv"))


def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x / y`` in the dtype of `x`: of integers rounded towards zero.

    Parameters, result and errors are those of `add`.  At run time, an integer divided
    by zero raises InvalidArgumentError.
    """
    x, y = convert_operands("RealDiv", (x, y))
    if x.dtype.is_integer:  # as in TensorFlow, rounded towards zero
        x = x - apply_one("TruncateMod", x, y)
        return apply_one("FloorDiv", x, y, name=name or "RealDiv")
    return apply_one("RealDiv", x, y, name=name)


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x / y`` by the rules of Python 3: the same as `truediv`."""
    return truediv(x, y, name)


def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the quotient as in Python 2: integers give the floor; see `realdiv`.

    Examples
    --------
    >>> tf.Session().run(tf.div([-7, 7], 2))
    array([-4,  3], dtype=int32)
    """
    x, y = convert_operands("tf.div", (x, y))
    op = "FloorDiv" if x.dtype.is_integer else "RealDiv"
    return apply_one(op, x, y, name=name_or(name, "div"))


def div_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x / y``, or 0 where `y` is 0; not of integers; see `add`."""
    return apply_one("DivNoNan", x, y, name=name_or(name, "div_no_nan"))


divide_no_nan = div_no_nan


def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return ``x // y``, the floor of the quotient; see `realdiv`."""
    return apply_one("FloorDiv", x, y, name=name_or(name, "floordiv"))


floor_div = floordiv


def floormod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the remainder of the floor division, which has the sign of `y`.

    Parameters, result and errors are those of `realdiv`.

    Examples
    --------
    >>> tf.Session().run(tf.floormod([7, -7], 3))
    array([1, 2], dtype=int32)
    """
    return apply_one("FloorMod", x, y, name=name)


mod = floormod


def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the remainder of the truncating division, which has the sign of `x`.

    Parameters, result and errors are those of `realdiv`.

    Examples
    --------
    >>> tf.Session().run(tf.truncatemod([7, -7], 3))
    array([ 1, -1], dtype=int32)
    """
    return apply_one("TruncateMod", x, y, name=name)


def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return `x` to the power `y`, element by element.

    Parameters, result and errors are those of `add`.  At run time, a negative exponent
    of an integer raises InvalidArgumentError.
    """
    return apply_one("Pow", x, y, name=name)


def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the square of ``x - y``, or of its absolute value; see `add`."""
    return apply_one("SquaredDifference", x, y, name=name)


def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the greater of two real numbers, nan if either is nan; see `add`."""
    return apply_one("Maximum", x, y, name=name)


def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Return the lesser of two real numbers, nan if either is nan; see `add`."""
    return apply_one("Minimum", x, y, name=name)


def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """Return the sum of a list of tensors, without broadcasting.

    float16 and bfloat16 are added in float32 and rounded once.  The tensors have one
    shape and dtype.  It raises ValueError if `inputs` is not a list, is empty, or holds
    different shapes, and TypeError if the dtypes differ.

    Examples
    --------
    >>> tf.Session().run(tf.add_n([tf.constant([1, 2]), tf.constant([3, 4])]))
    array([4, 6], dtype=int32)
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(
            "tf.add_n: inputs must be a list of at least one tensor, got "
            f"{type(inputs).__name__} {inputs!r}"
        )
    return apply_one("AddN", *inputs, name=name)


def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """Return the sum of a list of tensors, as `add_n` does.

    Parameters, result and errors are those of `add_n`.  The inputs must have the dtype
    `tensor_dtype`, and shapes that are compatible with `shape`.
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
    """Return ``-x``; the result has the shape and dtype of `x`.

    The numbers are floating-point, complex or signed integers.

    Examples
    --------
    >>> tf.Session().run(tf.negative([1, -2]))
    array([-1,  2], dtype=int32)
    """
    return apply_one("Neg", x, name=name)


def abs(x: Any, name: str | None = None) -> Tensor:
    """Return the absolute value of each number.

    Parameters and result are those of `negative`.  All numbers are accepted; the result
    of complex ones is float32 or float64.
    """
    return apply_one("Abs", x, name=name)


def sign(x: Any, name: str | None = None) -> Tensor:
    """Return -1, 0 or 1, of complex numbers ``x / abs(x)``; see `negative`."""
    return apply_one("Sign", x, name=name)


def square(x: Any, name: str | None = None) -> Tensor:
    """Return ``x * x``, of any numbers; see `negative`."""
    return apply_one("Square", x, name=name)


def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """Return ``1 / x``, of floating-point or complex numbers; see `negative`."""
    return apply_one("Reciprocal", x, name=name)
