"""Convolutions and pooling, each twin against sums written out in float64."""

import numpy as np
import pytest

from tpuref.kernels.python import convolution as by_products

CASES = [
    # batch, rows, columns, channels, window, outputs, strides, margins, holes
    (1, 5, 5, 1, (1, 1), 1, (1, 1), ((0, 0), (0, 0)), (1, 1)),
    (3, 9, 31, 2, (3, 3), 16, (1, 1), ((1, 1), (1, 1)), (1, 1)),
    (2, 8, 29, 3, (5, 5), 33, (1, 1), ((3, -2), (-1, 4)), (1, 1)),
    (2, 11, 13, 7, (3, 2), 40, (2, 3), ((0, 0), (0, 0)), (1, 1)),
    (3, 12, 14, 4, (3, 3), 10, (1, 2), ((2, 1), (0, 0)), (2, 1)),
    (2, 12, 14, 4, (2, 3), 17, (1, 1), ((-3, 1), (1, -2)), (3, 2)),
    (2, 2, 3, 2, (2, 2), 5, (1, 1), ((-3, 4), (4, -4)), (1, 1)),
    (8, 30, 34, 33, (3, 3), 64, (1, 1), ((0, 0), (0, 0)), (1, 1)),
    (8, 28, 32, 33, (3, 3), 64, (1, 1), ((1, 1), (1, 1)), (1, 1)),
    # tiles of several images
    (13, 7, 6, 9, (5, 5), 40, (1, 1), ((2, 2), (2, 2)), (1, 1)),
    (25, 6, 9, 7, (4, 3), 33, (2, 3), ((3, 0), (1, 3)), (1, 1)),
    (8, 5, 8, 6, (3, 3), 16, (1, 1), ((-2, 3), (-1, 4)), (2, 1)),
    (6, 2, 3, 8, (5, 7), 5, (2, 1), ((4, 4), (5, 6)), (1, 1)),
    (7, 6, 5, 6, (2, 3), 17, (1, 2), ((1, 2), (2, 2)), (3, 2)),
]


def drawn(case):
    batch, rows, columns, channels, window, outputs, strides, margins, holes = case
    draw = np.random.default_rng(7)
    images = draw.standard_normal((batch, rows, columns, channels), np.float32)
    filters = draw.standard_normal((*window, channels, outputs), np.float32)
    steps = [
        (size + sum(margin) - (extent - 1) * hole - 1) // stride + 1
        for size, margin, extent, stride, hole in zip(
            (rows, columns), margins, window, strides, holes, strict=True
        )
    ]
    return images, filters, draw.standard_normal((batch, *steps, outputs), np.float32)


def with_margins(images, margins):
    """Return images with zeros around them, or without what a negative margin crops."""
    wide = np.pad(images, ((0, 0), (9, 9), (9, 9), (0, 0)))
    (above, below), (left, right) = margins
    rows, columns = wide.shape[1:3]
    return wide[:, 9 - above : rows - 9 + below, 9 - left : columns - 9 + right]


def pixels_at(images, row, column, strides, holes, steps):
    """Return the pixel of every window that its filter sees at a row and column."""
    return images[:, row * holes[0] :: strides[0], column * holes[1] :: strides[1]][
        :, : steps[0], : steps[1]
    ].astype(np.float64)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_convolution_and_gradient_are_their_sums(kernels, case):
    strides, margins, holes = case[-3:]
    images, filters, gradient = drawn(case)
    result, slopes = np.empty_like(gradient), np.empty_like(filters)
    kernels.convolution.correlate(images, filters, strides, margins, holes, result)
    kernels.convolution.filter_gradient(
        images, gradient, strides, margins, holes, slopes[None]
    )
    transposed = np.ascontiguousarray(filters.swapaxes(2, 3)).swapaxes(2, 3)
    again = np.empty_like(result)
    if kernels.convolution is by_products:  # which takes a transpose as it is
        by_products.correlate(images, transposed, strides, margins, holes, again)
        np.testing.assert_allclose(again, result, rtol=1e-4, atol=1e-4)
    total = np.zeros(gradient.shape)
    images = with_margins(images, margins)
    for row, column in np.ndindex(*filters.shape[:2]):
        seen = pixels_at(images, row, column, strides, holes, gradient.shape[1:3])
        total += seen @ filters[row, column]
        slope = np.einsum("brkc,brko->co", seen, gradient)
        np.testing.assert_allclose(slopes[row, column], slope, rtol=1e-4, atol=2e-3)
    np.testing.assert_allclose(result, total, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(1, 1, 5, 3), (3, 2, 33, 17), (2, 3, 0, 4)])
