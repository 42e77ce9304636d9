"""Operations on images: convolution and pooling.

float16 and bfloat16 are computed in float32 and rounded once.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from types import ModuleType

import numpy as np

from tpuref.base.dtypes import int64
from tpuref.base.shapes import TensorShape, static_sizes
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops import broadcasting
from tpuref.engine.ops.arithmetic import widened
from tpuref.engine.ops.convolution import (
    correlated,
    correlated_by_channel,
    filter_gradient,
    filter_gradient_by_channel,
    image_gradient,
    image_gradient_by_channel,
    is_by_image,
    place_of,
)
from tpuref.engine.ops.definition import Batching, OpDef, Operand
from tpuref.engine.ops.meaning import Array, ieee
from tpuref.engine.ops.sizes import shape_held_by, sizes_in
from tpuref.kernels import pooling
from tpuref.kernels.python import convolution
from tpuref.kernels.python import pooling as any_pooling

# -- windows over images -----------------------------------------------------------
#
# strides, dilations and ksize are pairs (rows, columns).  padding is "SAME", "VALID"
# or the pairs ((top, bottom), (left, right)).

Pair = tuple[int, int]
Padding = str | tuple[Pair, Pair]


def _output_size(
    size: int | None, window: int | None, stride: int, padding: str | Pair
) -> int | None:
    if size is None:
        return None
    if padding == "SAME":
        return -(-size // stride)
    if window is None:
        return None
    before, after = (0, 0) if isinstance(padding, str) else padding
    steps = size + before + after - window
    if steps < 0:
        raise ValueError(
            f"a window of {window} does not fit an axis of size {size} padded by "
            f"{before + after}; use padding='SAME'"
        )
    return steps // stride + 1


def _margins(size: int, window: int, stride: int, padding: str | Pair) -> Pair:
    """Return the padding before and after an axis."""
    if padding == "VALID":
        return 0, 0
    if not isinstance(padding, str):
        return padding
    outputs = -(-size // stride)
    missing = max((outputs - 1) * stride + window - size, 0)
    return missing // 2, missing - missing // 2


def _of_axis(padding: Padding, axis: int) -> str | Pair:
    return padding if isinstance(padding, str) else padding[axis]


def _both_margins(
    sizes: Sequence[int], window: Pair, strides: Pair, dilations: Pair, padding: Padding
) -> tuple[Pair, Pair]:
    """Return the padding before and after rows and columns."""
    rows, columns = (
        _margins(
            sizes[k],
            (window[k] - 1) * dilations[k] + 1,
            strides[k],
            _of_axis(padding, k),
        )
        for k in (0, 1)
    )
    return rows, columns


def _views(
    images: Array, ksize: Pair, strides: Pair, padding: Padding
) -> Iterator[Array]:
    """Yield, for each offset in a window, the pixels there at each step."""
    margins = _both_margins(images.shape[1:3], ksize, strides, (1, 1), padding)
    seen = convolution.windows(images, ksize, strides, margins, (1, 1))
    return (seen[:, :, :, row, column] for row, column in np.ndindex(*ksize))


def _overlap_add(
    parts: Array, sizes: Sequence[int], strides: Pair, dilations: Pair, padding: Padding
) -> Array:
    """Add up overlapping windows, the transpose of `_views`.

    `parts` is [batch, out rows, out columns, channels, rows, columns], `sizes` the
    rows and columns of the images.
    """
    batch, *steps, channels = parts.shape[:4]
    rows, columns = window = parts.shape[4:]
    margins = _both_margins(sizes, (rows, columns), strides, dilations, padding)
    whole = [size + sum(m) for size, m in zip(sizes, margins, strict=True)]
    padded = np.zeros((batch, *whole, channels), parts.dtype)
    for row, column in np.ndindex(*window):
        at = (row * dilations[0], column * dilations[1])
        places = [
            slice(a, a + (n - 1) * s + 1, s)
            for a, n, s in zip(at, steps, strides, strict=True)
        ]
        padded[:, places[0], places[1]] += parts[..., row, column]
    (top, _), (left, _) = margins
    return padded[:, top : top + sizes[0], left : left + sizes[1]]


def _channels_last(images: Array, data_format: str) -> Array:
    return np.moveaxis(images, -3, -1) if data_format == "NCHW" else images


def _channels_back(images: Array, data_format: str) -> Array:
    return np.moveaxis(images, 3, 1) if data_format == "NCHW" else images


def _image_sizes(images: Operand, data_format: str) -> tuple[int | None, ...]:
    """Return batch, rows, columns and channels, None if unknown."""
    sizes = broadcasting.require_rank(images, 4).as_tuple()
    if data_format == "NCHW":
        return sizes[0], sizes[2], sizes[3], sizes[1]
    return sizes


def _image_shape(sizes: Sequence[int | None], data_format: str) -> TensorShape:
    batch, rows, columns, channels = sizes
    if data_format == "NCHW":
        return TensorShape([batch, channels, rows, columns])
    return TensorShape([batch, rows, columns, channels])


def _infer_conv2d(
    images: Operand,
    filters: Operand,
    *,
    strides: Pair,
    padding: Padding,
    data_format: str,
    dilations: Pair,
) -> TensorSpec:
    dtype = broadcasting.require_same_dtype(images, filters)
    broadcasting.require_kind(images, broadcasting.FLOATING)
    batch, *sizes, channels = _image_sizes(images, data_format)
    *window, depth, outputs = broadcasting.require_rank(filters, 4).as_tuple()
    if None not in (channels, depth) and channels != depth:
        raise ValueError(
            f"the filter takes {depth} channels, the images have {channels}: "
            f"{broadcasting.describe_all(images, filters)}"
        )
    spans = [
        n if n is None else (n - 1) * d + 1
        for n, d in zip(window, dilations, strict=True)
    ]
    rows, columns = (
        _output_size(sizes[k], spans[k], strides[k], _of_axis(padding, k))
        for k in (0, 1)
    )
    return TensorSpec(_image_shape([batch, rows, columns, outputs], data_format), dtype)


def _convolve(
    correlate: Callable[..., Array],
    images: Array,
    filters: Array,
    *,
    strides: Pair,
    padding: Padding,
    data_format: str,
    dilations: Pair,
    out: Array | None = None,
) -> Array:
    wide, weights = widened(_channels_last(images, data_format)), widened(filters)
    window = (filters.shape[0], filters.shape[1])
    margins = _both_margins(wide.shape[1:3], window, strides, dilations, padding)
    place = None if data_format == "NCHW" else out
    result = correlate(wide, weights, strides, margins, dilations, place)
    return _channels_back(result.astype(images.dtype, copy=False), data_format)


def _infer_images(sizes: Operand, backprop: Operand) -> TensorSpec:
    shape = shape_held_by(sizes).with_rank(4)
    broadcasting.require_rank(backprop, 4)
    return TensorSpec(shape, broadcasting.require_kind(backprop, broadcasting.FLOATING))


def _infer_conv2d_of_images(
    sizes: Operand,
    filters: Operand,
    backprop: Operand,
    *,
    strides: Pair,
    padding: Padding,
    data_format: str,
    dilations: Pair,
) -> TensorSpec:
    broadcasting.require_same_dtype(filters, backprop)
    broadcasting.require_rank(filters, 4)
    return _infer_images(sizes, backprop)


def _gradient_of_images(
    gradient: Callable[..., Array],
    sizes: Array,
    filters: Array,
    backprop: Array,
    *,
    strides: Pair,
    padding: Padding,
    data_format: str,
    dilations: Pair,
    out: Array | None = None,
) -> Array:
    """Return the gradient of the images: each output spread over its window."""
    grads, weights = widened(_channels_last(backprop, data_format)), widened(filters)
    _, rows, columns, _ = _image_sizes_of(sizes, data_format)
    window = (filters.shape[0], filters.shape[1])
    margins = _both_margins((rows, columns), window, strides, dilations, padding)
    size, place = (rows, columns), None if data_format == "NCHW" else out
    images = gradient(grads, weights, size, strides, margins, dilations, place)
    return _channels_back(images.astype(backprop.dtype, copy=False), data_format)


def _image_sizes_of(sizes: Array, data_format: str) -> tuple[int, ...]:
    batch, *others = sizes_in(sizes)
    if data_format == "NCHW":
        return batch, others[1], others[2], others[0]
    return batch, *others


def _infer_conv2d_of_filters(
    images: Operand,
    sizes: Operand,
    backprop: Operand,
    *,
    strides: Pair,
    padding: Padding,
    data_format: str,
    dilations: Pair,
) -> TensorSpec:
    broadcasting.require_same_dtype(images, backprop)
    broadcasting.require_rank(images, 4)
    return _infer_images(sizes, backprop)


def _gradient_of_filters(
    gradient: Callable[..., Array],
    images: Array,
    sizes: Array,
    backprop: Array,
    *,
    strides: Pair,
    padding: Padding,
    data_format: str,
    dilations: Pair,
    out: Array | None = None,
) -> Array:
    """Return the gradient of the filters: windows correlated with gradients."""
    wide = widened(_channels_last(images, data_format))
    grads = widened(_channels_last(backprop, data_format))
    rows, columns, _, _ = sizes_in(sizes)
    window = (rows, columns)
    margins = _both_margins(wide.shape[-3:-1], window, strides, dilations, padding)
    filters = gradient(wide, grads, window, strides, margins, dilations, out)
    return filters.astype(images.dtype, copy=False)


def _by_image(
    place: int, *operands: Operand, data_format: str, **attrs: object
) -> int | None:
    """Return the index of the images if each result has the same bits in any batch."""
    images, filters = operands[place].shape, operands[1].shape
    static = images.is_fully_defined() and filters.is_fully_defined()
    if data_format != "NHWC" or not static:
        return None
    batch, *_ = static_sizes(images)
    alone = is_by_image(batch, static_sizes(filters), operands[1].dtype.np)
    return place if alone else None


# -- each channel for itself -------------------------------------------------------


def _infer_depthwise(
    images: Operand,
    filters: Operand,
    *,
    strides: Pair,
    padding: Padding,
    data_format: str,
    dilations: Pair,
) -> TensorSpec:
    *window, channels, multiplier = broadcasting.require_rank(filters, 4).as_tuple()
    known = channels is not None and multiplier is not None
    several = channels * multiplier if known else None  # type: ignore[operator]
    return _infer_conv2d(
        images,
        Operand(TensorShape([*window, channels, several]), filters.dtype),
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
    )


# -- pooling -----------------------------------------------------------------------


def _infer_pool(
    images: Operand, *, ksize: Pair, strides: Pair, padding: Padding, data_format: str
) -> TensorSpec:
    dtype = broadcasting.require_kind(images, broadcasting.REAL)
    batch, *sizes, channels = _image_sizes(images, data_format)
    rows, columns = (
        _output_size(sizes[k], ksize[k], strides[k], _of_axis(padding, k))
        for k in (0, 1)
    )
    return TensorSpec(
        _image_shape([batch, rows, columns, channels], data_format), dtype
    )


def _infer_avg_pool(
    images: Operand, *, ksize: Pair, strides: Pair, padding: Padding, data_format: str
) -> TensorSpec:
    broadcasting.require_kind(images, broadcasting.FLOATING)
    return _infer_pool(
        images, ksize=ksize, strides=strides, padding=padding, data_format=data_format
    )


def _max_pool(
    images: Array,
    *,
    ksize: Pair,
    strides: Pair,
    padding: Padding,
    data_format: str,
    out: Array | None = None,
) -> Array:
    kernel, wide, steps, before = _pooling(images, ksize, strides, padding, data_format)
    greatest = place_of(out, steps, wide.dtype)
    kernel.maxima(wide, ksize, strides, before, greatest)
    return _channels_back(greatest.astype(images.dtype, copy=False), data_format)


def _infer_max_pool_back(
    images: Operand,
    backprop: Operand,
    *,
    ksize: Pair,
    strides: Pair,
    padding: Padding,
    data_format: str,
) -> TensorSpec:
    dtype = broadcasting.require_same_dtype(images, backprop)
    broadcasting.require_kind(images, broadcasting.REAL)
    return TensorSpec(broadcasting.require_rank(images, 4), dtype)


def _max_pool_back(
    images: Array,
    backprop: Array,
    *,
    ksize: Pair,
    strides: Pair,
    padding: Padding,
    data_format: str,
    out: Array | None = None,
) -> Array:
    """Return the gradient of the images: each window's to its first maximum."""
    kernel, wide, _, before = _pooling(images, ksize, strides, padding, data_format)
    grads = np.ascontiguousarray(
        _channels_last(backprop, data_format), dtype=wide.dtype
    )
    gradient = place_of(out, wide.shape, wide.dtype)
    kernel.gradient(wide, grads, ksize, strides, before, gradient)
    return _channels_back(gradient.astype(images.dtype, copy=False), data_format)


