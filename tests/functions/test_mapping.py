"""tf.map_fn: a function applied to each element along the first axis."""

import numpy as np
import pytest

import tpuref as tf

from .values import Pair, run

ROWS = np.random.RandomState(0).randn(4, 3, 2).astype("float32")


def test_results_and_gradients_are_stacked():
    rows = tf.placeholder(tf.float32, [None, 3, 2])
    scale = tf.constant(2.0)
    products = tf.map_fn(lambda r: scale * tf.matmul(r, r, transpose_b=True), rows)
    assert products.shape.as_list() == [None, 3, 3]
    gradients = tf.gradients(products, [rows, scale])
    value, by_rows, by_scale = run([products, *gradients], {rows: ROWS})
    np.testing.assert_allclose(value, 2 * ROWS @ ROWS.transpose(0, 2, 1), rtol=1e-6)
    sums = ROWS.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(by_rows, 4 * np.broadcast_to(sums, ROWS.shape), 1e-5)
    np.testing.assert_allclose(by_scale, value.sum() / 2, rtol=1e-5)
    assert run(products, {rows: ROWS[:0]}).shape == (0, 3, 3)


def test_structures_go_in_and_out():
    elems = {"a": tf.constant([1.0, 2.0, 3.0]), "b": (tf.constant([3, 2, 1]),)}

    def fn(element):
        a, (b,) = element["a"], element["b"]
        return Pair(a < 2.5, [tf.cast(b, tf.float32) * a, b])

    found = tf.map_fn(fn, elems, dtype=Pair(tf.bool, [tf.float32, tf.int32]))
    low, (product, same) = run(found)
    assert low.tolist() == [True, True, False]
    assert product.tolist() == [3, 4, 3]
    assert same.tolist() == [3, 2, 1]


def test_shapes_that_only_a_run_knows_must_agree():
    counts = tf.placeholder(tf.int32, [3])
    ranges = tf.map_fn(lambda n: tf.range(n), counts)
    assert ranges.shape.as_list() == [3, None]
    assert run(ranges, {counts: [2, 2, 2]}).tolist() == [[0, 1]] * 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="shapes of the results"):
        run(ranges, {counts: [2, 3, 1]})


def test_nested_on_replicas_and_eager():
    def doubled(matrix):
        return tf.map_fn(lambda row: tf.map_fn(lambda x: 2 * x, row), matrix)

    inputs = [[k + np.ones([2, 3], np.float32)] for k in range(3)]
    outputs = run(tf.tpu.replicate(doubled, inputs))
    for (output,), (matrix,) in zip(outputs, inputs, strict=True):
        assert output.tolist() == (2 * matrix).tolist()
    with tf.eager_execution():
        assert doubled(inputs[1][0]).numpy().tolist() == [[4.0] * 3] * 2


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((3, [1.0]), TypeError, "fn must be callable, got 3"),
        ((tf.identity, 1.0), ValueError, "at least one axis"),
        ((tf.identity, []), ValueError, "no tensor"),
        ((lambda x: x[0], (np.ones(2), np.ones(3))), ValueError, "must be equal"),
        ((lambda x: x > 1, np.ones(2)), TypeError, "give dtype="),
        ((lambda x: (x, x), np.ones(2)), ValueError, "structure"),
    ],
)
def test_faults_are_told(arguments, error, words):
    with pytest.raises(error, match=words):
        tf.map_fn(*arguments)


@pytest.mark.parametrize("eager", [False, True])
def test_a_scan_of_one_element_returns_it(eager):
    with tf.eager_execution() if eager else tf.Graph().as_default():
        stacked = tf.scan(lambda total, x: total + x, tf.constant([[1.0, 2.0]]))
        value = stacked.numpy() if eager else run(stacked)
    assert value.tolist() == [[1.0, 2.0]]
