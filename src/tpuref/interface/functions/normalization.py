"""Normalization, bias and dropout."""

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base.arguments import instance_of, name_or
from tpuref.base.dtypes import bfloat16, float16, float32
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.broadcasting import normalize_axes
from tpuref.interface.functions.arguments import (
    check_rank_at_least,
    shape_tensor,
    static_integers,
    static_number,
)
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.identity import identity, stop_gradient
from tpuref.interface.functions.linalg import tensordot
from tpuref.interface.functions.random import random_uniform
from tpuref.interface.functions.reshaping import reshape


def l2_normalize(
    x: Any,
    axis: Any = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Any = None,
) -> Tensor:
    """Return a tensor divided by its Euclidean norm along some axes.

    The result has the same shape and dtype.  `x` is a floating-point tensor.  `axis` is
    one or several axes; by default all.  `epsilon` is a lower bound for the square of
    the norm.  `dim` is the former name of `axis`.

    Examples
    --------
    >>> tf.Session().run(tf.nn.l2_normalize([0.0, 4.0], 0)).tolist()
    [0.0, 1.0]
    """
    if axis is not None and dim is not None:
        raise ValueError("tf.nn.l2_normalize: give only one of axis and dim")
    given = dim if axis is None else axis
    axes = None if given is None else static_integers(given, "tf.nn.l2_normalize: axis")
    return apply_one(
        "L2Normalize",
        x,
        axes=axes,
        epsilon=static_number(epsilon, "tf.nn.l2_normalize: epsilon"),
        name=name_or(name, "l2_normalize"),
    )


def bias_add(
    value: Any, bias: Any, data_format: str | None = None, name: str | None = None
) -> Tensor:
    """Return a tensor with a number added to each channel.

    The result has the same shape and dtype.  `value` is a tensor of numbers of rank 2
    or more.  `bias` is a vector with one number per channel.  `data_format` is
    ``"NHWC"``, the default: channels are the last axis; ``"NCHW"``: axis 1.  Formats of
    other ranks also begin with ``"NC"`` or end with ``"C"``.  It raises ValueError if
    the number of channels differs.

    Examples
    --------
    >>> tf.Session().run(tf.nn.bias_add([[1, 2], [3, 4]], [10, 20])).tolist()
    [[11, 22], [13, 24]]
    """
    layout = "NHWC"
    if data_format is not None:
        instance_of(str, "tf.nn.bias_add: data_format", "a string or None", data_format)
        if not data_format.startswith("NC") and not data_format.endswith("C"):
            raise ValueError(
                "tf.nn.bias_add: data_format: expected 'N...C' or 'NC...', got "
                f"{data_format!r}"
            )
        layout = "NCHW" if data_format.startswith("NC") else "NHWC"
    return apply_one("BiasAdd", value, bias, data_format=layout, name=name)