def _pooling(
    images: Array, ksize: Pair, strides: Pair, padding: Padding, data_format: str
) -> tuple[ModuleType, Array, tuple[int, ...], Pair]:
    """Return the kernels, images, shape of the windows, and padding above and left."""
    wide = np.ascontiguousarray(widened(_channels_last(images, data_format)))
    batch, *sizes, channels = wide.shape
    (above, _), (left, _) = _both_margins(sizes, ksize, strides, (1, 1), padding)
    rows, columns = (
        _output_size(sizes[k], ksize[k], strides[k], _of_axis(padding, k)) or 0
        for k in (0, 1)
    )
    kernel = pooling if wide.dtype == np.float32 else any_pooling
    return kernel, wide, (batch, rows, columns, channels), (above, left)


def _avg_pool(
    images: Array, *, ksize: Pair, strides: Pair, padding: Padding, data_format: str
) -> Array:
    """Divide by the number of pixels inside the image."""
    wide = widened(_channels_last(images, data_format))
    inside = np.ones((1, *wide.shape[1:3], 1), wide.dtype)
    total = reduce(np.add, _views(wide, ksize, strides, padding))
    count = reduce(np.add, _views(inside, ksize, strides, padding))
    return _channels_back((total / count).astype(images.dtype, copy=False), data_format)


