"""Learn handwritten digits with a training loop for TensorFlow 2, on eight cores.

The program is written as TensorFlow 2.4's guide to TPUs writes them: it connects,
initialises the system, makes variables in the scope of a `tf.distribute.TPUStrategy`,
and trains with ``strategy.run`` within a `tf.function`.  The data are the 1,797 digits
that ship with scikit-learn.  Training in plain NumPy must give the same weights.

    python examples/tf2_digits.py
    TPUREF_EXECUTOR=pool python examples/tf2_digits.py --time
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

BATCH = 160
STEPS = 9  # of an epoch
HIDDEN = 64
RATE = 0.1
MOMENTUM = 0.9
TOLERANCE = 1e-5
"""How far the weights may be from NumPy's, whose float32 sums have another order."""

Array = np.ndarray[Any, np.dtype[Any]]


class Perceptron(tf.Module):
    """A network with one hidden layer."""

    def __init__(self, start: list[Array]) -> None:
        super().__init__()
        names = ("w1", "b1", "w2", "b2")
        self.weights = [
            tf.Variable(value, name=name)
            for name, value in zip(names, start, strict=True)
        ]

    def __call__(self, images: Any) -> Any:
        """Return the logits of some images."""
        w1, b1, w2, b2 = self.weights
        hidden = tf.nn.relu(tf.matmul(images, w1) + b1)
        return tf.matmul(hidden, w2) + b2


def load(seed: int) -> tuple[Array, Array, Array, Array]:
    """Return training and test images (values 0 to 1) and labels, 1,440 and 357."""
    digits = load_digits()
    order = np.random.default_rng(seed).permutation(len(digits.target))
    images = (digits.data[order] / 16.0).astype(np.float32)
    labels = digits.target[order].astype(np.int32)
    return images[:1440], labels[:1440], images[1440:], labels[1440:]


def starting_weights(seed: int) -> list[Array]:
    """Return the weights to start with."""
    random = np.random.default_rng(seed)
    shapes = [(64, HIDDEN), (HIDDEN,), (HIDDEN, 10), (10,)]
    return [
        random.normal(0.0, 0.1, shape if len(shape) == 2 else ()).astype(np.float32)
        * np.ones(shape, np.float32)
        * (len(shape) == 2)
        for shape in shapes
    ]


def new_strategy() -> Any:
    """Connect to the TPU system of this computer, start it, and use its cores."""
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="")
    tf.config.experimental_connect_to_cluster(resolver)
    tf.tpu.experimental.initialize_tpu_system(resolver)
    return tf.distribute.TPUStrategy(resolver)


def train(
    strategy: Any, images: Array, labels: Array, start: list[Array], epochs: int
) -> tuple[list[Array], float]:
    """Train on the replicas; return the weights, and the seconds of the last steps."""
    rows = tf.data.Dataset.from_tensor_slices((images, labels))
    batches = rows.batch(BATCH, drop_remainder=True)
    dataset = strategy.experimental_distribute_dataset(batches)
    with strategy.scope():
        model = Perceptron(start)
        optimizer = tf.optimizers.SGD(RATE, momentum=MOMENTUM)
        mean_loss = tf.keras.metrics.Mean("loss")
        accuracy = tf.keras.metrics.SparseCategoricalAccuracy("accuracy")

    def step_fn(inputs: Any) -> None:
        own_images, own_labels = inputs
        with tf.GradientTape() as tape:
            logits = model(own_images)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=own_labels, logits=logits
            )
            loss = tf.nn.compute_average_loss(losses, global_batch_size=BATCH)
        gradients = tape.gradient(loss, model.weights)
        optimizer.apply_gradients(zip(gradients, model.weights, strict=True))
        mean_loss.update_state(losses)
        accuracy.update_state(own_labels, logits)

    @tf.function
    def train_step(iterator: Any) -> None:
        strategy.run(step_fn, args=(next(iterator),))

    times = []
    for epoch in range(epochs):
        iterator = iter(dataset)
        for _ in range(STEPS):
            began = time.perf_counter()
            train_step(iterator)
            times.append(time.perf_counter() - began)
        if epoch % 10 == 9:
            print(
                f"epoch {epoch + 1}: loss {float(mean_loss.result()):.4f}, "
                f"accuracy {float(accuracy.result()):.3f}"
            )
        mean_loss.reset_state()
        accuracy.reset_state()
    return [w.numpy() for w in model.weights], float(np.median(times[-100:]))


def train_in_numpy(
    images: Array, labels: Array, start: list[Array], epochs: int
) -> list[Array]:
    """Train on whole batches with gradients derived by hand; return the weights."""
    weights = [value.copy() for value in start]
    velocity = [np.zeros_like(value) for value in weights]
    for step in range(epochs * STEPS):
        rows = slice(step % STEPS * BATCH, (step % STEPS + 1) * BATCH)
        x, y = images[rows], np.eye(10, dtype=np.float32)[labels[rows]]
        w1, b1, w2, b2 = weights
        hidden = np.maximum(x @ w1 + b1, 0)
        logits = hidden @ w2 + b2
        shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
        error = (shifted / shifted.sum(axis=1, keepdims=True) - y) / np.float32(BATCH)
        back = error @ w2.T * (hidden > 0)
        gradients = [x.T @ back, back.sum(0), hidden.T @ error, error.sum(0)]
        for k, found in enumerate(gradients):
            velocity[k] = np.float32(MOMENTUM) * velocity[k] - np.float32(RATE) * found
            weights[k] = weights[k] + velocity[k]
    return weights


def score(weights: list[Array], images: Array, labels: Array) -> float:
    """Return the fraction of images whose digit is recognised."""
    w1, b1, w2, b2 = weights
    logits = np.maximum(images @ w1 + b1, 0) @ w2 + b2
    return float(np.mean(np.argmax(logits, axis=1) == labels))


def main(arguments: list[str] | None = None) -> int:
    """Train, compare with NumPy, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--time", action="store_true", help="print the time of a step")
    options = parser.parse_args(arguments)
    images, labels, test_images, test_labels = load(options.seed)
    start = starting_weights(options.seed)

    strategy = new_strategy()
    print(f"replicas: {strategy.num_replicas_in_sync}")
    trained, seconds = train(strategy, images, labels, start, options.epochs)
    plain = train_in_numpy(images, labels, start, options.epochs)
    difference = max(
        float(np.max(np.abs(a - b))) for a, b in zip(trained, plain, strict=True)
    )
    print(f"test accuracy: {score(trained, test_images, test_labels):.3f}")
    print(f"largest difference to NumPy: {difference:.1e} (allowed: {TOLERANCE:.0e})")
    if options.time:
        print(f"{seconds * 1e3:.2f} ms per step")
    return 0 if difference <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
