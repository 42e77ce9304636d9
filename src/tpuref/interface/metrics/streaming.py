"""Metrics of ``tf.contrib.metrics``, which take predictions before labels."""

from collections.abc import Callable, Mapping
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import float32
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import div_no_nan, minimum
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import ones_like
from tpuref.interface.functions.exponentials import sqrt
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.reductions import reduce_sum
from tpuref.interface.functions.scopes import control_dependencies, name_scope
from tpuref.interface.functions.selection import where_v2
from tpuref.interface.metrics import means, ranking
from tpuref.interface.metrics.local import (
    Metric,
    aligned,
    collected,
    metric_variable,
    weights_like,
)


def _predictions_first(metric: Callable[..., Metric]) -> Callable[..., Metric]:
    def streaming(predictions: Any, labels: Any, *others: Any, **named: Any) -> Metric:
        """Return a metric of `tf.metrics`, whose other parameters are the same."""
        return metric(labels, predictions, *others, **named)

    return streaming


streaming_mean = means.mean
streaming_mean_absolute_error = _predictions_first(means.mean_absolute_error)
streaming_root_mean_squared_error = _predictions_first(means.root_mean_squared_error)
streaming_sparse_precision_at_k = _predictions_first(ranking.precision_at_k)
streaming_sparse_recall_at_k = _predictions_first(ranking.recall_at_k)


def streaming_concat(
    values: Any,
    axis: int = 0,
    max_size: int | None = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the values of all batches, joined along an axis, and their number.

    `values` has static sizes but for `axis`.  Values after the first `max_size` are
    left out.  The other parameters are those of `tf.metrics.mean`.

    Examples
    --------
    >>> value, update = tf.contrib.metrics.streaming_concat(tf.constant([1.0, 2.0]))
    >>> with tf.Session() as sess:
    ...     sess.run(tf.local_variables_initializer())
    ...     int(sess.run(update)), int(sess.run(update)), sess.run(value).tolist()
    (2, 4, [1.0, 2.0, 1.0, 2.0])
    """
    with name_scope(name, "streaming_concat"):
        batch = convert_to_tensor(values)
        sizes = batch.shape.as_list()
        axis %= len(sizes)
        if None in sizes[:axis] + sizes[axis + 1 :]:
            raise codes.WRONG_SHAPE.value_error(
                "tf.contrib.metrics.streaming_concat: values: expected known sizes but "
                f"for axis {axis}, got {batch.describe()}; use set_shape"
            )
        empty = [0 if n == axis else size or 0 for n, size in enumerate(sizes)]
        array = metric_variable(empty, batch.dtype, "array", validate_shape=False)
        value = identity(array.value(), name="concat")
        value.set_shape([None if n == axis else s for n, s in enumerate(sizes)])
        if max_size is not None:
            room = minimum(
                max_size - shape_of(array.value())[axis], shape_of(batch)[axis]
            )
            batch = batch[(slice(None),) * axis + (slice(room),)]
        joined = array.assign(concat([array.value(), batch], axis))
        update = shape_of(joined)[axis]
    return collected(value, update, metrics_collections, updates_collections)


def streaming_covariance(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the unbiased covariance of predictions and labels, NaN of one pair.

    Parameters and result are those of `tf.metrics.mean_absolute_error`, with the
    predictions first.  Batches are merged as Chan et al. (1979) describe.
    """
    truth, predicted = aligned(labels, predictions)
    with name_scope(name, "covariance"):
        names = "count", "mean_prediction", "mean_label", "comoment"
        variables = [metric_variable([], float32, one) for one in names]
        before = [variable.value() for variable in variables]
        factors = ones_like(truth) if weights is None else weights_like(truth, weights)
        added = reduce_sum(cast(factors, float32))
        number = before[0] + added
        batch = [div_no_nan(reduce_sum(x * factors), added) for x in (predicted, truth)]
        steps = [one - mean for one, mean in zip(batch, before[1:3], strict=True)]
        product = reduce_sum((predicted - batch[0]) * (truth - batch[1]) * factors)
        between = steps[0] * steps[1] * div_no_nan(before[0] * added, number)
        shares = [step * div_no_nan(added, number) for step in steps]
        changes = added, *shares, product + between
        after = [v.assign_add(c) for v, c in zip(variables, changes, strict=True)]
        with control_dependencies(after):
            update = _sample_covariance(after[0], after[3])
        value = _sample_covariance(before[0], before[3])
    return collected(value, update, metrics_collections, updates_collections)


def _sample_covariance(count: Tensor, comoment: Tensor) -> Tensor:
    return where_v2(count <= 1.0, float("nan"), comoment / (count - 1.0))


def streaming_pearson_correlation(
    predictions: Any,
    labels: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return Pearson's correlation; parameters are those of `streaming_covariance`."""
    truth, predicted = aligned(labels, predictions)
    with name_scope(name, "pearson_r"):
        pairs = (predicted, truth), (predicted, predicted), (truth, truth)
        both = [streaming_covariance(x, y, weights) for x, y in pairs]
        value, update = (
            together / (sqrt(own) * sqrt(other))
            for together, own, other in zip(*both, strict=True)
        )
    return collected(value, update, metrics_collections, updates_collections)


def aggregate_metric_map(
    names_to_tuples: Mapping[str, Metric],
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Return the values of metrics by name, and their updates by name.

    Examples
    --------
    >>> metrics = {"mean": tf.contrib.metrics.streaming_mean([1.0])}
    >>> sorted(tf.contrib.metrics.aggregate_metric_map(metrics)[1])
    ['mean']
    """
    values = {name: metric[0] for name, metric in names_to_tuples.items()}
    return values, {name: metric[1] for name, metric in names_to_tuples.items()}
