"""Convolution of images ``[batch, rows, columns, channels]``.

The gradient of the images is a convolution of the gradient with the rotated filter;
with stride `s` it is split into `s` phases, one for every `s`-th pixel.
"""

from types import ModuleType
from typing import Any

import numpy as np

from tpuref.engine.ops.meaning import Array
from tpuref.kernels import convolution
from tpuref.kernels.python import convolution as by_products

Pair = tuple[int, int]

_LARGE = 1 << 18
"""Filters of more numbers fit no cache: products of matrices take them in blocks."""


def correlated(
    images: Array,
    filters: Array,
    strides: Pair,
    margins: tuple[Pair, Pair],
    holes: Pair,
    out: Array | None = None,
) -> Array:
    """Return the convolution of images ``[batch, rows, columns, channels]``.

    `filters` are ``[rows, columns, channels, outputs]``.  `margins` are rows and
    columns of zeros before and after an image; a negative number crops.  `holes` are
    dilations: the distance between pixels of a window, 1 if they are adjacent.  The
    result is written to `out` if it fits there; so it is with the functions below.
    """
    padded = np.ascontiguousarray(_pad(images, margins))
    steps = _steps(padded, filters.shape, strides, holes)
    shape = (len(images), *steps, filters.shape[3])
    result = place_of(out, shape, images.dtype)
    if not filters.size:
        result[...] = 0
    elif result.size:
        kernel = _kernel(filters)
        kernel.correlate(padded, np.ascontiguousarray(filters), strides, holes, result)
    return result


def filter_gradient(
    images: Array,
    gradient: Array,
    window: Pair,
    strides: Pair,
    margins: tuple[Pair, Pair],
    holes: Pair,
    out: Array | None = None,
) -> Array:
    """Return the gradient of `correlated` for its filters."""
    padded = np.ascontiguousarray(_pad(images, margins))
    shape = (*window, images.shape[3], gradient.shape[3])
    result = place_of(out, shape, images.dtype)
    if not gradient.size:
        result[...] = 0
    elif result.size:
        kernel, slopes = _kernel(result), np.ascontiguousarray(gradient)
        kernel.filter_gradient(padded, slopes, strides, holes, result)
    return result


def _kernel(filters: Array) -> ModuleType:
    """Return the module that convolves fastest with filters of this size and type.

    The compiled kernel knows float32 alone, and reads windows of one pixel no faster
    than a product of matrices.
    """
    direct = filters.dtype == np.float32 and filters.size <= _LARGE
    return convolution if direct and filters.shape[:2] != (1, 1) else by_products


def image_gradient(
    gradient: Array,
    filters: Array,
    sizes: Pair,
    strides: Pair,
    margins: tuple[Pair, Pair],
    holes: Pair,
    out: Array | None = None,
) -> Array:
    """Return the gradient of `correlated` for images with `sizes` rows and columns."""
    if max(strides) > 1 and max(holes) > 1:
        filters, holes = _dilate(filters, holes), (1, 1)
    shape = (len(gradient), *sizes, filters.shape[2])
    images = place_of(out, shape, gradient.dtype)
    for phase in np.ndindex(*strides):
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
        if not own.size:
            images[:, places[0], places[1]] = 0
            continue
        turned = own[::-1, ::-1].transpose(0, 1, 3, 2)
        at = images[:, places[0], places[1]]
        pixels = correlated(gradient, turned, (1, 1), (reach[0], reach[1]), holes, at)
        if pixels is not at:
            at[...] = pixels
    return images


def place_of(out: Array | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return `out` if a result fits there as it is, else a new array."""
    if out is None or (out.shape, out.dtype) != (shape, dtype):
        return np.empty(shape, dtype)
    return out if out.flags.c_contiguous else np.empty(shape, dtype)


def windows(
    images: Array,
    window: tuple[int, ...],
    strides: Pair,
    margins: tuple[Pair, Pair],
    holes: Pair,
    fill: float = 0,
) -> Array:
    """Return a view ``[batch, rows, columns, window rows, window columns, channels]``.

    The first three axes are the steps of the window; margins hold `fill`.
    """
    padded = _pad(images, margins, fill)
    steps = _steps(padded, window, strides, holes)
    return by_products.windows(padded, window, steps, strides, holes)


def _steps(
    padded: Array, window: tuple[int, ...], strides: Pair, holes: Pair
) -> tuple[int, ...]:
    """Return how many rows and columns of windows fit."""
    return tuple(
        (padded.shape[k + 1] - (window[k] - 1) * holes[k] - 1) // strides[k] + 1
        for k in (0, 1)
    )


def _pad(images: Array, margins: tuple[Pair, Pair], fill: float = 0) -> Array:
    """Add margins to images; a negative margin crops."""
    if not any(map(any, margins)):
        return images
    batch, *sizes, channels = images.shape
    whole = [n + sum(margin) for n, margin in zip(sizes, margins, strict=True)]
    padded = np.full((batch, *whole, channels), fill, images.dtype)
    here, there = [], []
    for n, (before, after) in zip(sizes, margins, strict=True):
        there.append(
            slice(max(before, 0), max(before, 0) + n + min(before, 0) + min(after, 0))
        )
        here.append(slice(max(-before, 0), n - max(-after, 0)))
    padded[:, there[0], there[1]] = images[:, here[0], here[1]]
    return padded


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
    margins: tuple[Pair, Pair],
    holes: Pair,
    out: Array | None = None,
) -> Array:
    """Return the depthwise convolution."""
    seen = windows(images, filters.shape[:2], strides, margins, holes)
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
    margins: tuple[Pair, Pair],
    holes: Pair,
    out: Array | None = None,
) -> Array:
    """Return the gradient of `correlated_by_channel` for its filters."""
    channels = images.shape[3]
    parts = gradient.reshape(*gradient.shape[:3], channels, -1)
    seen = windows(images, window, strides, margins, holes)
    shape = (*window, channels, parts.shape[-1])
    total = place_of(out, shape, images.dtype)
    for row, column in np.ndindex(*window):
        pixels = seen[:, : parts.shape[1], : parts.shape[2], row, column]
        total[row, column] = np.einsum("nrkc,nrkcm->cm", pixels, parts)
    return total


def image_gradient_by_channel(
    gradient: Array,
    filters: Array,
    sizes: Pair,
    strides: Pair,
    margins: tuple[Pair, Pair],
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
