"""tf.TensorArray: elements, loops, branches, functions, gradients and errors.

The values of releases 1.15.5 and 2.21 for the same programs are those of NumPy here.
"""

import numpy as np
import pytest

import tpuref as tf

from .values import run as value

ROWS = np.array([[1.0, -2.0], [3.0, 0.5], [2.0, 4.0]], np.float32)


def filled(array, turns, x):
    """Return an array whose element i is (i + 1) * x, written in a loop."""
    return tf.while_loop(
        lambda i, _: i < turns,
        lambda i, a: (i + 1, a.write(i, x * tf.cast(i + 1, tf.float32))),
        [tf.constant(0), array],
    )[1]


ARRAYS = {
    "blank": {"size": 3},
    "shaped": {"size": 3, "element_shape": [2]},
    "growing": {"size": 0, "dynamic_size": True},
    "growing shaped": {"size": 1, "dynamic_size": True, "element_shape": [2]},
}


@pytest.fixture(params=ARRAYS.values(), ids=ARRAYS.keys())
def array(request):
    return tf.TensorArray(tf.float32, **request.param)


def test_a_loop_fills_an_array(array):
    full = filled(array, 3, tf.constant([1.0, 2.0]))
    rows = np.outer([1, 2, 3], [1, 2])
    got = value([full.stack(), full.concat(), full.gather([2, 0]), full.size()])
    for found, wanted in zip(got, (rows, rows.ravel(), rows[[2, 0]], 3), strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert full.stack().shape.as_list()[1:] == [2]


def test_gradients_flow_through_loops_that_write(array):
    x = tf.constant([1.0, -2.0])
    for rows, weight in (
        (filled(array, 3, x).stack(), 1 + 4 + 9),
        (filled(array, 3, x).gather([2, 0, 2]), 9 + 1 + 9),
    ):
        (slope,) = tf.gradients(tf.reduce_sum(rows * rows), x)
        np.testing.assert_allclose(value(slope), 2 * weight * np.array([1, -2]))


def test_gradients_flow_through_loops_that_read():
    x, w = tf.constant(ROWS), tf.constant(0.5)
    inputs = tf.TensorArray(tf.float32, 3).unstack(x)

    def body(i, h, states):
        h = w * h + inputs.read(i)
        return i + 1, h, states.write(i, h)

    states = tf.TensorArray(tf.float32, 3)
    *_, states = tf.while_loop(lambda i, *_: i < 3, body, [0, tf.zeros([2]), states])
    states_now = [ROWS[0], 0.5 * ROWS[0] + ROWS[1]]
    slopes = value(tf.gradients(tf.reduce_sum(states.stack()), [x, w]))
    np.testing.assert_allclose(slopes[0], [[1.75] * 2, [1.5] * 2, [1.0] * 2])
    # y depends on w by h0 + (h1 + w h0), with h1 = w h0 + x1.
    by_hand = states_now[0] * (1 + 0.5) + states_now[1]
    np.testing.assert_allclose(slopes[1], by_hand.sum(), rtol=1e-6)


def test_scattered_elements_and_zeros_between():
    x = tf.constant(ROWS)
    array = tf.TensorArray(tf.float32, 5, element_shape=[2]).scatter([4, 0, 2], x)
    wanted = np.zeros((5, 2), np.float32)
    wanted[[4, 0, 2]] = ROWS
    np.testing.assert_array_equal(value(array.stack()), wanted)
    (slope,) = tf.gradients(tf.reduce_sum(array.stack() ** 3), x)
    np.testing.assert_allclose(value(slope), 3 * ROWS**2)


def test_split_and_concat_are_inverse():
    x = np.arange(12, dtype=np.float32).reshape(6, 2)
    array = tf.TensorArray(tf.float32, 3).split(x, [2, 2, 2])
    np.testing.assert_array_equal(value(array.read(1)), x[2:4])
    np.testing.assert_array_equal(value(array.concat()), x)
    with pytest.raises(ValueError, match="equal lengths.*E034"):
        tf.TensorArray(tf.float32, 2).split(x, [2, 4])


def test_writing_leaves_the_array_before_as_it_was():
    before = tf.TensorArray(tf.int32, 2).write(0, 1)
    got = value([before.stack(), before.write(0, 5).write(1, 6).stack()])
    np.testing.assert_array_equal(got, [[1, 0], [5, 6]])


def test_arrays_in_branches_and_nested_loops(session):
    array = tf.TensorArray(tf.float32, 2, element_shape=[])
    chosen = tf.placeholder(tf.bool, [])
    either = tf.cond(chosen, lambda: array.write(1, 5.0), lambda: array.write(0, 7.0))
    for given, wanted in ((True, [0, 5]), (False, [7, 0])):
        np.testing.assert_array_equal(
            session.run(either.stack(), {chosen: given}), wanted
        )

    def outer_body(i, rows):
        inner = filled(tf.TensorArray(tf.float32, 2), 2, tf.cast(i, tf.float32))
        return i + 1, rows.write(i, inner.stack())

    rows = tf.TensorArray(tf.float32, 3)
    _, rows = tf.while_loop(lambda i, _: i < 3, outer_body, [0, rows])
    np.testing.assert_array_equal(value(rows.stack()), [[0, 0], [1, 2], [2, 4]])


def test_eager_programs_may_ignore_what_write_returns(eager):
    array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
    for k in range(3):
        array.write(k, [k, 2.0 * k])
    np.testing.assert_array_equal(array.stack(), [[0, 0], [1, 2], [2, 4]])
    words = tf.TensorArray(tf.string, 2).write(0, "a").write(1, "bc")
    assert words.stack().numpy().tolist() == [b"a", b"bc"]


@pytest.mark.parametrize("traced", [False, True])
def test_a_tape_and_a_function_see_elements(traced, eager):
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(filled(tf.TensorArray(tf.float32, 3), 3, x).stack() ** 2)
        return tape.gradient(y, x)

    function = tf.function(slope) if traced else slope
    for x in ([1.0, 2.0], [3.0, -1.0]):
        np.testing.assert_allclose(function(tf.constant(x)), 2 * 14 * np.array(x))


def test_functions_take_and_return_arrays(eager):
    @tf.function
    def doubled(array):
        return array.write(0, 2.0 * array.read(0))

    array = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])
    for wanted in ([2, 2], [4, 2]):
        array = doubled(array)
        np.testing.assert_array_equal(array.stack(), wanted)


