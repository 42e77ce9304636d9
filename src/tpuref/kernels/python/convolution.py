"""Convolutions of images ``[batch, rows, columns, channels]`` by products.

The windows of a filter are copied side by side (im2col), in blocks that fit a cache,
and multiplied by the filter as a matrix.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Pair = tuple[int, int]
Margins = tuple[Pair, Pair]

LEAST_TOGETHER = 6
"""The least images and channels for which a compiled tile spans several images.

Such tiles skip all padding; others multiply that on the left and right, where an
infinite weight gives NaN.
"""

_BLOCK = 1 << 18
"""How many numbers to copy side by side at a time: as fast with half or twice that."""


def correlate(
    images: Array,
    filters: Array,
    strides: Pair,
    margins: Margins,
    holes: Pair,
    result: Array,
) -> None:
    """Write the convolution of `images` to `result`.

    `filters` are ``[rows, columns, channels, outputs]``.  `margins` are rows and
    columns of zeros before and after an image; a negative number crops.  `holes` are
    the distances between pixels of a window, 1 if they are adjacent.  No array may be
    empty.
    """
    rows, columns, channels, outputs = filters.shape
    whole = filters.flags.c_contiguous or rows == columns == 1
    seen = windows(images, filters.shape[:2], strides, margins, holes)
    for block, pixels in _blocks(seen):
        place = result[block].reshape(-1, outputs)
        if whole:
            np.matmul(pixels, filters.reshape(-1, outputs), out=place)
            continue
        # BLAS reads a transposed filter as it is, faster than all are copied.
        place[...] = 0
        for k, (row, column) in enumerate(np.ndindex(rows, columns)):
            part = pixels[:, k * channels : (k + 1) * channels]
            place += part @ filters[row, column]


def filter_gradient(
    images: Array,
    gradient: Array,
    strides: Pair,
    margins: Margins,
    holes: Pair,
    result: Array,
) -> None:
    """Write the gradients of the filters of `correlate` to `result`.

    The images are those of several groups of equal size, one for each gradient.
    """
    groups, *window, _, outputs = result.shape
    for total, own, slopes in zip(
        result.reshape(groups, -1, outputs),
        images.reshape(groups, -1, *images.shape[1:]),
        gradient.reshape(groups, -1, *gradient.shape[1:]),
        strict=True,
    ):
        blocks = _blocks(windows(own, (*window,), strides, margins, holes))
        block, pixels = next(blocks)
        np.matmul(pixels.T, slopes[block].reshape(-1, outputs), out=total)
        for block, pixels in blocks:
            total += pixels.T @ slopes[block].reshape(-1, outputs)


def turned(filters: Array) -> Array:
    """Return filters turned by 180 degrees, with channels and outputs exchanged."""
    turned: Array = filters[::-1, ::-1].transpose(0, 1, 3, 2)
    return turned


def windows(
    images: Array, window: tuple[int, ...], strides: Pair, margins: Margins, holes: Pair
) -> Array:
    """Return a view ``[batch, rows, columns, window rows, window columns, channels]``.

    The first three axes are the steps of the window; margins hold zeros.
    """
    padded = _pad(images, margins)
    batch, row, column, channel = padded.strides
    rows, columns = steps(images, window, strides, margins, holes)
    return np.lib.stride_tricks.as_strided(
        padded,
        (len(images), rows, columns, *window[:2], images.shape[3]),
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


def steps(
    images: Array, window: tuple[int, ...], strides: Pair, margins: Margins, holes: Pair
) -> Pair:
    """Return how many rows and columns of windows fit."""
    rows, columns = (
        (images.shape[k + 1] + sum(margins[k]) - (window[k] - 1) * holes[k] - 1)
        // strides[k]
        + 1
        for k in (0, 1)
    )
    return rows, columns


def _pad(images: Array, margins: Margins) -> Array:
    if not any(map(any, margins)):
        return images
    batch, *sizes, channels = images.shape
    whole = [n + sum(margin) for n, margin in zip(sizes, margins, strict=True)]
    padded = np.zeros((batch, *whole, channels), images.dtype)
    here, there = [], []
    for n, size, (before, _) in zip(sizes, whole, margins, strict=True):
        first = max(before, 0)
        last = max(first, min(before + n, size))
        there.append(slice(first, last))
        here.append(slice(first - before, last - before))
    padded[:, there[0], there[1]] = images[:, here[0], here[1]]
    return padded


def _blocks(seen: Array) -> Iterator[tuple[tuple[slice, ...], Array]]:
    """Yield blocks of steps with their windows as a matrix, one row per step."""
    batch, rows, columns, *window = seen.shape
    depth = int(np.prod(window))
    if seen.flags.c_contiguous:  # windows of one pixel
        yield (slice(None),), seen.reshape(-1, depth)
        return
    lines = max(1, _BLOCK // (columns * depth))
    images = max(1, lines // rows)
    lines = min(lines, rows)
    buffer = np.empty((images, lines, columns, *window), seen.dtype)
    for image in range(0, batch, images):
        for row in range(0, rows, lines):
            block = slice(image, image + images), slice(row, row + lines)
            part = seen[block]
            pixels = buffer[: len(part), : part.shape[1]]
            if part.shape[1] < lines:
                pixels = np.empty(part.shape, seen.dtype)
            np.copyto(pixels, part)
            yield block, pixels.reshape(-1, depth)
