"""Metrics at thresholds: a prediction above a threshold is positive."""

from collections.abc import Callable
from typing import Any

from tpuref.base.arguments import listed
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_number
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.metrics.counts import counts_at
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
