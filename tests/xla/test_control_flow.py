"""Branches and loops, of all replicas together and of single ones."""

import numpy as np
import pytest

import tpuref as tf

from .conftest import evaluated, replicated, require_bits_of_lockstep

pytest.importorskip("jax", reason="JAX is not installed")

ROWS = [[1.0, 2.0], [-4.0, 1.0], [5.0, 5.0]]


def of_rows(computation, rows=ROWS):
    return replicated(computation, [[np.array(row, np.float32)] for row in rows])


def of_each(x):
    total = tf.reduce_sum(x)
    inner = tf.cond(total > 5, lambda: x * 3, lambda: x * 2)
    return tf.cond(total > 0, lambda: inner + 1, lambda: tf.exp(x)), total


def loop(x):
    return tf.while_loop(
        lambda i, a, b: i < 7, lambda i, a, b: (i + 1, b + x, a), [0, x, x * 2]
    )


def no_turn(x):
    never = tf.while_loop(lambda a: a[0] > 100, lambda a: [a * 2], [x])
    return never, tf.while_loop(lambda i: i < 0, lambda i: i + 1, [0])


def loops_in_branches_in_loops(x):
    def turn(i, a):
        grown = tf.cond(
            a[0] > 1,
            lambda: tf.while_loop(lambda b: b[0] < 20, lambda b: [b * 2], [a]),
            lambda: a + 1,
        )
        return i + 1, grown - 1

    return tf.while_loop(lambda i, a: i < 4, turn, [0, x])


def array_of_tensors(x):
    return tf.map_fn(lambda row: row * row + x[0], tf.stack([x, x + 1, x * 2]))


def gradient_of_a_loop(x):
    y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])[1]
    return tf.gradients(y, x)


def wrong_where_no_replica_is(x):
    n = tf.cast(x[0], tf.int32)
    return tf.cond(n < 2, lambda: tf.gather(x, [1]), lambda: tf.gather(x, [n - 4]))


@pytest.mark.parametrize(
    "computation",
    [
        *(of_each, loop, no_turn, loops_in_branches_in_loops, array_of_tensors),
        *(gradient_of_a_loop, wrong_where_no_replica_is),
    ],
)
def test_branches_and_loops(agree, computation):
    agree(of_rows(computation))


def test_a_branch_that_is_known_is_the_only_one_compiled(agree):
    def computation(x, typed=True):
        def other():
            found = tf.reduce_sum(tf.where(x > 0))
            return tf.cast(found, tf.float32) if typed else found * 0.0

        return tf.cond(tf.shape(x)[0] > 1, lambda: x[0], other)

    with pytest.raises(TypeError):
        agree(of_rows(lambda x: computation(x, typed=False)))
    agree(of_rows(computation))


def test_replicas_leave_a_loop_one_by_one(agree):
    def computation(x):
        return tf.while_loop(
            lambda i, a: tf.reduce_sum(a) < 50,
            lambda i, a: (i + 1, a * 2 + 1),
            [0, tf.abs(x)],
        )

    *_, (turns, _) = agree(of_rows(computation))[0]
    assert turns == 3


@pytest.mark.parametrize("limit", [0, 1, 4])
@pytest.mark.parametrize("own", [False, True])
def test_a_loop_has_a_limit(agree, limit, own):
    def computation(x):
        return tf.while_loop(
            lambda i, a: i < 2 if not own else a[0] < 3,
            lambda i, a: (i + 1, a + x[1]),
            [0, x],
            maximum_iterations=limit,
        )

    agree(of_rows(computation))


def partial_sum(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.tpu.cross_replica_sum(x), lambda: x)


def failing(computation, rows=ROWS, executor="xla"):
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        evaluated(of_rows(computation, rows), executor)
    return str(raised.value)


def test_a_sum_that_one_replica_misses_is_lockstep_s_error(agree):
    assert "replicas [0, 2] wait for [1]" in failing(partial_sum)
    assert failing(partial_sum) == failing(partial_sum, executor="lockstep")
    agree(of_rows(partial_sum, [[1, 2], [3, 4], [5, 6]]))


def test_groups_meet_in_a_branch_each_for_itself(agree):
    def computation(x):
        return tf.cond(
            x[0] > 0, lambda: tf.tpu.cross_replica_sum(x, [[3, 0], [1, 2]]), lambda: -x
        )

    agree(of_rows(computation, [[1, 2], [-3, 4], [-5, 6], [7, 8]]))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int32", "uint32"])
def test_sums_fold_in_the_order_of_the_replicas(dtype):
    def computation(x):
        groups = [[5, 1, 3], [0, 4, 2]]
        return tf.tpu.cross_replica_sum(x), tf.tpu.cross_replica_sum(x, groups)

    rows = np.random.default_rng(0).uniform(0, 1000, [6, 5])
    inputs = [[row.astype(tf.as_dtype(dtype).np)] for row in rows]
    require_bits_of_lockstep(replicated(computation, inputs))


def test_the_first_failure_counts_and_is_named():
    said = failing(lambda x: 7 // tf.cast(x - 1.0, tf.int32))
    assert "FloorDiv" in said and "on replica 0" in said and "TPUREF-E116" in said
    assert "test_control_flow.py" in said

    def two_failures(x):
        n = tf.cast(x, tf.int32)
        return tf.gather(x, n), 7 // (n - n)

    def in_a_turn(x):
        turn = [lambda i, a: i < 9, lambda i, a: (i + 1, a + x[i])]
        return tf.while_loop(*turn, [0, 0.0])

    assert "GatherV2" in failing(two_failures)
    assert "out of range for axis 0 of size 2" in failing(in_a_turn)


@pytest.mark.parametrize("devices", [1], indirect=True)
def test_a_cast_out_of_range(agree):
    """NumPy, and TensorFlow 1.15.5 with it, wrap; XLA alone saturates."""
    targets = ["uint8", "int8", "uint16", "int32", "int64"]
    values = np.array([-3.5, 300, np.nan, 7e4, -7e4, 3e9, -1e30])

    def build():
        fed = {}
        for source in ("float32", "float64", "float16", "complex64"):
            with np.errstate(over="ignore"):
                fed[tf.placeholder(source, [7])] = values.astype(source)

        def casts(*xs):
            return [tf.cast(x, target) for x in xs for target in targets]

        return tf.tpu.rewrite(casts, list(fed)), fed

    agree(build)
