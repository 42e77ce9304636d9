"""Following the steps of a training: the same weights first, and what differs later."""

import os
import subprocess
import sys

import numpy as np
import pytest

from maintenance.programs.equal import FOLLOW, Comparison, _difference

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
        subprocess.run(
            [sys.executable, "-m", "tpuref", "--as-tensorflow=1", *words],
            env={**os.environ, "TPUREF_EXECUTOR": "lockstep"},
            timeout=200,
            check=True,
        )
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
