"""Counts of right and wrong predictions, and metrics made of them."""

from collections.abc import Callable
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import integer, listed
from tpuref.base.dtypes import bool_, float32, float64, int64
from tpuref.engine.graph.convert import constant
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_number
from tpuref.interface.functions.arithmetic import div_no_nan
from tpuref.interface.functions.comparison import greater, not_equal
from tpuref.interface.functions.confusion_matrix import confusion_matrix
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import ones_like
from tpuref.interface.functions.diagonals import matrix_diag_part
from tpuref.interface.functions.exponentials import log
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.logic import logical_and, logical_not
from tpuref.interface.functions.reductions import reduce_sum
from tpuref.interface.functions.reshaping import expand_dims, reshape
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.functions.selection import where_v2
from tpuref.interface.metrics.local import (
    Metric,
    aligned,
    collected,
    metric_variable,
    ratio,
    weights_like,
)

# -- counts ------------------------------------------------------------------------


def _count(
    function: str, labelled: bool, predicted: bool, outcome: str
) -> Callable[..., Metric]:
    def metric(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        predicted_true, truth = aligned(cast(predictions, bool_), cast(labels, bool_))
        with name_scope(name, function):
            right = truth if labelled else logical_not(truth)
            chosen = predicted_true if predicted else logical_not(predicted_true)
            counted = cast(logical_and(right, chosen), float32)
            if weights is not None:
                counted = counted * weights_like(counted, weights)
            count = metric_variable([], float32, "count")
            value = identity(count.value())
            update = count.assign_add(reduce_sum(counted))
        return collected(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = function
    metric.__doc__ = f"""Return the number of {outcome}.

    `labels` and `predictions` are tensors of the same shape, which are cast to bool.
    Other parameters and the results are those of `tf.metrics.mean`.

    Examples
    --------
    >>> value, update = tf.metrics.{function}([{labelled}], [{predicted}])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.local_variables_initializer())
    ...     float(sess.run(update))
    1.0
    """
    return metric


true_positives = _count(
    "true_positives", True, True, "predictions that are true and should be"
)
false_positives = _count(
    "false_positives", False, True, "predictions that are true and should not be"
)
true_negatives = _count(
    "true_negatives", False, False, "predictions that are false and should be"
)
false_negatives = _count(
    "false_negatives", True, False, "predictions that are false and should not be"
)


def _share(
    name: str, other: Any, labels: Any, predictions: Any, weights: Any, own: str | None
) -> Metric:
    """Return the fraction of true positives among them and another count."""
    with name_scope(own, name):
        right = true_positives(labels, predictions, weights)
        wrong = other(labels, predictions, weights)
        value = ratio(right[0], right[0] + wrong[0], name="value")
        update = ratio(right[1], right[1] + wrong[1], name="update_op")
    return value, update


def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the precision: the fraction of positive predictions that are correct.

    Parameters are those of `tf.metrics.true_positives`.  The result is that of
    `tf.metrics.mean`.
    """
    tensors = _share("precision", false_positives, labels, predictions, weights, name)
    return collected(*tensors, metrics_collections, updates_collections)


def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the recall: the fraction of positive labels that are predicted.

    Parameters are those of `tf.metrics.true_positives`.  The result is that of
    `tf.metrics.mean`.
    """
    tensors = _share("recall", false_negatives, labels, predictions, weights, name)
    return collected(*tensors, metrics_collections, updates_collections)


# -- the area under a curve --------------------------------------------------------

_OUTSIDE = 1e-7
"""How far the first and the last threshold lie outside of 0 and 1."""


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Any = None,
) -> Metric:
    """Return the area under a curve of rates over thresholds.

    The result and other parameters are those of `tf.metrics.mean`.  `labels` is a
    tensor that is cast to bool.  `predictions` are numbers between 0 and 1, of the same
    shape.  `num_thresholds` is the number of thresholds from 0 to 1.  `thresholds` are
    between 0 and 1; None for even steps.  `curve` is ``"ROC"``: true positives over
    false positives; ``"PR"``: precision over recall.  `summation_method` is
    ``"trapezoidal"``; ``"minoring"`` and ``"majoring"`` for the lower and the upper
    sum; or ``"careful_interpolation"``, which Davis and Goadrich (2006) describe, for
    ``"PR"``; for ``"ROC"`` it means ``"trapezoidal"``.  It raises ValueError if the
    curve or the method is unknown, or both do not go together.

    Examples
    --------
    >>> value, update = tf.metrics.auc([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.local_variables_initializer())
    ...     round(float(sess.run(update)), 3)
    0.75
    """
    methods = {"trapezoidal", "minoring", "majoring", "careful_interpolation"}
    if (
        curve not in ("ROC", "PR")
        or not isinstance(summation_method, str)
        or summation_method not in methods
    ):
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            f"tf.metrics.auc: expected curve 'ROC' or 'PR', got {curve!r}, and a "
            f"summation_method of {sorted(methods)}, got {summation_method!r}"
        )
    if thresholds is None:
        steps = integer("tf.metrics.auc: num_thresholds", num_thresholds) - 1
        inner = [k / steps for k in range(1, steps)]
    else:
        argument = "tf.metrics.auc: thresholds"
        inner = sorted(static_number(x, argument) for x in listed(argument, thresholds))
    levels = [-_OUTSIDE, *inner, 1.0 + _OUTSIDE]
    with name_scope(name, "auc"):
        before, after = _counts_at(levels, labels, predictions, weights)
        value = _area(before, curve, summation_method, "value")
        update = _area(after(), curve, summation_method, "update_op")
    return collected(value, update, metrics_collections, updates_collections)


