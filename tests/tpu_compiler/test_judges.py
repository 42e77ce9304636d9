"""The TPU compiler's figures of programs of tpuref and of the same ones in JAX."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest

import tpuref as tf
from tpuref.tools.benchmarks.model_steps import built_model
from tpuref.tools.benchmarks.step_kinds import BATCH, RATE, fresh_weights

from ..pythons import python

BERT = Path(__file__).parents[2] / "examples" / "bert.py"
HAND_WRITTEN = Path(__file__).with_name("hand_written.py")


def training(session, cores):
    """Return the losses of a step of the perceptron of ``tpuref bench steps``."""
    *batch, first, second = fresh_weights()
    variables = [tf.Variable(first), tf.Variable(second)]

    def computation(x, y):
        weights = [variable.read_value() for variable in variables]
        hidden = tf.nn.relu(x @ weights[0])
        error = (tf.nn.softmax(hidden @ weights[1]) - y) / BATCH
        back = tf.matmul(error, weights[1], transpose_b=True) * tf.sign(hidden)
        gradients = [
            tf.matmul(x, back, transpose_a=True),
            tf.matmul(hidden, error, transpose_a=True),
        ]
        updates = [
            tf.assign_sub(variable, RATE * tf.tpu.cross_replica_sum(gradient))
            for variable, gradient in zip(variables, gradients, strict=True)
        ]
        with tf.control_dependencies(updates):
            return tf.reduce_sum(error * error)

    shares = zip(*(np.split(array, cores) for array in batch), strict=True)
    return tf.tpu.replicate(computation, [[*map(tf.constant, s)] for s in shares])


def bert_step():
    """Return the losses of a step of the example with BERT, smaller than BERT-Base."""
    example = runpy.run_path(str(BERT))
    words = ["--layers=2", "--width=256", "--heads=4", "--vocabulary=4000"]
    options = example["parsed"](words)
    inputs = [tf.placeholder(a.dtype, a.shape) for a in example["batch"](options)]
    return tf.tpu.shard(example["Bert"](options).step, inputs, num_shards=8)


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        ("training", "v3-8"),
        ("ResNet", "v3-8"),
        ("transformer", "v3-8"),
        ("transformer", "v6e-8"),
        ("BERT", "v3-8"),
    ],
)
def test_memory_and_operations_are_those_of_jax(kind, target, session, compiler):
    ended = python(HAND_WRITTEN, kind, target)
    assert ended.returncode == 0, ended.stderr
    by_hand = json.loads(ended.stdout)
    if kind == "training":
        outputs = training(session, 8)
    elif kind == "BERT":
        outputs = bert_step()
    else:
        outputs, _ = built_model(session, kind, 8)
    (program,) = tf.compiled_for(outputs, target)["targets"][0]["programs"]
    assert program["hbm"]["peak"] == pytest.approx(by_hand["peak"], rel=0.1)
    assert program["flops"] == pytest.approx(by_hand["flops"], rel=0.05)


# The compiler's estimate may not be faster than the matrix units of a core.
def test_estimates_stay_below_the_peak_of_the_matrix_units(compiler):
    x = tf.ones([1024, 8192])
    outputs = tf.tpu.rewrite(lambda x: tf.matmul(x, x, transpose_b=True), [x])
    report = tf.compiled_for(outputs, "v2-8,v3-8,v4-8,v5e-4,v5p-8,v6e-4")
    for target in report["targets"]:
        (program,) = target["programs"]
        assert program["flops"] == pytest.approx(2 * 1024**2 * 8192, rel=0.01)
        assert 0.02 < program["share_of_peak"] <= 1.05, target["target"]
