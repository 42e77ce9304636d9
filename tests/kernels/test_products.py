"""Sums of products of matrices: every row of the result, and their accuracy."""

import numpy as np
import pytest

SHAPES = [(1, 1, 1, 16), (3, 5, 37, 48), (8, 16, 100, 64), (20, 4, 12, 32)]


@pytest.mark.parametrize(("count", "inner", "rows", "columns"), SHAPES)
def test_sums_of_products(kernels, count, inner, rows, columns):
    draw = np.random.default_rng(count)
    lefts = draw.standard_normal((count, inner, rows)).astype(np.float32)
    rights = draw.standard_normal((count, inner, columns)).astype(np.float32)
    exact = np.einsum("kir,kic->rc", lefts, rights, dtype=np.float64)
    size = np.einsum("kir,kic->rc", abs(lefts), abs(rights))
    result = np.full((rows, columns), np.nan, np.float32)
    middle = rows // 3
    kernels.products.add_up([*lefts], [*rights], middle, rows, result)
    assert np.isnan(result[:middle]).all()
    kernels.products.add_up([*lefts], [*rights], 0, middle, result)
    assert (abs(result - exact) <= size * (count + inner) * 2.0**-24).all()


def test_products_are_rounded_before_they_are_added(kernels):
    lefts = [np.float32([[1], [2.0**-24]]), np.float32([[2.0**-24], [0]])]
    rights = [np.ones((2, 16), np.float32)] * 2
    result = np.empty((1, 16), np.float32)
    kernels.products.add_up(lefts, rights, 0, 1, result)
    assert (result == 1).all()


def test_negative_zeros_and_infinities(kernels):
    left, right = np.ones((1, 2), np.float32), np.ones((1, 16), np.float32)
    left[0] = np.inf, 0
    result = np.empty((2, 16), np.float32)
    kernels.products.add_up([left, -left], [right, right], 0, 2, result)
    assert np.isnan(result[0]).all()
    assert not result[1].any()
