"""CrossShardOptimizer: replicas train as one does on the whole batch."""

import logging

import numpy as np
import pytest

import tpuref as tf
from tpuref.interface.losses.reduction import Reduction

from ..training.steps import IDS, ROWS, TARGETS, after, loss_of, require_close

STEPS = 6


def optimizer_of(name):
    if name == "Adam":
        return tf.train.AdamOptimizer(0.1)
    return tf.train.MomentumOptimizer(0.1, 0.5)


def trained(build, steps=STEPS):
    with tf.Graph().as_default():
        return after(build(), tf.trainable_variables(), steps)


def on_the_whole_batch(name):
    def build():
        optimizer = optimizer_of(name)
        pairs = optimizer.compute_gradients(loss_of(ROWS, TARGETS, IDS))
        dense = [(tf.convert_to_tensor(g), v) for g, v in pairs]
        return optimizer.apply_gradients(dense)

    return trained(build)


def on_replicas(name, replicas, reduction=Reduction.MEAN):
    scale = 1.0 if reduction == Reduction.MEAN else 1.0 / replicas

    def step(*batch):
        optimizer = tf.tpu.CrossShardOptimizer(optimizer_of(name), reduction)
        loss = loss_of(*batch) * scale
        train_op = optimizer.minimize(loss, tf.train.get_or_create_global_step())
        with tf.control_dependencies([train_op]):
            return tf.reshape(loss, [1])

    return trained(lambda: tf.tpu.shard(step, [ROWS, TARGETS, IDS], replicas))


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
@pytest.mark.parametrize("name", ["Momentum", "Adam"])
@pytest.mark.parametrize("replicas", [1, 2, 4, 8])
def test_replicas_train_as_one(replicas, name, executor):
    expected = on_the_whole_batch(name)
    with tf.config.override(cores=replicas, executor=executor):
        require_close(on_replicas(name, replicas), expected)


def test_a_sum_is_not_divided():
    with tf.config.override(cores=4):
        values = on_replicas("Momentum", 4, Reduction.SUM)
    require_close(values, on_the_whole_batch("Momentum"))


def in_groups(groups):
    """Descend on four replicas by the slopes 1 to 4."""

    def step(x):
        w = tf.get_variable("w", initializer=1.0)
        return tf.tpu.CrossShardOptimizer(
            tf.train.GradientDescentOptimizer(1.0), group_assignment=groups
        ).minimize(w * x)

    return tf.tpu.replicate(step, [[1.0], [2.0], [3.0], [4.0]])


def test_groups_sum_among_themselves():
    """Replica 0's variable counts, so its group decides."""
    with tf.config.override(cores=4):
        (value,) = trained(lambda: in_groups([[0, 2], [1, 3]]))
    assert value == 1.0 - STEPS * (1.0 + 3.0) / 2


@pytest.mark.parametrize(
    ("groups", "rule"),
    [
        ([[0, 1], [2]], "each of the replicas 0 to 3"),
        ([[0, 1, 2], [3]], "groups of equal size"),
        (((0, 1), (2, 3)), "a list of lists"),
        ([0, 1, 2, 3], "a list of lists"),
    ],
)
def test_groups_that_are_no_partition(groups, rule):
    with pytest.raises(ValueError, match=rule):
        in_groups(groups)


@pytest.mark.parametrize("reduction", ["mean", None, Reduction.NONE])
def test_other_reductions_are_refused(reduction):
    with pytest.raises(ValueError, match=r"Reduction\.MEAN or SUM"):
        tf.tpu.CrossShardOptimizer(tf.train.AdamOptimizer(), reduction)


def test_what_is_no_optimizer_is_refused():
    with pytest.raises(TypeError, match="must be a tf.train.Optimizer"):
        tf.tpu.CrossShardOptimizer("adam")


def test_outside_of_replicas_there_is_one(caplog):
    def build():
        w = tf.get_variable("w", initializer=1.0)
        optimizer = tf.tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(0.5))
        return optimizer.minimize(w * 3.0)

    with caplog.at_level(logging.WARNING, "tpuref"):
        (value,) = trained(build)
    assert value == 1.0 - STEPS * 1.5
    assert "outside a replicated computation" in caplog.text


def test_each_replica_clips_its_own_gradients():
    def step(x):
        w = tf.get_variable("w", initializer=[0.0, 0.0])
        optimizer = tf.tpu.CrossShardOptimizer(
            tf.train.GradientDescentOptimizer(1.0), Reduction.SUM
        )
        ((gradient, _),) = optimizer.compute_gradients(tf.reduce_sum(w * x))
        (clipped,), _ = tf.clip_by_global_norm([gradient], 1.0)
        return optimizer.apply_gradients([(clipped, w)])

    inputs = [[[3.0, 4.0]], [[0.0, 0.5]]]
    with tf.config.override(cores=2):
        (value,) = trained(lambda: tf.tpu.replicate(step, inputs), steps=1)
    np.testing.assert_allclose(value, [-0.6, -0.8 - 0.5], rtol=1e-6)


def test_slots_and_variables_are_those_of_the_inner_optimizer():
    inner = tf.train.MomentumOptimizer(0.5, 0.5)
    optimizer = tf.contrib.tpu.CrossShardOptimizer(inner)
    w = tf.get_variable("w", initializer=1.0)
    optimizer.minimize(w * w)
    assert optimizer.get_slot_names() == ["momentum"]
    assert optimizer.get_slot(w, "momentum") is inner.get_slot(w, "momentum")
    assert optimizer.variables() == inner.variables()
    assert optimizer.get_name() == "CrossShardOptimizer"


def test_a_loop_in_the_computation_trains_too():
    """Slots are made once, outside of the loop, whose body is built once."""

    def step():
        def body(turn):
            w = tf.get_variable("w", initializer=4.0)
            optimizer = tf.tpu.CrossShardOptimizer(tf.train.AdamOptimizer(0.5))
            with tf.control_dependencies([optimizer.minimize(w * w)]):
                return turn + 1

        return tf.while_loop(lambda turn: turn < STEPS, body, [0])

    def plain():
        w = tf.get_variable("w", initializer=4.0)
        return tf.train.AdamOptimizer(0.5).minimize(w * w)

    with tf.config.override(cores=2):
        values = trained(lambda: tf.tpu.replicate(step, [[], []]), steps=1)
    np.testing.assert_allclose(values, trained(plain), rtol=1e-6)


def test_a_bfloat16_scope_trains_float32_variables(evaluate):
    def step(x):
        with tf.tpu.bfloat16_scope():
            ones = tf.ones_initializer()
            w = tf.get_variable("w", [2], tf.bfloat16, initializer=ones)
            loss = tf.cast(tf.reduce_sum(w * x), tf.float32)
        descent = tf.train.MomentumOptimizer(0.5, 0.5)
        return tf.tpu.CrossShardOptimizer(descent).minimize(loss)

    inputs = [[tf.constant([1.0, 2.0], tf.bfloat16)]] * 2
    with tf.config.override(cores=2):
        evaluate(tf.tpu.replicate(step, inputs))
        assert evaluate(tf.trainable_variables()[0]).tolist() == [0.5, 0.0]
    assert {v.dtype.name for v in tf.global_variables()} == {"float32"}
