"""Layers of contrib.layers and contrib.slim, and default arguments of functions.

Names and collections are those of TensorFlow 1.15.5 for the same program.
"""

import numpy as np
import pytest

import tpuref as tf

slim = tf.contrib.slim
NORMALIZED = ["BatchNorm/beta", "BatchNorm/moving_mean", "BatchNorm/moving_variance"]


def names(variables):
    return [v.name.removesuffix(":0") for v in variables]


def test_names_of_variables():
    convolutions = [slim.conv2d, slim.separable_conv2d]
    penalty = tf.contrib.layers.l2_regularizer(0.1)
    with (
        slim.arg_scope(
            convolutions, normalizer_fn=slim.batch_norm, weights_regularizer=penalty
        ),
        slim.arg_scope([slim.batch_norm], updates_collections=None),
    ):
        y = slim.conv2d(tf.ones([2, 8, 8, 3]), 4, [3, 3], stride=2, scope="c")
        y = slim.separable_conv2d(y, 8, 3, 1, scope="s")
        y = slim.repeat(y, 2, slim.conv2d, 4, 3, scope="r")
    y = slim.softmax(slim.flatten(slim.dropout(slim.max_pool2d(y, 2))))
    y = slim.stack(y, slim.fully_connected, [3, 4], scope="st")
    y = slim.repeat(y, 2, slim.fully_connected, 4)
    expected = ["c/weights", *(f"c/{name}" for name in NORMALIZED)]
    expected += ["s/depthwise_weights", "s/pointwise_weights"]
    expected += [f"s/{name}" for name in NORMALIZED]
    for scope in ("r/r_1", "r/r_2"):
        expected += [f"{scope}/weights", *(f"{scope}/{name}" for name in NORMALIZED)]
    dense = ["st/st_1", "st/st_2"]
    dense += ["Repeat/fully_connected_1", "Repeat/fully_connected_2"]
    for scope in dense:
        expected += [f"{scope}/weights", f"{scope}/biases"]
    assert names(tf.global_variables()) == expected
    assert names(tf.get_collection(tf.GraphKeys.MODEL_VARIABLES)) == expected
    assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == []
    assert len(tf.losses.get_regularization_losses()) == 5
    assert y.shape.as_list() == [2, 4]


def test_values(evaluate):
    x = np.arange(18, dtype=np.float32).reshape(1, 3, 3, 2)
    given = {"weights_initializer": tf.ones_initializer()}
    y = slim.conv2d(x, 1, 3, **given)
    wide = slim.conv2d(x, 1, 2, rate=2, padding="VALID", **given)
    each = slim.separable_conv2d(x, None, 3, padding="VALID", **given)
    y, wide, each = evaluate([y, wide, each])
    padded = np.pad(x[0].sum(-1), 1)
    windows = [[padded[r : r + 3, c : c + 3].sum() for c in range(3)] for r in range(3)]
    assert y[0, :, :, 0].tolist() == windows
    assert wide.tolist() == [[[[float(x[0, ::2, ::2].sum())]]]]
    assert each.reshape(-1).tolist() == x.sum((0, 1, 2)).tolist()


def test_the_first_channels():
    given = {"data_format": "NCHW"}
    y = slim.conv2d(tf.ones([2, 3, 4, 5]), 7, 3, stride=2, **given)
    y = slim.batch_norm(slim.max_pool2d(y, 2, 1, **given), **given)
    assert y.shape.as_list() == [2, 7, 1, 2]
    assert names(tf.trainable_variables()) == [
        *("Conv/weights", "Conv/biases", "BatchNorm/beta")
    ]


def test_moving_averages_with_the_outputs(evaluate):
    x = tf.constant([[1.0], [3.0]])
    y = slim.batch_norm(x, decay=0.5, updates_collections=None)
    slim.batch_norm(x, scope="later", updates_collections="mine")
    mean = tf.global_variables()[1]
    evaluate(y)
    assert evaluate(mean).tolist() == [1.0]
    assert len(tf.get_collection("mine")) == 2
    assert tf.get_collection(tf.GraphKeys.UPDATE_OPS) == []


def test_evaluation_uses_moving_averages(evaluate):
    x = tf.constant([[1.0], [3.0]])
    y = slim.batch_norm(x, is_training=False, epsilon=0.0)
    for value in evaluate([y, slim.dropout(x, is_training=False)]):
        assert value.tolist() == [[1.0], [3.0]]


def test_scopes_of_arguments():
    @tf.contrib.framework.add_arg_scope
    def f(a, b=1, c=2):
        return a, b, c

    scope = tf.contrib.framework.arg_scope
    with scope([f], b=5) as outer:
        assert f(0) == (0, 5, 2)
        with scope([f], c=6):
            assert f(0) == (0, 5, 6)
            assert f(0, b=7) == (0, 7, 6)
        with scope({}):
            assert f(0) == (0, 1, 2)
    assert f(0) == (0, 1, 2)
    with scope(outer):
        assert f(0) == (0, 5, 2)
    assert tf.contrib.framework.has_arg_scope(f)
    assert not tf.contrib.framework.has_arg_scope(print)
    with pytest.raises(TypeError, match="must be a function, got DType"):
        tf.contrib.framework.add_arg_scope(tf.bfloat16)


@pytest.mark.parametrize(
    ("given", "more", "error", "words"),
    [([print], {}, ValueError, "print is not decorated"),
     ({}, {"a": 1}, ValueError, "got a scope and the arguments a"),
     (3, {}, TypeError, "a list of functions or a scope")],
)  # fmt: skip
def test_wrong_scopes(given, more, error, words):
    with pytest.raises(error, match=words), slim.arg_scope(given, **more):
        pass


def test_wrong_images():
    with pytest.raises(ValueError, match=r"conv2d: inputs .* rank 4"):
        slim.conv2d(tf.ones([2, 3]), 1, 1)
    with pytest.raises(ValueError, match="data_format: expected 'NHWC' or 'NCHW'"):
        slim.conv2d(tf.ones([1, 2, 2, 1]), 1, 1, data_format="NWHC")
    with pytest.raises(ValueError, match="batch_weights"):
        slim.batch_norm(tf.ones([2, 3]), batch_weights=tf.ones([2]))


def test_variables_of_scopes():
    """TensorFlow 1.15.5 gave the same lists."""
    with tf.variable_scope("a"):
        tf.get_variable("x", [1])
        slim.fully_connected(tf.ones([1, 2]), 2, scope="fc")
    with tf.variable_scope("ab"):
        tf.get_variable("x", [1])
    with tf.variable_scope("b") as scope:
        tf.get_variable("y", [1], trainable=False)
    layers, restored = ["a/fc/weights", "a/fc/biases"], slim.get_variables_to_restore
    assert names(slim.get_variables("a")) == ["a/x", *layers, "ab/x"]
    assert names(slim.get_variables(suffix="x")) == ["a/x", "ab/x"]
    assert names(slim.get_variables(scope)) == ["b/y"]
    assert names(slim.get_model_variables("a")) == layers
    assert names(slim.get_trainable_variables("b")) == []
    assert names(restored()) == ["a/x", *layers, "ab/x", "b/y"]
    assert names(restored(exclude=["a"])) == ["b/y"]
    both = restored(include=["a/fc", "b"], exclude=["a/fc/biases"])
    assert names(both) == ["a/fc/weights", "b/y"]
