"""Calls of a tf.function within another one: traced once, with the same results.

Numbers, and counts of traces, are those of TensorFlow 2.21.
"""

import numpy as np
import pytest

import tpuref as tf


@pytest.fixture(autouse=True)
def eagerly():
    with tf.eager_execution():
        yield


class Counted:
    """A tf.function that counts its traces."""

    def __init__(self, function):
        self.traces = 0
        self._function = tf.function(self._traced)
        self._python = function

    def _traced(self, *args):
        self.traces += 1
        return self._python(*args)

    def __call__(self, *args):
        return self._function(*args)


def numbers(result):
    return [np.asarray(leaf).tolist() for leaf in tf.nest.flatten(result)]


def test_one_trace_for_each_signature():
    inner = Counted(lambda x: x * 2)
    given = [1.0, 2.0, [1.0]], [3.0, 3.0]
    outer = tf.function(lambda: [inner(tf.constant(x)) for x in given[0]])
    assert numbers(outer()) == [2.0, 4.0, [2.0]]
    assert inner.traces == 2
    assert numbers(tf.function(lambda: [inner(x) for x in given[1]])()) == [6.0, 6.0]
    assert inner.traces == 3
    assert numbers(tf.function(lambda x: inner(x) + 1)(tf.constant(4.0))) == [9.0]
    assert inner.traces == 3  # nor in another outer function


def test_structures_and_the_order_of_arguments():
    inner = Counted(lambda d, z: {"a": d["a"] - z, "b": (d["b"][0], None, 3)})

    @tf.function
    def outer(x):
        first = inner({"a": x, "b": [x * 2]}, x)
        second = inner({"a": first["b"][0], "b": [first["a"]]}, x + 1)
        return second["a"], second["b"][0], first["a"], second["b"][1:]

    assert numbers(outer(tf.constant(5.0))[:3]) == [4.0, 0.0, 0.0]
    assert inner.traces == 1


def test_captured_tensors_and_where_they_cannot_be_reached():
    traces = []

    @tf.function
    def outer(x):
        @tf.function
        def inner(z):  # x is captured, and once the argument too
            traces.append(z)
            return z * x

        def body(k, y):
            within = tf.function(lambda z: traces.append(z) or z * y)
            return k + 1, within(within(y))

        repeated = tf.while_loop(lambda k, y: k < 2, body, [0, x])[1]
        return inner(x) + inner(x + 1), repeated

    assert numbers(outer(tf.constant(2.0))) == [10.0, 512.0]
    assert len(traces) == 2


def test_branches_and_loops_take_part():
    inner = Counted(lambda x: tf.cond(x > 9, lambda: x, lambda: x * 2))

    @tf.function
    def outer(x):
        looped = tf.while_loop(
            lambda k, y: k < 3, lambda k, y: (k + 1, inner(inner(y))), [0, x]
        )[1]
        chosen = tf.cond(x > 0, lambda: inner(x), lambda: inner(-x))
        return looped, chosen, inner(x)

    assert numbers(outer(tf.constant(1.0))) == [16.0, 2.0, 2.0]
    assert inner.traces == 1


def test_gradients_of_variables_arguments_loops_and_gradients():
    v = tf.Variable(3.0)

    def cubed(x):
        def body(k, y):
            return k + 1, y * x

        return v * tf.while_loop(lambda k, y: k < 3, body, [0, tf.ones([])])[1]

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cubed(x)
        return tape.gradient(y, x)

    for function, expected in ((cubed, [72.0, 324.0]), (slope, [60.0, 180.0])):
        inner = Counted(function)

        @tf.function
        def outer(x, inner=inner):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = inner(x) + inner(2 * x)
            return tape.gradient(y, [v, x])

        assert numbers(outer(tf.constant(2.0))) == expected
        assert inner.traces == 1


def test_a_gradient_of_ones_own_belongs_to_its_call():
    @tf.custom_gradient
    def raised(x):
        y = tf.square(x)
        return y, lambda dy: dy * y

    inner = Counted(raised)

    @tf.function
    def outer(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x) + inner(2 * x)
        return tape.gradient(y, x)

    assert numbers(outer(tf.constant(1.0))) == [9.0]


def test_assignments_variables_and_dependencies():
    class Sum(tf.Module):
        total = None

        @tf.function
        def add(self, x):
            if self.total is None:
                self.total = tf.Variable(1.0)
            self.total.assign(self.total * 2 + x)

    one, noted = Sum(), []

    @tf.function
    def outer(x):
        one.add(x)
        first = one.total.read_value()
        with tf.control_dependencies([tf.print("")]):
            one.add(x)
        graph = tf.get_default_graph()
        noted.append([len(op.control_inputs) for op in graph.get_operations()])
        return first, one.total.read_value()

    assert numbers(outer(tf.constant(1.0))) == [3.0, 7.0]
    assert numbers(outer(tf.constant(1.0))) == [15.0, 31.0]
    assert noted[1].count(1) > 3


@pytest.mark.parametrize(("seed", "equal"), [(None, False), (7, True)])
def test_random_numbers_are_drawn_anew(seed, equal):
    inner = Counted(lambda: tf.random.uniform([]))
    with tf.Graph().as_default():
        tf.set_random_seed(seed)
        with tf.eager_execution():
            outer = tf.function(lambda: (inner(), inner()))
            (a, b), (c, d) = numbers(outer()), numbers(outer())
    assert (a == b, c == d) == (equal, equal)
    assert a != c
    assert inner.traces == 1


def test_host_functions_and_what_is_traced_each_time():
    seen, traces = [], []

    @tf.function
    def noted(x):
        traces.append(x)
        return tf.py_func(lambda y: seen.append(float(y)) or y + 1, [x], tf.float32)

    @tf.function
    def opaque(x):
        traces.append(x)
        return [x, object()]

    @tf.function
    def outer(x):
        return noted(x) + noted(2 * x) + opaque(x)[0] + opaque(x)[0]

    assert numbers(outer(tf.constant(1.0))) == [7.0]
    assert seen == [1.0, 2.0]
    assert len(traces) == 1 + 2


@pytest.mark.parametrize("executor", ["lockstep", "pool", "xla"])
def test_three_replicas(executor):
    if executor == "xla":
        pytest.importorskip("jax")
    with tf.config.override(cores=3, executor=executor):
        strategy = tf.distribute.TPUStrategy()
        with strategy.scope():
            v = tf.Variable(1.0)

        def loss(x, shape):
            own = tf.distribute.get_replica_context().replica_id_in_sync_group
            row = tf.reshape(x * tf.cast(own + 1, tf.float32) * v, shape)
            return tf.reduce_sum(tf.ensure_shape(row, [1, 1]))

        inner = Counted(loss)

        def step(x):
            with tf.GradientTape() as tape:
                y = inner(x, tf.constant([1, 1])) + inner(2 * x, tf.constant([1, 1]))
            return y, tape.gradient(y, v)

        @tf.function
        def outer(x):
            results = strategy.run(step, (x,))
            return [strategy.reduce("SUM", one, axis=None) for one in results]

        assert numbers(outer(tf.constant(2.0))) == [36.0, 36.0]
        assert inner.traces == 1
