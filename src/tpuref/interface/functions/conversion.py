"""Conversion between element types."""

from typing import Any

import numpy as np

from tpuref.base.dtypes import DType, as_dtype, bfloat16, float32, float64, int32, int64
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.tensor_kinds import has_values


def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Convert the values to an element type.

    Integers drop fractions, real types drop imaginary parts.  A tensor that already has
    the type is returned unchanged.  It raises TypeError if either type is string.

    Examples
    --------
    >>> tf.Session().run(tf.cast([1.8, -1.8], tf.int32))
    array([ 1, -1], dtype=int32)
    """
    target = as_dtype(dtype)
    if has_values(x):
        same: Any = x.dtype == target
        result: Tensor = x if same else x.with_values(cast(x.values, target, name))
        return result
    x = convert_to_tensor(x)
    return (
        x if x.dtype == target else apply_one("Cast", x, name=name, dtype=target.name)
    )


def to_float(x: Any, name: str | None = "ToFloat") -> Tensor:
    """Convert the values to float32; see `cast`."""
    return cast(x, float32, name)


def to_double(x: Any, name: str | None = "ToDouble") -> Tensor:
    """Convert the values to float64; see `cast`."""
    return cast(x, float64, name)


def to_int32(x: Any, name: str | None = "ToInt32") -> Tensor:
    """Convert the values to int32, dropping fractions; see `cast`."""
    return cast(x, int32, name)


def to_int64(x: Any, name: str | None = "ToInt64") -> Tensor:
    """Convert the values to int64, dropping fractions; see `cast`."""
    return cast(x, int64, name)


def to_bfloat16(x: Any, name: str | None = "ToBFloat16") -> Tensor:
    """Convert the values to bfloat16, rounding to 8 significant bits; see `cast`."""
    return cast(x, bfloat16, name)


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """Clip the values to the range of an element type and convert them to it.

    `value` holds real numbers.  `dtype` is the real element type to convert to.

    Examples
    --------
    >>> tf.Session().run(tf.saturate_cast([-5., 300.], tf.uint8))
    array([  0, 255], dtype=uint8)
    """
    x = convert_to_tensor(value)
    target = as_dtype(dtype)
    least, greatest = _range(x.dtype)
    low, high = _range(target)
    if low > least:
        x = apply_one("Maximum", x, _bound_within(low, x.dtype, target))
    if high < greatest:
        x = apply_one("Minimum", x, _bound_within(high, x.dtype, target))
    return cast(x, target, name)


def _range(dtype: DType) -> tuple[float, float]:
    if dtype.is_integer:
        return int(dtype.min), int(dtype.max)
    return float(dtype.min), float(dtype.max)


def _bound_within(bound: float, dtype: DType, target: DType) -> Any:
    """Return `bound` as `dtype`, one step nearer to zero if it rounds outside."""
    value = np.asarray(bound).astype(dtype.np)
    low, high = _range(target)
    inside = low <= value.item() <= high
    return value if inside else np.nextafter(value, np.zeros_like(value))


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """Return the bits of a tensor as another element type.

    A wider type takes the last axis, a narrower one adds an axis.

    Examples
    --------
    >>> tf.Session().run(tf.bitcast(tf.constant([1.0]), tf.int32)).tolist()
    [1065353216]
    """
    return apply_one("Bitcast", input, dtype=as_dtype(type).name, name=name)
