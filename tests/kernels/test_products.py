"""Products of matrices, and sums of them: every row, and their accuracy."""

import numpy as np
import pytest

SHAPES = [(1, 1, 1, 16), (3, 5, 1600, 48), (8, 16, 100, 64), (20, 600, 12, 32)]


def sum_of_products(products, lefts, rights, divided=1):
    """Return the sum of products of the transposed left and the right matrices.

    Tiles are written from the last to the first; `divided` of them together.
    """
    (inner, rows), columns = lefts[0].shape, rights[0].shape[1]
    tiles = products.tiles(rows, divided)
    copies = np.full(
        (len(lefts), products.copied_size(inner, rows, columns, tiles)),
        np.nan,
        np.float32,
    )
    products.copy_factors(lefts, rights, tiles, copies)
    result = np.full((rows, columns), np.nan, np.float32)
    for first in reversed(range(0, tiles, divided)):
        last = min(first + divided, tiles)
        products.add_up([*copies], inner, tiles, first, last, result)
    return result


@pytest.mark.parametrize("divided", [1, 2, 5])
@pytest.mark.parametrize(("count", "inner", "rows", "columns"), SHAPES)
def test_sums_of_products(kernels, count, inner, rows, columns, divided):
    draw = np.random.default_rng(count)
    lefts = draw.standard_normal((count, inner, rows)).astype(np.float32)
    rights = draw.standard_normal((count, inner, columns)).astype(np.float32)
    exact = np.einsum("kir,kic->rc", lefts, rights, dtype=np.float64)
    size = np.einsum("kir,kic->rc", abs(lefts), abs(rights))
    result = sum_of_products(kernels.products, lefts, rights, divided)
    assert (abs(result - exact) <= size * (count + inner) * 2.0**-24).all()
    apart = lefts.swapaxes(1, 2).copy().swapaxes(1, 2)  # the columns are whole
    again = sum_of_products(kernels.products, apart, rights, divided)
    np.testing.assert_array_equal(again, result)


def test_products_are_rounded_before_they_are_added(kernels):
    lefts = [np.float32([[1], [2.0**-24]]), np.float32([[2.0**-24], [0]])]
    rights = [np.ones((2, 16), np.float32)] * 2
    assert (sum_of_products(kernels.products, lefts, rights) == 1).all()


def test_negative_zeros_and_infinities(kernels):
    left, right = np.ones((1, 2), np.float32), np.ones((1, 16), np.float32)
    left[0] = np.inf, 0
    result = sum_of_products(kernels.products, [left, -left], [right, right])
    assert np.isnan(result[0]).all()
    assert not result[1].any()


LAYOUTS = ("whole", "turned", "part", "heads", "reversed", "repeated")
"""How the matrices of an array lie in memory."""


def drawn(draw, layout, *shape):
    """Return random matrices that lie in memory as the layout says."""
    *batch, rows, columns = shape
    if layout == "turned":
        array = draw.standard_normal((*batch, columns, rows)).swapaxes(-1, -2)
    elif layout == "part":
        array = draw.standard_normal((*batch, rows, columns + 3))[..., :columns]
    elif layout == "heads" and batch:
        array = draw.standard_normal((*batch[:-1], rows, batch[-1], columns))
        array = array.swapaxes(-2, -3)
    else:
        array = draw.standard_normal(shape)
    array = array.astype(np.float32, order="K")
    if layout == "repeated":
        return np.broadcast_to(array[..., :1, :], shape)
    return array[..., ::-1] if layout == "reversed" else array


@pytest.mark.parametrize("left", LAYOUTS)
@pytest.mark.parametrize("right", LAYOUTS)
@pytest.mark.parametrize(
    ("batch", "rows", "inner", "columns"),
    [
        ((), 70, 600, 83),
        ((), 4, 1100, 512),
        ((), 1, 30, 20),
        ((3, 2), 129, 130, 144),
        ((2, 3), 130, 127, 131),
        ((1, 2), 20, 70, 4),
    ],
)
def test_products(kernels, left, right, batch, rows, inner, columns):
    draw = np.random.default_rng(rows)
    x = drawn(draw, left, *batch, rows, inner)
    y = drawn(draw, right, *batch[1:], inner, columns)  # shared by the first axis
    exact = x.astype(np.float64) @ y
    error = abs(x).astype(np.float64) @ abs(y) * (min(inner, 512) + 3) * 2.0**-24
    product = kernels.products.multiply(x, y)
    assert (abs(product - exact) <= error).all()
    room = np.full((*exact.shape[:-1], columns + 5), 7, np.float32)
    place = room[..., :columns]
    assert kernels.products.multiply(x, y, place) is place
    np.testing.assert_array_equal(place, product)
    assert (room[..., columns:] == 7).all()


def test_a_large_product_depends_on_its_row_and_column_alone(compiled):
    if compiled.links.vector_instructions() != "avx512f":
        pytest.skip("BLAS multiplies here, which has other kernels for few rows")
    draw = np.random.default_rng(9)
    x, y = drawn(draw, "whole", 96, 384), drawn(draw, "whole", 384, 512)
    whole = compiled.products.multiply(x, y)
    parts = [compiled.products.multiply(x[k : k + 24], y) for k in range(0, 96, 24)]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    columns = compiled.products.multiply(x, y[:, 40:200])
    np.testing.assert_array_equal(columns, whole[:, 40:200])


def test_a_product_may_be_written_over_a_factor(kernels):
    draw = np.random.default_rng(10)
    x, y = drawn(draw, "whole", 160, 160), drawn(draw, "whole", 160, 160)
    expected = kernels.products.multiply(x, y)
    assert kernels.products.multiply(x, y, y) is y
    np.testing.assert_array_equal(y, expected)


def test_products_of_more_axes_than_numpy_broadcasts(kernels):
    axes = 40 if int(np.__version__.partition(".")[0]) > 1 else 20
    draw = np.random.default_rng(11)
    x, y = (drawn(draw, "whole", 2, 160, 160) for _ in range(2))
    long = x.reshape((1,) * axes + x.shape), y.reshape((1,) * axes + y.shape)
    product = kernels.products.multiply(*long)
    expected = kernels.products.multiply(x, y)
    assert product.shape == (1,) * axes + expected.shape
    np.testing.assert_allclose(product.reshape(x.shape), expected, atol=1e-4)


def test_shapes_that_do_not_fit(kernels):
    x, y = np.ones((200, 300), np.float32), np.ones((301, 400), np.float32)
    with pytest.raises(ValueError, match="mismatch"):
        kernels.products.multiply(x, y)
    with pytest.raises(ValueError, match="(?i)output"):
        kernels.products.multiply(x, y[1:], np.empty((200, 399), np.float32))
