"""Metrics: what NumPy counts over two batches, names as on TensorFlow 1.15.5."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.interface.metrics import accumulated

RNG = np.random.default_rng(3)
LABELS = RNG.integers(0, 5, (2, 8))
PREDICTED = np.where(RNG.random((2, 8)) < 0.6, LABELS, RNG.integers(0, 5, (2, 8)))
TRUE = RNG.random((2, 8)) < 0.5
SHARES = (0.4 * TRUE + 0.6 * RNG.random((2, 8))).astype("f")
WEIGHTS = RNG.integers(0, 3, (2, 8)).astype("f")
OVER = SHARES > 0.4


def counted(make, *batches):
    """Return the value after each batch, and the updates."""
    inputs = [tf.placeholder(batch.dtype, batch.shape[1:]) for batch in batches]
    value, update = make(*inputs)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        found = []
        for each in zip(*batches, strict=True):
            updated = session.run(update, dict(zip(inputs, each, strict=True)))
            found.append((session.run(value), updated))
    return found


def so_far(function, *batches):
    """Return a function of all elements up to each batch."""
    return [function(*(b[: n + 1].ravel() for b in batches)) for n in range(2)]


def weighted(part, weights):
    return (part * weights).sum() / weights.sum()


MEANS = {
    "mean": (lambda x, y, w: tf.metrics.mean(y, w), lambda x, y, w: weighted(y, w)),
    "accuracy": (lambda x, y, w: tf.metrics.accuracy(x > 0.5, y > 0.4, w), lambda x, y,
        w: weighted((x > 0.5) == (y > 0.4), w)),
    "mean_squared_error": (tf.metrics.mean_squared_error, lambda x, y,
        w: weighted((x - y) ** 2, w)),
    "mean_absolute_error": (tf.metrics.mean_absolute_error, lambda x, y,
        w: weighted(abs(x - y), w)),
    "root_mean_squared_error": (tf.metrics.root_mean_squared_error, lambda x, y,
        w: weighted((x - y) ** 2, w) ** 0.5),
    "precision": (lambda x, y, w: tf.metrics.precision(x, y > 0.4, w), lambda x, y,
        w: weighted(x, w * (y > 0.4))),
    "recall": (lambda x, y, w: tf.metrics.recall(x, y > 0.4, w), lambda x, y,
        w: weighted(y > 0.4, w * x)),
}  # fmt: skip


@pytest.mark.parametrize("name", MEANS)
def test_means_are_those_of_all_batches(name):
    make, wanted = MEANS[name]
    batches = TRUE.astype("f"), SHARES, WEIGHTS
    found = counted(make, *batches)
    for (value, update), right in zip(found, so_far(wanted, *batches), strict=True):
        assert value == update == pytest.approx(right, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "hits"),
    [
        ("true_positives", TRUE & OVER),
        ("false_positives", ~TRUE & OVER),
        ("true_negatives", ~TRUE & ~OVER),
        ("false_negatives", TRUE & ~OVER),
    ],
)
def test_counts_add_up(name, hits):
    found = counted(getattr(tf.metrics, name), TRUE, OVER, WEIGHTS)
    assert found[1][0] == (hits * WEIGHTS).sum()
    (count,) = tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)
    assert count.name == f"{name}/count:0"
    assert tf.local_variables() == [count] and not tf.global_variables()


def test_auc_is_the_share_of_pairs_in_order():
    found = counted(
        lambda x, y: tf.metrics.auc(x, y, num_thresholds=2000), TRUE, SHARES
    )
    right, wrong = SHARES[TRUE], SHARES[~TRUE]
    wanted = (right[:, None] > wrong).mean()
    assert found[1][0] == found[1][1] == pytest.approx(wanted, abs=2e-3)


# TensorFlow 1.15.5, with 11 thresholds, for the eight numbers below.
AREAS = {
    ("ROC", "trapezoidal"): 0.875,
    ("ROC", "minoring"): 0.8125,
    ("ROC", "majoring"): 0.9375,
    ("PR", "trapezoidal"): 0.895833,
    ("PR", "careful_interpolation"): 0.887327,
}


@pytest.mark.parametrize(("curve", "method"), AREAS)
def test_areas_are_those_of_1_15(curve, method):
    ((value, _),) = counted(
        lambda x, y: tf.metrics.auc(
            x, y, curve=curve, summation_method=method, num_thresholds=11
        ),
        np.array([[0, 0, 1, 1, 0, 1, 0, 1]]),
        np.array([[0.1, 0.4, 0.35, 0.8, 0.7, 0.65, 0.2, 0.9]], "f"),
    )
    assert value == pytest.approx(AREAS[curve, method], abs=2e-6)


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match="careful_interpolation"):
        tf.metrics.auc([True], [0.5], summation_method="careful")


def test_mean_iou_and_confusion_matrix():
    found = counted(
        lambda x, y, w: tf.metrics.mean_iou(x, y, 6, w), LABELS, PREDICTED, WEIGHTS
    )
    counts = np.zeros((6, 6))
    np.add.at(counts, (LABELS, PREDICTED), WEIGHTS)
    right = np.diag(counts)
    union = counts.sum(0) + counts.sum(1) - right
    assert (found[1][1] == counts).all()
    wanted = (right[union > 0] / union[union > 0]).mean()
    assert found[1][0] == pytest.approx(wanted, abs=1e-6)


def test_recall_and_precision_at_k():
    scores = RNG.random((2, 8, 5)).astype("f") + 0.5 * np.eye(5, dtype="f")[LABELS]
    several = np.stack([LABELS, (LABELS + 2) % 5], -1)
    best = np.argsort(-scores, -1)[..., :3]
    hits = (several[..., :, None] == best[..., None, :]).sum()
    recall = counted(lambda x, y: tf.metrics.recall_at_k(x, y, 3), several, scores)
    assert recall[1][0] == pytest.approx(hits / several.size)
    shares = counted(lambda x, y: tf.metrics.precision_at_k(x, y, 3), several, scores)
    assert shares[1][1] == pytest.approx(hits / best.size)
    one = counted(
        lambda x, y: tf.metrics.recall_at_k(x, y, 3, class_id=1), several, scores
    )
    mine = several == 1
    found = (mine & (best == 1).any(-1, keepdims=True)).sum()
    assert one[1][0] == pytest.approx(found / mine.sum())
    assert [v.name for v in tf.local_variables()][:2] == [
        "recall_at_3/true_positive_at_3:0",
        "recall_at_3/false_negative_at_3:0",
    ]


def test_names_and_collections_are_those_of_1_15():
    value, update = tf.metrics.mean([1.0], metrics_collections="m", name="mine")
    tf.metrics.mean([1.0], updates_collections=["u"])
    assert (value.name, update.name) == ("mine/value:0", "mine/update_op:0")
    assert tf.get_collection("m") == [value] and len(tf.get_collection("u")) == 1
    names = [v.name for v in tf.get_collection(tf.GraphKeys.LOCAL_VARIABLES)]
    assert names == ["mine/total:0", "mine/count:0", "mean/total:0", "mean/count:0"]


def test_a_metric_needs_a_graph_and_fitting_shapes():
    with pytest.raises(ValueError, match="different shapes"):
        tf.metrics.accuracy([1, 2, 3], [1, 2])
    with tf.eager_execution(), pytest.raises(RuntimeError, match="eager"):
        tf.metrics.mean([1.0])


def test_interpolation_of_roc_is_the_trapezoidal_rule(session):
    """As in 1.15.5, which warns that only PR has the other."""
    labels, guesses = tf.constant([0.0, 1, 1, 0]), tf.constant([0.2, 0.8, 0.3, 0.6])
    _, update = tf.metrics.auc(
        labels, guesses, summation_method="careful_interpolation"
    )
    session.run(tf.local_variables_initializer())
    assert session.run(update) == pytest.approx(0.74999976)


@pytest.mark.parametrize("part", ["call", "update"])
def test_a_call_of_a_metric_object_in_a_graph_counts_its_batch(part, session):
    """As on TensorFlow 1.15.5, where an update is the last variable's new value.

    With Keras installed, `tf.keras.metrics` has its classes instead.
    """
    batch = tf.placeholder(tf.float32, [2])
    mean, right = accumulated.Mean(), accumulated.Accuracy()
    if part == "call":
        fetches = [mean(batch), right(batch, [5.0, 0.0])]
    else:
        fetches = [mean.update_state(batch), right.update_state(batch, [5.0, 0.0])]
    session.run([v.initializer for v in mean.variables + right.variables])
    found = [session.run(fetches, {batch: v}) for v in ([1.0, 3.0], [5.0, 7.0])]
    assert found == ([[2, 0], [4, 0.25]] if part == "call" else [[2, 2], [4, 4]])


# -- tf.contrib.metrics: as on TensorFlow 1.15.5 -------------------------------------

TRUTH = np.array([[1, 0, 1, 1], [0, 1, 0, 1]], "f")
FOUND = np.array([[0.9, 0.2, 0.4, 0.7], [0.6, 0.5, 0.1, 0.3]], "f")
FACTORS = np.array([[1, 2, 0.5, 1], [1, 1, 3, 0.5]], "f")

STREAMED = {
    "mean_absolute_error": 0.285, "root_mean_squared_error": 0.35285,
    "covariance": 0.10556, "pearson_correlation": 0.71346,
}  # fmt: skip


@pytest.mark.parametrize("name", STREAMED)
def test_streaming_metrics_take_predictions_first(name):
    metric = getattr(tf.contrib.metrics, f"streaming_{name}")
    found = counted(lambda x, y, w: metric(y, x, w), TRUTH, FOUND, FACTORS)
    assert found[1] == pytest.approx((STREAMED[name],) * 2, abs=1e-5)


def test_batches_are_joined():
    concat = tf.contrib.metrics.streaming_concat
    found = counted(lambda x: concat(x), FOUND)
    assert found[1][0].tolist() == FOUND.ravel().tolist() and found[1][1] == 8
    found = counted(lambda x: concat(tf.reshape(x, [2, 2]), 1, max_size=3), FOUND)
    wanted = np.array([[0.9, 0.2, 0.6], [0.4, 0.7, 0.1]], "f")
    assert (found[1][0] == wanted).all() and found[1][1] == 3


def test_what_is_joined_has_known_sizes_beside_the_axis():
    with pytest.raises(ValueError, match="expected known sizes but for axis 0"):
        tf.contrib.metrics.streaming_concat(tf.placeholder(tf.float32, [2, None]))


def test_metrics_are_sorted_into_values_and_updates():
    metrics = {"a": (1, 2), "b": (3, 4)}
    values, updates = tf.contrib.metrics.aggregate_metric_map(metrics)
    assert (values, updates) == ({"a": 1, "b": 3}, {"a": 2, "b": 4})
