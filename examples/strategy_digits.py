"""Learn handwritten digits with TPUStrategy: twenty steps at a time on eight cores.

A ``tf.data.Dataset`` feeds the 1,797 digits that ship with scikit-learn to the towers.
``run_steps_on_dataset`` runs the steps on the cores without returning to the host in
between.  The weights and their velocities are mirrored variables, ``reduce`` sums the
gradients, and each tower counts its correct answers.  Training in plain NumPy must give
the same weights.

    python examples/strategy_digits.py
    TPUREF_EXECUTOR=pool python examples/strategy_digits.py --compare-speed
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np

import tpuref as tf

try:
    from sklearn.datasets import load_digits
except ModuleNotFoundError:
    sys.exit("This example needs the extra examples: pip install scikit-learn")

CORES = 8
CLASSES = 10
MOMENTUM = np.float32(0.9)
TOLERANCE = 1e-5
"""How far the weights may be from NumPy's, whose float32 sums have another order."""

Array = np.ndarray[Any, np.dtype[Any]]
SHAPE = (65, CLASSES)  # the last row of the weights is the bias


def load(seed: int) -> tuple[Array, Array, Array, Array]:
    """Return training and test images (values 0 to 1) and labels, 1,440 and 357."""
    digits = load_digits()
    order = np.random.default_rng(seed).permutation(len(digits.target))
    ones = np.ones((len(order), 1))  # multiplied by the bias
    images = np.hstack([digits.data[order] / 16.0, ones]).astype(np.float32)
    labels = np.eye(CLASSES, dtype=np.float32)[digits.target[order]]
    return images[:1440], labels[:1440], images[1440:], labels[1440:]


# The model, softmax regression, is written once, in NumPy's functions and operators,
# which work on tensors as they do on arrays.


def gradient(weights: Any, images: Any, labels: Any) -> tuple[Any, Any]:
    """Return the summed gradient of the cross entropy, and the logits."""
    logits = np.matmul(images, weights)
    shifted = np.exp(logits - np.max(logits, axis=1, keepdims=True))
    error = shifted / np.sum(shifted, axis=1, keepdims=True) - labels
    return np.matmul(np.transpose(images), error), logits


