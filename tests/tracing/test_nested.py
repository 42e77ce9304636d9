"""Calls of a tf.function within another one: traced once, with the same results.

Numbers, and counts of traces, are those of TensorFlow 2.21.
"""

import gc
import weakref

import numpy as np
import pytest

import tpuref as tf

pytestmark = pytest.mark.usefixtures("eager")


class Counted:
    """A tf.function that counts its traces."""

    def __init__(self, python_function):
        def traced(*args):
            self.traces += 1
            return python_function(*args)

        self.traces, self.call = 0, tf.function(traced)


def numbers(result):
    return [np.asarray(leaf).tolist() for leaf in tf.nest.flatten(result)]


def repeated(function, x):
    return tf.while_loop(lambda k, y: k < 3, lambda k, y: (k + 1, function(y)), [0, x])


def gradient(function, *sources):
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = function(sources[0])
    return tape.gradient(y, list(sources))


def cubed(x):
    return repeated(lambda y: y * x, tf.ones([]))[1]


def nests(f, x):
    first = f({"a": x, "b": [x * 2]}, x)
    second = f({"a": first["b"][0], "b": [first["a"]]}, x + 1)
    return second["a"], second["b"][0], first["a"]


def captures(f, x):
    inner = tf.function(lambda z: f() or z * x)  # x is captured, and an argument too
    return inner(x) + inner(x + 1)


def branch(x):
    return tf.cond(x > 9, lambda: x, lambda: x * 2)


@tf.custom_gradient
def square(x):
    y = tf.square(x)
    return y, lambda dy: dy * y


def twice(f, x):
    return gradient(lambda x: f(x) + f(2 * x), x)


PROGRAMS = [
    (
        lambda x: x * 2,
        lambda f, x: [f(3.0), f(3.0), *(f(tf.constant(c)) for c in (1.0, 2.0, [1.0]))],
        ([6.0, 6.0, 2.0, 4.0, [2.0]], 3),
    ),
    (lambda d, z: {"a": d["a"] - z, "b": (d["b"][0], 3)}, nests, ([1.0, 0.0, 0.0], 1)),
    (lambda: None, captures, ([10.0], 1)),
    (
        lambda: None,
        lambda f, x: repeated(lambda y: captures(f, y), x),
        ([3, 88410.0], 1),
    ),
    (
        branch,
        lambda f, x: [
            repeated(lambda y: f(f(y)), x)[1],
            tf.cond(x > 0, lambda: f(x), lambda: f(-x)),
        ],
        ([16.0, 4.0], 1),
    ),
    (cubed, twice, ([108.0], 1)),
    (lambda x: gradient(cubed, x)[0], twice, ([60.0], 1)),
    (square, twice, ([36.0], 2)),  # TensorFlow traces a gradient of one's own once
]


@pytest.mark.parametrize(("function", "outer", "expected"), PROGRAMS)
def test_one_trace_for_each_signature(function, outer, expected):
    inner = Counted(function)
    traced = tf.function(lambda x: outer(inner.call, x))
    assert (numbers(traced(tf.constant(2.0))), inner.traces) == expected


def test_variables_assignments_and_dependencies():
    class Sum(tf.Module):
        total = None

        @tf.function
        def add(self, x):
            if self.total is None:
                self.total = tf.Variable(1.0)
            self.total.assign(self.total * 2 + x)
            return self.total * 3

    one, waiting = Sum(), []

    @tf.function
    def outer(x):
        one.add(x)
        first = one.total.read_value()
        with tf.control_dependencies([tf.print("")]):
            slope = gradient(one.add, x, one.total)
        operations = tf.get_default_graph().get_operations()
        waiting[:] = [op for op in operations if op.control_inputs]
        return first, one.total.read_value(), slope

    assert numbers(outer(tf.constant(1.0))) == [3.0, 7.0, None, 3.0]
    assert numbers(tf.function(outer)(tf.constant(1.0)))[:2] == [15.0, 31.0]
    assert len(waiting) > 3


@pytest.mark.parametrize(("seed", "equal"), [(None, False), (7, True)])
def test_random_numbers_are_drawn_anew(seed, equal):
    def drawn():
        with tf.name_scope(f"with_{seed}"):  # draws are counted by name
            return tf.random.uniform([])

    inner = Counted(drawn)
    with tf.Graph().as_default():
        tf.set_random_seed(seed)
        with tf.eager_execution():
            outer = tf.function(lambda: (inner.call(), inner.call()))
            (a, b), (c, d) = numbers(outer()), numbers(outer())
    assert (a == b, c == d, a == c) == (equal, equal, False)
    assert inner.traces == 1


def test_functions_of_the_host_and_results_that_are_not_copied():
    seen = []

    def add(y):
        seen.append(float(y))
        return y + 1

    called = Counted(lambda x: tf.py_func(add, [x], tf.float32))
    opaque = Counted(lambda x: [x, object()])

    @tf.function
    def outer(x):
        called_twice = called.call(x) + called.call(2 * x)
        return called_twice + opaque.call(x)[0] + opaque.call(x)[0]

    assert numbers(outer(tf.constant(1.0))) == [7.0]
    assert (seen, called.traces, opaque.traces) == ([1.0, 2.0], 1, 2)


@pytest.mark.parametrize("executor", ["lockstep", "pool", "xla"])
def test_three_replicas(executor):
    if executor == "xla":
        pytest.importorskip("jax")
    with tf.config.override(cores=3, executor=executor):
        strategy = tf.distribute.TPUStrategy()
        with strategy.scope():
            v = tf.Variable(1.0)

        def loss(x, shape):  # a static one, as ensure_shape needs
            own = tf.distribute.get_replica_context().replica_id_in_sync_group
            row = tf.reshape(x * tf.cast(own + 1, tf.float32) * v, shape)
            return tf.reduce_sum(tf.ensure_shape(row, [1, 1]))

        inner, shape = Counted(loss), [1, 1]

        def step(x):
            def both(x):
                both_shapes = tf.constant(shape), tf.constant(shape)
                return sum(inner.call(k * x, s) for k, s in enumerate(both_shapes, 1))

            return both(x), gradient(both, x, v)

        @tf.function
        def outer(x):
            results = strategy.run(step, (x,))
            return [strategy.reduce("SUM", one, axis=None) for one in results]

        assert numbers(outer(tf.constant(2.0))) == [36.0, 18.0, 36.0]
        assert inner.traces == 1


def test_the_graph_of_replicas_goes_with_its_call():
    graphs = []
    inner = tf.function(
        lambda x: graphs.append(weakref.ref(tf.get_default_graph())) or x
    )
    with tf.config.override(cores=2):
        strategy = tf.distribute.TPUStrategy()
        for _ in range(3):
            strategy.run(lambda x: inner(x) + inner(x), (tf.constant(1.0),))
    gc.collect()
    assert [graph() for graph in graphs] == [None] * 3


def test_constants_are_told_apart_however_they_are_printed():
    rows = Counted(lambda x, shape: tf.reshape(x, shape))

    @tf.function
    def outer(x):
        shapes = [[1, 1, 1, 4, 2, 1, 1, 1], [1, 1, 1, 2, 4, 1, 1, 1]]
        return [rows.call(x, tf.constant(shape)) for shape in shapes]

    with np.printoptions(threshold=5, edgeitems=3):
        first, second = outer(tf.range(8))
    assert first.shape[3:5] == [4, 2] and second.shape[3:5] == [2, 4]
    assert rows.traces == 2
