"""Metrics at thresholds: a prediction above a threshold is positive."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import integer, listed
from tpuref.base.dtypes import int64
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.along_axis import argmax, argmin, cumsum
from tpuref.interface.functions.arguments import static_number
from tpuref.interface.functions.arithmetic import abs as absolute
from tpuref.interface.functions.comparison import equal
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.reductions import reduce_min
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.metrics.counts import KINDS, counts_at, even_thresholds
from tpuref.interface.metrics.local import Metric, collected

_EPSILON = 1e-7

Measure = Callable[..., Tensor]


def _share(part: Tensor, rest: Tensor) -> Tensor:
    return part / (_EPSILON + part + rest)


def _at_thresholds(
    function: str, noun: str, kinds: tuple[str, ...], measure: Measure
) -> Any:
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


def _counts_at_thresholds(kind: str) -> Any:
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

    `num_thresholds` thresholds are evenly spaced from 0 to 1.  The other parameters and
    the result are those of `tf.metrics.auc`.  It raises ValueError if `specificity` is
    not between 0 and 1.
    """
    function = "sensitivity_at_specificity"
    _check_rate(function, "specificity", specificity)

    def measure(tp: Tensor, fn: Tensor, tn: Tensor, fp: Tensor) -> Tensor:
        closest = argmin(absolute(_share(tn, fp) - specificity), 0)
        return gather(_share(tp, fn), closest)

    given = labels, predictions, weights, num_thresholds
    found = _at_the_closest(function, measure, given, name)
    return collected(*found, metrics_collections, updates_collections)


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

    Of several such thresholds it is the last.  Parameters and result are those of
    `sensitivity_at_specificity`.
    """
    function = "specificity_at_sensitivity"
    _check_rate(function, "sensitivity", sensitivity)

    def measure(tp: Tensor, fn: Tensor, tn: Tensor, fp: Tensor) -> Tensor:
        distances = absolute(_share(tp, fn) - sensitivity)
        closest = cast(equal(distances, reduce_min(distances)), int64)
        last = argmax(cumsum(closest), 0)
        return gather(_share(tn, fp), last)

    given = labels, predictions, weights, num_thresholds
    found = _at_the_closest(function, measure, given, name)
    return collected(*found, metrics_collections, updates_collections)


def _check_rate(function: str, argument: str, given: float) -> None:
    if not 0 <= given <= 1:
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            f"tf.metrics.{function}: {argument}: expected a number from 0 to 1, got "
            f"{given!r}"
        )


def _at_the_closest(
    function: str, measure: Measure, given: tuple[Any, ...], name: str | None
) -> Metric:
    labels, predictions, weights, number = given
    count = integer(f"tf.metrics.{function}: num_thresholds", number)
    levels = even_thresholds(count)
    with name_scope(name, function):
        before, after = counts_at(levels, labels, predictions, weights, KINDS)
        return measure(*before), measure(*after())