def test_replicas_on_cores_have_arrays_of_their_own():
    def computation(x):
        return filled(tf.TensorArray(tf.float32, 3), 3, x).stack()

    with tf.config.override(cores=3):
        outputs = tf.tpu.replicate(computation, [[1.0], [10.0], [100.0]])
        got = np.array(value(outputs)).reshape(3, 3)
    np.testing.assert_array_equal(got, np.outer([1, 10, 100], [1, 2, 3]))


@pytest.mark.parametrize(
    ("program", "error", "message"),
    [
        (lambda a: a.write(2, 1.0).stack(), tf.errors.InvalidArgumentError, "index 2"),
        (lambda a: a.write(-1, 1.0).stack(), tf.errors.InvalidArgumentError, "-1"),
        (lambda a: a.read(1), tf.errors.InvalidArgumentError, "E140"),
        (lambda a: a.write(0, [1.0]).write(1, [1.0, 2.0]), ValueError, "E034"),
        (lambda a: a.write(0, tf.constant(1)), ValueError, "float32"),
        (lambda a: tf.TensorArray(tf.float32), ValueError, "size"),
        (lambda a: tf.TensorArray(tf.float32, 2, flow=1), ValueError, "flow"),
    ],
)
def test_errors(program, error, message):
    with pytest.raises(error, match=message):
        value(program(tf.TensorArray(tf.float32, 2)))


def test_elements_of_unlike_shapes_are_refused_when_they_run():
    array = tf.TensorArray(tf.float32, 2, infer_shape=False)
    longer = tf.placeholder_with_default([1.0, 2.0], [None])
    with pytest.raises(tf.errors.InvalidArgumentError, match="E034"):
        value(array.write(0, [1.0]).write(1, longer).stack())


def test_a_python_loop_over_a_range_may_not_change_an_array():
    @tf.function
    def far(n):
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, 1.0)
        return array.stack()

    with tf.eager_execution(), pytest.raises(ValueError, match="tf.while_loop"):
        far(tf.constant(40))
