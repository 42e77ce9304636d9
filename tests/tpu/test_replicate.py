"""tf.tpu.replicate: inputs, computations, returns, and every documented error."""

import collections
import functools

import numpy as np
import pytest

import tpuref as tf

from ..messages import refused


def test_outputs_can_be_fed(session):
    ran = []

    def computation(x):
        tf.py_func(lambda: ran.append(1), [], [])
        return x

    ((a,), (b,)) = tf.tpu.replicate(computation, [[1.0], [2.0]])
    assert session.run(a + b, {a: 10.0, b: 20.0}) == 30.0 and not ran
    assert session.run(a + b, {a: 10.0}) == 12.0 and len(ran) == 2


@pytest.mark.parametrize(
    ("computation", "expected"),
    [
        (lambda a, *rest, k=5.0: a + k, 6.0),
        (functools.partial(lambda a, b: a + b, b=9.0), 10.0),
        (np.negative, -1.0),
        (tf.exp, np.float32(np.e)),
    ],
)
def test_callables_that_take_one_input(computation, expected, evaluate):
    ((value,),) = evaluate(tf.tpu.replicate(computation, [[1.0]]))
    assert value == pytest.approx(expected)


def test_an_error_of_the_computation_comes_out_as_it_is():
    def computation(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        tf.tpu.replicate(computation, [[1.0]])
    tf.tpu.replicate(lambda x: x, [[1.0]])  # and nothing is left open


def test_a_defaultdict_stays_one(evaluate):
    def computation(x):
        table = collections.defaultdict(list)
        table["k"] = x
        return table

    (result,) = evaluate(tf.tpu.replicate(computation, [[1.0]]))
    assert type(result) is collections.defaultdict
    assert result == {"k": 1.0}


def test_a_computation_within_a_branch_around(evaluate):
    x = tf.placeholder(tf.float32, [])

    def on_cores():
        return tf.tpu.replicate(lambda v: v * 2, [[x], [x + 1]])[1][0]

    y = tf.cond(x > 0, on_cores, lambda: x)
    assert evaluate(y, {x: 3.0}) == 8.0
    assert evaluate(y, {x: -3.0}) == -3.0


def test_variables_keep_the_value_of_replica_0(evaluate):
    v = tf.Variable([0.0, 0.0])
    outputs = tf.tpu.replicate(lambda x: v.assign([x, x]), [[7.0], [8.0]])
    first, second = evaluate(outputs)
    assert first[0].tolist() == [7.0, 7.0] and second[0].tolist() == [8.0, 8.0]
    assert evaluate(v).tolist() == [7.0, 7.0]


def test_each_replica_reads_what_it_wrote(evaluate):
    v = tf.Variable(1.0)

    def computation(x):
        before = v.read_value()
        v.assign_add(x)
        v.assign_sub(1.0)
        return before, v.read_value()

    outputs = tf.tpu.replicate(computation, [[10.0], [20.0]])
    assert evaluate(outputs) == [(1.0, 10.0), (1.0, 20.0)]
    assert evaluate(v) == 10.0


def test_replicas_that_disagree_are_reported_on_request(evaluate):
    v = tf.Variable([1.0, 1.0, 1.0], name="weights")
    outputs = tf.tpu.replicate(
        lambda x: v.assign(tf.stack([2.0, x, x])), [[4.0], [4.0], [5.0]]
    )
    evaluate(v)
    words = ["'weights'", "index [1] replica 0 has 4.0, replica 2 has 5.0"]
    words.append("cross_replica_sum")
    with tf.config.override(check_replicas=True):
        refused(tf.errors.InvalidArgumentError, words, evaluate, outputs)
    assert evaluate(v).tolist() == [1.0, 1.0, 1.0]


def test_replicas_that_agree_pass_the_check(evaluate):
    v = tf.Variable([0.0])
    outputs = tf.tpu.replicate(
        lambda x: v.assign([tf.tpu.cross_replica_sum(x)]), [[4.0], [5.0]]
    )
    with tf.config.override(check_replicas=True):
        evaluate(outputs)
    assert evaluate(v).tolist() == [9.0]


def test_random_streams_differ_between_replicas_and_runs(session):
    outputs = tf.tpu.replicate(lambda: tf.random_uniform([4], seed=3), [[]] * 3)
    drawn = session.run(outputs) + session.run(outputs)
    assert len({tuple(values) for (values,) in drawn}) == 6


def test_a_leaked_tensor_is_refused_in_another_computation():
    leaked = []
    tf.tpu.replicate(lambda x: leaked.append(x * 2), [[1.0]])
    for computation in (lambda: leaked[0], lambda: [1.0, leaked[0]]):
        with pytest.raises(ValueError, match="used outside of it"):
            tf.tpu.replicate(computation)
    with pytest.raises(ValueError, match="used outside of it"):
        tf.tpu.replicate(lambda x: x, [leaked])


def test_a_run_time_error_names_replica_operation_and_line(session):
    def computation(x):
        return tf.gather([1.0, 2.0], x)  # the line to be named

    outputs = tf.tpu.replicate(computation, [[0], [5]])
    words = ["replica 1", "5", "operation: ", "the line to be named"]
    refused(tf.errors.InvalidArgumentError, words, session.run, outputs)
