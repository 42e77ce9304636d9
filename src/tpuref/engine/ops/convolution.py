"""Convolution of images ``[batch, rows, columns, channels]``.

The gradient of the images is a convolution of the gradient with the rotated filter;
with stride `s` it is split into `s` phases, one for every `s`-th pixel.
"""

import math
from types import ModuleType
from typing import Any

import numpy as np

from tpuref.engine.ops.meaning import Array
from tpuref.kernels import convolution
from tpuref.kernels.python import convolution as by_products
from tpuref.kernels.python.convolution import Margins, Pair

_LARGE, _LARGE_PIXEL = 1 << 18, 1 << 13
"""Filters with more elements do not fit a cache, so blocked matrix products are faster.

The second limit is for windows of one pixel, which share no pixels.
"""


def correlated(
    images: Array,
    filters: Array,
    strides: Pair,
    margins: Margins,
    holes: Pair,
    out: Array | None = None,
) -> Array:
    """Return the convolution of images ``[batch, rows, columns, channels]``.

    `filters` are ``[rows, columns, channels, outputs]``.  `margins` are rows and
    columns of zeros before and after an image; a negative number crops.  `holes` are
    dilations: the distance between pixels of a window, 1 if they are adjacent.  The
    result is written to `out` if it fits there; so it is with the functions below.
    """
    steps = by_products.steps(images, filters.shape, strides, margins, holes)
    result = place_of(out, (len(images), *steps, filters.shape[3]), images.dtype)
    kernel = _kernel(filters.shape, filters.dtype)
    _correlate(kernel, images, filters, strides, margins, holes, result)
    return result


def _correlate(
    kernel: ModuleType,
    images: Array,
    filters: Array,
    strides: Pair,
    margins: Margins,
    holes: Pair,
    result: Array,
) -> None:
    """Write the convolution to `result`; only its last axis must be contiguous."""
    if not filters.size:
        result[...] = 0
    elif result.size and kernel is by_products and not result.flags.c_contiguous:
        apart = np.empty(result.shape, result.dtype)
        _correlate(kernel, images, filters, strides, margins, holes, apart)
        result[...] = apart
    elif result.size:
        if kernel is convolution:
            filters = np.ascontiguousarray(filters)
        images = np.ascontiguousarray(images)
        kernel.correlate(images, filters, strides, margins, holes, result)


def filter_gradient(
    images: Array,
    gradient: Array,
    window: Pair,
    strides: Pair,
    margins: Margins,
    holes: Pair,
    out: Array | None = None,
) -> Array:
    """Return the gradient of `correlated` for its filters.

    Arrays may be stacks of batches: each batch has its gradient.
    """
    shape = (*window, images.shape[-1], gradient.shape[-1])
    result = place_of(out, (*images.shape[:-4], *shape), images.dtype)
    if not gradient.size:
        result[...] = 0
    elif result.size:
        images, gradient = (
            np.ascontiguousarray(array).reshape(-1, *array.shape[-3:])
            for array in (images, gradient)
        )
        each = result.reshape(-1, *shape)
        kernel = _kernel(shape, result.dtype)
        kernel.filter_gradient(images, gradient, strides, margins, holes, each)
    return result


def _kernel(shape: tuple[int, ...], dtype: np.dtype[Any]) -> ModuleType:
    """Return the module that convolves fastest with filters of this shape and type.

    The compiled kernel supports float32 only.
    """
    most = _LARGE_PIXEL if shape[:2] == (1, 1) else _LARGE
    direct = dtype == np.float32 and math.prod(shape) <= most
    return convolution if direct else by_products


