"""Convolutions and pooling; their gradients are transposes of the same functions."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tpuref.engine.ops.arithmetic import widened
from tpuref.engine.runtime.xla.rules import Rule

Pair = tuple[int, int]
Padding = str | tuple[Pair, Pair]


def _convolve(
    images: Any,
    filters: Any,
    *,
    strides: Pair,
    padding: Padding,
    data_format: str,
    dilations: Pair,
    by_channel: bool = False,
) -> Any:
    """Return the convolution, depthwise if requested."""
    groups = 1
    if by_channel:
        rows, columns, groups, multiplier = filters.shape
        filters = filters.reshape(rows, columns, 1, groups * multiplier)
    return jax.lax.conv_general_dilated(
        images,
        filters,
        strides,
        padding,
        rhs_dilation=dilations,
        dimension_numbers=(data_format, "HWIO", data_format),
        feature_group_count=groups,
    )


def _conv2d(xp: Any, images: Any, filters: Any, **attrs: Any) -> Any:
    wide, weights = widened(jnp.asarray(images)), widened(jnp.asarray(filters))
    return _convolve(wide, weights, **attrs).astype(images.dtype)


def _conv2d_of_images(
    xp: Any, sizes: Any, filters: Any, backprop: Any, **attrs: Any
) -> Any:
    grads, weights = widened(jnp.asarray(backprop)), widened(jnp.asarray(filters))
    images = jax.ShapeDtypeStruct([int(n) for n in sizes], grads.dtype)
    back = jax.linear_transpose(lambda x: _convolve(x, weights, **attrs), images)
    return back(grads)[0].astype(backprop.dtype)


def _conv2d_of_filters(
    xp: Any, images: Any, sizes: Any, backprop: Any, **attrs: Any
) -> Any:
    grads, wide = widened(jnp.asarray(backprop)), widened(jnp.asarray(images))
    filters = jax.ShapeDtypeStruct([int(n) for n in sizes], grads.dtype)

    @jax.custom_batching.custom_vmap  # type: ignore[untyped-decorator]
    def slopes(images: Any, backprop: Any) -> Any:
        back = jax.linear_transpose(lambda w: _convolve(images, w, **attrs), filters)
        return back(backprop)[0]

    @slopes.def_vmap  # type: ignore[untyped-decorator]
    def slopes_of_each(
        count: int, stacked: tuple[bool, bool], *arrays: Any
    ) -> tuple[Any, bool]:
        # One grouped convolution for all of them is four times slower on a CPU.
        rows = [
            [a[k] if s else a for a, s in zip(arrays, stacked, strict=True)]
            for k in range(count)
        ]
        return jnp.stack([slopes(*row) for row in rows]), True

    return slopes(wide, grads).astype(images.dtype)


# -- pooling -----------------------------------------------------------------------


def _of_both(pair: Pair, data_format: str) -> tuple[int, ...]:
    """Return a value for each axis of images, 1 for batch and channels."""
    return (1, 1, *pair) if data_format == "NCHW" else (1, *pair, 1)


def _margins(
    shape: Any, ksize: Pair, strides: Pair, padding: Padding, data_format: str
) -> list[Pair]:
    """Return the padding before and after each axis."""
    window, steps = _of_both(ksize, data_format), _of_both(strides, data_format)
    if isinstance(padding, str):
        return list(jax.lax.padtype_to_pads(shape, window, steps, padding))
    both = iter(padding)
    channels = 1 if data_format == "NCHW" else 3
    return [(0, 0) if axis in (0, channels) else next(both) for axis in range(4)]


def _least(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _max_pool(xp: Any, images: Any, *, ksize: Pair, strides: Pair, **attrs: Any) -> Any:
    wide, form = widened(jnp.asarray(images)), attrs["data_format"]
    return jax.lax.reduce_window(
        wide,
        wide.dtype.type(_least(wide.dtype)),
        jax.lax.max,
        _of_both(ksize, form),
        _of_both(strides, form),
        _margins(wide.shape, ksize, strides, **attrs),
    ).astype(images.dtype)


def _max_pool_back(xp: Any, images: Any, backprop: Any, **attrs: Any) -> Any:
    """Return the gradient of the images: each window's to its first maximum."""
    places = _max_pool_positions(xp, images, **attrs)
    grads = widened(jnp.asarray(backprop))
    there = jnp.where(places < 0, images.size, places)  # beyond the end: dropped
    total = jnp.zeros(images.size, grads.dtype).at[there].add(grads, mode="drop")
    return total.reshape(images.shape).astype(images.dtype)