def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: Any = None,
    keepdims: Any = None,
) -> tuple[Tensor, Tensor]:
    """Return mean and variance along some axes.

    `x` is a floating-point tensor; float16 and bfloat16 are computed in float32.
    `axes` is one or several axes.  `keep_dims` is the former name of `keepdims`.
    `keepdims` says whether to keep the axes, with size 1.

    Examples
    --------
    >>> mean, variance = tf.nn.moments([1.0, 3.0], [0])
    >>> [float(x) for x in tf.Session().run([mean, variance])]
    [2.0, 1.0]
    """
    along = static_integers(axes, "tf.nn.moments: axes")
    value = convert_to_tensor(x)
    keep = bool(keepdims if keepdims is not None else keep_dims)
    mean: Tensor = apply("Mean", value, axis=along, keepdims=keep)
    variance: Tensor = apply("Variance", value, axis=along, keepdims=keep, ddof=0)
    return mean, variance


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Tensor:
    """Return ``scale * (x - mean) / sqrt(variance + variance_epsilon) + offset``.

    The result is a tensor of the shape and dtype of `x`.  `x` is a floating-point
    tensor.  `mean` and `variance` are its moments, of shapes that broadcast with `x`.
    `offset` and `scale` are the final addend and the factor before it; None omits it.
    `variance_epsilon` is a small number that prevents division by 0.

    Examples
    --------
    >>> y = tf.nn.batch_normalization([1.0, 3.0], 2.0, 4.0, 10.0, 2.0, 0.0)
    >>> tf.Session().run(y).tolist()
    [9.0, 11.0]
    """
    value = convert_to_tensor(x)
    narrow = value.dtype in (float16, bfloat16)
    hint = float32 if narrow else value.dtype
    spread = convert_to_tensor(variance, dtype_hint=hint)
    factor = apply("Rsqrt", apply("AddV2", spread, variance_epsilon))
    if scale is not None:
        factor = apply("Mul", factor, scale)
    shift = apply("Neg", apply("Mul", factor, mean))
    if offset is not None:
        shift = apply("AddV2", shift, offset)
    dtype = value.dtype.name
    scaled = apply("Mul", value, apply("Cast", factor, dtype=dtype))
    return apply_one("AddV2", scaled, apply("Cast", shift, dtype=dtype), name=name)


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return images normalized over all but their channels, and the moments.

    While training, the variance is that of the population that the images are a sample
    of (with Bessel's correction).  `x` are floating-point images; float16 and bfloat16
    are normalized in float32.  `scale` and `offset` are one factor and one final addend
    for each channel.  `mean` and `variance` are the moments to use if `is_training` is
    false.  `epsilon` is a small number added to the variance; at least 1.001e-5.
    `data_format` is ``"NHWC"`` or ``"NCHW"``.  `is_training` says whether to use the
    moments of the images.  It raises ValueError if `is_training` is false and the
    moments are missing.

    Examples
    --------
    >>> x = tf.constant([[[[1.0], [3.0]]]])
    >>> y, mean, variance = tf.nn.fused_batch_norm(x, [1.0], [0.0], epsilon=1e-4)
    >>> tf.Session().run([mean, variance])
    [array([2.], dtype=float32), array([2.], dtype=float32)]
    """
    images, lead = convert_to_tensor(x), data_format == "NCHW"
    if images.shape.rank is None:
        images = identity(images)
        channels = convert_to_tensor(scale).shape.with_rank(1).as_tuple()
        images.set_shape(
            [None, *channels, None, None] if lead else [None] * 3 + [*channels]
        )
    dtype = images.dtype
    wide = apply("Cast", images, dtype="float32") if dtype.size < 4 else images
    axes = (0, 2, 3) if lead else (0, 1, 2)
    least = max(static_number(epsilon, "tf.nn.fused_batch_norm: epsilon"), 1.001e-5)

    def along(value: Any) -> Tensor:
        return reshape(value, [1, -1, 1, 1] if lead else [-1])

    with get_default_graph().name_scope(name_or(name, "FusedBatchNorm")):
        if is_training:
            used, own = moments(wide, axes)
            count = apply("Cast", _size_along(wide, axes), dtype=wide.dtype.name)
            # A sample of one has no variance; TensorFlow divides by 1 then.
            fewer = apply("Maximum", count - 1, convert_to_tensor(1, wide.dtype))
            # As in TensorFlow, only y has a gradient.
            mean, var = stop_gradient(used), stop_gradient(own * (count / fewer))
        else:
            if mean is None or variance is None:
                raise ValueError(
                    "tf.nn.fused_batch_norm: is_training=False needs mean and variance"
                )
            mean, var = convert_to_tensor(mean), convert_to_tensor(variance)
            used, own = mean, var
        y = batch_normalization(
            wide, along(used), along(own), along(offset), along(scale), least
        )
    return apply("Cast", y, dtype=dtype.name), mean, var


def _size_along(x: Tensor, axes: Sequence[int]) -> Tensor:
    """Return the number of elements along some axes."""
    if x.shape.rank is not None:
        sizes = x.shape.as_list()
        axes = normalize_axes(tuple(axes), len(sizes))
        if all(sizes[axis] is not None for axis in axes):
            return convert_to_tensor(math.prod(sizes[axis] for axis in axes))
    known = shape(x)
    return functools.reduce(
        operator.mul, [known[axis] for axis in axes], convert_to_tensor(1)
    )


def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keep_dims: Any = None,
    name: str | None = None,
    keepdims: Any = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Return the sums from which `normalize_moments` computes mean and variance.

    They are the number of elements, their sum and the sum of their squares, both after
    subtracting `shift`, and the shift.  `x` is a floating-point tensor.  `axes` is one
    or several axes.  `shift` is a number near the mean, which makes the sums more
    exact; None for none.  `keep_dims` and `keepdims` say whether to keep the axes, with
    size 1.

    Examples
    --------
    >>> count, total, squares, _ = tf.nn.sufficient_statistics([1.0, 3.0], [0])
    >>> [float(n) for n in tf.Session().run([count, total, squares])]
    [2.0, 4.0, 10.0]
    """
    along = static_integers(axes, "tf.nn.sufficient_statistics: axes")
    keep = bool(keepdims if keepdims is not None else keep_dims)
    with get_default_graph().name_scope(name_or(name, "sufficient_statistics")):
        value = convert_to_tensor(x)
        count = apply("Cast", _size_along(value, along), dtype=value.dtype.name)
        moved = shift
        if shift is not None:
            moved = convert_to_tensor(shift, value.dtype)
            value = value - moved
        total = apply("Sum", value, axis=along, keepdims=keep)
        squares = apply("Sum", value * value, axis=along, keepdims=keep)
    return count, total, squares, moved


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Return mean and variance from the results of `sufficient_statistics`.

    Sums of the results for several parts serve too.
    """
    with get_default_graph().name_scope(name_or(name, "normalize")):
        shifted = convert_to_tensor(mean_ss) / counts
        mean = shifted if shift is None else shifted + shift
        variance = convert_to_tensor(variance_ss) / counts - shifted * shifted
    return mean, variance


def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Return images divided by ``(bias + alpha * squares) ** beta``.

    Here ``squares`` is the sum of the squares of the channels at most `depth_radius`
    away.  The results are images of the same shape and dtype.  The images are
    floating-point, ``[batch, rows, columns, channels]``.

    Examples
    --------
    >>> image = tf.constant([[[[3.0, 4.0]]]])
    >>> tf.Session().run(tf.nn.lrn(image, bias=0.0)).round(3).tolist()
    [[[[0.6000000238418579, 0.800000011920929]]]]
    """
    images = convert_to_tensor(input)
    check_rank_at_least(4, images, "tf.nn.local_response_normalization: input")
    channels = images.shape.as_list()[-1]
    if channels is None:
        raise ValueError(
            "tf.nn.local_response_normalization: input: expected a known number of "
            f"channels, got {images.describe()}"
        )
    places = np.arange(channels)
    near = np.abs(places[:, None] - places) <= depth_radius
    squares = tensordot(images * images, near.astype(images.dtype.np), 1)
    return apply_one(
        "RealDiv", images, (squares * alpha + bias) ** beta, name=name_or(name, "LRN")
    )


lrn = local_response_normalization


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """Return a tensor with random elements set to 0 and the others scaled up.

    The result has the same shape and dtype.  `x` is a floating-point tensor.
    `keep_prob` is the probability of keeping an element: ``1 - rate``.  `noise_shape`
    is a shape that broadcasts to that of `x`: along axes of size 1, elements are kept
    or dropped together.  `rate` is the probability of dropping an element, ``0 <= rate
    < 1``.  It raises ValueError if both or neither of `rate` and `keep_prob` are given,
    the value is out of range, or `x` is not floating point.
    """
    value = convert_to_tensor(x)
    if not value.dtype.is_floating:
        raise ValueError(
            "tf.nn.dropout: x: expected a floating-point tensor, got "
            f"{value.describe()}"
        )
    chance = _drop_rate(keep_prob, rate)
    if isinstance(chance, float) and chance == 0.0:
        return apply_one("Identity", value, name=name)
    fraction = convert_to_tensor(chance, value.dtype)
    sizes = shape(value) if noise_shape is None else shape_tensor(noise_shape)
    drawn = random_uniform(sizes, dtype=value.dtype, seed=seed)
    kept = apply("Cast", apply("GreaterEqual", drawn, fraction), dtype=value.dtype.name)
    scaled = apply("RealDiv", value, apply("Sub", 1.0, fraction))
    return apply_one("Mul", scaled, kept, name=name)


def _drop_rate(keep_prob: Any, rate: Any) -> Any:
    """Return the rate, as a float if it is a plain number."""
    if (rate is None) == (keep_prob is None):
        raise ValueError(
            "tf.nn.dropout: expected either rate or keep_prob, got "
            + ("neither" if rate is None else "both")
        )
    chosen = rate if keep_prob is None else keep_prob
    if isinstance(chosen, Tensor) or hasattr(chosen, "_as_tensor"):
        return chosen if keep_prob is None else apply("Sub", 1.0, chosen)
    argument = "rate" if keep_prob is None else "keep_prob"
    number = static_number(chosen, f"tf.nn.dropout: {argument}")
    chance = number if keep_prob is None else 1.0 - number
    if not 0.0 <= chance < 1.0:
        raise ValueError(
            f"tf.nn.dropout: rate: expected 0 <= rate < 1, got {chance} (rate is "
            "1 - keep_prob)"
        )
    return chance


def moments_v2(
    x: Any,
    axes: Any,
    shift: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Return `moments`, with the parameters of TensorFlow 2."""
    return moments(x, axes, shift, name, None, keepdims)


def sufficient_statistics_v2(
    x: Any,
    axes: Any,
    shift: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Return `sufficient_statistics`, with the parameters of TensorFlow 2."""
    return sufficient_statistics(x, axes, shift, keepdims, name)


def dropout_v2(
    x: Any,
    rate: Any,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return `dropout`, as TensorFlow 2 calls it: `rate` is the fraction to drop.

    Examples
    --------
    >>> tf.set_random_seed(1)
    >>> kept = tf.count_nonzero(dropout_v2(tf.ones([1000]), 0.1))
    >>> bool(tf.Session().run(kept) > 800)
    True
    """
    return dropout(x, None, noise_shape, seed, name, rate)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """Return ``tf.matmul(x, weights) + biases``, for matrices and a vector."""
    return bias_add(
        apply("MatMul", x, weights), biases, name=name_or(name, "xw_plus_b")
    )
