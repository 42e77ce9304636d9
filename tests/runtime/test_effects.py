"""Operations with an effect: variables, host functions, the TPU system."""

import numpy as np
import pytest

import tpuref as tf

from ..messages import refused


def evaluate_once(fetch, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


def test_updates_keep_the_dtype_and_overflow_silently(evaluate):
    assert evaluate(tf.Variable(np.int8(127)).assign_add(np.int8(1))) == -128
    h = tf.Variable(np.float16(60000))
    evaluate(h.initializer)
    assert evaluate(h.assign_add(np.float16(60000))) == np.inf


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_a_variable_is_read_and_written_in_turns(executor):
    def computation(x):
        first = v.assign_add(x * 2.0)
        with tf.control_dependencies([first]):
            early = v.read_value() + 0.25
        with tf.control_dependencies([v.assign(early * first)]):
            last = v.assign_add(x - 1.0)
        with tf.control_dependencies([last]):
            return early, first - 0.25, v.read_value() * 1.0

    with tf.config.override(executor=executor, cores=3, timeout=30.0):
        v = tf.Variable(0.5)
        out = tf.tpu.replicate(computation, [[2.0]] * 3)
        assert evaluate_once(out) == [(4.75, 4.25, 4.75 * 4.5 + 1.0)] * 3


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
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        evaluate_once(tf.py_func(lambda: returned, [], dtypes))


def test_the_line_is_that_of_the_host_function_itself(session):
    def below(x):
        return {}["missing"]  # deeper

    def host(x):
        return below(x)  # called from here

    out = tf.py_func(host, [1.0], tf.float32)
    words = ["KeyError: 'missing'", "raised at: ", "# called from here"]
    refused(tf.errors.UnknownError, words, session.run, out)


def test_interrupts_pass_through(session):
    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        session.run(tf.py_func(stop, [], tf.float32))
