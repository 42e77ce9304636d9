"""Gradients through branches, loops and nests of them."""

from functools import partial
from typing import Any

import numpy as np
import pytest

import tpuref as tf

STEP = 1e-6


def slope(function, x):
    return (function(x + STEP) - function(x - STEP)) / (2 * STEP)


def check(build, function, points, order=2):
    """Compare the derivatives of a graph with those of a Python function."""
    x = tf.placeholder(tf.float64, [])
    y, fetches = build(x), []
    for _ in range(order):
        (y,) = tf.gradients(y, x)
        fetches.append(y)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for point in points:
            known: Any = function
            for fetch in fetches:
                found = sess.run(fetch, {x: point})
                np.testing.assert_allclose(found, slope(known, point), rtol=1e-6)
                known = partial(value_of, sess, fetch, x)


def value_of(sess, fetch, x, point):
    return float(sess.run(fetch, {x: point}))


def test_a_branch():
    check(
        lambda x: tf.cond(x > 0, lambda: tf.exp(x * tf.sin(x)), lambda: x**3),
        lambda x: np.exp(x * np.sin(x)) if x > 0 else x**3,
        (0.7, -0.7),
    )


def test_a_branch_in_a_branch():
    def build(x):
        def inner():
            y = tf.sin(x)
            return tf.cond(y > 0.5, lambda: y * y * x, lambda: tf.exp(y)) * y

        return tf.cond(x > 0, inner, lambda: tf.zeros([], tf.float64))

    def function(x):
        y = np.sin(x)
        return 0 if x <= 0 else (y * y * x if y > 0.5 else np.exp(y)) * y

    check(build, function, (1.0, 0.2, -0.4))


def test_a_loop_whose_turns_depend_on_a_value():
    def build(x):
        return tf.while_loop(lambda y: y < 5, lambda y: y * y * x, [x])

    def function(x):
        y = x
        while y < 5:
            y = y * y * x
        return y

    check(build, function, (1.3, 2.1, 6.0))


def test_a_loop_in_a_loop_with_a_branch():
    def build(x):
        def outer(i, y):
            def inner(j, z):
                return j + 1, tf.cond(z > 0, lambda: tf.sin(z) * x, lambda: z * y) + 0.1

            return i + 1, tf.while_loop(lambda j, z: j < i, inner, [0, y])[1] * x

        return tf.while_loop(lambda i, y: i < 4, outer, [0, x * 0.9])[1]

    def function(x):
        y = x * 0.9
        for i in range(4):
            z = y
            for _ in range(i):
                z = (np.sin(z) * x if z > 0 else z * y) + 0.1
            y = z * x
        return y

    check(build, function, (0.7, 1.9, -0.8))


def test_a_loop_over_tensors_of_unknown_and_changing_shape():
    x = tf.placeholder(tf.float64, [None, 2])

    def body(i, rows):
        return i + 1, tf.concat([rows, tf.sin(rows[i : i + 1]) * rows[-1:]], 0)

    invariants = [tf.TensorShape([]), tf.TensorShape([None, 2])]
    _, y = tf.while_loop(lambda i, _: i < 3, body, [0, x], shape_invariants=invariants)
    (dx,) = tf.gradients(tf.reduce_sum(y * y), x)

    def function(value):
        for i in range(3):
            value = np.concatenate([value, np.sin(value[i : i + 1]) * value[-1:]])
        return float(np.sum(value * value))

    value = np.array([[0.3, -0.5], [0.8, 1.1]])
    found = tf.Session().run(dx, {x: value})
    for place in np.ndindex(2, 2):
        unit = np.zeros((2, 2))
        unit[place] = STEP
        expected = (function(value + unit) - function(value - unit)) / (2 * STEP)
        np.testing.assert_allclose(found[place], expected, rtol=1e-6)


def test_variables_read_inside_and_around(evaluate):
    w = tf.Variable([1.0, 2.0])
    unread = tf.Variable(1.0)

    def body(i, y):
        return i + 1, tf.cond(i > 1, lambda: y * w[0], lambda: y * w[1])

    _, y = tf.while_loop(lambda i, y: i < 5, body, [0, tf.reduce_sum(w)])
    slopes = tf.gradients(y + tf.reduce_sum(w), [w, unread])
    assert slopes[1] is None
    np.testing.assert_allclose(evaluate(slopes[0]), [4 + 3 * 3 * 4 + 1, 4 + 12 + 1])


def test_random_numbers_in_a_loop_are_those_of_the_way_forth():
    def body(i, y, drawn):
        factor = tf.random_uniform([], 0.5, 1.5, tf.float64)
        return i + 1, y * factor, drawn * factor

    one = tf.constant(1.0, tf.float64)
    _, y, drawn = tf.while_loop(lambda i, *_: i < 6, body, [0, one, one])
    (slope_,) = tf.gradients(y, one)
    found, expected = tf.Session().run([slope_, drawn])
    np.testing.assert_allclose(found, expected)


def test_a_program_that_ran_before_still_runs(session):
    x = tf.placeholder(tf.float32, [])
    y = tf.while_loop(lambda y: y < 9, lambda y: y * y, [x])
    z = tf.cond(x > 1, lambda: y * x, lambda: x)
    assert session.run(z, {x: 2.0}) == 32
    (dx,) = tf.gradients(z, x)
    assert session.run([z, dx], {x: 2.0}) == [32, 16 + 2 * 32]
    assert session.run(z, {x: 2.0}) == 32
    assert session.run(tf.gradients(y, x), {x: 9.0}) == [1.0]  # no turn


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_replicas_that_turn_and_branch_differently(executor):
    def computation(x):
        y = tf.while_loop(lambda y: y < 10, lambda y: y * x, [x])
        return tf.gradients(tf.cond(x > 2.5, lambda: y * y, lambda: tf.sin(y)), x)

    points = [2.0, 3.0, 5.0]
    with tf.config.override(cores=3, executor=executor), tf.Session() as sess:
        out = sess.run(tf.tpu.replicate(computation, [[x] for x in points]))
    expected = [np.cos(16.0) * 4 * 8, 6 * 3.0**5, 4 * 5.0**3]
    np.testing.assert_allclose(np.ravel(out), expected, rtol=1e-5)
