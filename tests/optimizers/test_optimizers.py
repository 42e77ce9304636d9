"""Optimizers of TensorFlow 2: 20 steps, as TensorFlow 2.4.4 makes them on a CPU."""

import numpy as np
import pytest

import tpuref as tf

from ..distribute.conftest import local, numbered

O = tf.compat.v1.keras.optimizers  # noqa: E741
S = O.schedules
MADE = {
    "sgd": lambda: O.SGD(0.1),
    "mom": lambda: O.SGD(0.1, momentum=0.9),
    "nest": lambda: O.SGD(0.1, momentum=0.9, nesterov=True),
    "adam": lambda: O.Adam(0.1),
    "ams": lambda: O.Adam(0.1, amsgrad=True),
    "rms": lambda: O.RMSprop(0.1),
    "rmsmom": lambda: O.RMSprop(0.1, momentum=0.9),
    "rmsc": lambda: O.RMSprop(0.1, centered=True),
    "rmscm": lambda: O.RMSprop(0.1, momentum=0.5, centered=True),
    "ada": lambda: O.Adagrad(0.1),
    "exp": lambda: O.SGD(S.ExponentialDecay(0.1, 5, 0.5)),
    "expst": lambda: O.SGD(S.ExponentialDecay(0.1, 5, 0.5, staircase=True)),
    "pc": lambda: O.SGD(S.PiecewiseConstantDecay([5, 10], [0.1, 0.05, 0.01])),
    "poly": lambda: O.SGD(S.PolynomialDecay(0.1, 10)),
    "inv": lambda: O.SGD(S.InverseTimeDecay(0.1, 5, 0.5)),
    "decay": lambda: O.Adam(0.1, decay=0.1),
}

MEASURED = {
    "sgd": [0.2777885, 0.5258369, 1.403445, 3.148596, 3.833368],
    "mom": [2.52001, -1.494748, -0.9960895, 2.010729, 3.080139],
    "nest": [2.545797, -1.719436, -1.293036, 2.25825, 3.005493],
    "adam": [0.5077048, 0.620402, 1.587958, 2.785733, 4.136969],
    "ams": [0.5076984, 0.6204022, 1.587965, 2.785739, 4.136969],
    "rms": [0.2815135, 0.6589607, 1.07933, 2.792269, 4.198887],
    "rmsmom": [2.40695, -0.2452074, -3.921949, -1.443159, 6.252765],
    "rmsc": [0.3173626, 0.6278142, 0.9863746, 2.744009, 4.253171],
    "rmscm": [0.7897626, 0.3658603, -0.07188652, 2.217519, 4.436813],
    "ada": [0.1518396, 0.8549048, 1.772776, 2.974304, 4.06569],
    "exp": [0.1329055, 0.8358232, 1.949769, 2.963418, 4.04548],
    "expst": [0.2005661, 0.7074397, 1.93782, 2.906567, 3.968998],
    "pc": [0.1838195, 0.8002855, 2.057498, 2.878389, 3.982639],
    "poly": [0.1172204, 0.8686099, 2.107894, 2.96472, 4.056881],
    "inv": [0.1835457, 0.7390332, 1.770136, 3.012096, 3.974607],
    "decay": [0.1923188, 0.8093969, 1.782436, 2.884586, 4.208836],
}
GRADIENTS = np.random.default_rng(0).normal(size=(20, 5)).astype(np.float32)


@pytest.mark.parametrize("name", MADE)
def test_twenty_steps(name, eager):
    optimizer, w = MADE[name](), tf.Variable(np.arange(5, dtype=np.float32))
    step = tf.function(lambda g: optimizer.apply_gradients([(g, w)]))
    for number, gradient in enumerate(GRADIENTS):
        if number % 2:
            step(tf.constant(gradient))
        else:
            optimizer.apply_gradients([(tf.constant(gradient), w)])
    np.testing.assert_allclose(w.numpy(), MEASURED[name], atol=5e-6)
    assert int(optimizer.iterations) == 20


def test_the_learning_rate_can_be_changed_between_traced_steps(eager):
    optimizer, w = O.SGD(1.0), tf.Variable(10.0)
    step = tf.function(lambda: optimizer.apply_gradients([(tf.constant(1.0), w)]))
    step()
    optimizer.learning_rate = 3.0
    step()
    optimizer.lr.assign(0.5)
    step()
    assert float(w) == 5.5


def test_replicas_sum_their_gradients(eager):
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        w, optimizer = tf.Variable(1.0), O.SGD(0.5)

    @tf.function
    def step(x, together):
        optimizer.apply_gradients([(x, w)], experimental_aggregate_gradients=together)

    strategy.run(step, args=(numbered(strategy), True))
    assert local(strategy, w) == [-0.5, -0.5]
    strategy.run(step, args=(tf.constant(1.0), False))
    assert local(strategy, w) == [-1.0, -1.0]
    assert int(optimizer.iterations) == 2


def test_minimize(eager):
    w, optimizer = tf.Variable(4.0), O.SGD(0.25)
    optimizer.minimize(lambda: w * w, [w])
    assert float(w) == 2.0
    with tf.GradientTape() as tape:
        loss = w * w
    optimizer.minimize(loss, [w], tape=tape)
    assert float(w) == 1.0
    with pytest.raises(ValueError, match="tape="):
        optimizer.minimize(loss, [w])


def test_metrics_of_replicas_count_together(eager):
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        mean = tf.compat.v1.keras.metrics.Mean()
        right = tf.compat.v1.keras.metrics.SparseCategoricalAccuracy()

    @tf.function
    def step(x):
        mean.update_state(x, sample_weight=[1.0, 3.0])
        right.update_state([[0], [1]], [[0.9, 0.1], [0.8, 0.2]])

    strategy.run(step, args=(tf.constant([2.0, 6.0]),))
    assert (float(mean.result()), float(right.result())) == (5.0, 0.5)
    mean.reset_states()
    assert float(mean.result()) == 0.0
    exact = tf.compat.v1.keras.metrics.Accuracy()
    assert float(exact([1, 2, 3, 4], [1, 2, 3, 5])) == 0.75
