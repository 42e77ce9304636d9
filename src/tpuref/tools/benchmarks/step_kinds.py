"""The computations of the steps in NumPy: the reference for all contestants."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

BATCH, INPUTS, HIDDEN, CLASSES = 1024, 784, 256, 10
RATE = np.float32(0.1)

Array = npt.NDArray[np.float32]


def sample(replica: int) -> Array:
    """Return four floats for one replica."""
    return np.arange(4, dtype=np.float32) + replica


def elementwise(x: Any) -> Any:
    """Apply a chain of a hundred elementwise operations.

    >>> elementwise(np.arange(3.0))
    array([  0.  ,   7.25,  14.5 ])
    """
    y = x * 0.25 + 1.0
    for _ in range(25):
        x = ((x + y) * y - y) / y
    return x


def fresh_weights() -> tuple[Array, Array, Array, Array]:
    """Return a batch of images with their labels, and the weights of two layers."""
    draw = np.random.default_rng(0)
    labels = np.eye(CLASSES, dtype=np.float32)[draw.integers(0, CLASSES, BATCH)]
    shapes = (BATCH, INPUTS), (INPUTS, HIDDEN), (HIDDEN, CLASSES)
    images, first, second = (draw.normal(size=s).astype(np.float32) for s in shapes)
    return images, labels, first * np.float32(0.03), second * np.float32(0.06)


def training_step(
    xp: Any, x: Any, y: Any, first: Any, second: Any
) -> tuple[Any, Any, Any]:
    """Return the loss of a share of the batch, and the gradients of both weights."""
    hidden = xp.maximum(x @ first, 0.0)
    scores = hidden @ second
    powers = xp.exp(scores - scores.max(axis=1, keepdims=True))
    error = (powers / powers.sum(axis=1, keepdims=True) - y) / BATCH
    back = (error @ second.T) * (hidden > 0)
    return (error * error).sum(), x.T @ back, hidden.T @ error


def expected_loss(steps: int) -> Iterator[float]:
    """Yield the loss of the whole batch in each of the first steps."""
    images, labels, first, second = fresh_weights()
    for _ in range(steps):
        loss, *gradients = training_step(np, images, labels, first, second)
        first, second = first - RATE * gradients[0], second - RATE * gradients[1]
        yield float(loss)
