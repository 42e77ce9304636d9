"""Optimizers in the towers of a strategy: they do what one does on the whole batch."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.interface.training.moving_averages import assign_moving_average

from .steps import IDS, ROWS, TARGETS, after, loss_of, require_close

STEPS = 8
OPTIMIZERS = {
    "GradientDescent": lambda rate: tf.train.GradientDescentOptimizer(rate),
    "Nesterov": lambda rate: tf.train.MomentumOptimizer(rate, 0.5, use_nesterov=True),
    "Adam": lambda rate: tf.train.AdamOptimizer(rate),
    "RMSProp": lambda rate: tf.train.RMSPropOptimizer(rate, centered=True),
    "Adagrad": lambda rate: tf.train.AdagradOptimizer(rate),
    "Adadelta": lambda rate: tf.train.AdadeltaOptimizer(rate),
    "Ftrl": lambda rate: tf.train.FtrlOptimizer(rate),
}


def made(optimizer):
    """Return an optimizer whose rate decays, and the step that it depends on."""
    step = tf.train.get_or_create_global_step()
    return OPTIMIZERS[optimizer](tf.train.exponential_decay(0.1, step, 4, 0.5)), step


def train_op_of(optimizer, *batch):
    opt, step = made(optimizer)
    return opt.minimize(loss_of(*batch), global_step=step)


@pytest.mark.parametrize("towers", [1, 2, 4, 8])
@pytest.mark.parametrize("optimizer", ["GradientDescent", "Adam"])
def test_towers_train_as_one(strategy_of, optimizer, towers):
    with tf.Graph().as_default():
        train_op = train_op_of(optimizer, ROWS, TARGETS, IDS)
        expected = after(train_op, tf.trainable_variables(), STEPS)
    strategy = strategy_of(towers)
    parts = [np.stack(np.split(a, towers)) for a in (ROWS, TARGETS, IDS)]
    with strategy.scope():

        def fn(tower):
            return train_op_of(optimizer, *(tf.constant(part[tower]) for part in parts))

        towers_done = strategy.call_for_each_tower(fn, strategy.worker_device_index)
        done = strategy.group(towers_done)
        trained = [strategy.unwrap(v) for v in tf.trainable_variables()]
        values, steps = after(done, [trained, tf.train.get_global_step()], STEPS)
    assert steps == STEPS
    for components, value in zip(values, expected, strict=True):
        require_close(components, [value] * towers)


@pytest.mark.parametrize("optimizer", sorted(OPTIMIZERS))
def test_a_dataset_trains_all_optimizers(strategy_of, optimizer, evaluate):
    """Towers sum whole tensors, so that rows without a gradient change too."""
    with tf.Graph().as_default():
        loss = loss_of(ROWS, TARGETS, tf.constant(IDS))
        opt, step = made(optimizer)
        pairs = [(tf.convert_to_tensor(g), v) for g, v in opt.compute_gradients(loss)]
        done = opt.apply_gradients(pairs, global_step=step)
        expected = after(done, tf.trainable_variables(), STEPS)
    strategy = strategy_of(2)
    with strategy.scope():
        rows = tf.data.Dataset.from_tensor_slices((ROWS, TARGETS, IDS))
        batches = rows.batch(8, drop_remainder=True).repeat()
        dataset = strategy.distribute_dataset(lambda: batches)
        iterator = dataset.make_initializable_iterator()

        def step(context, *batch):
            done = strategy.call_for_each_tower(train_op_of, optimizer, *batch)
            return strategy.group(done)

        steps = strategy.run_steps_on_dataset(step, iterator, iterations=STEPS)
        evaluate(iterator.initializer)
        evaluate(steps.run_op)
        values = evaluate(tf.trainable_variables())
    require_close(values, expected)


def test_slots_are_mirrored_and_belong_to_the_whole_variable(strategy_of):
    strategy = strategy_of(2)
    optimizer = tf.train.AdamOptimizer(0.1)
    with strategy.scope():
        w = tf.get_variable("w", initializer=[1.0, 2.0])
        strategy.call_for_each_tower(lambda: optimizer.minimize(tf.reduce_sum(w * w)))
        slot = optimizer.get_slot(w, "m")
        assert slot.name == "w/Adam:0"
        assert slot.devices == w.devices
        assert optimizer.get_slot(strategy.unwrap(w)[1], "m") is slot
    names = [variable.name for variable in optimizer.variables()]
    assert names == ["beta1_power:0", "beta2_power:0", "w/Adam:0", "w/Adam_1:0"]


def test_a_loss_that_is_a_sum_is_not_divided(strategy_of, evaluate):
    strategy = strategy_of(4)
    with strategy.scope():
        w = tf.get_variable("w", initializer=1.0)
        tf.get_default_graph().last_loss_reduction = "weighted_sum"
        descent = tf.train.GradientDescentOptimizer(1.0)
        done = strategy.call_for_each_tower(lambda: descent.minimize(3.0 * w))
        evaluate(strategy.group(done))
    assert evaluate(w) == 1.0 - 4 * 3.0


def test_across_towers_there_is_no_tower_to_apply_gradients_in(strategy_of):
    with strategy_of(2).scope():
        w = tf.get_variable("w", initializer=1.0)
        with pytest.raises(RuntimeError, match="call_for_each_tower"):
            tf.train.AdamOptimizer().apply_gradients([(1.0, w)])


def test_towers_average_a_moving_average(strategy_of, evaluate):
    strategy = strategy_of(2)
    with strategy.scope():

        def fn(tower):
            seen = tf.constant(float(tower + 1) * 2.0, name="seen")
            average = tf.get_variable("average", initializer=1.0, trainable=False)
            return assign_moving_average(average, seen, 0.5)

        towers_done = strategy.call_for_each_tower(fn, strategy.worker_device_index)
        evaluate(strategy.group(towers_done))
        values = evaluate(strategy.unwrap(tf.global_variables()[0]))
    assert values == [0.5 * 1.0 + 0.5 * 3.0] * 2