def is_by_image(images: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> bool:
    """Return whether each result has the same bits in a larger batch of images.

    This holds for `correlated` with filters of this shape, and for `image_gradient`.
    """
    together = images >= by_products.LEAST_TOGETHER
    return together and _kernel(shape, dtype) is not by_products


def image_gradient(
    gradient: Array,
    filters: Array,
    sizes: Pair,
    strides: Pair,
    margins: Margins,
    holes: Pair,
    out: Array | None = None,
) -> Array:
    """Return the gradient of `correlated` for images with `sizes` rows and columns."""
    kernel = _kernel(filters.shape, filters.dtype)
    if max(strides) > 1 and max(holes) > 1:
        filters, holes = _dilate(filters, holes), (1, 1)
    images = place_of(out, (len(gradient), *sizes, filters.shape[2]), gradient.dtype)
    if strides[0] > filters.shape[0] or strides[1] > filters.shape[1]:
        images[...] = 0  # pixels that no window sees
    for phase in np.ndindex(*map(min, strides, filters.shape)):
        own = filters[phase[0] :: strides[0], phase[1] :: strides[1]]
        places, reach = [], []
        for axis in (0, 1):
            step, before = strides[axis], margins[axis][0]
            # Pixel t * step + phase of the padded image is in windows t - j.
            first = -(-(before - phase[axis]) // step)
            last = -(-(before + sizes[axis] - phase[axis]) // step)
            back = (own.shape[axis] - 1) * holes[axis]
            reach.append((back - first, last - gradient.shape[axis + 1]))
            places.append(slice(first * step + phase[axis] - before, None, step))
        at = images[:, places[0], places[1]]
        turned, margin = kernel.turned(own), (reach[0], reach[1])
        _correlate(kernel, gradient, turned, (1, 1), margin, holes, at)
    return images


def place_of(out: Array | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return `out` if a result fits there as it is, else a new array."""
    if out is None or (out.shape, out.dtype) != (shape, dtype):
        return np.empty(shape, dtype)
    return out if out.flags.c_contiguous else np.empty(shape, dtype)


def _dilate(filters: Array, holes: Pair) -> Array:
    """Return the filter with zeros between its pixels."""
    spans = [(n - 1) * hole + 1 for n, hole in zip(filters.shape, holes, strict=False)]
    filled = np.zeros((*spans, *filters.shape[2:]), filters.dtype)
    filled[:: holes[0], :: holes[1]] = filters
    return filled


# -- each channel for itself -------------------------------------------------------
#
# filters are [rows, columns, channels, multiplier]; output c * multiplier + m is that
# of channel c with the filters [:, :, c, m].


def correlated_by_channel(
    images: Array,
    filters: Array,
    strides: Pair,
    margins: Margins,
    holes: Pair,
    out: Array | None = None,
) -> Array:
    """Return the depthwise convolution."""
    seen = by_products.windows(images, filters.shape[:2], strides, margins, holes)
    outputs = filters.shape[2] * filters.shape[3]
    result = place_of(out, (*seen.shape[:3], outputs), images.dtype)
    result[...] = 0
    total = result.reshape(*seen.shape[:3], *filters.shape[2:])
    for row, column in np.ndindex(*filters.shape[:2]):
        total += seen[:, :, :, row, column, :, None] * filters[row, column]
    return result


def filter_gradient_by_channel(
    images: Array,
    gradient: Array,
    window: Pair,
    strides: Pair,
    margins: Margins,
    holes: Pair,
    out: Array | None = None,
) -> Array:
    """Return the gradient of `correlated_by_channel` for its filters."""
    channels = images.shape[3]
    parts = gradient.reshape(*gradient.shape[:3], channels, -1)
    seen = by_products.windows(images, window, strides, margins, holes)
    total = place_of(out, (*window, channels, parts.shape[-1]), images.dtype)
    for row, column in np.ndindex(*window):
        pixels = seen[:, : parts.shape[1], : parts.shape[2], row, column]
        total[row, column] = np.einsum("nrkc,nrkcm->cm", pixels, parts)
    return total


def image_gradient_by_channel(
    gradient: Array,
    filters: Array,
    sizes: Pair,
    strides: Pair,
    margins: Margins,
    holes: Pair,
    out: Array | None = None,
) -> Array:
    """Return the gradient of `correlated_by_channel` for the images."""
    batch, rows, columns, _ = gradient.shape
    channels = filters.shape[2]
    parts = gradient.reshape(batch, rows, columns, channels, -1)
    whole = [n + sum(margin) for n, margin in zip(sizes, margins, strict=True)]
    padded = np.zeros((batch, *whole, channels), gradient.dtype)
    for row, column in np.ndindex(*filters.shape[:2]):
        down = slice(
            row * holes[0], row * holes[0] + (rows - 1) * strides[0] + 1, strides[0]
        )
        along = slice(
            column * holes[1],
            column * holes[1] + (columns - 1) * strides[1] + 1,
            strides[1],
        )
        padded[:, down, along] += np.einsum(
            "nrkcm,cm->nrkc", parts, filters[row, column]
        )
    (top, _), (left, _) = margins
    result = place_of(out, (batch, *sizes, channels), gradient.dtype)
    result[...] = padded[:, top : top + sizes[0], left : left + sizes[1]]
    return result
