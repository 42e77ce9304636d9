"""Cells and dynamic_rnn: what TensorFlow 1.15.5 computes."""

import numpy as np
import pytest

import tpuref as tf

ROWS = np.linspace(-2, 2, 2 * 4 * 3).reshape(2, 4, 3).astype("f")
KERNEL = np.sin(np.arange(160)).reshape(8, 20)

# Sums of outputs, state (c and h, or both) and gradients of rows, kernel and bias;
# plain and weighted with the cosines of their positions.
WHOLE = [(-3.4788, -0.5653), (0.6974, 4.6438), (-1.275, 1.4008), (1.7353, 0.8991),
         (3.6373, 0.9844), (7.1762, 0.8643)]  # fmt: skip
LENGTHS = [(-1.6751, 0.7478), (1.4115, 3.2151), (-1.0804, 0.9973), (1.2493, 0.6655),
           (9.4186, 1.3774), (4.8298, 0.5763)]  # fmt: skip
SHORTER = [(-2.1269, -1.1711), (-0.5685, 1.7693), (-0.7787, 0.9733), (0.9148, 1.1876),
           (-6.1704, 0.3467), (4.3557, 0.4103)]  # fmt: skip
JOINED = [(-3.1626, -0.4881), (-0.3656, 2.7697), (0.2402, -0.3653), (-5.6712, -0.1006),
          (3.3759, 0.2429)]  # fmt: skip
RELU = [(3.3568, 0.6779), (7.4606, 5.1928), (1.1568, 0.3722), (6.6612, -0.3696),
        (23.8231, -1.336), (12.5946, 2.1983)]  # fmt: skip


def sums(array):
    flat = np.asarray(array, float).ravel()
    return flat.sum(), flat @ np.cos(np.arange(flat.size))


@pytest.mark.parametrize("known", [True, False], ids=["static", "dynamic"])
@pytest.mark.parametrize(
    ("cell", "given", "expected"),
    [
        ({}, {}, WHOLE),
        ({}, {"sequence_length": [2, 4]}, LENGTHS),
        ({}, {"sequence_length": [3, 1]}, SHORTER),
        ({"state_is_tuple": False, "forget_bias": 0.5}, {}, JOINED),
        ({"activation": tf.nn.relu}, {}, RELU),
    ],
    ids=["whole", "lengths", "shorter", "joined", "relu"],
)
def test_an_lstm_computes_what_tensorflow_computes(
    cell, given, expected, known, evaluate
):
    rows = (
        tf.constant(ROWS)
        if known
        else tf.placeholder_with_default(ROWS, [None, None, 3])
    )
    own = tf.nn.rnn_cell.BasicLSTMCell(5, **cell)
    outputs, state = tf.nn.dynamic_rnn(own, rows, dtype=tf.float32, **given)
    assert outputs.shape.as_list() == ([2, 4, 5] if known else [None, None, 5])
    loss = tf.reduce_sum(outputs**2) + tf.reduce_sum(state[0])
    gradients = tf.gradients(loss, [rows, *own.variables])
    evaluate(own.kernel.assign(KERNEL))
    values = tf.nest.flatten(evaluate([outputs, state, gradients]))
    assert [sums(value) for value in values] == [
        pytest.approx(pair, abs=1e-4) for pair in expected
    ]


def test_time_may_come_first_and_a_state_be_given(evaluate):
    cell = tf.nn.rnn_cell.BasicLSTMCell(5)
    first = cell.zero_state(2, tf.float32)
    rows, _ = tf.nn.dynamic_rnn(cell, ROWS, initial_state=first)
    times, _ = tf.nn.dynamic_rnn(
        cell, ROWS.swapaxes(0, 1), dtype=tf.float32, time_major=True
    )
    half, state = tf.nn.dynamic_rnn(cell, ROWS[:, :2], dtype=tf.float32)
    rest, _ = tf.nn.dynamic_rnn(cell, ROWS[:, 2:], initial_state=state)
    names = [variable.name for variable in cell.variables]
    assert names == ["rnn/basic_lstm_cell/kernel:0", "rnn/basic_lstm_cell/bias:0"]
    by_row, by_time, *parts = evaluate([rows, times, half, rest])
    np.testing.assert_array_equal(by_row, by_time.swapaxes(0, 1))
    np.testing.assert_array_equal(by_row, np.concatenate(parts, 1))


def test_cores_train_an_lstm_as_one_device_does():
    def losses(cores):
        def step(rows):
            cell = tf.nn.rnn_cell.BasicLSTMCell(4)
            outputs, _ = tf.nn.dynamic_rnn(cell, rows, dtype=tf.float32)
            loss = tf.reduce_mean((outputs - 0.5) ** 2)
            optimizer = tf.train.GradientDescentOptimizer(1.0)
            train = tf.tpu.CrossShardOptimizer(optimizer).minimize(loss)
            with tf.control_dependencies([train]):
                return tf.reshape(loss, [1])

        with (
            tf.Graph().as_default(),
            tf.config.override(cores=cores),
            tf.Session() as session,
        ):
            (loss,) = tf.tpu.shard(step, [tf.constant(ROWS)], num_shards=cores)
            session.run(tf.global_variables_initializer())
            session.run(tf.trainable_variables()[0].assign(KERNEL[:7, :16]))
            return [float(session.run(loss).mean()) for _ in range(4)]

    alone, together = losses(1), losses(2)
    assert alone[-1] < alone[0]
    assert together == pytest.approx(alone, abs=1e-6)


@pytest.mark.parametrize(
    ("cell", "given", "kind", "text"),
    [
        (None, {"dtype": tf.float32}, TypeError, "cell must be"),
        (3, {}, ValueError, "If there is no initial_state"),
        (3, {"dtype": tf.float32, "rank": 2}, ValueError, "rank 3 or more"),
    ],
)
def test_what_dynamic_rnn_refuses(cell, given, kind, text):
    made = cell and tf.nn.rnn_cell.BasicLSTMCell(cell)
    rows = ROWS if given.pop("rank", 3) == 3 else ROWS[0]
    with pytest.raises(kind, match=text):
        tf.nn.dynamic_rnn(made, rows, **given)
