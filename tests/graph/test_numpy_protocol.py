"""NumPy's functions on tensors build the operations of tf's functions."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.graph.numpy_protocol import UFUNCS

from ..functions.values import run

X = np.array([[1.0, 4.0], [9.0, 16.0]], np.float32)


def test_tensors_of_unknown_shape_and_variables(evaluate):
    x, v = tf.placeholder(tf.float32), tf.Variable([4.0, 9.0])
    found = evaluate(np.sum(np.tanh(x)), {x: X})
    np.testing.assert_allclose(found, np.tanh(X).sum(), rtol=1e-6)
    assert evaluate(np.sqrt(v)).tolist() == [2.0, 3.0]
    assert evaluate(np.sum(v)) == 13.0


def test_the_dtype_argument_of_a_ufunc_converts_its_inputs():
    total = np.add(tf.constant([1, 2]), tf.constant([3, 4]), dtype=np.float64)
    assert total.dtype == tf.float64
    assert run(total).tolist() == [4.0, 6.0]


def test_every_ufunc_of_numpy_is_served_or_refused_by_name():
    """The issue names every ufunc; what has no tensor form has to say so."""
    ufuncs = [u for u in vars(np).values() if isinstance(u, np.ufunc)]
    assert len(ufuncs) > 80
    x = tf.constant(X)
    for ufunc in ufuncs:
        if ufunc in UFUNCS or ufunc.signature is not None:
            continue
        try:
            ufunc(*[x] * ufunc.nin)
        except TypeError as error:
            assert f"np.{ufunc.__name__}" in str(error), ufunc  # noqa: PT017


@pytest.mark.parametrize(
    ("build", "name"),
    [
        (lambda x: np.fft.fft(x), "np.fft"),
        (lambda x: np.linalg.eigvals(x), "np.eigvals"),
        (lambda x: np.histogram(x), "np.histogram"),
        (lambda x: np.add.accumulate(x), "np.add.accumulate"),
        (lambda x: np.add.outer(x, x), "np.add.outer"),
    ],
)
def test_functions_without_an_operation_are_named(build, name):
    with pytest.raises(TypeError, match=rf"{name} .*outside_compilation.*py_func"):
        build(tf.constant(X))
