"""Following the steps of a training: the same weights first, and what differs later."""

import numpy as np
import pytest

from maintenance.programs.equal import FOLLOW, FOLLOW_2, Comparison, _difference

from ..pythons import python

TRAIN = """\
import sys
import tensorflow as tf

def model_fn(features, labels, mode, params):
    units = tf.nn.dropout(tf.layers.dense(features, 3), 0.5)
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(units, 1))
    step = tf.train.get_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

def input_fn():
    rows = tf.data.Dataset.from_tensor_slices(([[1.0], [2.0], [3.0]], [[2.0]] * 3))
    return rows.shuffle(3).repeat().batch(1)

tf.estimator.Estimator(model_fn, sys.argv[1]).train(input_fn, steps=4)
"""


def test_two_trainings_begin_alike_and_stay_so(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(TRAIN)
    initial, found = str(tmp_path / "initial.npz"), []
    for name in ("a", "b"):
        followed = str(tmp_path / f"{name}.npz")
        words = [FOLLOW, initial, followed, str(script), str(tmp_path / name)]
        options = ["-m", "tpuref", "--as-tensorflow=1"]
        python(*options, *words, env={"TPUREF_EXECUTOR": "lockstep"}, check=True)
        found.append(dict(np.load(followed)))
    comparison = _difference(*found, dict(np.load(initial)))
    assert comparison == Comparison(4, 0.0, 0.0, comparison.moved)
    assert comparison.moved > 0


def test_what_differs():
    theirs = {"losses": np.array([2.0, 1.0]), "w": np.array([1.0, 2.0])}
    ours = {"losses": np.array([2.0, 1.5]), "w": np.array([1.0, 2.25])}
    initial = {"w": np.array([0.0, 2.0]), "global_step": 0}
    assert _difference({**theirs}, {**ours}, initial) == (2, 0.5, 0.25, 1.0)
    with pytest.raises(RuntimeError, match="other weights or steps: {'v'}"):
        _difference({**theirs}, {**ours, "v": 0.0}, initial)


LOOP = """\
import tensorflow as tf

strategy = tf.distribute.TPUStrategy(
    tf.distribute.cluster_resolver.TPUClusterResolver("local")
)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.SGD(0.1)
rows = tf.data.Dataset.from_tensor_slices(([[1.0], [2.0], [3.0]], [[2.0]] * 3))

@tf.function
def step(batch):
    def own(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss
    return strategy.reduce("SUM", strategy.run(own, batch), None)

for batch in strategy.experimental_distribute_dataset(rows.shuffle(3).batch(1)):
    step(batch)
"""


def test_a_loop_of_tensorflow_2_is_followed(tmp_path):
    pytest.importorskip("keras")
    (tmp_path / "loop.py").write_text(LOOP)
    words = [FOLLOW_2, str(tmp_path / "found.npz"), str(tmp_path / "loop.py")]
    options = ["-m", "tpuref", "run", "--cores", "1", "--as-tensorflow=2"]
    python(*options, *words, env={"TPUREF_EXECUTOR": "lockstep"}, check=True)
    w, v = (
        np.random.RandomState(6).uniform(-1, 1, shape) / np.sqrt(shape[0])
        for shape in ([1, 3], [3, 1])
    )
    b, c, losses = np.zeros(3), np.zeros(1), []
    for x in (1.0, 2.0, 3.0):
        hidden = x * w + b
        error = hidden @ v + c - 2
        losses.append(error.item() ** 2)
        back = 2 * error * v.T
        v, c = v - 0.2 * hidden.T * error, c - 0.2 * error[0]
        w, b = w - 0.1 * x * back, b - 0.1 * back[0]
    with np.load(tmp_path / "found.npz") as found:
        np.testing.assert_allclose(found["losses"], losses, rtol=1e-5)
        for name, value in zip(sorted(found.files)[1:], (w, b, v, c), strict=True):
            np.testing.assert_allclose(found[name], value, rtol=1e-4, atol=1e-6)