class Training:
    """The training on the towers of a strategy."""

    def __init__(
        self, strategy: Any, images: Array, labels: Array, options: argparse.Namespace
    ) -> None:
        self._strategy = strategy
        self._rate = np.float32(options.rate / options.batch)
        self.weights = tf.get_variable("weights", initializer=tf.zeros(SHAPE))
        with strategy.colocate_vars_with(self.weights):
            self._velocity = tf.get_variable("velocity", initializer=tf.zeros(SHAPE))
        self._correct = tf.get_variable(
            "correct",
            initializer=tf.constant(0.0),
            synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )
        self.correct = strategy.read_var(self._correct)
        with strategy.colocate_vars_with(strategy.non_slot_devices(None)):
            self.steps_done = tf.get_variable("steps_done", initializer=tf.constant(0))
        self._iterator = strategy.distribute_dataset(
            lambda: batches(images, labels, options.batch // CORES, options.seed)
        ).make_one_shot_iterator()

    def steps(self, count: int) -> Any:
        """Return the operation that runs some steps."""
        context = self._strategy.run_steps_on_dataset(
            self._step, self._iterator, iterations=count
        )
        return context.run_op

    def _step(self, context: Any, images: Any, labels: Any) -> None:
        strategy = self._strategy
        found = strategy.call_for_each_tower(self._tower, images, labels)
        total = strategy.reduce(tf.VariableAggregation.SUM, found, self.weights)
        velocity = strategy.update(self._velocity, accelerate, total)
        strategy.update(self.weights, move, velocity, self._rate)
        devices = strategy.non_slot_devices([self.weights])
        strategy.update_non_slot(devices, self._count)

    def _tower(self, images: Any, labels: Any) -> Any:
        found, logits = gradient(self.weights.read_value(), images, labels)
        right = tf.equal(tf.argmax(logits, axis=1), tf.argmax(labels, axis=1))
        self._correct.assign_add(tf.reduce_sum(tf.cast(right, tf.float32)))
        return found

    def _count(self) -> Any:
        return self.steps_done.assign_add(1)


def accelerate(velocity: Any, gradient: Any) -> Any:
    """Update the velocity of a weight with a gradient."""
    return velocity.assign(MOMENTUM * velocity.read_value() + gradient)


def move(weight: Any, velocity: Any, rate: Any) -> Any:
    """Update a weight with its velocity."""
    return weight.assign_sub(rate * velocity)


def batches(images: Array, labels: Array, size: int, seed: int) -> Any:
    """Return an endless dataset of batches, reshuffled in each epoch."""
    rows = tf.data.Dataset.from_tensor_slices((images, labels))
    shuffled = rows.shuffle(len(images), seed=seed).repeat()
    return shuffled.batch(size, drop_remainder=True)


def train_on_cores(images: Array, labels: Array, options: argparse.Namespace) -> Array:
    """Train with the batches spread over the towers; return the weights."""
    with tf.Graph().as_default(), tf.config.override(cores=CORES):
        resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        strategy = tf.contrib.distribute.TPUStrategy(resolver, options.steps)
        with strategy.scope():
            training = Training(strategy, images, labels, options)
            run = training.steps(options.steps)
        with tf.Session() as sess:
            sess.run(strategy.initialize())
            sess.run(tf.global_variables_initializer())
            for _ in range(options.runs):
                sess.run(run)
            seen = options.runs * options.steps * options.batch
            correct, done = sess.run([training.correct, training.steps_done])
            print(f"steps on {CORES} cores: {done}")
            print(f"accuracy while training: {correct / seen:.3f}")
            weights: Array = sess.run(training.weights)
            sess.run(strategy.finalize())
    return weights


def train_in_numpy(images: Array, labels: Array, options: argparse.Namespace) -> Array:
    """Train on whole batches in one process; return the weights."""
    rate = np.float32(options.rate / options.batch)
    weights, velocity = np.zeros(SHAPE, np.float32), np.zeros(SHAPE, np.float32)
    steps = batches(images, labels, options.batch, options.seed)
    steps = steps.take(options.runs * options.steps)
    for own_images, own_labels in steps.as_numpy_iterator():
        found, _ = gradient(weights, own_images, own_labels)
        velocity = MOMENTUM * velocity + found
        weights = weights - rate * velocity
    return weights


def accuracy(weights: Array, images: Array, labels: Array) -> float:
    """Return the fraction of images whose digit is recognised."""
    guessed = np.argmax(images @ weights, axis=1)
    return float(np.mean(guessed == np.argmax(labels, axis=1)))


def compare_speed(images: Array, labels: Array, options: argparse.Namespace) -> None:
    """Print the time of a step, with several steps per run and with one.

    The two take turns, and the best turn of each counts, because other programs use
    the processors too.
    """
    with tf.Graph().as_default(), tf.config.override(cores=CORES):
        resolver = tf.contrib.cluster_resolver.TPUClusterResolver("local")
        strategy = tf.contrib.distribute.TPUStrategy(resolver, options.steps)
        with strategy.scope():
            training = Training(strategy, images, labels, options)
            several, single = training.steps(options.steps), training.steps(1)
        best = {several: float("inf"), single: float("inf")}
        with tf.Session() as sess:
            sess.run(strategy.initialize())
            sess.run(tf.global_variables_initializer())
            for _ in range(options.turns):
                for run, times in ((several, 1), (single, options.steps)):
                    began = time.perf_counter()
                    for _ in range(times):
                        sess.run(run)
                    seconds = time.perf_counter() - began
                    best[run] = min(best[run], seconds / options.steps)
            sess.run(strategy.finalize())
    print(f"{options.steps} steps per run: {best[several] * 1e3:.2f} ms per step")
    print(f"1 step per run: {best[single] * 1e3:.2f} ms per step")
    print(f"ratio: {best[single] / best[several]:.2f}")


def main(arguments: list[str] | None = None) -> int:
    """Train, compare with NumPy, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=27, help="the number of runs")
    parser.add_argument("--steps", type=int, default=20, help="steps per run")
    parser.add_argument("--batch", type=int, default=160, help="a multiple of 8")
    parser.add_argument("--rate", type=float, default=0.5, help="the learning rate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compare-speed", action="store_true")
    parser.add_argument("--turns", type=int, default=20, help="turns per contestant")
    options = parser.parse_args(arguments)
    images, labels, test_images, test_labels = load(options.seed)

    trained = train_on_cores(images, labels, options)
    plain = train_in_numpy(images, labels, options)
    difference = float(np.max(np.abs(trained - plain)))
    reached = accuracy(trained, test_images, test_labels)
    print(f"test accuracy: {reached:.3f}")
    print(f"largest difference to NumPy: {difference:.1e} (allowed: {TOLERANCE:.0e})")
    if options.compare_speed:
        compare_speed(images, labels, options)
    return 0 if difference <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