def _counts_at(
    levels: list[float], labels: Any, predictions: Any, weights: Any
) -> tuple[list[Tensor], Any]:
    """Return the counts per threshold so far, and a function to add a batch."""
    predicted, truth = aligned(cast(predictions, float32), cast(labels, bool_))
    over = greater(reshape(predicted, [1, -1]), expand_dims(constant(levels), 1))
    right = reshape(truth, [1, -1])
    under, wrong = logical_not(over), logical_not(right)
    factor = (
        None if weights is None else reshape(weights_like(predicted, weights), [1, -1])
    )
    pairs = {
        "true_positives": (right, over),
        "false_negatives": (right, under),
        "true_negatives": (wrong, under),
        "false_positives": (wrong, over),
    }
    counts = [metric_variable([len(levels)], float32, kind) for kind in pairs]
    before = [count.value() for count in counts]

    def after() -> list[Tensor]:
        added = []
        for count, pair in zip(counts, pairs.values(), strict=True):
            hits = cast(logical_and(*pair), float32)
            hits = hits if factor is None else hits * factor
            added.append(count.assign_add(reduce_sum(hits, 1)))
        return added

    return before, after


def _area(counts: list[Tensor], curve: str, method: str, name: str) -> Tensor:
    tp, fn, tn, fp = counts
    if method == "careful_interpolation":
        if curve == "PR":
            return _interpolated_area(tp, fn, fp, name)
        method = "trapezoidal"
    small = 1e-6
    rate = (tp + small) / (tp + fn + small)
    if curve == "ROC":
        x, y = fp / (fp + tn + small), rate
    else:
        x, y = rate, (tp + small) / (tp + fp + small)
    one, other = y[:-1], y[1:]
    heights = {
        "trapezoidal": (one + other) / 2,
        "minoring": where_v2(greater(one, other), other, one),
        "majoring": where_v2(greater(one, other), one, other),
    }
    return reduce_sum((x[:-1] - x[1:]) * heights[method], name=name)


def _interpolated_area(tp: Tensor, fn: Tensor, fp: Tensor, name: str) -> Tensor:
    """Interpolate true positives linearly in all positives between thresholds."""
    from_tp, positives = tp[:-1] - tp[1:], tp + fp
    slope = div_no_nan(from_tp, positives[:-1] - positives[1:])
    intercept = tp[1:] - slope * positives[1:]
    known = logical_and(positives[:-1] > 0, positives[1:] > 0)
    quotient = div_no_nan(positives[:-1], positives[1:])
    safe = where_v2(known, quotient, ones_like(quotient))
    part = slope * (from_tp + intercept * log(safe))
    return reduce_sum(div_no_nan(part, tp[1:] + fn[1:]), name=name)


# -- classes -----------------------------------------------------------------------


def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the mean over classes of intersection divided by union.

    `labels` and `predictions` are integers of the same shape,
    ``0 <= class < num_classes``.  `num_classes` is the number of classes; those that do
    not occur count for nothing.  `weights`, `metrics_collections`,
    `updates_collections` and `name` are as for `tf.metrics.mean`.  The results are the
    mean so far, and the operation that adds a batch and gives the counts of each
    prediction for each label.

    Examples
    --------
    >>> value, update = tf.metrics.mean_iou([0, 0, 1, 1], [0, 0, 0, 1], num_classes=2)
    >>> with tf.Session() as sess:
    ...     sess.run(tf.local_variables_initializer())
    ...     counts = sess.run(update)
    ...     round(float(sess.run(value)), 4)
    0.5833
    """
    with name_scope(name, "mean_iou"):
        counts, update = streaming_confusion_matrix(
            labels, predictions, num_classes, weights
        )
        right = cast(matrix_diag_part(counts), float32)
        rows, columns = (cast(reduce_sum(counts, axis), float32) for axis in (0, 1))
        union = rows + columns - right
        known = reduce_sum(cast(not_equal(union, 0.0), float32))
        value = ratio(reduce_sum(div_no_nan(right, union)), known, name="mean_iou")
    return collected(value, update, metrics_collections, updates_collections)


def streaming_confusion_matrix(
    labels: Any, predictions: Any, num_classes: int, weights: Any = None
) -> Metric:
    """Return the counts of each prediction for each label so far, and their update."""
    truth, predicted = aligned(cast(labels, int64), cast(predictions, int64))
    factors = None if weights is None else weights_like(predicted, weights)
    shape = [num_classes, num_classes]
    counts = metric_variable(shape, float64, "total_confusion_matrix")
    value = counts.value()
    batch = confusion_matrix(truth, predicted, num_classes, float64, None, factors)
    return value, counts.assign_add(batch)