def test_turned_filters(kernels, shape):
    filters = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    turned = kernels.convolution.turned(filters)
    assert turned.shape == (*shape[:2], shape[3], shape[2])
    for row, column in np.ndindex(*shape[:2]):
        expected = filters[shape[0] - 1 - row, shape[1] - 1 - column].T
        np.testing.assert_array_equal(turned[row, column], expected)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_sum_depends_on_its_window_alone(compiled, case):
    """Replicas take other shares of a batch than one core, and get the same bits."""
    geometry = case[-3:]
    images, filters, gradient = drawn(case)
    whole, part = np.empty_like(gradient), np.empty_like(gradient)
    compiled.convolution.correlate(images, filters, *geometry, whole)
    for k in range(len(images)):
        compiled.convolution.correlate(
            images[k : k + 1], filters, *geometry, part[k : k + 1]
        )
    np.testing.assert_array_equal(part, whole)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_gradients_of_the_filters_of_groups(kernels, case):
    images, filters, gradient = drawn(case)
    groups = [(images, gradient), (images[::-1].copy(), gradient), (images, -gradient)]
    slopes, alone = (np.empty((3, *filters.shape), np.float32) for _ in range(2))
    together = [np.concatenate(arrays) for arrays in zip(*groups, strict=True)]
    kernels.convolution.filter_gradient(*together, *case[-3:], slopes)
    for k, group in enumerate(groups):
        kernels.convolution.filter_gradient(*group, *case[-3:], alone[k : k + 1])
    np.testing.assert_array_equal(slopes, alone)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_result_whose_pixels_are_apart(compiled, case):
    geometry = case[-3:]
    images, filters, gradient = drawn(case)
    batch, rows, columns, outputs = gradient.shape
    whole = np.empty_like(gradient)
    apart = np.zeros((batch, 2 * rows, 3 * columns, outputs), np.float32)
    compiled.convolution.correlate(images, filters, *geometry, whole)
    compiled.convolution.correlate(images, filters, *geometry, apart[:, 1::2, 2::3])
    np.testing.assert_array_equal(apart[:, 1::2, 2::3], whole)
    apart[:, 1::2, 2::3] = 0
    assert not apart.any()


@pytest.mark.parametrize(
    ("window", "strides", "before", "steps"),
    [
        ((2, 2), (2, 2), (0, 0), (4, 5)),
        ((3, 3), (2, 1), (1, 1), (5, 10)),
        ((3, 2), (1, 3), (2, 1), (8, 4)),
        ((1, 4), (4, 4), (0, 5), (2, 3)),
    ],
)
def test_first_maximum_of_each_window(kernels, window, strides, before, steps):
    images = np.random.default_rng(8).integers(0, 4, (3, 8, 10, 5)).astype(np.float32)
    images[1, 2:4, 3:5, 2] = np.nan
    images[2, :4] = -np.inf
    positions = np.empty((3, *steps, 5), np.int64)
    greatest = np.empty(positions.shape, np.float32)
    kernels.pooling.first_maxima(
        images, window, strides, before, (400, 1, 80), positions
    )
    kernels.pooling.maxima(images, window, strides, before, greatest)
    backprop = np.arange(1.0, 1 + positions.size, dtype=np.float32)
    backprop = backprop.reshape(positions.shape)
    gradient, expected = np.empty_like(images), np.zeros(images.shape)
    kernels.pooling.gradient(images, backprop, window, strides, before, gradient)
    for image, row, column, channel in np.ndindex(*positions.shape):
        top, left = row * strides[0] - before[0], column * strides[1] - before[1]
        seen = {
            y * 10 + x: images[image, y, x, channel]
            for y in range(max(top, 0), min(top + window[0], 8))
            for x in range(max(left, 0), min(left + window[1], 10))
        }
        nan = [place for place, value in seen.items() if np.isnan(value)]
        first = nan[0] if nan else max(seen, key=seen.__getitem__, default=-1)
        at = image, row, column, channel
        assert positions[at] == (
            -1 if first < 0 else image * 400 + first + channel * 80
        )
        np.testing.assert_equal(greatest[at], seen.get(first, -np.inf))
        if first >= 0:
            expected[image, first // 10, first % 10, channel] += backprop[at]
    np.testing.assert_array_equal(gradient, expected)
