"""Products of matrices and tensors: precision, and shapes that do not fit."""

import numpy as np
import pytest

from tpuref.base.dtypes import as_dtype, bfloat16
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape

from .records import infer, known, run

RNG = np.random.default_rng(7)


def numbers(*shape):
    """Small whole numbers, so that every dtype holds the products exactly."""
    return RNG.integers(0, 3, shape)


def test_vectors_are_rows_on_the_left_and_columns_on_the_right():
    a, v = numbers(3, 3), numbers(3)
    assert run("MatMul", v, a).tolist() == (v[None] @ a)[0].tolist()
    assert run("MatMul", a, v).tolist() == (a @ v[:, None])[:, 0].tolist()
    assert run("MatMul", v, v).shape == ()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_short_floats_accumulate_in_float32(dtype):
    ones = np.ones((1, 4096), as_dtype(dtype).np)
    assert float(run("MatMul", ones, ones.T)[0, 0]) == 4096
    assert float(run("Tensordot", ones, ones, axes_a=(1,), axes_b=(1,))[0, 0]) == 4096
    assert float(run("Einsum", ones, ones, equation="ij,ij->")) == 4096
    assert float(run("Trace", np.full((2048, 2048), 0.5, ones.dtype))) == 1024


def test_inferred_products_of_partly_known_matrices():
    for left, right, expected in (
        ([None, 3], [3, 4], [None, 4]),
        ([2, 1, None, 3], [5, 3, 4], [2, 5, None, 4]),
    ):
        assert infer("MatMul", known(left), known(right)).shape == TensorShape(expected)
    assert infer("MatMul", known(None), known([3, 4])).shape.rank is None


@pytest.mark.parametrize(
    ("left", "right", "attrs", "message"),
    [
        ([2, 3], [4, 5], {}, r"3 and 4 of float32\[2,3\] and float32\[4,5\]"),
        ([2, 1, 3], [3, 3, 1], {}, r"batch.*float32\[2,1,3\]"),
        ([3], [3, 3], {"transpose_a": True}, "rank 2 or more"),
        ([], [3], {}, "rank 1 or more"),
    ],
)
def test_matrices_that_do_not_fit(left, right, attrs, message):
    with pytest.raises(ValueError, match=message):
        infer("MatMul", known(left), known(right), **attrs)
    with pytest.raises(InvalidArgumentError, match=r"float64\[2,3\], float64\[4,5\]"):
        run("MatMul", np.ones((2, 3)), np.ones((4, 5)))


@pytest.mark.parametrize(
    ("axes_a", "axes_b", "message"),
    [
        ((0, 1), (0,), "as many axes"),
        ((0,), (0,), r"axis 0 of float32\[2,3\].*sizes 2 and 3"),
        ((1, -1), (0, 1), "repeat an axis"),
        ((5,), (0,), "axis 5"),
    ],
)
def test_tensordot_refuses_axes_that_do_not_pair(axes_a, axes_b, message):
    a, b = known([2, 3]), known([3, 4])
    with pytest.raises(ValueError, match=message):
        infer("Tensordot", a, b, axes_a=axes_a, axes_b=axes_b)


def test_inferred_einsum_of_partly_known_shapes():
    for equation, shapes, expected in (
        ("ij,jk->kji", [[None, 3], [3, None]], [None, 3, None]),
        ("...ij,...j->i...", [[2, 1, 4, 3], [5, 3]], [4, 2, 5]),
    ):
        found = infer("Einsum", *map(known, shapes), equation=equation)
        assert found.shape == TensorShape(expected)
    assert infer("Einsum", known(None), equation="...i->...").shape.rank is None


@pytest.mark.parametrize(
    ("equation", "shapes", "message"),
    [
        ("ij,jk->ik", [[2, 3]], "2 inputs, but 1"),
        ("ij->ik", [[2, 3]], "labels of the inputs"),
        ("ij->ii", [[2, 3]], "each once"),
        ("i1->i", [[2, 3]], "malformed"),
        ("...i...->i", [[2, 3]], "malformed"),
        ("ij->i", [[2, 3, 4]], "3 labels"),
        ("...ijk->i", [[2, 3]], "2 labels"),
        ("ij,jk->ik", [[2, 3], [4, 5]], "'j'.* 3 and 4"),
        ("...i,...i->...", [[2, 3], [4, 3]], "do not broadcast"),
    ],
)
def test_malformed_einsum(equation, shapes, message):
    with pytest.raises(ValueError, match=message):
        infer("Einsum", *map(known, shapes), equation=equation)
    with pytest.raises(InvalidArgumentError, match="sizes 1 and 3"):  # no stretching
        run("Einsum", np.ones((2, 1)), np.ones((3, 2)), equation="ij,jk->ik")


def test_traces():
    x = numbers(3, 3, 2)
    found = run("Trace", x, offset=1, axis1=0, axis2=1)
    assert found.tolist() == (x[0, 1] + x[1, 2]).tolist()
    assert float(run("Trace", np.eye(300).astype(bfloat16.np))) == 300
    with pytest.raises(ValueError, match="are one"):
        infer("Trace", known([2, 2]), axis1=1, axis2=-1)
