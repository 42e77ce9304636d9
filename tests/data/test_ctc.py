"""CTC: the numbers are those of TensorFlow 2.21."""

import numpy as np
import pytest

import tpuref as tf

nn = tf.compat.v2.nn

LOGITS = np.round(np.sin(np.arange(32).reshape(4, 2, 4) * 1.7) * 2, 2)
LOGITS = LOGITS.astype(np.float32)
LENGTHS = [4, 3]


pytestmark = pytest.mark.usefixtures("eager")


def parts(sparse):
    return [np.asarray(x).tolist() for x in (sparse.indices, sparse.values)]


def test_loss_and_gradient():
    logits = tf.constant(LOGITS)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = nn.ctc_loss([[1, 1], [3, 0]], logits, [2, 1], LENGTHS)
    np.testing.assert_allclose(loss, [4.8676238, 1.4708467], 1e-6)
    expected = [
        [-0.6132, 0.6055, 0.0301, -0.0224],
        [0.004, 0.0772, 0.0138, -0.095],
        [0.1546, 0.015, 0.0515, -0.221],
        [0.0, 0.0, 0.0, 0.0],
    ]
    np.testing.assert_allclose(tape.gradient(loss, logits)[:, 1], expected, 0, 6e-5)


def test_batches_come_first_in_a_function_and_labels_are_sparse():
    @tf.function
    def loss(logits):
        labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 2], [2, 2])
        return nn.ctc_loss(labels, logits, None, LENGTHS, False, blank_index=-1)

    rows = tf.constant(LOGITS.transpose(1, 0, 2))
    np.testing.assert_allclose(loss(rows), [4.4136949, 5.3028784], 1e-6)


def test_no_alignment_is_the_largest_loss():
    loss = nn.ctc_loss([[1, 1, 1], [0, 0, 0]], tf.zeros([3, 2, 4]), [3, 0], [3, 3])
    assert float(loss[0]) >= 1e30
    np.testing.assert_allclose(loss[1], 3 * np.log(4), 1e-6)


def test_a_label_may_be_the_blank():
    logits = np.arange(24, dtype=np.float32).reshape(2, 4, 3).transpose(1, 0, 2)
    loss = nn.ctc_loss([[1, 2, 1, 0], [1, 2, 1, 2]], logits, [4, 4], [4, 4])
    np.testing.assert_allclose(loss, [5.6304235, 3.6304235], 1e-6)


def test_greedy_decoder():
    (labels,), score = nn.ctc_greedy_decoder(LOGITS, LENGTHS)
    assert parts(labels) == [[[0, 0], [0, 1], [1, 0], [1, 1]], [1, 0, 1, 0]]
    np.testing.assert_allclose(score, [[-7.34], [-5.57]], 1e-6)
    (labels,), _ = nn.ctc_greedy_decoder(LOGITS, LENGTHS, False, blank_index=0)
    assert parts(labels)[1] == [1, 3, 1, 3]


def test_beam_search_decoder():
    found, chances = nn.ctc_beam_search_decoder(LOGITS, LENGTHS, 4, 2)
    assert parts(found[0]) == [[[0, 0], [0, 1], [1, 0], [1, 1]], [1, 0, 1, 0]]
    assert parts(found[1]) == [[[0, 0], [0, 1], [0, 2], [1, 0]], [1, 0, 2, 0]]
    assert np.asarray(found[1].dense_shape).tolist() == [2, 3]
    expected = [[-0.6686943, -2.2499907], [-0.8044759, -1.2545528]]
    np.testing.assert_allclose(chances, expected, 1e-6)
    with pytest.raises(ValueError, match="top_paths must be at most beam_width"):
        nn.ctc_beam_search_decoder(LOGITS, LENGTHS, 1, 2)
