"""Operations with an effect: variables, host functions, the TPU system."""

from typing import Any

import numpy as np
import pytest

import tpuref as tf


def evaluate_once(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_updates_keep_the_dtype_and_overflow_silently(evaluate):
    v = tf.Variable(np.int8(127))
    assert evaluate(v.assign_add(np.int8(1))) == -128
    h = tf.Variable(np.float16(60000))
    evaluate(h.initializer)
    assert evaluate(h.assign_add(np.float16(60000))) == np.inf


def test_an_uninitialised_variable_is_named_with_its_place(session):
    v = tf.Variable(1.0, name="weights")
    out = tf.tpu.replicate(lambda: v.read_value())  # where it is read
    with pytest.raises(tf.errors.FailedPreconditionError) as raised:
        session.run(out)
    assert "'weights'" in str(raised.value)
    assert "# where it is read" in str(raised.value)


def test_a_host_function_takes_and_gives_arrays():
    seen: list[Any] = []

    def function(a, b):
        seen.extend([a, b])
        return np.stack([a, b])

    out = tf.py_func(function, [tf.constant([1.0, 2.0]), [3.0, 4.0]], tf.float32)
    assert evaluate_once(out).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert all(isinstance(x, np.ndarray) and x.dtype == np.float32 for x in seen)


@pytest.mark.parametrize(
    ("returned", "dtypes", "expected"),
    [
        (1.5, tf.float32, 1.5),
        (np.float64(1.5), tf.float32, 1.5),
        (3, tf.int64, 3),
        (3, tf.uint8, 3),
        (True, tf.bool, True),
        (3, tf.float32, 3.0),
        (np.arange(3), tf.int32, [0, 1, 2]),
        (1.0, tf.bfloat16, 1.0),
        ("text", tf.string, b"text"),
        (b"\x00\xff", tf.string, b"\x00\xff"),
        (np.array(["a", "b"]), tf.string, [b"a", b"b"]),
        (2.0, tf.complex64, 2.0),
        ([1, 2.5], [tf.int32, tf.float32], [1, 2.5]),
        ((1, 2.5), [tf.int32, tf.float32], [1, 2.5]),
        ([7], [tf.int32], [7]),
        (7, [tf.int32], [7]),
    ],
)
def test_results_have_the_type_that_was_promised(returned, dtypes, expected):
    value = evaluate_once(tf.py_func(lambda: returned, [], dtypes))
    assert np.asarray(value).tolist() == expected
    if isinstance(dtypes, tf.DType) and dtypes != tf.string:
        assert np.asarray(value).dtype == dtypes.as_numpy_dtype


@pytest.mark.parametrize(
    ("returned", "dtypes", "message"),
    [
        (1.5, tf.int32, "Tout.*int32"),
        (1j, tf.float32, "Tout.*float32"),
        (1, tf.bool, "Tout.*bool"),
        ("text", tf.float32, "Tout.*float32"),
        (None, tf.float32, "Tout"),
        ([1, 2], [tf.int32], "returned 2 values, Tout names 1"),
        (1, [tf.int32, tf.int32], "returned 1 values, Tout names 2"),
        ([], [tf.int32], "returned 0 values, Tout names 1"),
        ([1], [], "returned 1 values, Tout names 0"),
        (5, [], "returned 1 values, Tout names 0"),
    ],
)
def test_results_that_were_not_promised_are_refused(returned, dtypes, message):
    out = tf.py_func(lambda: returned, [], dtypes)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        evaluate_once(out)


@pytest.mark.parametrize("returned", [None, [], ()])
def test_no_result(returned, session):
    calls: list[int] = []
    operation = tf.py_func(lambda: (calls.append(1), returned)[1], [], [])
    assert session.run(operation) is None
    assert calls == [1]


def test_results_and_arguments_are_copies(session):
    buffer, v, k = np.array([1.0], np.float32), tf.Variable([0.0]), tf.constant([1.0])
    session.run(v.assign(tf.py_func(lambda: buffer, [], tf.float32)))
    buffer[0] = 99.0

    def spoil(*arrays):
        for array in arrays:
            array += 5.0
        return arrays[0]

    assert session.run(tf.py_func(spoil, [v, k], tf.float32)).tolist() == [6.0]
    assert session.run([v, k])[0].tolist() == session.run(k).tolist() == [1.0]


def test_the_line_is_that_of_the_host_function_itself(session):
    def below(x):
        return {}["missing"]  # deeper

    def host(x):
        return below(x)  # called from here

    out = tf.py_func(host, [1.0], tf.float32)
    with pytest.raises(tf.errors.UnknownError) as raised:
        session.run(out)
    message = str(raised.value)
    assert "KeyError: 'missing'" in message
    assert "raised at: " in message and "# called from here" in message


def test_interrupts_pass_through(session):
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        session.run(tf.py_func(stop, [], tf.float32))


def test_print_passes_its_input_on(session, capsys):
    values = [tf.range(5), tf.constant("text"), 2.5]
    shown = tf.Print(tf.constant([1.0]), values, message="seen: ", summarize=3)
    out = tf.tpu.replicate(lambda x: tf.Print(x, [x], message="replica "), [[1], [2]])
    assert session.run(shown).tolist() == [1.0]
    session.run(out)
    lines = ["seen: [0 1 2...][text][2.5]", "replica [1]", "replica [2]"]
    assert capsys.readouterr().err.splitlines() == lines


def test_assert_shows_its_data(session):
    with pytest.raises((TypeError, ValueError), match="bool"):
        tf.Assert(tf.constant(1), [1])
    x = tf.placeholder(tf.int32, [None])
    checked = tf.Assert(tf.reduce_all(x > 0), [x, "of x"], summarize=2)
    assert session.run(checked, {x: [1, 2]}) is None
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        session.run(checked, {x: [1, -2, 3]})
    assert "assertion failed: [1 -2...] [of x]" in str(raised.value)
