"""NumPy's functions on tensors build the operations of tf's functions."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.graph.numpy_protocol import UFUNCS


def run(fetches, feed_dict=None):
    return tf.Session().run(fetches, feed_dict)


X = np.array([[1.0, 4.0], [9.0, 16.0]], np.float32)

SAME = [
    (np.sqrt, tf.sqrt, ()),
    (np.exp, tf.exp, ()),
    (np.add, tf.add, (2.0,)),
    (np.maximum, tf.maximum, (5.0,)),
    (np.less, tf.less, (5.0,)),
    (np.power, tf.pow, (2.0,)),
    (np.matmul, tf.matmul, (X,)),
    (np.sum, tf.reduce_sum, ()),
    (np.mean, tf.reduce_mean, (1,)),
    (np.max, tf.reduce_max, (0,)),
    (np.argmax, tf.argmax, (1,)),
    (np.reshape, tf.reshape, ([4],)),
    (np.transpose, tf.transpose, ()),
    (np.expand_dims, tf.expand_dims, (0,)),
    (np.cumsum, tf.cumsum, (0,)),
    (np.tile, tf.tile, ([2, 1],)),
    (np.zeros_like, tf.zeros_like, ()),
]


@pytest.mark.parametrize(
    ("numpy", "function", "rest"), SAME, ids=[numpy.__name__ for numpy, _, _ in SAME]
)
def test_both_build_the_same_operation_with_numpys_values(numpy, function, rest):
    x = tf.constant(X)
    by_numpy, by_function = numpy(x, *rest), function(x, *rest)
    assert by_numpy.op.type == by_function.op.type
    assert by_numpy.dtype == by_function.dtype
    expected = numpy(X, *rest)
    assert by_numpy.shape.as_list() == list(expected.shape)
    np.testing.assert_allclose(run(by_numpy), expected, rtol=1e-6)


def test_tensors_of_unknown_shape_and_variables():
    x, v = tf.placeholder(tf.float32), tf.Variable([4.0, 9.0])
    with tf.Session() as session:
        session.run(v.initializer)
        found = session.run(np.sum(np.tanh(x)), {x: X})
        np.testing.assert_allclose(found, np.tanh(X).sum(), rtol=1e-6)
        assert session.run(np.sqrt(v)).tolist() == [2.0, 3.0]
        assert session.run(np.sum(v)) == 13.0


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


@pytest.mark.parametrize("kwargs", [{"where": True}, {"out": np.empty(2)}])
def test_arguments_that_have_no_meaning_are_refused(kwargs):
    with pytest.raises(TypeError, match=next(iter(kwargs))):
        np.sqrt(tf.constant([1.0, 4.0]), **kwargs)
