"""Python functions that the graph calls."""

import numpy as np

import tpuref as tf

from .values import run


def test_python_is_called_with_arrays_when_the_graph_runs():
    seen = []

    def double(x, y):
        seen.append((type(x), type(y), x.dtype))
        return x * 2 + y

    x = tf.placeholder(tf.float32)
    y = tf.py_func(double, [x, 1.0], tf.float32, name="double")
    assert y.op.name == "double"
    assert y.dtype == tf.float32
    assert y.shape.ndims is None
    assert seen == []
    assert run(y, {x: [1.0, 2.0]}).tolist() == [3.0, 5.0]
    assert seen == [(np.ndarray, np.float32, np.float32)]


def test_a_function_without_results_comes_as_an_operation():
    log = []
    call = tf.py_func(lambda x: log.append(int(x)), [tf.constant(3)], [], name="call")
    assert isinstance(call, tf.Operation)
    assert tf.Session().run(call) is None
    assert (call.name, log) == ("call", [3])
    with tf.eager_execution():
        assert tf.py_func(lambda x: log.append(int(x)), [tf.constant(4)], []) == []
    assert log == [3, 4]


def test_what_the_function_does_to_its_arrays_stays_there(evaluate):
    buffer = np.zeros(2, np.float32)

    def spoil(x):
        x += 1
        buffer[:] = x
        return buffer

    v = tf.Variable([1.0, 2.0])
    found = evaluate([tf.py_func(spoil, [v], tf.float32) for _ in range(2)])
    buffer[:] = 0
    assert [value.tolist() for value in found] == [[2.0, 3.0]] * 2
    assert evaluate(v).tolist() == [1.0, 2.0]


def test_py_func_receives_scalars_as_scalars(evaluate):
    """As release 1.15.5 hands them over."""
    seen = []

    def note(*given):
        seen.extend(type(value) for value in given)
        return np.int32(0)

    texts, text = tf.constant([b"a"]), tf.constant(b"abc")
    evaluate(tf.py_func(note, [text, tf.constant(1.5), texts], tf.int32))
    assert seen == [bytes, np.float32, np.ndarray]
