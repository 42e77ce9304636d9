"""Metrics at thresholds: a prediction above a threshold is positive."""

from collections.abc import Callable
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import integer, listed
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.along_axis import argmin
from tpuref.interface.functions.arguments import static_number
from tpuref.interface.functions.arithmetic import abs as absolute
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.metrics.counts import KINDS, counts_at
from tpuref.interface.metrics.local import Metric, collected

_EPSILON = 1e-7

Measure = Callable[..., Tensor]


def _share(part: Tensor, rest: Tensor) -> Tensor:
    return part / (_EPSILON + part + rest)


def _at_thresholds(
    function: str, noun: str, kinds: tuple[str, ...], measure: Measure
) -> Callable[..., Metric]:
    def metric(
        labels: Any,
        predictions: Any,
        thresholds: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> Metric:
        argument = f"tf.metrics.{function}: thresholds"
        levels = [static_number(x, argument) for x in listed(argument, thresholds)]
        with name_scope(name, function):
            before, after = counts_at(levels, labels, predictions, weights, kinds)
            value, update = measure(*before), measure(*after())
        return collected(value, update, metrics_collections, updates_collections)

    metric.__name__ = metric.__qualname__ = function
    metric.__doc__ = f"""Return the {noun} for each threshold.

    `thresholds` are numbers; a prediction is positive if it is greater.  `labels` are
    cast to bool, and `predictions` are numbers of the same shape.  The other parameters
    and the result are those of `tf.metrics.mean`, with a value for each threshold.

    Examples
    --------
    >>> metric = tf.metrics.{function}
    >>> value, update = metric([0, 1, 1], [0.2, 0.6, 0.7], thresholds=[0.0, 0.65])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.local_variables_initializer())
    ...     sess.run(update).shape
    (2,)
    """
    return metric


def _counts_at_thresholds(kind: str) -> Callable[..., Metric]:
    noun = f"number of {kind.replace('_', ' ')}"
    return _at_thresholds(f"{kind}_at_thresholds", noun, (kind,), identity)


true_positives_at_thresholds = _counts_at_thresholds("true_positives")
false_negatives_at_thresholds = _counts_at_thresholds("false_negatives")
true_negatives_at_thresholds = _counts_at_thresholds("true_negatives")
false_positives_at_thresholds = _counts_at_thresholds("false_positives")
precision_at_thresholds = _at_thresholds(
    "precision_at_thresholds",
    "precision",
    ("true_positives", "false_positives"),
    _share,
)
recall_at_thresholds = _at_thresholds(
    "recall_at_thresholds", "recall", ("true_positives", "false_negatives"), _share
)


# -- one rate at the threshold that gives another ------------------------------------


def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the sensitivity at the threshold whose specificity is closest to a value.

    The sensitivity is the fraction of positive labels that are predicted, the
    specificity that of negative labels.  Of several thresholds the lowest counts.
    `specificity` is between 0 and 1, or it raises ValueError.  `num_thresholds` is the
    number of even steps from 0 to 1.  Other parameters and the result are those of
    `tf.metrics.recall_at_thresholds`, with a single value.

    Examples
    --------
    >>> value, update = tf.metrics.sensitivity_at_specificity(
    ...     [0, 0, 1, 1], [0.1, 0.6, 0.5, 0.8], specificity=0.9
    ... )
    >>> with tf.Session() as sess:
    ...     sess.run(tf.local_variables_initializer())
    ...     round(float(sess.run(update)), 3)
    0.5
    """

    def measure(tp: Tensor, fn: Tensor, tn: Tensor, fp: Tensor) -> Tensor:
        return gather(_share(tp, fn), argmin(absolute(_share(tn, fp) - specificity), 0))

    given = labels, predictions, specificity, weights, num_thresholds
    collections = metrics_collections, updates_collections
    return _rate_at("sensitivity_at_specificity", measure, *given, *collections, name)


def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the specificity at the threshold whose sensitivity is closest to a value.

    Of several thresholds the highest counts.  Parameters, result and errors are those
    of `sensitivity_at_specificity`, with `sensitivity` instead of `specificity`.
    """

    def measure(tp: Tensor, fn: Tensor, tn: Tensor, fp: Tensor) -> Tensor:
        backwards = absolute(_share(tp, fn) - sensitivity)[::-1]
        return gather(_share(tn, fp)[::-1], argmin(backwards, 0))

    given = labels, predictions, sensitivity, weights, num_thresholds
    collections = metrics_collections, updates_collections
    return _rate_at("specificity_at_sensitivity", measure, *given, *collections, name)


def _rate_at(
    function: str,
    measure: Measure,
    labels: Any,
    predictions: Any,
    rate: float,
    weights: Any,
    steps: int,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> Metric:
    if not 0 <= rate <= 1:
        noun = function.partition("_at_")[2]
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            f"tf.metrics.{function}: {noun}: expected 0 to 1, got {rate!r}"
        )
    last = integer(f"tf.metrics.{function}: num_thresholds", steps) - 1
    levels = [-_EPSILON, *(k / last for k in range(1, last)), 1.0 - _EPSILON]
    with name_scope(name, function):
        before, after = counts_at(levels, labels, predictions, weights, KINDS)
        value, update = measure(*before), measure(*after())
    return collected(value, update, metrics_collections, updates_collections)
