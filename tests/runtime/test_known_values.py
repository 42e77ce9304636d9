"""What a program need not compute: the value is in an earlier slot already."""

from dataclasses import replace

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.graph.lowering import lower
from tpuref.engine.runtime.meaning.known_values import known_values, without_repeats


def computed(fetches, fed=()):
    """Return how often each operation is left, without constants."""
    made = lower(fetches, (), fed)
    known = known_values(made)
    left = [
        instr.op
        for instr in made.instrs
        if instr.op != "Const" and not {*instr.outputs} <= {*known}
    ]
    return {op: left.count(op) for op in left}


def test_equal_functions_are_computed_once():
    x = tf.placeholder(tf.float32, [3])
    several = [tf.exp(x) * 2.0 for _ in range(3)]
    fetch = several[0] + tf.identity(several[1]) - several[2]
    assert computed([fetch], [x]) == {"Exp": 1, "Mul": 1, "AddV2": 1, "Sub": 1}


def test_what_differs_in_a_bit_is_computed_for_itself():
    x = tf.placeholder(tf.float32, [3])
    nan = np.uint32([0x7FC00000, 0x7FC00001]).view(np.float32)
    factors = [0.0, -0.0, np.float64(0), *nan]
    wide = tf.placeholder(tf.float64, [3])
    products = [(x if type(f) is not np.float64 else wide) * f for f in factors]
    sums = [tf.reduce_sum(x, 0), tf.reduce_sum(x, 0, keepdims=True)]
    total = tf.add_n([tf.cast(p, tf.float32) for p in products]) + sum(sums)
    counts = computed([total], [x, wide])
    assert (counts["Mul"], counts["Sum"]) == (5, 2)


def test_random_numbers_are_drawn_for_each():
    drawn = [tf.random.normal([3], seed=4) for _ in range(2)]
    assert computed([drawn[0] + drawn[1]])["RandomStandardNormal"] == 2


def test_results_never_share_an_array():
    x = tf.placeholder(tf.float32, [3])
    assert computed([tf.exp(x), tf.exp(x), tf.exp(x) + 1.0], [x])["Exp"] == 2


def test_a_variable_is_read_again_after_it_may_have_changed():
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    first = [v.read_value(), v.read_value(), w.read_value()]
    with tf.control_dependencies(first):
        assigned = v.assign(5.0)
    with tf.control_dependencies([assigned]):
        then = [v.read_value(), w.read_value()]
    with tf.control_dependencies(then):
        called = tf.py_func(lambda: np.float32(1), [], tf.float32)
    with tf.control_dependencies([called]):
        last = [v.read_value(), w.read_value()]
    total = tf.add_n([*first, *then, *last]) + assigned
    # v and w, and both after the call; the assignment gives the value of v before it.
    assert computed([total])["ReadVariableOp"] == 4


def test_the_value_of_an_assignment_is_that_of_later_reads(evaluate):
    v = tf.Variable(3.0)
    with tf.control_dependencies([v.assign_add(4.0)]):
        later = v.read_value() * 2.0
    assert [evaluate(later) for _ in range(2)] == [14.0, 22.0]


def body(outputs):
    """Return the program of the replicas that compute some outputs."""
    made = lower([x for row in outputs for x in tf.nest.flatten(row)], (), ())
    return next(instr.blocks[0] for instr in made.instrs if instr.blocks)


def left(program):
    """Return how many exponentials and reads are left."""
    ops = [instr.op for instr in without_repeats(program).all_instrs()]
    return ops.count("Exp"), ops.count("ReadVariableOp")


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_replicas_compute_repeats_once_within_each_block(executor):
    v = tf.Variable(2.0)

    def computation(x):
        before = [tf.exp(x) * v.read_value() for _ in range(2)]
        with tf.control_dependencies([v.assign_add(tf.tpu.cross_replica_sum(x))]):
            after = tf.identity(v.read_value()) + v.read_value()
        looped = tf.while_loop(
            lambda y: y < 5.0, lambda y: y + tf.exp(x) + tf.exp(x), [tf.exp(x)]
        )
        return before[0] + before[1], after, looped

    outputs = tf.tpu.replicate(computation, [[0.0], [1.0], [2.0]])
    assert left(body(outputs)) == (2, 1)
    e = np.exp(np.float32([0, 1, 2]))
    pairs = list(zip(e, [5.0, 3 * e[1], e[2]], strict=True))
    with tf.config.override(executor=executor), tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in (2, 5):
            want = [[2 * x * value, 2 * value + 6, y] for x, y in pairs]
            np.testing.assert_allclose(session.run(outputs), want, rtol=1e-5)


def test_replicas_that_use_several_cores_stay_as_they_are():
    program = body(tf.tpu.replicate(lambda x: tf.exp(x) + tf.exp(x), [[1.0]]))
    apart = replace(program, instrs=tuple(replace(i, core=1) for i in program.instrs))
    assert (left(program), left(apart)) == ((1, 0), (2, 0))
