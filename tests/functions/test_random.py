"""Random functions and their seeds."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.interface.functions.random import DEFAULT_GRAPH_SEED, get_seed

from .values import run


def test_seeds_of_graph_and_operation():
    assert get_seed(None) == (None, None)
    assert get_seed(5) == (DEFAULT_GRAPH_SEED, 5) == (87654321, 5)
    tf.set_random_seed(7)
    assert get_seed(5) == (7, 5)
    assert get_seed(None) == (7, 0)
    tf.no_op()
    assert get_seed(None) == (7, 1)
    tf.set_random_seed(None)
    assert get_seed(None) == (None, None)


def test_a_seed_repeats_the_draws_in_every_session():
    x = tf.random_normal([5], seed=3)
    with tf.Session() as one, tf.Session() as two:
        first = [one.run(x), one.run(x)]
        second = [two.run(x), two.run(x)]
    np.testing.assert_array_equal(first, second)
    assert (first[0] != first[1]).any()


def test_a_graph_seed_gives_every_operation_its_own():
    def draws():
        with tf.Graph().as_default():
            tf.set_random_seed(11)
            x, y = tf.random_uniform([5]), tf.random_uniform([5])
            return run([x, y])

    first = draws()
    np.testing.assert_array_equal(first, draws())
    assert (first[0] != first[1]).any()


def test_without_a_seed_sessions_differ():
    x = tf.random_uniform([10])
    assert (run(x) != run(x)).any()


def test_seeds_in_eager_mode(eager):
    draws = [tf.random_uniform([5], seed=3).numpy() for _ in range(2)]
    assert (draws[0] != draws[1]).any()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_uniform_numbers_between_bounds(dtype):
    x = tf.random_uniform([5000], -3, 5, dtype, seed=1)
    assert x.dtype == dtype and x.shape.as_list() == [5000]
    values = run(x).astype(np.float64)
    assert values.min() >= -3 and values.max() <= 5
    assert abs(values.mean() - 1) < 0.2


def test_normal_numbers_of_mean_and_deviation():
    x = run(tf.random_normal([20000], 5.0, 3.0, seed=1))
    cut = run(tf.truncated_normal([20000], 5.0, 3.0, seed=1))
    assert abs(x.mean() - 5) < 0.1 and abs(x.std() - 3) < 0.1
    assert np.abs(cut - 5).max() <= 6 < np.abs(x - 5).max()


def test_moments_may_be_tensors():
    x = run(tf.random_normal([1000, 2], tf.constant([0.0, 100.0]), [1.0, 0.0], seed=1))
    assert abs(x[:, 0].mean()) < 0.2 and (x[:, 1] == 100).all()


def test_a_shape_known_only_when_it_runs():
    batch = tf.placeholder(tf.float32, [None, 3])
    x = tf.random_uniform(tf.shape(batch), seed=1)
    assert x.shape.as_list() == [None, 3]
    assert run(x, {batch: np.zeros((4, 3))}).shape == (4, 3)


def test_classes():
    logits = np.log([[0.2, 0.8]])
    got = run(tf.multinomial(logits, 5000, seed=1))
    assert got.dtype == np.int64 and abs(got.mean() - 0.8) < 0.03
    assert tf.random.categorical(logits, 3, tf.int32).dtype == tf.int32
    assert tf.multinomial(logits, 3, output_dtype=tf.int32).dtype == tf.int32


def test_names_under_tf_random():
    assert tf.random.uniform is tf.random_uniform
    assert tf.random.normal is tf.random_normal
    assert tf.random.shuffle is tf.random_shuffle
