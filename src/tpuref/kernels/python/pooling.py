"""Where the greatest pixels of windows over images lie."""

import numpy as np

from tpuref.kernels.python.convolution import Array, Pair


def first_maxima(
    images: Array, window: Pair, strides: Pair, before: Pair, pixels: Array
) -> None:
    """Write the number of the first greatest pixel of each window to `pixels`.

    `images` are ``[batch, rows, columns, channels]``, float32 for the compiled twin.
    `pixels` has the steps of the window for rows and columns, and is int32.  The first
    window begins `before` rows above and columns left of the image.  NaN is the
    greatest value.  A window outside of the image has -1.
    """
    pixels[...] = -1
    best = np.empty(pixels.shape, images.dtype)
    for offset in np.ndindex(*window):
        steps, seen = [], []
        for axis in (0, 1):
            at = np.arange(pixels.shape[axis + 1]) * strides[axis]
            at += offset[axis] - before[axis]
            steps.append(np.flatnonzero((at >= 0) & (at < images.shape[axis + 1])))
            seen.append(at[steps[axis]])
        here = np.ix_(range(len(images)), *steps, range(images.shape[3]))
        value = images[:, seen[0][:, None], seen[1]]
        number = (seen[0][:, None] * images.shape[2] + seen[1])[:, :, None]
        greatest, place = best[here], pixels[here]
        nan = (value != value) & (greatest == greatest)
        better = (place < 0) | (value > greatest) | nan
        best[here] = np.where(better, value, greatest)
        pixels[here] = np.where(better, number, place)
