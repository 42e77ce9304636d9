"""Operations with an effect: variables, host functions, the TPU system."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tpuref as tf


def evaluate_once(fetch: Any, feed: Any = None) -> Any:
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


# -- variables -----------------------------------------------------------------


def test_variables_are_read_and_assigned(evaluate: Any) -> None:
    v = tf.Variable([1.0, 2.0])
    assert evaluate(v.assign([3.0, 4.0])).tolist() == [3.0, 4.0]
    assert evaluate(v.assign_add([1.0, 1.0])).tolist() == [4.0, 5.0]
    assert evaluate(v.assign_sub([4.0, 0.0])).tolist() == [0.0, 5.0]
    assert evaluate(v).tolist() == [0.0, 5.0]


def test_updates_keep_the_dtype_and_overflow_silently(evaluate: Any) -> None:
    v = tf.Variable(np.int8(127))
    assert evaluate(v.assign_add(np.int8(1))) == -128
    h = tf.Variable(np.float16(60000))
    evaluate(h.initializer)
    assert evaluate(h.assign_add(np.float16(60000))) == np.inf


def test_is_initialized_is_about_this_session(session: Any) -> None:
    v = tf.Variable(1.0)
    known = v.is_initialized()
    assert not session.run(known)
    session.run(v.initializer)
    assert session.run(known)
    with tf.Session() as other:
        assert not other.run(known)


def test_an_uninitialised_variable_is_named_with_its_place(session: Any) -> None:
    v = tf.Variable(1.0, name="weights")
    out = tf.tpu.replicate(lambda: v.read_value())  # where it is read
    with pytest.raises(tf.errors.FailedPreconditionError) as raised:
        session.run(out)
    assert "'weights'" in str(raised.value)
    assert "# where it is read" in str(raised.value)


def test_the_shape_of_a_value_is_checked_at_evaluation(session: Any) -> None:
    v = tf.Variable(tf.zeros([2]), name="weights")
    x = tf.placeholder(tf.float32)
    session.run(v.initializer)
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        session.run(v.assign(x), {x: [1.0, 2.0, 3.0]})
    message = str(raised.value)
    assert "'weights'" in message and "float32[2]" in message and "[3]" in message
    assert session.run(v).tolist() == [0.0, 0.0]


def test_a_variable_of_unknown_shape_takes_any(session: Any) -> None:
    v = tf.Variable([1.0], validate_shape=False)
    x = tf.placeholder(tf.float32)
    session.run(v.initializer)
    for value in ([1.0, 2.0], 5.0, [[1.0]]):
        assert session.run(v.assign(x), {x: value}).tolist() == value


# -- host functions ------------------------------------------------------------


def test_a_host_function_takes_and_gives_arrays() -> None:
    seen: list[Any] = []

    def function(a: Any, b: Any) -> Any:
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
    ],
)
def test_results_have_the_type_that_was_promised(
    returned: Any, dtypes: Any, expected: Any
) -> None:
    out = tf.py_func(lambda: returned, [], dtypes)
    value = evaluate_once(out)
    assert np.asarray(value).tolist() == expected
    if dtypes != tf.string:
        assert np.asarray(value).dtype == dtypes.as_numpy_dtype


@pytest.mark.parametrize(
    ("returned", "dtype"),
    [(1.5, tf.int32), (1j, tf.float32), (1, tf.bool), ("text", tf.float32)],
)
def test_results_that_lose_their_meaning_are_refused(returned: Any, dtype: Any) -> None:
    out = tf.py_func(lambda: returned, [], dtype)
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"Tout.*{dtype.name}"):
        evaluate_once(out)


@pytest.mark.parametrize("container", [list, tuple])
def test_several_results(container: Any) -> None:
    out = tf.py_func(lambda: container([1, 2.5]), [], [tf.int32, tf.float32])
    assert evaluate_once(out) == [1, 2.5]


def test_one_result_in_a_list() -> None:
    assert evaluate_once(tf.py_func(lambda: [7], [], [tf.int32])) == [7]
    assert evaluate_once(tf.py_func(lambda: 7, [], [tf.int32])) == [7]


@pytest.mark.parametrize("returned", [None, [], ()])
def test_no_result(returned: Any, session: Any) -> None:
    calls: list[int] = []
    operation = tf.py_func(lambda: (calls.append(1), returned)[1], [], [])
    assert session.run(operation) is None
    assert calls == [1]


@pytest.mark.parametrize(
    ("returned", "dtypes", "count"),
    [
        ([1, 2], [tf.int32], 2),
        (1, [tf.int32, tf.int32], 1),
        ([], [tf.int32], 0),
        ([1], [], 1),
        (5, [], 1),
    ],
)
def test_the_number_of_results_is_checked(
    returned: Any, dtypes: Any, count: int, session: Any
) -> None:
    out = tf.py_func(lambda: returned, [], dtypes)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=f"returned {count} values, Tout names {len(dtypes)}",
    ):
        session.run(out)


def test_none_for_a_promised_value(session: Any) -> None:
    out = tf.py_func(lambda: None, [], tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tout"):
        session.run(out)


def test_a_result_is_a_copy(session: Any) -> None:
    buffer = np.array([1.0], np.float32)
    v = tf.Variable([0.0])
    store = v.assign(tf.py_func(lambda: buffer, [], tf.float32))
    session.run(store)
    buffer[0] = 99.0
    assert session.run(v).tolist() == [1.0]


def test_arguments_are_copies(session: Any) -> None:
    v = tf.Variable([1.0])
    k = tf.constant([1.0])

    def spoil(*arrays: Any) -> Any:
        for array in arrays:
            array += 5.0
        return arrays[0]

    session.run(v.initializer)
    assert session.run(tf.py_func(spoil, [v, k], tf.float32)).tolist() == [6.0]
    assert session.run([v, k])[0].tolist() == session.run(k).tolist() == [1.0]


def test_the_line_is_that_of_the_host_function_itself(session: Any) -> None:
    def below(x: Any) -> Any:
        return {}["missing"]  # deeper

    def host(x: Any) -> Any:
        return below(x)  # called from here

    out = tf.py_func(host, [1.0], tf.float32)
    with pytest.raises(tf.errors.UnknownError) as raised:
        session.run(out)
    message = str(raised.value)
    assert "KeyError: 'missing'" in message
    assert "raised at: " in message and "# called from here" in message


def test_interrupts_pass_through(session: Any) -> None:
    def stop() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        session.run(tf.py_func(stop, [], tf.float32))


# -- others --------------------------------------------------------------------


def test_replicas_know_their_number(evaluate: Any) -> None:
    x = tf.contrib.distribute.PerReplica([10, 20, 30])
    groups = [[0], [1], [2]]
    out = tf.tpu.replicate(lambda: tf.tpu.cross_replica_sum(x, groups), [[]] * 3)
    assert evaluate(out) == [(10,), (20,), (30,)]


def test_the_system_cannot_be_used_from_within(session: Any) -> None:
    out = tf.tpu.replicate(lambda: (tf.tpu.initialize_system(), None)[1])
    with pytest.raises(
        tf.errors.FailedPreconditionError, match="within a replicated computation"
    ):
        session.run(out)


# -- while the graph is built --------------------------------------------------


@pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub"])
def test_values_of_another_type_or_shape_are_refused(method: str) -> None:
    v = tf.Variable([1.0, 2.0], name="weights")
    with pytest.raises(TypeError, match="'weights'.*float32.*float64.*tf.cast"):
        getattr(v, method)(tf.constant([1.0, 2.0], tf.float64))
    with pytest.raises(ValueError, match=r"'weights'.*\[2\].*\[3\].*shapes differ"):
        getattr(v, method)([1.0, 2.0, 3.0])


def test_print_passes_its_input_on(session: Any, capsys: Any) -> None:
    shown = tf.Print(
        tf.constant([1.0]),
        [tf.range(5), tf.constant("text"), 2.5],
        message="seen: ",
        summarize=3,
    )
    out = tf.tpu.replicate(lambda x: tf.Print(x, [x], message="replica "), [[1], [2]])
    assert session.run(shown).tolist() == [1.0]
    session.run(out)
    assert capsys.readouterr().err.splitlines() == [
        "seen: [0 1 2...][text][2.5]",
        "replica [1]",
        "replica [2]",
    ]


def test_assert_shows_its_data(session: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="bool"):
        tf.Assert(tf.constant(1), [1])
    x = tf.placeholder(tf.int32, [None])
    checked = tf.Assert(tf.reduce_all(x > 0), [x, "of x"], summarize=2)
    assert session.run(checked, {x: [1, 2]}) is None
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        session.run(checked, {x: [1, -2, 3]})
    assert "assertion failed: [1 -2...] [of x]" in str(raised.value)