def _infer_positions(
    images: Operand, *, ksize: Pair, strides: Pair, padding: Padding, data_format: str
) -> TensorSpec:
    pooled = _infer_pool(
        images, ksize=ksize, strides=strides, padding=padding, data_format=data_format
    )
    return TensorSpec(pooled.shape, int64)


def _max_pool_positions(
    images: Array, *, ksize: Pair, strides: Pair, padding: Padding, data_format: str
) -> Array:
    """Return the flat index of the first maximum of each window."""
    kernel, wide, steps, before = _pooling(images, ksize, strides, padding, data_format)
    _, rows, columns, channels = wide.shape
    size = rows * columns
    last = data_format == "NHWC"
    distances = (size * channels, channels, 1) if last else (size * channels, 1, size)
    positions = np.empty(steps, np.int64)
    kernel.first_maxima(wide, ksize, strides, before, distances, positions)
    return _channels_back(positions, data_format)


def _infer_avg_pool_back(
    sizes: Operand,
    backprop: Operand,
    *,
    ksize: Pair,
    strides: Pair,
    padding: Padding,
    data_format: str,
) -> TensorSpec:
    return _infer_images(sizes, backprop)


def _avg_pool_back(
    sizes: Array,
    backprop: Array,
    *,
    ksize: Pair,
    strides: Pair,
    padding: Padding,
    data_format: str,
) -> Array:
    """Return the gradient of the images: a share for each pixel of a window."""
    wide = widened(_channels_last(backprop, data_format))
    _, rows, columns, _ = _image_sizes_of(sizes, data_format)
    inside = np.ones((1, rows, columns, 1), wide.dtype)
    count = reduce(np.add, _views(inside, ksize, strides, padding))
    parts = np.broadcast_to((wide / count)[..., None, None], (*wide.shape, *ksize))
    images = _overlap_add(parts, (rows, columns), strides, (1, 1), padding)
    return _channels_back(images.astype(backprop.dtype, copy=False), data_format)