def _totals(images: Any, *, ksize: Pair, strides: Pair, **attrs: Any) -> Any:
    form = attrs["data_format"]
    return jax.lax.reduce_window(
        images,
        images.dtype.type(0),
        jax.lax.add,
        _of_both(ksize, form),
        _of_both(strides, form),
        _margins(images.shape, ksize, strides, **attrs),
    )


def _average(images: Any, **attrs: Any) -> Any:
    """Divide by the number of pixels inside the image."""
    inside = jnp.ones(images.shape, images.dtype)
    return _totals(images, **attrs) / _totals(inside, **attrs)


def _avg_pool(xp: Any, images: Any, **attrs: Any) -> Any:
    return _average(widened(jnp.asarray(images)), **attrs).astype(images.dtype)


def _avg_pool_back(xp: Any, sizes: Any, backprop: Any, **attrs: Any) -> Any:
    wide = widened(jnp.asarray(backprop))
    images = jax.ShapeDtypeStruct([int(n) for n in sizes], wide.dtype)
    back = jax.linear_transpose(lambda x: _average(x, **attrs), images)
    return back(wide)[0].astype(backprop.dtype)


def _max_pool_positions(
    xp: Any, images: Any, *, ksize: Pair, strides: Pair, **attrs: Any
) -> Any:
    """Return the flat index of the first maximum of each window."""
    wide, form = widened(jnp.asarray(images)), attrs["data_format"]
    numbers = jnp.arange(wide.size).reshape(wide.shape)
    margins = _margins(wide.shape, ksize, strides, **attrs)
    values = jnp.pad(wide, margins, constant_values=_least(wide.dtype))
    places = jnp.pad(numbers, margins, constant_values=-1)
    steps = _of_both(strides, form)
    best: Any = None
    winners: Any = None
    for row, column in np.ndindex(*ksize):
        at = _of_both((row, column), form)
        window = _of_both(ksize, form)
        start = [n if w > 1 else 0 for n, w in zip(at, window, strict=True)]
        view = tuple(
            slice(first, first + length - span + 1, step)
            for first, length, span, step in zip(
                start, values.shape, window, steps, strict=True
            )
        )
        value, place = values[view], places[view]
        if best is None:
            best, winners = value, place
            continue
        # Padding never wins, not even where all that it surrounds is as small.
        better = (value > best) | (jnp.isnan(value) & ~jnp.isnan(best)) | (winners < 0)
        better &= place >= 0
        best = jnp.where(better, value, best)
        winners = jnp.where(better, place, winners)
    # Otherwise XLA computes all of it again for each coordinate of the scatter.
    return jax.lax.optimization_barrier(winners)


RULES: dict[str, Rule] = {
    "Conv2D": _conv2d,
    "Conv2DBackpropInput": _conv2d_of_images,
    "Conv2DBackpropFilter": _conv2d_of_filters,
    "DepthwiseConv2dNative": partial(_conv2d, by_channel=True),
    "DepthwiseConv2dNativeBackpropInput": partial(_conv2d_of_images, by_channel=True),
    "DepthwiseConv2dNativeBackpropFilter": partial(_conv2d_of_filters, by_channel=True),
    "MaxPool": _max_pool,
    "MaxPoolGrad": _max_pool_back,
    "MaxPoolPositions": _max_pool_positions,
    "AvgPool": _avg_pool,
    "AvgPoolGrad": _avg_pool_back,
}
