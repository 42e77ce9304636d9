"""Losses of classes: cross entropies, hinge and log loss."""

from typing import Any

from tpuref.base.dtypes import float32
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.activations import relu
from tpuref.interface.functions.arguments import static_number
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.exponentials import log
from tpuref.interface.functions.extents import rank, shape
from tpuref.interface.functions.identity import stop_gradient
from tpuref.interface.functions.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from tpuref.interface.functions.reshaping import reshape, squeeze
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.losses.pairs import as_floats, check_pair
from tpuref.interface.losses.reduction import Reduction
from tpuref.interface.losses.weighted import compute_weighted_loss


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Return the weighted cross entropy of labels and the softmax of logits.

    `onehot_labels` is the probability of each class, of the shape of `logits`; no
    gradient flows to them.  `logits` is a floating-point tensor ``[batch, classes]``.
    `label_smoothing` is the fraction of each label that is distributed evenly over all
    classes.  `weights`, `scope`, `loss_collection` and `reduction` are as for
    `tf.losses.compute_weighted_loss`; one weight for each example.  It raises
    ValueError if the shapes differ, or something is missing.

    Examples
    --------
    >>> loss = tf.losses.softmax_cross_entropy([[0.0, 1.0]], [[1000.0, 0.0]])
    >>> float(tf.Session().run(loss))
    1000.0
    """
    with name_scope(scope, "softmax_cross_entropy_loss") as own:
        scores = convert_to_tensor(logits)
        labels = cast(convert_to_tensor(onehot_labels), scores.dtype)
        check_pair("softmax_cross_entropy", labels, scores)
        label_smoothing = static_number(label_smoothing, "tf.losses: label_smoothing")
        if label_smoothing:
            classes = cast(shape(labels)[1], scores.dtype)
            labels = labels * (1 - label_smoothing) + label_smoothing / classes
        losses = softmax_cross_entropy_with_logits_v2(
            stop_gradient(labels), scores, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, own, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Return the weighted cross entropy of true classes and the softmax of logits.

    `labels` holds integers of shape ``logits.shape[:-1]``, or with one more axis of
    size 1.  `logits` is a floating-point tensor ``[..., classes]``.  `weights`,
    `scope`, `loss_collection` and `reduction` are as for
    `tf.losses.compute_weighted_loss`; one weight for each label.  It raises ValueError
    if the shapes do not fit.
    """
    with name_scope(scope, "sparse_softmax_cross_entropy_loss") as own:
        classes, scores = convert_to_tensor(labels), convert_to_tensor(logits)
        if None in (classes.shape.rank, scores.shape.rank):
            classes = reshape(classes, shape(classes)[: rank(scores) - 1])
        else:
            classes = _without_last(classes, scores.shape.rank)
        factors = _without_last(
            convert_to_tensor(weights),
            None if classes.shape.rank is None else classes.shape.rank + 1,
        )
        losses = sparse_softmax_cross_entropy_with_logits(
            labels=classes, logits=scores, name="xentropy"
        )
        return compute_weighted_loss(losses, factors, own, loss_collection, reduction)


def _without_last(x: Tensor, rank: int | None) -> Tensor:
    """Drop the last axis, of size 1, of a tensor with this rank."""
    if rank is None or rank == 0 or x.shape.rank != rank:
        return x
    return squeeze(x, [-1])


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Return the weighted cross entropy of labels and the sigmoid of logits.

    `multi_class_labels` are probabilities, of the shape of `logits`.  `logits` is a
    floating-point tensor.  `label_smoothing` is the fraction by which labels are moved
    to 0.5.  Other parameters are those of `tf.losses.compute_weighted_loss`.

    Examples
    --------
    >>> loss = tf.losses.sigmoid_cross_entropy([0.0, 1.0], [1000.0, 1000.0])
    >>> float(tf.Session().run(loss))
    500.0
    """
    with name_scope(scope, "sigmoid_cross_entropy_loss") as own:
        scores = convert_to_tensor(logits)
        labels = cast(convert_to_tensor(multi_class_labels), scores.dtype)
        check_pair("sigmoid_cross_entropy", labels, scores)
        label_smoothing = static_number(label_smoothing, "tf.losses: label_smoothing")
        if label_smoothing:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(
            labels=labels, logits=scores, name="xentropy"
        )
        return compute_weighted_loss(losses, weights, own, loss_collection, reduction)


def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Return the weighted cross entropy of labels and predicted probabilities.

    The result is a float32 scalar, or one loss for each element.  `labels` and
    `predictions` are tensors of numbers between 0 and 1, of the same shape.  `epsilon`
    is a small number that is added to a probability before the logarithm.  `weights`,
    `scope`, `loss_collection` and `reduction` are as for
    `tf.losses.compute_weighted_loss`.

    Examples
    --------
    >>> loss = tf.losses.log_loss([1.0, 0.0], [0.5, 0.5])
    >>> round(float(tf.Session().run(loss)), 5)
    0.69315
    """
    with name_scope(scope, "log_loss") as own:
        truth, predicted = as_floats("log_loss", labels, predictions)
        losses = -truth * log(predicted + epsilon) - (1 - truth) * log(
            1 - predicted + epsilon
        )
        return compute_weighted_loss(losses, weights, own, loss_collection, reduction)


def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Return the weighted hinge loss: ``max(0, 1 - logits)`` for positive labels.

    The result is a float32 scalar, or one loss for each element.  `labels` holds
    numbers 0 and 1, of the shape of `logits`.  `logits` is a tensor of numbers.
    `weights`, `scope`, `loss_collection` and `reduction` are as for
    `tf.losses.compute_weighted_loss`.

    Examples
    --------
    >>> loss = tf.losses.hinge_loss([1.0, 0.0], [3.0, 0.5])
    >>> float(tf.Session().run(loss))
    0.75
    """
    with name_scope(scope, "hinge_loss") as own:
        truth, scores = as_floats("hinge_loss", labels, logits)
        losses = relu(1 - (2 * truth - 1) * cast(scores, float32))
        return compute_weighted_loss(losses, weights, own, loss_collection, reduction)
