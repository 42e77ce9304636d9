"""The greatest pixels of windows over images ``[batch, rows, columns, channels]``.

The first window begins `before` rows above and columns left of the image.  NaN is the
greatest value.  Images are float32 for the compiled twin.
"""

from collections.abc import Iterator

import numpy as np

from tpuref.kernels.python.convolution import Array, Pair


def maxima(
    images: Array, window: Pair, strides: Pair, before: Pair, result: Array
) -> None:
    """Write the greatest value of each window to `result`; outside, the least."""
    result[...] = -np.inf if result.dtype.kind == "f" else np.iinfo(result.dtype).min
    for here, value, _ in _pixels(images, window, strides, before, result.shape):
        result[here] = np.maximum(result[here], value)


def first_maxima(
    images: Array,
    window: Pair,
    strides: Pair,
    before: Pair,
    distances: tuple[int, int, int],
    positions: Array,
) -> None:
    """Write the position of the first greatest pixel of each window, int64.

    `distances` are those of positions of neighbours: images, pixels, channels.  A
    window outside of the image has -1.
    """
    positions[...] = -1
    best = np.empty(positions.shape, images.dtype)
    for here, value, pixel in _pixels(images, window, strides, before, positions.shape):
        greatest, place = best[here], positions[here]
        nan = (value != value) & (greatest == greatest)
        better = (place < 0) | (value > greatest) | nan
        best[here] = np.where(better, value, greatest)
        positions[here] = np.where(better, pixel, place)
    image = np.arange(len(images))[:, None, None, None]
    channel = np.arange(images.shape[3])
    whole = image * distances[0] + positions * distances[1] + channel * distances[2]
    positions[...] = np.where(positions < 0, -1, whole)


def gradient(
    images: Array,
    backprop: Array,
    window: Pair,
    strides: Pair,
    before: Pair,
    result: Array,
) -> None:
    """Write the gradient of the images: each window's to its first greatest pixel."""
    _, rows, columns, channels = images.shape
    places = np.empty(backprop.shape, np.int64)
    distances = rows * columns * channels, channels, 1
    first_maxima(images, window, strides, before, distances, places)
    result[...] = 0
    np.add.at(result.reshape(-1), places[places >= 0], backprop[places >= 0])


def _pixels(
    images: Array, window: Pair, strides: Pair, before: Pair, steps: tuple[int, ...]
) -> Iterator[tuple[tuple[Array, ...], Array, Array]]:
    """Yield the steps that see a pixel at an offset, its values and its number."""
    for offset in np.ndindex(*window):
        inside, seen = [], []
        for axis in (0, 1):
            at = (
                np.arange(steps[axis + 1]) * strides[axis] + offset[axis] - before[axis]
            )
            inside.append(np.flatnonzero((at >= 0) & (at < images.shape[axis + 1])))
            seen.append(at[inside[axis]])
        here = np.ix_(np.arange(len(images)), *inside, np.arange(images.shape[3]))
        number = (seen[0][:, None] * images.shape[2] + seen[1])[:, :, None]
        yield here, images[:, seen[0][:, None], seen[1]], number
