"""Convolutions of padded images ``[batch, rows, columns, channels]`` by products.

The windows of a filter are copied side by side (im2col), in blocks that fit a cache,
and multiplied by the filter as a matrix.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Pair = tuple[int, int]

_BLOCK = 1 << 18
"""How many numbers to copy side by side at a time: as fast with half or twice that."""


def correlate(
    images: Array, filters: Array, strides: Pair, holes: Pair, result: Array
) -> None:
    """Write the convolution of `images` to `result`.

    `filters` are ``[rows, columns, channels, outputs]``.  `holes` are the distances
    between pixels of a window, 1 if they are adjacent.  No array may be empty.
    """
    matrix = filters.reshape(-1, filters.shape[3])
    seen = windows(images, filters.shape[:2], result.shape[1:3], strides, holes)
    for block, pixels in _blocks(seen):
        np.matmul(pixels, matrix, out=result[block].reshape(-1, filters.shape[3]))


def filter_gradient(
    images: Array, gradient: Array, strides: Pair, holes: Pair, result: Array
) -> None:
    """Write the gradient of the filters of `correlate` to `result`."""
    outputs = gradient.shape[3]
    result[...] = 0
    total = result.reshape(-1, outputs)
    seen = windows(images, result.shape[:2], gradient.shape[1:3], strides, holes)
    for block, pixels in _blocks(seen):
        total += pixels.T @ gradient[block].reshape(-1, outputs)


def windows(
    images: Array,
    window: tuple[int, ...],
    steps: tuple[int, ...],
    strides: Pair,
    holes: Pair,
) -> Array:
    """Return a view ``[batch, rows, columns, window rows, window columns, channels]``.

    The first three axes are the steps of the window.
    """
    batch, row, column, channel = images.strides
    return np.lib.stride_tricks.as_strided(
        images,
        (len(images), *steps, *window, images.shape[3]),
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
