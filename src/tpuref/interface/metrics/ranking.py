"""How often the right classes are among the best k."""

from typing import Any

from tpuref.base.dtypes import float64, int64
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import truediv
from tpuref.interface.functions.comparison import equal
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.logic import logical_and
from tpuref.interface.functions.reductions import reduce_any, reduce_sum
from tpuref.interface.functions.reshaping import expand_dims
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.functions.sorting import top_k
from tpuref.interface.metrics.local import (
    Metric,
    collected,
    metric_variable,
    weights_like,
)


def recall_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the fraction of labels that are among the `k` best predictions.

    The result is that of `tf.metrics.mean`, in float64.  `labels` are classes:
    ``[batch, n]`` for `n` different ones of each example, or ``[batch]``.
    `predictions` is a number for each class, ``[batch, classes]``; the greatest is the
    best.  `class_id` is the only class that counts; None for all.  Other parameters are
    those of `tf.metrics.mean`.

    Examples
    --------
    >>> scores = [[0.1, 0.6, 0.3], [0.5, 0.4, 0.1]]
    >>> value, update = tf.metrics.recall_at_k(tf.constant([[2], [2]]), scores, k=2)
    >>> with tf.Session() as sess:
    ...     sess.run(tf.local_variables_initializer())
    ...     float(sess.run(update))
    0.5
    """
    with name_scope(name, _scope("recall", k, class_id)) as own:
        truth, hits, _ = _matches(labels, predictions, k, class_id)
        hit = _per_example(reduce_any(hits, -1), weights)
        missed = _per_example(truth, weights) - hit
        names = f"true_positive_at_{k}", f"false_negative_at_{k}"
        counted = _counted_share(own, names, (hit, missed), class_id)
    return collected(*counted, metrics_collections, updates_collections)


def precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """Return the fraction of the `k` best predictions that are labels.

    Parameters are those of `tf.metrics.recall_at_k`.  Both results are float64.
    """
    with name_scope(name, _scope("precision", k, class_id)) as own:
        _, hits, taken = _matches(labels, predictions, k, class_id)
        hit = _per_example(reduce_any(hits, -2), weights)
        wrong = _per_example(taken, weights) - hit
        names = f"true_positive_at_{k}", f"false_positive_at_{k}"
        counted = _counted_share(own, names, (hit, wrong), class_id)
    return collected(*counted, metrics_collections, updates_collections)


def _scope(name: str, k: int, class_id: int | None) -> str:
    return f"{name}_at_{k}" + ("" if class_id is None else f"_class{class_id}")


def _matches(
    labels: Any, predictions: Any, k: int, class_id: int | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Return masks: labels that count, hits per label and prediction, predictions."""
    truth = cast(convert_to_tensor(labels), int64)
    best = cast(top_k(convert_to_tensor(predictions), k).indices, int64)
    if truth.shape.rank is not None and truth.shape.rank + 1 == best.shape.rank:
        truth = expand_dims(truth, -1)
    counts, taken = (
        equal(x, x) if class_id is None else equal(x, class_id) for x in (truth, best)
    )
    hits = equal(expand_dims(truth, -1), expand_dims(best, -2))
    return counts, logical_and(hits, expand_dims(counts, -1)), taken


def _per_example(marks: Tensor, weights: Any) -> Tensor:
    number = reduce_sum(cast(marks, float64), -1)
    return (
        number if weights is None else number * weights_like(number, weights, float64)
    )


def _counted_share(
    scope: str,
    names: tuple[str, str],
    parts: tuple[Tensor, Tensor],
    class_id: int | None,
) -> Metric:
    """Return the first number over the sum of both, NaN before the first batch."""
    end = "" if class_id is None else f"_class{class_id}"
    counts = [metric_variable([], float64, name + end) for name in names]
    before = [count.value() for count in counts]
    after = [
        count.assign_add(reduce_sum(part))
        for count, part in zip(counts, parts, strict=True)
    ]
    value = truediv(before[0], before[0] + before[1], name=scope)
    return value, truediv(after[0], after[0] + after[1], name="update")
