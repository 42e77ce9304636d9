"""Means over batches: of values, of hits, and of errors."""

from typing import Any

from tpuref.base.arguments import name_or
from tpuref.base.dtypes import float32
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.interface.functions.arithmetic import abs as absolute
from tpuref.interface.functions.arithmetic import squared_difference
from tpuref.interface.functions.comparison import equal
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.exponentials import sqrt
from tpuref.interface.functions.extents import size
from tpuref.interface.functions.reductions import reduce_sum
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.metrics import local


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> local.Metric:
    """Return the mean of values over batches; it raises RuntimeError in eager mode.

    `values` is a tensor of numbers.  `weights` is the weight of each value, by default
    1: a tensor that broadcasts to the values.  `metrics_collections` and
    `updates_collections` are collections to add the value and the update to.  The
    results are the mean so far, and the operation that adds a batch and returns the new
    mean.  The totals are local variables.

    Examples
    --------
    >>> value, update = tf.metrics.mean([1.0, 3.0])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.local_variables_initializer())
    ...     float(sess.run(update))
    2.0
    """
    with name_scope(name, "mean"):
        tensor = cast(convert_to_tensor(values), float32)
        total = local.metric_variable([], float32, "total")
        count = local.metric_variable([], float32, "count")
        if weights is None:
            number = cast(size(tensor), float32)
        else:
            factors = local.weights_like(tensor, weights)
            tensor, number = tensor * factors, reduce_sum(factors)
        value = local.ratio(total, count, name="value")
        added = total.assign_add(reduce_sum(tensor)), count.assign_add(number)
        update = local.ratio(*added, name="update_op")
    return local.collected(value, update, metrics_collections, updates_collections)


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> local.Metric:
    """Return the accuracy: the fraction of predictions that equal their labels.

    The result is that of `tf.metrics.mean`.  `labels` and `predictions` are tensors of
    the same shape; either may have one more axis of size 1.  `weights`,
    `metrics_collections`, `updates_collections` and `name` are as for
    `tf.metrics.mean`.  It raises ValueError if the shapes differ.
    """
    truth, predicted = local.aligned(labels, predictions)
    hits = cast(equal(cast(predicted, truth.dtype), truth), float32)
    both = metrics_collections, updates_collections
    return mean(hits, weights, *both, name_or(name, "accuracy"))


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> local.Metric:
    """Return the mean of the squares of the differences; as `tf.metrics.accuracy`."""
    truth, predicted = local.aligned(labels, predictions)
    both = metrics_collections, updates_collections
    own = name_or(name, "mean_squared_error")
    return mean(squared_difference(predicted, truth), weights, *both, own)


def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> local.Metric:
    """Return the mean of the absolute differences; as `tf.metrics.accuracy`."""
    truth, predicted = local.aligned(labels, predictions)
    both = metrics_collections, updates_collections
    own = name_or(name, "mean_absolute_error")
    return mean(absolute(predicted - truth), weights, *both, own)


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> local.Metric:
    """Return the root of the mean of the squares; as `tf.metrics.accuracy`."""
    square, update = mean_squared_error(
        labels, predictions, weights, name=name_or(name, "root_mean_squared_error")
    )
    return local.collected(
        sqrt(square), sqrt(update), metrics_collections, updates_collections
    )
