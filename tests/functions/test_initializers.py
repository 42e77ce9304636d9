"""Initializers: values, distributions, dtypes and seeds."""

import numpy as np
import pytest

import tpuref as tf

from .values import run


@pytest.mark.parametrize(
    ("initializer", "expected"),
    [
        (tf.zeros_initializer(), [[0, 0], [0, 0]]),
        (tf.ones_initializer(), [[1, 1], [1, 1]]),
        (tf.constant_initializer(2.5), [[2.5, 2.5], [2.5, 2.5]]),
        (tf.constant_initializer([1, 2, 3, 4]), [[1, 2], [3, 4]]),
        (tf.constant_initializer([1, 2]), [[1, 2], [2, 2]]),
        (tf.constant_initializer(np.array([[1, 2], [3, 4]])), [[1, 2], [3, 4]]),
    ],
)
def test_fixed_values(initializer, expected):
    found = run(initializer([2, 2]))
    assert found.dtype == np.float32
    assert found.tolist() == expected


def test_a_constant_may_verify_its_shape():
    initializer = tf.constant_initializer([1, 2], verify_shape=True)
    assert run(initializer([2])).tolist() == [1, 2]
    with pytest.raises(TypeError, match="expected a value of shape"):
        initializer([3])


ALL = [
    tf.zeros_initializer, tf.ones_initializer, tf.constant_initializer,
    tf.random_uniform_initializer, tf.random_normal_initializer,
    tf.truncated_normal_initializer, tf.variance_scaling_initializer,
    tf.glorot_uniform_initializer, tf.glorot_normal_initializer,
]  # fmt: skip


@pytest.mark.parametrize("kind", ALL)
def test_the_dtype_is_the_callers_else_the_initializers(kind):
    assert kind()([2, 3]).dtype == tf.float32
    assert kind(dtype=tf.float64)([2, 3]).dtype == tf.float64
    assert kind()([2, 3], tf.float16).dtype == tf.float16
    assert kind()([2, 3], dtype=tf.bfloat16).shape.as_list() == [2, 3]
    assert kind()(tf.TensorShape([4]), partition_info=None).shape.as_list() == [4]


SHAPE = [100, 50]


@pytest.mark.parametrize(
    ("kind", "function", "arguments"),
    [
        (tf.random_uniform_initializer, tf.random_uniform, (-2, 3)),
        (tf.random_normal_initializer, tf.random_normal, (5.0, 0.1)),
        (tf.truncated_normal_initializer, tf.truncated_normal, (1.0, 0.5)),
    ],
)
def test_the_numbers_are_those_of_the_function(kind, function, arguments):
    for given in ((), arguments):
        drawn = run(function([3, 2], *given, seed=1))
        assert run(kind(*given, seed=1)([3, 2])).tolist() == drawn.tolist()


@pytest.mark.parametrize(
    ("mode", "fan"), [("fan_in", 100), ("fan_out", 50), ("fan_avg", 75)]
)
@pytest.mark.parametrize(
    "distribution", ["normal", "truncated_normal", "untruncated_normal", "uniform"]
)
def test_variance_scaling_has_its_variance(mode, fan, distribution):
    found = run(tf.variance_scaling_initializer(2.0, mode, distribution, seed=1)(SHAPE))
    assert abs(found.var() / (2.0 / fan) - 1) < 0.1
    assert abs(found.mean()) < 0.01
    if distribution == "uniform":
        assert np.abs(found).max() <= np.sqrt(3 * 2.0 / fan)


@pytest.mark.parametrize(
    ("shape", "fan_in"), [([], 1), ([4000], 4000), ([3, 3, 20, 30], 180)]
)
def test_the_fan_in_of_other_ranks(shape, fan_in):
    found = run(tf.variance_scaling_initializer(distribution="uniform", seed=1)(shape))
    limit = np.sqrt(3.0 / fan_in)
    assert np.abs(found).max() <= limit
    if found.size > 1:
        assert np.abs(found).max() > 0.99 * limit


def test_glorot_uses_the_average_of_inputs_and_outputs():
    uniform = run(tf.glorot_uniform_initializer(seed=1)(SHAPE))
    limit = np.sqrt(6 / 150)
    assert 0.99 * limit < np.abs(uniform).max() <= limit
    assert abs(run(tf.glorot_normal_initializer(seed=1)(SHAPE)).var() * 75 - 1) < 0.1


@pytest.mark.parametrize("kind", ALL[3:])
def test_a_seed_gives_the_same_values_in_another_graph(kind):
    def first(seed):
        with tf.Graph().as_default(), tf.Session() as session:
            v = tf.get_variable("v", [6], initializer=kind(seed=seed))
            session.run(v.initializer)
            return session.run(v).tolist()

    assert first(7) == first(7)
    assert first(7) != first(8)
    assert first(None) != first(None)


def test_orthogonal_has_orthonormal_rows_or_columns(evaluate):
    for shape in ([3, 2, 5], [2, 7]):
        drawn = evaluate(tf.initializers.orthogonal(2.0, seed=1)(shape))
        matrix = drawn.reshape(-1, shape[-1]) / 2
        square = matrix.T @ matrix if len(matrix) > shape[-1] else matrix @ matrix.T
        np.testing.assert_allclose(square, np.eye(len(square)), atol=1e-5)
