"""tf.tpu.outside_compilation: parts of a computation that run on the host."""

import pytest

import tpuref as tf

from ..messages import refused


def host_call(record, *tensors):
    """Call a Python function on the host with the values of tensors."""
    return tf.tpu.outside_compilation(lambda *a: tf.py_func(record, a, []), *tensors)


def test_host_calls_come_in_program_order_for_each_replica(session):
    calls = []

    def computation(r):
        for label in "abc":
            host_call(lambda k, label=label: calls.append((int(k), label)), r)
        return r

    session.run(tf.tpu.replicate(computation, [[0], [1], [2]]))
    for replica in range(3):
        assert [label for r, label in calls if r == replica] == ["a", "b", "c"]
    assert len(calls) == 9


def test_a_host_function_may_change_its_arguments(session):
    v = tf.Variable([1.0, 2.0])

    def spoil(a):
        a += 100.0
        return a

    out = tf.tpu.rewrite(
        lambda: tf.tpu.outside_compilation(
            lambda: (tf.py_func(spoil, [v], tf.float32), v.read_value())
        )
    )
    session.run(v.initializer)
    changed, kept = session.run(out)
    assert changed.tolist() == [101.0, 102.0]
    assert kept.tolist() == [1.0, 2.0] and session.run(v).tolist() == [1.0, 2.0]


def failing(value):
    if int(value) == 2:
        raise LookupError("nothing here")  # the host line
    return value


def test_an_error_shows_replica_and_both_places(session):
    def computation(x):
        return tf.tpu.outside_compilation(
            lambda a: tf.py_func(failing, [a], tf.int32),  # the operation's line
            x,
        )

    out = tf.tpu.replicate(computation, [[1], [2], [3]])
    words = ["replica 1", "LookupError: nothing here", "in failing", "# the host line"]
    words.append("# the operation's line")
    error = refused(tf.errors.UnknownError, words, session.run, out)
    assert isinstance(error.__cause__, LookupError)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (ValueError("v"), tf.errors.InvalidArgumentError),
        (TypeError("t"), tf.errors.InvalidArgumentError),
        (StopIteration(), tf.errors.OutOfRangeError),
        (MemoryError(), tf.errors.ResourceExhaustedError),
        (NotImplementedError("n"), tf.errors.UnimplementedError),
        (ZeroDivisionError("z"), tf.errors.UnknownError),
        (tf.errors.DataLossError("d"), tf.errors.DataLossError),
    ],
)
def test_the_kind_of_error_is_that_of_the_releases(raised, expected, session):
    def fail():
        raise raised

    out = tf.tpu.replicate(lambda: host_call(fail))
    with pytest.raises(expected, match="replica 0") as caught:
        session.run(out)
    assert type(caught.value) is expected
    assert "in fail" in str(caught.value)


def test_an_error_of_a_host_operation_names_replica_and_line(session):
    def computation(x):
        return tf.tpu.outside_compilation(
            lambda a: tf.Assert(a < 2, [a]),  # what has to hold
            x,
        )

    out = tf.tpu.replicate(computation, [[1], [5]])
    words = ["replica 1", "[5]", "# what has to hold"]
    refused(tf.errors.InvalidArgumentError, words, session.run, out)


def test_a_built_in_that_fails_has_no_line_of_its_own(session):
    out = tf.tpu.rewrite(lambda: tf.py_func(len, [1.0], tf.int32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="TypeError") as raised:
        session.run(out)
    assert "raised at" not in str(raised.value)


def test_host_parts_share_the_variables_of_the_host(evaluate):
    total = tf.get_variable("total", initializer=0.0)
    last = tf.get_variable("last", initializer=-1.0)

    def host_part(x):
        with tf.control_dependencies([total.assign_add(x), last.assign(x)]):
            return tf.identity(x)

    def computation(x):
        return tf.tpu.outside_compilation(host_part, x) + total.read_value()

    out = tf.tpu.replicate(computation, [[1.0], [2.0], [4.0], [8.0]])
    assert evaluate(out) == [(1.0,), (2.0,), (4.0,), (8.0,)]
    assert evaluate([total, last]) == [15.0, 8.0]
    assert evaluate(out) == [(16.0,), (17.0,), (19.0,), (23.0,)]
    assert evaluate([total, last]) == [30.0, 8.0]


def test_host_parts_in_a_loop_change_a_variable_at_each_turn(evaluate):
    count = tf.get_variable("count", initializer=0)

    def turn(k):
        added = tf.tpu.outside_compilation(lambda: count.assign_add(1))
        with tf.control_dependencies([added]):
            return k + 1

    def computation(turns):
        return tf.while_loop(lambda k: k < turns, turn, [0])

    out = tf.tpu.replicate(computation, [[3], [0], [2]])
    assert evaluate(out) == [(3,), (0,), (2,)]
    assert evaluate(count) == 5


def test_a_host_part_does_not_wait_for_a_replica_that_took_another_branch(evaluate):
    total = tf.get_variable("total", initializer=0.0)

    def computation(x):
        added = tf.cond(
            x > 0.0,
            lambda: tf.tpu.outside_compilation(lambda: total.assign_add(x)),
            lambda: x,
        )
        with tf.control_dependencies([added]):
            return tf.tpu.cross_replica_sum(x)

    out = tf.tpu.replicate(computation, [[-1.0], [2.0], [-4.0], [8.0]])
    assert evaluate(out) == [(5.0,)] * 4
    assert evaluate(total) == 10.0


def test_a_variable_of_computation_and_host_part_is_refused(evaluate):
    both = tf.get_variable("both", initializer=0.0)

    def computation():
        return both.assign(1.0), tf.tpu.outside_compilation(lambda: both.assign(2.0))

    out = tf.tpu.replicate(computation, [[], []])
    with pytest.raises(tf.errors.InvalidArgumentError, match="'both' is assigned by"):
        evaluate(out)


def test_host_parts_that_are_refused():
    outside = tf.tpu.outside_compilation

    def within_itself():
        return outside(lambda: outside(lambda: tf.constant(1.0)))

    refused(NotImplementedError, ["cannot be nested"], tf.tpu.replicate, within_itself)
    refused(TypeError, ["computation must be callable, got 3"], outside, 3)
