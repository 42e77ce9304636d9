"""create_train_op, clipped gradients, contrib's layers: as in TensorFlow 1.15.5."""

import numpy as np
import pytest

import tpuref as tf

GraphKeys = tf.GraphKeys


def names(collection):
    return [variable.name for variable in tf.get_collection(collection)]


def spread(*shape):
    values = np.linspace(-1, 1, int(np.prod(shape))).reshape(shape)
    return tf.constant_initializer(values)


def loss_of_two_layers():
    layers = tf.contrib.layers
    rows = tf.constant(np.arange(12).reshape(4, 3) / 10, tf.float32)
    hidden = layers.fully_connected(
        rows,
        5,
        weights_initializer=spread(3, 5),
        weights_regularizer=layers.l2_regularizer(0.1),
        outputs_collections="outputs",
        variables_collections=["mine"],
    )
    outputs = layers.fully_connected(
        hidden,
        2,
        activation_fn=None,
        normalizer_fn=layers.layer_norm,
        weights_initializer=spread(5, 2),
        scope="out",
    )
    return (
        tf.reduce_mean((outputs - [1.0, 2.0]) ** 2)
        + tf.losses.get_regularization_loss()
    )


def test_a_train_op_trains_as_in_tensorflow():
    count = tf.Variable(0.0, trainable=False)
    tf.add_to_collection(GraphKeys.UPDATE_OPS, count.assign_add(1.0))
    train = tf.contrib.training.create_train_op(
        loss_of_two_layers(),
        tf.train.AdamOptimizer(0.1),
        transform_grads_fn=lambda pairs: [(2 * g, v) for g, v in pairs],
        summarize_gradients=True,
    )
    own = ["fully_connected/weights:0", "fully_connected/biases:0"]
    others = ["out/weights:0", "out/LayerNorm/beta:0", "out/LayerNorm/gamma:0"]
    assert names(GraphKeys.TRAINABLE_VARIABLES) == [*own, *others]
    assert names(GraphKeys.MODEL_VARIABLES) == [*own, *others]
    assert names("mine") == own
    assert len(tf.get_collection("outputs")) == 1
    assert len(tf.get_collection(GraphKeys.SUMMARIES)) == 10
    with tf.train.SingularMonitoredSession() as session:
        losses = [float(session.run(train)) for _ in range(5)]
        assert session.run([count, tf.train.get_global_step()]) == [5, 5]
    expected = [2.7857144, 2.1527584, 1.6168219, 1.1764805, 0.8280236]
    assert losses == pytest.approx(expected, abs=1e-5)


def test_a_loss_that_is_no_number_ends_a_step():
    weight = tf.Variable(0.0)
    optimizer = tf.train.GradientDescentOptimizer(0.0)
    train = tf.contrib.training.create_train_op(tf.log(weight), optimizer, None)
    assert tf.train.get_global_step() is None
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="LossTensor is inf"):
            session.run(train)


def test_gradients_are_clipped_together_as_in_tensorflow():
    w, v = tf.Variable([3.0, 4.0]), tf.Variable([1.0])
    unused = tf.Variable(7.0)
    momentum = tf.train.MomentumOptimizer(1.0, 0.9)
    optimizer = tf.contrib.estimator.clip_gradients_by_norm(momentum, 1.0)
    train = optimizer.minimize(tf.reduce_sum(w * w) + tf.reduce_sum(v**3))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
        found = session.run([w, v, unused])
    np.testing.assert_allclose(found[0], [-0.27697456, -0.3692994], atol=1e-6)
    np.testing.assert_allclose(found[1], [-0.17987588], atol=1e-6)
    assert found[2] == 7
    assert optimizer.get_name() == "ClipByNormMomentum"
    assert optimizer.get_slot(w, "momentum") is momentum.get_slot(w, "momentum")
    assert optimizer.get_slot_names() == ["momentum"]
    assert optimizer.variables() == momentum.variables()


def test_a_layer_shares_its_variables_and_needs_a_known_size():
    connected = tf.contrib.layers.fully_connected
    first = connected(tf.ones([2, 3, 4]), 5, scope="a")
    again = connected(tf.ones([2, 3, 4]), 5, scope="a", reuse=True)
    plain = connected(tf.ones([2, 4]), 5, biases_initializer=None, scope="b")
    assert first.shape.as_list() == [2, 3, 5]
    assert plain.shape.as_list() == [2, 5]
    assert names("variables") == ["a/weights:0", "a/biases:0", "b/weights:0"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(*session.run([first, again]))
    with pytest.raises(ValueError, match="rank 2 or more and a known last size"):
        connected(tf.ones([4]), 5)
