"""The models of `tpuref.tools.benchmarks.models` as programs for the replicas."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tpuref as tf
from tpuref.tools.benchmarks.models import BATCH, HEADS, LENGTH, MODELS, WIDTH, verify
from tpuref.tools.benchmarks.step_kinds import RATE


def built_model(
    session: tf.Session, kind: str, cores: int
) -> tuple[Any, Sequence[tf.Variable]]:
    """Build a step in which each core trains on its share of one batch.

    Return the fetches, which are the losses of the shares, and the variables.
    """
    model, scores_of = MODELS[kind](), SCORES[kind]
    variables = [tf.Variable(weight) for weight in model.weights]

    def computation(x: Any, y: Any) -> Any:
        weights = [variable.read_value() for variable in variables]
        scores = scores_of(weights, x)
        each = tf.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=scores)
        loss = tf.reduce_sum(each) / (BATCH * model.labels[0, ..., 0].size)
        updates = [
            tf.assign_sub(variable, RATE * tf.tpu.cross_replica_sum(gradient))
            for variable, gradient in zip(
                variables, tf.gradients(loss, weights), strict=True
            )
        ]
        with tf.control_dependencies(updates):
            return tf.identity(loss)

    whole = model.inputs, model.labels
    shares = zip(*(np.split(array, cores) for array in whole), strict=True)
    inputs = [[tf.constant(x), tf.constant(y)] for x, y in shares]
    fetches = tf.tpu.replicate(computation, inputs)
    session.run(tf.global_variables_initializer())
    return fetches, variables


def verify_model(
    session: tf.Session,
    kind: str,
    variables: Sequence[tf.Variable],
    step: Callable[[], Any],
) -> None:
    """Raise AssertionError unless the first step agrees with NumPy."""
    loss = sum(float(loss) for (loss,) in step())
    verify(MODELS[kind](), loss, session.run(list(variables)))


def _resnet(weights: Sequence[Any], images: Any) -> Any:
    first, *filters, last = weights
    x = tf.nn.relu(_convolve(images, first))
    for inner, outer in zip(filters[::2], filters[1::2], strict=True):
        x = tf.nn.relu(x + _convolve(tf.nn.relu(_convolve(x, inner)), outer))
    return tf.reduce_mean(x, [1, 2]) @ last


def _convolve(images: Any, filters: Any) -> Any:
    return tf.nn.conv2d(images, filters, [1, 1, 1, 1], "SAME")


def _transformer(weights: Sequence[Any], tokens: Any) -> Any:
    table, *layers, last = weights
    x = tf.gather(table, tokens)
    for first in range(0, len(layers), 6):
        query, key, value, mixed, inner, outer = layers[first : first + 6]
        normal = _normal(x)
        q, k, v = (
            tf.reshape(_times(normal, w), [-1, LENGTH, HEADS, WIDTH // HEADS])
            for w in (query, key, value)
        )
        scores = tf.einsum("bqhd,bkhd->bhqk", q, k) * (WIDTH // HEADS) ** -0.5
        later = np.triu(np.full((LENGTH, LENGTH), np.float32(-1e9)), 1)
        heads = tf.einsum("bhqk,bkhd->bqhd", tf.nn.softmax(scores + later), v)
        x = x + _times(tf.reshape(heads, [-1, LENGTH, WIDTH]), mixed)
        x = x + _times(tf.nn.relu(_times(_normal(x), inner)), outer)
    return _times(_normal(x), last)


def _times(x: Any, weight: Any) -> Any:
    """Multiply the last axis of activations with a matrix."""
    return tf.tensordot(x, weight, 1)


def _normal(x: Any) -> Any:
    """Return activations with mean 0 and variance 1."""
    x = x - tf.reduce_mean(x, -1, keepdims=True)
    return x * tf.rsqrt(tf.reduce_mean(x * x, -1, keepdims=True) + 1e-6)


SCORES: dict[str, Callable[[Sequence[Any], Any], Any]] = {
    "ResNet": _resnet,
    "transformer": _transformer,
}
"""For each model, the scores as a function of weights and a share of the inputs."""
