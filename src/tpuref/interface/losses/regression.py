"""Losses of numbers: how far predictions are from labels."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import one_of
from tpuref.interface.functions.arithmetic import abs as absolute
from tpuref.interface.functions.arithmetic import minimum, squared_difference
from tpuref.interface.functions.reductions import reduce_sum
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.losses.pairs import as_floats
from tpuref.interface.losses.reduction import Reduction
from tpuref.interface.losses.weighted import compute_weighted_loss


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Return the weighted squares of the differences.

    The result is a float32 scalar, or one loss for each element.  `labels` and
    `predictions` are tensors of numbers of the same shape.  `weights`, `scope`,
    `loss_collection` and `reduction` are as for `tf.losses.compute_weighted_loss`.  It
    raises ValueError if the shapes differ.

    Examples
    --------
    >>> loss = tf.losses.mean_squared_error([1.0, 2.0], [1.0, 4.0])
    >>> float(tf.Session().run(loss))
    2.0
    """
    with name_scope(scope, "mean_squared_error") as own:
        truth, predicted = as_floats("mean_squared_error", labels, predictions)
        losses = squared_difference(predicted, truth)
        return compute_weighted_loss(losses, weights, own, loss_collection, reduction)


def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Return the weighted absolute differences.

    The result is a float32 scalar, or one loss for each element.  Parameters are those
    of `tf.losses.mean_squared_error`.
    """
    with name_scope(scope, "absolute_difference") as own:
        truth, predicted = as_floats("absolute_difference", labels, predictions)
        losses = absolute(predicted - truth)
        return compute_weighted_loss(losses, weights, own, loss_collection, reduction)


def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Return the weighted Huber loss: quadratic up to `delta`, then linear.

    The result is a float32 scalar, or one loss for each element.  Other parameters are
    those of `tf.losses.mean_squared_error`.

    Examples
    --------
    >>> loss = tf.losses.huber_loss([1.0, 2.0], [1.0, 4.0])
    >>> float(tf.Session().run(loss))
    0.75
    """
    with name_scope(scope, "huber_loss") as own:
        truth, predicted = as_floats("huber_loss", labels, predictions)
        distance = absolute(predicted - truth)
        near = minimum(distance, delta)
        losses = 0.5 * near * near + delta * (distance - near)
        return compute_weighted_loss(losses, weights, own, loss_collection, reduction)


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Tensor:
    """Return 1 minus the dot product of unit vectors, weighted.

    `labels` and `predictions` are tensors of the same shape whose vectors along `axis`
    have length 1.  `dim` is the former name of `axis`.  `weights`, `scope`,
    `loss_collection` and `reduction` are as for `tf.losses.compute_weighted_loss`.  It
    raises ValueError if the axis is missing, or the shapes differ.

    Examples
    --------
    >>> loss = tf.losses.cosine_distance([[0.6, 0.8]], [[1.0, 0.0]], axis=1)
    >>> round(float(tf.Session().run(loss)), 6)
    0.4
    """
    along = one_of("tf.losses.cosine_distance", axis=axis, dim=dim)
    if along is None:
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            "tf.losses.cosine_distance: axis is missing; give the axis of the vectors"
        )
    with name_scope(scope, "cosine_distance_loss") as own:
        truth, predicted = as_floats("cosine_distance", labels, predictions)
        losses = 1 - reduce_sum(truth * predicted, axis=along, keepdims=True)
        return compute_weighted_loss(losses, weights, own, loss_collection, reduction)
