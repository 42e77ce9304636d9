"""The functions of tf.nn, through a session."""

import numpy as np
import pytest

import tpuref as tf

from .values import run

X = np.array([[-2.0, 0.5, 1.0], [3.0, -0.25, 8.0]], np.float32)
IMAGE = np.arange(2 * 6 * 4 * 3, dtype=np.float32).reshape(2, 6, 4, 3) % 7


def softmax(x, axis=-1):
    weights = np.exp(x - x.max(axis, keepdims=True))
    return weights / weights.sum(axis, keepdims=True)


@pytest.mark.parametrize("axis", [0, -1])
def test_softmax_along_an_axis_under_both_names(axis):
    x = tf.placeholder(tf.float32)
    both = [tf.nn.softmax(x, axis=axis), tf.nn.softmax(x, dim=axis)]
    new, old, log = run([*both, tf.nn.log_softmax(x, axis)], {x: X})
    np.testing.assert_allclose(new, softmax(X, axis), rtol=1e-6)
    np.testing.assert_array_equal(new, old)
    np.testing.assert_allclose(log, np.log(softmax(X, axis)), rtol=1e-5)


@pytest.mark.parametrize(
    "function",
    [
        tf.nn.softmax_cross_entropy_with_logits,
        tf.nn.sparse_softmax_cross_entropy_with_logits,
        tf.nn.sigmoid_cross_entropy_with_logits,
    ],
)
def test_labels_and_logits_are_given_by_name(function):
    with pytest.raises(ValueError, match="by name"):
        function(X, X)
    with pytest.raises(ValueError, match="both labels and logits"):
        function(labels=X)


def test_moments_of_16_bits_are_those_of_float32():
    x = np.linspace(100, 101, 64).astype(np.float16)
    mean, variance = run(tf.nn.moments(tf.constant(x), [0]))
    assert mean == np.float16(x.astype(np.float32).mean())
    assert variance == np.float16(x.astype(np.float32).var())


def test_bias_of_channels_first():
    biased = tf.nn.bias_add(IMAGE, np.arange(6.0), data_format="NCHW")
    np.testing.assert_array_equal(
        run(biased), IMAGE + np.arange(6.0, dtype=np.float32)[:, None, None]
    )


def test_batch_normalization_of_16_bits_takes_moments_of_32():
    x = tf.constant(X, tf.bfloat16)
    y = tf.nn.batch_normalization(x, tf.zeros([3]), tf.ones([3]), None, None, 0.0)
    assert y.dtype == tf.bfloat16
    np.testing.assert_array_equal(run(y).astype(np.float32), X)


def test_dropout_scales_up_what_stays():
    ones, scale = tf.ones([100, 100]), float(np.float32(1) / np.float32(0.75))
    for dropped in (
        tf.nn.dropout(ones, rate=0.25, seed=1),
        tf.nn.dropout(ones, keep_prob=0.75, seed=1),
        tf.nn.dropout(ones, rate=tf.constant(0.25), seed=1),
    ):
        got = run(dropped)
        assert set(np.unique(got).tolist()) == {0.0, scale}
        assert abs(np.mean(got != 0) - 0.75) < 0.02


def test_dropout_of_whole_rows():
    x = tf.ones([50, 20])
    got = run(tf.nn.dropout(x, rate=0.5, noise_shape=[tf.shape(x)[0], 1], seed=1))
    assert (np.ptp(got, axis=1) == 0).all() and 0 < (got[:, 0] == 0).sum() < 50


def test_embedding_lookup():
    table = np.array([[3.0, 4.0], [0.3, 0.4]], np.float32)
    ids = [[1, 0], [0, 0]]
    rows = run(tf.nn.embedding_lookup(table, ids))
    listed = run(tf.nn.embedding_lookup([tf.constant(table)], ids, "div"))
    short = run(tf.nn.embedding_lookup(table, ids, max_norm=1.0))
    np.testing.assert_array_equal(rows, table[np.array(ids)])
    np.testing.assert_array_equal(listed, rows)
    np.testing.assert_allclose(short[0], [[0.3, 0.4], [0.6, 0.8]], rtol=1e-6)


def test_an_id_out_of_range_is_a_run_time_fault():
    with pytest.raises(tf.errors.InvalidArgumentError, match="is 5, out of range"):
        run(tf.nn.embedding_lookup(X, [5]))


def test_conv2d_takes_its_numbers_in_several_forms():
    kernel = np.ones((3, 2, 3, 1), np.float32)
    plain = run(tf.nn.conv2d(IMAGE, kernel, 2, "SAME"))
    four = run(tf.nn.conv2d(IMAGE, kernel, [1, 2, 2, 1], "SAME", dilations=1))
    named = run(tf.nn.conv2d(IMAGE, filters=kernel, strides=[2, 2], padding="same"))
    first = np.moveaxis(IMAGE, 3, 1)
    y = tf.nn.conv2d(first, kernel, [1, 1, 2, 2], "SAME", data_format="NCHW")
    channels = run(y)
    assert plain.shape == (2, 3, 2, 1)
    np.testing.assert_array_equal(four, plain)
    np.testing.assert_array_equal(named, plain)
    np.testing.assert_array_equal(np.moveaxis(channels, 1, 3), plain)
