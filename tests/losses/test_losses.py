"""Losses: figures measured on TensorFlow 1.15.5, collections, errors."""

import numpy as np
import pytest

import tpuref as tf

SCORES = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], np.float32)
CLASSES = np.array([2, 0])
LABELS = np.eye(3, dtype=np.float32)[CLASSES]
WEIGHTS = np.array([0.5, 0.0], np.float32)

# TensorFlow 1.15.5: softmax with 0.1 smoothed, sparse softmax, sigmoid with 0.2.
CROSS_ENTROPIES = {
    "none": (
        [0.195656, 0.0],
        [0.120656, 0.0],
        [[0.462038, 0.206631, 0.163464], [0.0, 0.0, 0.0]],
    ),
    "weighted_sum": (0.195656, 0.120656, 0.832133),
    "weighted_mean": (0.391311, 0.241311, 0.554756),
    "weighted_sum_over_batch_size": (0.097828, 0.060328, 0.138689),
    "weighted_sum_by_nonzero_weights": (0.195656, 0.120656, 0.277378),
}

# TensorFlow 1.15.5, with a weight for each row.
OF_NUMBERS = {
    "mean_squared_error": 0.375,
    "absolute_difference": 0.416667,
    "huber_loss": 0.1875,
    "hinge_loss": 0.25,
}


@pytest.mark.parametrize("reduction", tf.losses.Reduction.all())
def test_cross_entropies_are_those_of_1_15(reduction, evaluate):
    losses = [
        tf.losses.softmax_cross_entropy(
            LABELS, SCORES, WEIGHTS, 0.1, reduction=reduction
        ),
        tf.losses.sparse_softmax_cross_entropy(
            CLASSES[:, None], SCORES, WEIGHTS[:, None], reduction=reduction
        ),
        tf.losses.sigmoid_cross_entropy(
            LABELS, SCORES, WEIGHTS[:, None], 0.2, reduction=reduction
        ),
    ]
    for found, wanted in zip(evaluate(losses), CROSS_ENTROPIES[reduction], strict=True):
        np.testing.assert_allclose(found, wanted, atol=2e-6)


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_losses_of_numbers_are_those_of_1_15(name, evaluate):
    loss = getattr(tf.losses, name)(LABELS, SCORES, WEIGHTS[:, None])
    assert evaluate(loss) == pytest.approx(OF_NUMBERS[name], abs=2e-6)
    assert loss.name == f"{name}/value:0"


def test_log_loss_and_cosine_distance_are_those_of_1_15(evaluate):
    losses = [
        tf.losses.log_loss(LABELS, 1 / (1 + np.exp(-SCORES))),
        tf.losses.cosine_distance(LABELS, SCORES, axis=1),
        tf.losses.huber_loss([0.0], [2.0], delta=0.5),
    ]
    np.testing.assert_allclose(evaluate(losses), [0.471415, -0.75, 0.875], atol=2e-6)


def test_losses_are_collected_and_added_up(evaluate):
    first = tf.losses.mean_squared_error([1.0], [3.0])
    with tf.name_scope("tower"):
        second = tf.losses.absolute_difference([1.0], [3.0])
    tf.losses.hinge_loss([1.0], [3.0], loss_collection=None)
    third = tf.constant(10.0)
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, third)
    tf.losses.add_loss(third, "own")
    assert tf.losses.get_losses() == [first, second]
    assert tf.losses.get_losses("tower") == [second]
    assert tf.losses.get_losses(loss_collection="own") == [third]
    totals = [
        tf.losses.get_total_loss(),
        tf.losses.get_total_loss(add_regularization_losses=False),
        tf.losses.get_regularization_loss(),
        tf.losses.get_regularization_loss("nowhere"),
    ]
    assert evaluate(totals) == [16.0, 6.0, 10.0, 0.0]
    assert totals[0].name == "total_loss:0"


def test_nothing_counts_where_all_weights_are_zero(evaluate):
    x = tf.constant([1.0, 2.0])
    loss = tf.losses.mean_squared_error(tf.zeros([2]), x, weights=0.0)
    assert evaluate([loss, tf.gradients(loss, x)[0]])[0] == 0.0


def test_nothing_flows_back_to_labels_of_softmax():
    labels, scores = tf.constant(LABELS), tf.constant(SCORES)
    loss = tf.losses.softmax_cross_entropy(labels, scores)
    assert tf.gradients(loss, [labels])[0] is None


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda u: u.mean_squared_error([1.0], [1.0, 2.0]), "different shapes"),
        (lambda u: u.mean_squared_error(None, [1.0]), "labels must not be None"),
        (lambda u: u.compute_weighted_loss([1.0, 2.0], [1.0] * 3), "do not fit"),
        (lambda u: u.compute_weighted_loss([[1.0, 2.0]], [1.0]), "do not fit"),
        (lambda u: u.mean_squared_error([1.0], [1.0], reduction="mean"), "reduction"),
        (lambda u: u.cosine_distance([[1.0]], [[1.0]]), "axis is missing"),
        (lambda u: u.softmax_cross_entropy([1.0], [[1.0]]), "different shapes"),
    ],
)
def test_errors_say_what_is_expected(build, words):
    with pytest.raises(ValueError, match=words):
        build(tf.losses)
