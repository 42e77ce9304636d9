"""Convolution of images ``[batch, rows, columns, channels]`` by matrix products.

The windows of a filter are copied side by side (im2col), in blocks that fit a cache,
and multiplied by the filter as a matrix.  The gradient of the images is a convolution
of the gradient with the rotated filter; with stride `s` it is split into `s` phases,
one for every `s`-th pixel.
"""

from collections.abc import Iterator

import numpy as np

from tpuref.engine.ops.meaning import Array

Pair = tuple[int, int]

_BLOCK = 1 << 18
"""How many numbers to copy side by side at a time: as fast with half or twice that."""


def correlated(
    images: Array,
    filters: Array,
    strides: Pair,
    margins: tuple[Pair, Pair],
    holes: Pair,
) -> Array:
    """Return the convolution of images ``[batch, rows, columns, channels]``.

    `filters` are ``[rows, columns, channels, outputs]``.  `margins` are rows and
    columns of zeros before and after an image; a negative number crops.  `holes` are
    dilations: the distance between pixels of a window, 1 if they are adjacent.
    """
    seen = windows(images, filters.shape[:2], strides, margins, holes)
    batch, rows, columns = seen.shape[:3]
    depth, outputs = int(np.prod(seen.shape[3:])), filters.shape[-1]
    result = np.empty((batch, rows, columns, outputs), images.dtype)
    matrix = filters.reshape(depth, outputs)
    for block, pixels in _blocks(seen):
        part = result[block]
        np.matmul(pixels, matrix, out=part.reshape(-1, outputs))
    return result


def filter_gradient(
    images: Array,
    gradient: Array,
    window: Pair,
    strides: Pair,
    margins: tuple[Pair, Pair],
    holes: Pair,
) -> Array:
    """Return the gradient of `correlated` for its filters."""
    steps = gradient.shape[1:3]
    seen = windows(images, window, strides, margins, holes)[:, : steps[0], : steps[1]]
    depth, outputs = int(np.prod(seen.shape[3:])), gradient.shape[-1]
    total = np.zeros((depth, outputs), images.dtype)
    for block, pixels in _blocks(seen):
        total += pixels.T @ gradient[block].reshape(-1, outputs)
    return total.reshape(*window, images.shape[3], outputs)


def image_gradient(
    gradient: Array,
    filters: Array,
    sizes: Pair,
    strides: Pair,
    margins: tuple[Pair, Pair],
    holes: Pair,
) -> Array:
    """Return the gradient of `correlated` for images with `sizes` rows and columns."""
    if max(strides) > 1 and max(holes) > 1:
        filters, holes = _dilate(filters, holes), (1, 1)
    images = np.empty((len(gradient), *sizes, filters.shape[2]), gradient.dtype)
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
        images[:, places[0], places[1]] = correlated(
            gradient, turned, (1, 1), (reach[0], reach[1]), holes
        )
    return images


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
    spans = [(n - 1) * hole + 1 for n, hole in zip(window, holes, strict=True)]
    steps = [(padded.shape[k + 1] - spans[k]) // strides[k] + 1 for k in (0, 1)]
    batch, row, column, channel = padded.strides
    return np.lib.stride_tricks.as_strided(
        padded,
        (len(padded), *steps, *window, padded.shape[3]),
        (
            batch,
            row * strides[0],
            column * strides[1],
            row * holes[0],
            column * holes[1],
            channel,
        ),
        writeable=False,
    )


def _pad(images: Array, margins: tuple[Pair, Pair], fill: float) -> Array:
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


def _blocks(seen: Array) -> Iterator[tuple[tuple[slice, ...], Array]]:
    """Yield blocks of steps with their windows as a matrix, one row per step."""
    batch, rows, columns = seen.shape[:3]
    depth = int(np.prod(seen.shape[3:]))
    if not seen.size:
        yield (slice(None),), np.zeros((batch * rows * columns, depth), seen.dtype)
        return
    lines = max(1, _BLOCK // (columns * depth))
    images = max(1, lines // rows)
    lines = min(lines, rows)
    buffer = np.empty((images, lines, *seen.shape[2:]), seen.dtype)
    for image in range(0, batch, images):
        for row in range(0, rows, lines):
            block = slice(image, image + images), slice(row, row + lines)
            part = seen[block]
            pixels = buffer[: len(part), : part.shape[1]]
            if part.shape[1] < lines:
                pixels = np.empty(part.shape, seen.dtype)
            np.copyto(pixels, part)
            yield block, pixels.reshape(-1, depth)


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
) -> Array:
    """Return the depthwise convolution."""
    seen = windows(images, filters.shape[:2], strides, margins, holes)
    total = np.zeros((*seen.shape[:3], *filters.shape[2:]), images.dtype)
    for row, column in np.ndindex(*filters.shape[:2]):
        total += seen[:, :, :, row, column, :, None] * filters[row, column]
    return total.reshape(*seen.shape[:3], -1)


def filter_gradient_by_channel(
    images: Array,
    gradient: Array,
    window: Pair,
    strides: Pair,
    margins: tuple[Pair, Pair],
    holes: Pair,
) -> Array:
    """Return the gradient of `correlated_by_channel` for its filters."""
    channels = images.shape[3]
    parts = gradient.reshape(*gradient.shape[:3], channels, -1)
    seen = windows(images, window, strides, margins, holes)
    total = np.empty((*window, channels, parts.shape[-1]), images.dtype)
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
    return padded[:, top : top + sizes[0], left : left + sizes[1]]
