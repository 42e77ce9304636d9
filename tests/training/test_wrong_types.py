"""Arguments of the wrong type: the error names the argument and has a code."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.base.error_codes import PATTERN
from tpuref.python.tpu import tpu_function
from tpuref.python.training import moving_averages

ARRAY = np.zeros(2)


def variable():
    return tf.get_variable("v", [2])


def parse(feature):
    return tf.parse_single_example("", {"a": feature})


def batch_jacobian():
    return tf.GradientTape(persistent=True).batch_jacobian(tf.ones([2, 1]), ARRAY)


CALLS = [
    (lambda: parse(5), ValueError, "the feature 'a' must be a tf.FixedLen"),
    (lambda: parse(tf.FixedLenFeature([2], tf.int64, ["x", None])), ValueError,
     "default_value must be int64 of shape \\[2\\]"),
    (lambda: parse(tf.FixedLenFeature([2], tf.int64, [1, 2, 3])), ValueError,
     "default_value must be int64 of shape"),
    (lambda: parse(tf.FixedLenSequenceFeature([0], tf.int64, True)), ValueError,
     "shape of a row"),
    (lambda: tf.summary.FileWriter("a").add_event(5), TypeError, "add_event: event"),
    (lambda: tf.summary.FileWriter("a").add_graph(5), TypeError, "add_graph: graph"),
    (lambda: tf.summary.FileWriter("a").add_summary(b"\x0a\xff"),
     tf.errors.DataLossError, "add_summary: expected a serialized Summary"),
    (lambda: tf.train.CheckpointSaverHook("a", save_steps=1, checkpoint_basename=5),
     TypeError, "checkpoint_basename must be a string"),
    (lambda: tf.train.MonitoredSession(hooks=5), TypeError, "hooks must be a list"),
    (lambda: tf.train.MonitoredSession(hooks=[5]), TypeError, "must be a hook, got"),
    (lambda: tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook]), TypeError,
     "must be a hook, got"),
    (lambda: moving_averages.assign_moving_average(5, 1.0, 0.5), TypeError,
     "assign_moving_average: variable must be"),
    (lambda: tf.train.ExponentialMovingAverage(0.5).average(ARRAY), TypeError,
     "average: var must be a variable or tensor"),
    (lambda: tf.train.MonitoredTrainingSession(save_summaries_steps=np.zeros(2)),
     TypeError, "save_summaries_steps must be a number"),
    (lambda: tf.contrib.layers.dropout([2.0], keep_prob=[2]), TypeError,
     "keep_prob must be a real number"),
    (lambda: tf.contrib.layers.variance_scaling_initializer(mode=5), TypeError,
     "mode must be a string"),
    (lambda: tf.initializers.orthogonal()(["a"]), TypeError, "a"),
    (lambda: tpu_function.on_device_training_loop(len), TypeError, "func must be"),
    (lambda: tf.train.warm_start("a", var_name_to_vocab_info=5), TypeError,
     "var_name_to_vocab_info must be None; choose rows"),
    (lambda: tf.contrib.opt.AdamWOptimizer(0.1).minimize(
        tf.reduce_sum(variable()), decay_var_list=5), TypeError, "decay_var_list"),
    (lambda: tf.contrib.opt.AdamWOptimizer(0.1).apply_gradients(
        [(tf.ones([2]), variable())], decay_var_list=5), TypeError, "decay_var_list"),
    (lambda: tf.train.AdamOptimizer().apply_gradients([1.0]), TypeError,
     "grads_and_vars: each entry must be a pair"),
    (lambda: tf.train.AdamOptimizer().get_slot(ARRAY, "m"), TypeError, "var must be"),
    (lambda: tf.profiler.start(5), TypeError, "path must be a path"),
    (lambda: tf.profiler.experimental.start(5), TypeError, "logdir must be a path"),
    (lambda: tf.layers.Dense(2).build(2.5), TypeError, "2.5"),
    (batch_jacobian, TypeError, "source must be a tensor or variable"),
    (lambda: tf.truediv(1.0, 2.0, name=ARRAY), TypeError, "name must be a string"),
    (lambda: tf.train.AdamOptimizer(name=ARRAY), TypeError, "name must be a string"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message"), CALLS)
def test_wrong_types(call, kind, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with tf.Graph().as_default(), pytest.raises(kind, match=message) as raised:
        call()
    assert PATTERN.search(str(raised.value))
