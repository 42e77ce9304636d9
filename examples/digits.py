"""Learn handwritten digits, data-parallel on eight cores.

``tf.tpu.shard`` distributes the 1,797 digits that ship with scikit-learn over the
cores.  Each core computes the gradients of its part of the batch with hand-written
rules, and ``tf.tpu.cross_replica_sum`` adds them.  Training in plain NumPy on whole
batches must give the same parameters.

    python examples/digits.py --model softmax
    python examples/digits.py --model perceptron --epochs 20
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

import tpuref as tf

try:
    from sklearn.datasets import load_digits
except ModuleNotFoundError:
    sys.exit("This example needs the extra examples: pip install scikit-learn")

CORES = 8
CLASSES = 10
Array = np.ndarray[Any, np.dtype[Any]]
Parameters = list[Any]


def load(seed: int) -> tuple[Array, Array, Array, Array]:
    """Return training and test images (values 0 to 1) and labels, 1,440 and 357."""
    digits = load_digits()
    order = np.random.default_rng(seed).permutation(len(digits.target))
    images = (digits.data[order] / 16.0).astype(np.float32)
    labels = np.eye(CLASSES, dtype=np.float32)[digits.target[order]]
    return images[:1440], labels[:1440], images[1440:], labels[1440:]


# Both models are written once, in NumPy's functions and operators, which work on
# tensors as they do on arrays.


def softmax(logits: Any) -> Any:
    """Return the probabilities of the classes, [batch, classes]."""
    shifted = np.exp(logits - np.max(logits, axis=1, keepdims=True))
    return shifted / np.sum(shifted, axis=1, keepdims=True)


def softmax_gradients(parameters: Parameters, images: Any, labels: Any) -> Parameters:
    """Return the summed gradients of softmax regression."""
    weights, bias = parameters
    error = softmax(np.matmul(images, weights) + bias) - labels
    return [np.matmul(np.transpose(images), error), np.sum(error, axis=0)]


def softmax_scores(parameters: Parameters, images: Any) -> Any:
    """Return the logits of softmax regression."""
    weights, bias = parameters
    return np.matmul(images, weights) + bias


def perceptron_gradients(
    parameters: Parameters, images: Any, labels: Any
) -> Parameters:
    """Return the summed gradients of a perceptron with one hidden layer."""
    weights, bias, out_weights, out_bias = parameters
    hidden = np.tanh(np.matmul(images, weights) + bias)
    error = softmax(np.matmul(hidden, out_weights) + out_bias) - labels
    back = np.matmul(error, np.transpose(out_weights)) * (1.0 - hidden * hidden)
    return [
        np.matmul(np.transpose(images), back),
        np.sum(back, axis=0),
        np.matmul(np.transpose(hidden), error),
        np.sum(error, axis=0),
    ]


def perceptron_scores(parameters: Parameters, images: Any) -> Any:
    """Return the logits of the perceptron."""
    weights, bias, out_weights, out_bias = parameters
    hidden = np.tanh(np.matmul(images, weights) + bias)
    return np.matmul(hidden, out_weights) + out_bias


def softmax_start(seed: int) -> list[Array]:
    """Return the initial parameters of softmax regression."""
    return [np.zeros((64, CLASSES), np.float32), np.zeros(CLASSES, np.float32)]


def perceptron_start(seed: int) -> list[Array]:
    """Return the initial parameters of the perceptron, with 32 hidden units."""
    rng = np.random.default_rng(seed)
    return [
        (rng.standard_normal((64, 32)) * 0.2).astype(np.float32),
        np.zeros(32, np.float32),
        (rng.standard_normal((32, CLASSES)) * 0.2).astype(np.float32),
        np.zeros(CLASSES, np.float32),
    ]


MODELS: dict[str, tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]] = {
    "softmax": (softmax_start, softmax_gradients, softmax_scores),
    "perceptron": (perceptron_start, perceptron_gradients, perceptron_scores),
}


def batches(count: int, size: int, epochs: int, seed: int) -> Iterator[Array]:
    """Yield the indices of each batch, reshuffled in each epoch."""
    rng = np.random.default_rng(seed)
    for _ in range(epochs):
        order = rng.permutation(count)
        for start in range(0, count - size + 1, size):
            yield order[start : start + size]


def with_progress(steps: Iterable[Array], total: int) -> Iterator[Array]:
    """Show a progress bar, on a terminal only."""
    if not sys.stderr.isatty():
        yield from steps
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(steps, "training", total, console=Console(stderr=True))


def train_on_cores(
    model: str,
    images: Array,
    labels: Array,
    options: argparse.Namespace,
    target: str = "",
) -> list[Array]:
    """Train with the batch split over the cores of `target`; return the parameters."""
    start, gradients, _ = MODELS[model]
    rate = np.float32(options.rate / options.batch)
    with tf.Graph().as_default(), tf.config.override(cores=CORES):
        variables = [tf.Variable(value) for value in start(options.seed)]
        batch_images = tf.placeholder(tf.float32, [options.batch, 64])
        batch_labels = tf.placeholder(tf.float32, [options.batch, CLASSES])

        def step(own_images: Any, own_labels: Any) -> Any:
            own = gradients([v.read_value() for v in variables], own_images, own_labels)
            summed = [tf.tpu.cross_replica_sum(gradient) for gradient in own]
            for variable, gradient in zip(variables, summed, strict=True):
                variable.assign_sub(rate * gradient)

        (train,) = tf.tpu.shard(step, [batch_images, batch_labels], num_shards=CORES)
        steps = batches(len(images), options.batch, options.epochs, options.seed)
        total = options.epochs * (len(images) // options.batch)
        with tf.Session(target) as sess:
            sess.run(tf.tpu.initialize_system())
            sess.run(tf.global_variables_initializer())
            for chosen in with_progress(steps, total):
                feed = {batch_images: images[chosen], batch_labels: labels[chosen]}
                sess.run(train, feed)
            trained: list[Array] = sess.run(variables)
    return trained


def train_in_numpy(
    model: str, images: Array, labels: Array, options: argparse.Namespace
) -> list[Array]:
    """Train on whole batches in one process; return the parameters."""
    start, gradients, _ = MODELS[model]
    rate = np.float32(options.rate / options.batch)
    parameters = start(options.seed)
    for chosen in batches(len(images), options.batch, options.epochs, options.seed):
        changes = gradients(parameters, images[chosen], labels[chosen])
        parameters = [p - rate * g for p, g in zip(parameters, changes, strict=True)]
    return parameters


def accuracy(
    model: str, parameters: list[Array], images: Array, labels: Array
) -> float:
    """Return the fraction of images whose digit is recognised."""
    scores = MODELS[model][2](parameters, images)
    return float(np.mean(np.argmax(scores, axis=1) == np.argmax(labels, axis=1)))


def main(arguments: list[str] | None = None) -> int:
    """Train, compare with NumPy, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=sorted(MODELS), default="softmax")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch", type=int, default=160, help="a multiple of 8")
    parser.add_argument("--rate", type=float, default=0.5, help="the learning rate")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    images, labels, test_images, test_labels = load(options.seed)

    began = time.perf_counter()
    trained = train_on_cores(options.model, images, labels, options)
    seconds = time.perf_counter() - began
    plain = train_in_numpy(options.model, images, labels, options)

    difference = max(
        float(np.max(np.abs(a - b))) for a, b in zip(trained, plain, strict=True)
    )
    print(f"model: {options.model}, {CORES} cores, {options.epochs} epochs")
    reached = accuracy(options.model, trained, test_images, test_labels)
    print(f"test accuracy: {reached:.3f}")
    print(f"largest difference to NumPy: {difference:.1e}")
    print(f"seconds per epoch: {seconds / options.epochs:.3f}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
