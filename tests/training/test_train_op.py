"""create_train_op, slim, clipped gradients, contrib's layers: as in TensorFlow."""

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
    outputs = layers.fully_connected(
        layers.fully_connected(
            tf.constant(np.arange(12).reshape(4, 3) / 10, tf.float32),
            5,
            weights_initializer=spread(3, 5),
            weights_regularizer=layers.l2_regularizer(0.1),
            outputs_collections="outputs",
            variables_collections=["mine"],
        ),
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


def test_a_loss_that_is_no_number_ends_a_step(evaluate):
    weight = tf.Variable(0.0)
    optimizer = tf.train.GradientDescentOptimizer(0.0)
    train = tf.contrib.training.create_train_op(tf.log(weight), optimizer, None)
    assert tf.train.get_global_step() is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="LossTensor is inf"):
        evaluate(train)


def test_gradients_are_clipped_together_as_in_tensorflow(evaluate):
    w, v = tf.Variable([3.0, 4.0]), tf.Variable([1.0])
    unused = tf.Variable(7.0)
    momentum = tf.train.MomentumOptimizer(1.0, 0.9)
    optimizer = tf.contrib.estimator.clip_gradients_by_norm(momentum, 1.0)
    train = optimizer.minimize(tf.reduce_sum(w * w) + tf.reduce_sum(v**3))
    for _ in range(3):
        evaluate(train)
    found = evaluate([w, v, unused])
    np.testing.assert_allclose(found[0], [-0.27697456, -0.3692994], atol=1e-6)
    np.testing.assert_allclose(found[1], [-0.17987588], atol=1e-6)
    assert found[2] == 7
    assert optimizer.get_name() == "ClipByNormMomentum"
    assert optimizer.get_slot(w, "momentum") is momentum.get_slot(w, "momentum")
    assert optimizer.get_slot_names() == ["momentum"]
    assert optimizer.variables() == momentum.variables()


def test_a_layer_shares_its_variables_and_needs_a_known_size(evaluate):
    connected = tf.contrib.layers.fully_connected
    first = connected(tf.ones([2, 3, 4]), 5, scope="a")
    again = connected(tf.ones([2, 3, 4]), 5, scope="a", reuse=True)
    plain = connected(tf.ones([2, 4]), 5, biases_initializer=None, scope="b")
    assert first.shape.as_list() == [2, 3, 5]
    assert plain.shape.as_list() == [2, 5]
    assert names("variables") == ["a/weights:0", "a/biases:0", "b/weights:0"]
    np.testing.assert_array_equal(*evaluate([first, again]))
    with pytest.raises(ValueError, match="rank 2 or more and a known last size"):
        connected(tf.ones([4]), 5)


def test_slim_trains_as_in_tensorflow(tmp_path):
    learning = tf.contrib.slim.learning
    w, v = tf.Variable([3.0, 4.0], name="w"), tf.Variable([3.0, 4.0], name="v")
    start = w.assign([1.0, 2.0])
    loss = tf.reduce_sum(w * w) + tf.reduce_sum(tf.gather(v, [0, 0]) ** 2)
    train_op = learning.create_train_op(
        loss,
        tf.train.AdamOptimizer(0.1),
        clip_gradient_norm=2.0,
        gradient_multipliers={"w": 0.5, v: 3.0},
    )
    losses, values = [], []

    def step(session, *others):
        loss, stop = learning.train_step(session, *others)
        losses.append(loss)
        values.append(session.run([w, v]))
        return loss, stop

    last = learning.train(
        train_op,
        tmp_path,
        step,
        number_of_steps=5,
        init_fn=lambda session: session.run(start),
    )
    assert losses == pytest.approx([23, 21.24, 19.560135, 17.960743, 16.443115])
    assert last == losses[-1]
    np.testing.assert_allclose(values[-1][0], [0.50499964, 1.5009001], atol=1e-6)
    np.testing.assert_allclose(values[-1][1], [2.500002, 4.0], atol=1e-6)
    assert tf.train.latest_checkpoint(tmp_path).endswith("model.ckpt-5")
    assert learning.train(train_op, tmp_path, number_of_steps=7) < last
    assert tf.train.latest_checkpoint(tmp_path).endswith("model.ckpt-7")


def test_slim_trains_until_the_data_end_and_writes_summaries(tmp_path):
    learning, own = tf.contrib.slim.learning, tf.Variable(0, name="own_step")
    one = tf.data.Dataset.range(3).make_one_shot_iterator().get_next()
    loss = tf.Variable(1.0) * tf.cast(one, tf.float32)
    tf.summary.scalar("loss", loss)
    writer = tf.summary.FileWriter(tmp_path / "own")
    assert learning.train(
        learning.create_train_op(
            loss, tf.train.GradientDescentOptimizer(0.1), global_step=own
        ),
        tmp_path,
        global_step=own,
        summary_writer=writer,
        session_wrapper=lambda s: s,
    ) == pytest.approx(2 * (1 - 0 - 0.1))
    writer.close()
    (path,) = (tmp_path / "own").iterdir()
    events = tf.train.summary_iterator(str(path))
    assert [value.tag for event in events for value in event.summary.value] == ["loss"]


@pytest.mark.parametrize(
    ("given", "message"),
    [({"train_op": None}, "expected a train_op, and a positive number_of_steps"),
     ({"trace_every_n_steps": 2}, "use tf.tpu.CrossShardOptimizer, and tf.profiler")],
)  # fmt: skip
def test_what_slim_does_not_train(given, message):
    with pytest.raises(ValueError, match=message):
        tf.contrib.slim.learning.train(**{"train_op": 1, "logdir": None, **given})


def test_a_factor_needs_a_gradient():
    v = tf.Variable(1.0, name="v")
    with pytest.raises(ValueError, match="v has a factor and no gradient"):
        tf.contrib.slim.learning.multiply_gradients([(None, v)], {"v": 2.0})