_op = partial(OpDef, gradient="networks", xla="images")

MAX_POOL = _op("MaxPool", infer=_infer_pool, compute=ieee(_max_pool))
AVG_POOL = _op("AvgPool", infer=_infer_avg_pool, compute=ieee(_avg_pool))

OPERATIONS: tuple[OpDef, ...] = (
    _op(
        "Conv2D",
        infer=_infer_conv2d,
        compute=ieee(partial(_convolve, correlated)),
        batching=Batching(by_image=partial(_by_image, 0)),
    ),
    _op(
        "Conv2DBackpropInput",
        infer=_infer_conv2d_of_images,
        compute=ieee(partial(_gradient_of_images, image_gradient)),
        batching=Batching(by_image=partial(_by_image, 2)),
    ),
    _op(
        "Conv2DBackpropFilter",
        infer=_infer_conv2d_of_filters,
        compute=ieee(partial(_gradient_of_filters, filter_gradient)),
        batching=Batching(stacked=partial(_gradient_of_filters, filter_gradient)),
    ),
    _op(
        "DepthwiseConv2dNative",
        infer=_infer_depthwise,
        compute=ieee(partial(_convolve, correlated_by_channel)),
    ),
    _op(
        "DepthwiseConv2dNativeBackpropInput",
        infer=_infer_conv2d_of_images,
        compute=ieee(partial(_gradient_of_images, image_gradient_by_channel)),
    ),
    _op(
        "DepthwiseConv2dNativeBackpropFilter",
        infer=_infer_conv2d_of_filters,
        compute=ieee(partial(_gradient_of_filters, filter_gradient_by_channel)),
    ),
    MAX_POOL,
    _op("MaxPoolGrad", infer=_infer_max_pool_back, compute=ieee(_max_pool_back)),
    _op("MaxPoolPositions", infer=_infer_positions, compute=ieee(_max_pool_positions)),
    AVG_POOL,
    _op("AvgPoolGrad", infer=_infer_avg_pool_back, compute=ieee(_avg_pool_back)),
)
