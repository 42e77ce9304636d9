"""Parts of a program that run on the host, called from a compiled one."""

import numpy as np
import pytest

import tpuref as tf

from .conftest import evaluated, replicated, require_bits_of_lockstep
from .joint_programs import called

pytest.importorskip("jax", reason="JAX is not installed")


def rows(dtype=np.float32):
    return [[np.array([k, k + 1], dtype)] for k in range(3)]


@pytest.mark.parametrize(
    "dtype", ["float64", "int64", "uint64", "complex128", "float16"]
)
def test_numbers_come_through_unchanged(agree, dtype):
    def computation(x):
        return called(lambda a: a + a, x + x, tf.as_dtype(dtype)) + x

    x = np.array([1.5, 3] if dtype == "float16" else [2**53 + 1, 3], dtype)
    agree(replicated(computation, [[x], [x + 1], [x + 2]]))


def test_calls_come_in_the_order_of_program_and_replicas():
    seen = []

    def noted(name):
        def note(a):
            seen.append((name, float(a[0])))
            return a

        return note

    def computation(x):
        first = called(noted("first"), x)
        return called(noted("second"), tf.sqrt(first)) + x

    evaluated(replicated(computation, rows()), "xla")
    assert seen == [("first", k) for k in (0, 1, 2)] + [
        ("second", float(np.sqrt(np.float32(k)))) for k in (0, 1, 2)
    ]


@pytest.mark.parametrize(
    ("build", "change", "expected"),
    [
        (
            lambda x, call: tf.cond(x[0] > 0, lambda: call(x), lambda: x - 1),
            lambda a: a * 2,
            ([1, 2], [[-1, 0], [2, 4], [4, 6]]),
        ),
        (
            lambda x, call: tf.while_loop(
                lambda a: a[0] < 21, lambda a: [call(a)], [x]
            ),
            lambda a: a + 10,
            ([0, 1, 2, 10, 11, 12, 20], [[30, 31], [21, 22], [22, 23]]),
        ),
    ],
    ids=["branch", "loop"],
)
def test_a_call_is_of_those_that_come_to_it(build, change, expected):
    seen = []

    def note(a):
        seen.append(float(a[0]))
        return change(a)

    def computation(x):
        return build(x, lambda a: called(note, a))

    got = evaluated(replicated(computation, rows()), "xla")[0]
    assert (seen, [row[0].tolist() for row in got]) == expected


def test_an_error_of_a_host_function_arrives(capfd):
    def fail(a):
        raise KeyError("no such thing") if a[0] == 1 else ValueError("zero")

    def said(executor):
        with pytest.raises(tf.errors.OpError) as raised:
            evaluated(replicated(lambda x: called(fail, x) + 1, rows()), executor)
        return raised.type, str(raised.value)

    assert said("xla") == said("lockstep")
    assert "io_callback" not in capfd.readouterr().err


def test_after_an_error_the_program_runs_again(session):
    fails = [True]

    def perhaps(a):
        if fails:
            fails.clear()
            raise ValueError("the first time")
        return a

    outputs = tf.tpu.replicate(lambda x: called(perhaps, x) + 1, rows())
    with pytest.raises(tf.errors.InvalidArgumentError, match="the first time"):
        session.run(outputs)
    assert session.run(outputs)[2][0].tolist() == [3, 4]


def test_text_and_unknown_sizes_stay_on_the_host(agree):
    def part(x):
        found = tf.boolean_mask(x, x > 1)
        return tf.py_func(lambda a: b"%d" % len(a), [found], tf.string), found

    agree(replicated(lambda x: tf.tpu.outside_compilation(part, x), rows()))


def test_the_shape_of_what_the_host_returns_is_static(agree):
    def computation(x):
        y = called(lambda a: a + 1, x)
        return tf.fill([tf.size(y) + 1], 3.0), tf.ones(tf.shape(y)) + y

    agree(replicated(computation, rows()))


def test_print_and_assertions(capfd):
    def computation(x):
        x = tf.Print(x, [x, tf.shape(x)], "x is ")
        with tf.control_dependencies([tf.Assert(x[0] < 2, [x, "is large"])]):
            return x + 1

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2.0 3.0\] \[is large"):
        evaluated(replicated(computation, rows()), "xla")
    shown = [line for line in capfd.readouterr().err.split("\n") if "x is" in line]
    assert shown == ["x is [0.0 1.0][2]", "x is [1.0 2.0][2]", "x is [2.0 3.0][2]"]


def test_a_host_part_reads_and_assigns_a_variable(agree):
    def build():
        w = tf.get_variable("w", initializer=np.float32(1))
        v = tf.get_variable("v", initializer=np.float32([5, 5]))

        def computation(x):
            counted = tf.tpu.outside_compilation(lambda: tf.assign_add(w, 1.0))
            return x + counted + tf.assign_add(v, [1.0, 1.0])

        return tf.tpu.replicate(computation, rows()), None

    agree(build, runs=3)


def test_infeed_queues_feed_the_replicas(agree):
    def build():
        queue = tf.contrib.tpu.InfeedQueue(1, [tf.float32], [tf.TensorShape([2])])
        queue.set_number_of_shards(3)
        feeding = queue.generate_enqueue_ops([[tf.constant(row[0])] for row in rows()])

        def computation():
            (x,) = queue.generate_dequeue_op()
            return x * 2

        with tf.control_dependencies(feeding):
            outputs = tf.tpu.replicate(computation, [[]] * 3)
        return [feeding, outputs], None

    agree(build, runs=2)


def test_random_numbers_are_those_of_lockstep_bit_for_bit():
    def computation(x):
        noise = [
            tf.random_uniform([2, 3], seed=1),
            tf.random_normal(tf.shape(x), dtype=tf.float64, seed=2),
            tf.random_shuffle(x, seed=3),
            tf.multinomial([x], 4, seed=4),
            tf.random_uniform([2], 3, 90, tf.int32, seed=5),
        ]
        looped = tf.while_loop(
            lambda i, a: a[0] < 3,
            lambda i, a: (i + 1, a + tf.random_uniform([2], seed=6)),
            [0, x],
        )
        chosen = tf.cond(x[0] > 0, lambda: tf.truncated_normal([2], seed=7), lambda: x)
        return noise, looped, chosen

    require_bits_of_lockstep(replicated(computation, rows()), runs=3)
