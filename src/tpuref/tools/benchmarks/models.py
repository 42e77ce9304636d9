"""Two small models to train: their weights, data and losses for NumPy and JAX."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from tpuref.tools.benchmarks.step_kinds import RATE

Weights = Sequence[Any]
Convolve = Callable[[Any, Any], Any]
"""A function that convolves images with filters, with stride 1 and SAME padding."""

BATCH, CLASSES = 64, 10
IMAGE, CHANNELS, BLOCKS = 16, 16, 2
TOKENS, LENGTH, WIDTH, HEADS, LAYERS = 64, 32, 64, 4, 2

STEP = 1e-5
"""The step of the finite differences that gradients are compared with."""


class Model(NamedTuple):
    """A model, its first weights and its batch."""

    weights: list[npt.NDArray[np.float32]]  # the weights before the first step
    inputs: npt.NDArray[Any]  # the whole batch; labels are one-hot
    labels: npt.NDArray[np.float32]
    # the loss of a share of the batch, as a function of the namespace (such as NumPy),
    # the convolution, the weights, the inputs and the labels
    loss: Callable[[Any, Convolve, Weights, Any, Any], Any]


def resnet() -> Model:
    """Return a residual network for images of 16 x 16 pixels.

    >>> sum(weight.size for weight in resnet().weights)
    9808
    """
    draw = np.random.default_rng(0)
    shapes = [(3, 3, 3, CHANNELS)]
    shapes += [(3, 3, CHANNELS, CHANNELS)] * 2 * BLOCKS
    images = draw.normal(size=(BATCH, IMAGE, IMAGE, 3)).astype(np.float32)
    labels = np.eye(CLASSES, dtype=np.float32)[draw.integers(0, CLASSES, BATCH)]
    return Model(
        [_random_weights(draw, *shape) for shape in (*shapes, (CHANNELS, CLASSES))],
        images,
        labels,
        _resnet_loss,
    )


def _resnet_loss(
    xp: Any, convolve: Convolve, weights: Weights, images: Any, labels: Any
) -> Any:
    first, *filters, last = weights
    x = xp.maximum(convolve(images, first), 0.0)
    for inner, outer in zip(filters[::2], filters[1::2], strict=True):
        x = xp.maximum(x + convolve(xp.maximum(convolve(x, inner), 0.0), outer), 0.0)
    return _cross_entropy(xp, x.mean(axis=(1, 2)) @ last, labels)


def transformer() -> Model:
    """Return a transformer of two layers, which predicts the next of 64 tokens.

    >>> len(transformer().weights), transformer().inputs.shape
    (14, (64, 32))
    """
    draw = np.random.default_rng(0)
    layer = [(WIDTH, WIDTH)] * 4 + [(WIDTH, 2 * WIDTH), (2 * WIDTH, WIDTH)]
    text = draw.integers(0, TOKENS, (BATCH, LENGTH + 1), np.int32)
    return Model(
        [
            _random_weights(draw, *shape)
            for shape in ((TOKENS, WIDTH), *layer * LAYERS, (WIDTH, TOKENS))
        ],
        text[:, :-1],
        np.eye(TOKENS, dtype=np.float32)[text[:, 1:]],
        _transformer_loss,
    )


def _transformer_loss(
    xp: Any, convolve: Convolve, weights: Weights, tokens: Any, labels: Any
) -> Any:
    del convolve
    table, *layers, last = weights
    x = table[tokens]
    for first in range(0, len(layers), 6):
        query, key, value, mixed, inner, outer = layers[first : first + 6]
        normal = _normal(xp, x)
        q, k, v = (
            (normal @ w).reshape(-1, LENGTH, HEADS, WIDTH // HEADS)
            for w in (query, key, value)
        )
        scores = xp.einsum("bqhd,bkhd->bhqk", q, k) * (WIDTH // HEADS) ** -0.5
        later = np.triu(np.full((LENGTH, LENGTH), np.float32(-1e9)), 1)
        powers = _powers(xp, scores + later)
        heads = xp.einsum("bhqk,bkhd->bqhd", powers / _total(powers), v)
        x = x + heads.reshape(-1, LENGTH, WIDTH) @ mixed
        x = x + xp.maximum(_normal(xp, x) @ inner, 0.0) @ outer
    return _cross_entropy(xp, _normal(xp, x) @ last, labels) / LENGTH


MODELS: dict[str, Callable[[], Model]] = {"ResNet": resnet, "transformer": transformer}
"""The models by name."""


def _normal(xp: Any, x: Any) -> Any:
    """Return activations with mean 0 and variance 1."""
    x = x - x.mean(axis=-1, keepdims=True)
    return x / xp.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6)


def _powers(xp: Any, scores: Any) -> Any:
    return xp.exp(scores - scores.max(axis=-1, keepdims=True))


def _total(powers: Any) -> Any:
    return powers.sum(axis=-1, keepdims=True)


def _cross_entropy(xp: Any, scores: Any, labels: Any) -> Any:
    """Return a share's part of the mean over the whole batch."""
    powers = _powers(xp, scores)
    return -(xp.log(powers / _total(powers)) * labels).sum() / BATCH


def _random_weights(draw: np.random.Generator, *shape: int) -> npt.NDArray[np.float32]:
    """Return random weights whose products have the variance of their inputs."""
    weights: npt.NDArray[np.float32] = draw.standard_normal(shape, np.float32)
    weights *= np.float32(math.prod(shape[:-1]) ** -0.5)
    return weights


def convolved(images: Any, filters: Any) -> Any:
    """Convolve NHWC images with 3 x 3 HWIO filters in NumPy, with SAME padding."""
    padded = np.pad(images, [(0, 0), (1, 1), (1, 1), (0, 0)])
    windows = sliding_window_view(padded, filters.shape[:2], (1, 2))
    return np.einsum("brcnij,ijno->brco", windows, filters, optimize=True)


def verify(model: Model, loss: float, after: Weights) -> None:
    """Assert that loss and update of the first step agree with NumPy."""
    # The update divided by the rate is the gradient. Its product with a random
    # direction must equal the central difference of NumPy's loss along it.
    before = [weight.astype(np.float64) for weight in model.weights]
    gradients = [(b - np.asarray(a)) / RATE for b, a in zip(before, after, strict=True)]
    draw = np.random.default_rng(1)
    direction = [draw.normal(size=weight.shape) for weight in before]

    def loss_at(length: float) -> float:
        weights = [b + length * d for b, d in zip(before, direction, strict=True)]
        return float(model.loss(np, convolved, weights, model.inputs, model.labels))

    derivative = sum(
        float((g * d).sum()) for g, d in zip(gradients, direction, strict=True)
    )
    difference = (loss_at(STEP) - loss_at(-STEP)) / (2 * STEP)
    np.testing.assert_allclose(loss, loss_at(0.0), rtol=1e-4)
    np.testing.assert_allclose(derivative, difference, rtol=2e-2, atol=1e-3)
