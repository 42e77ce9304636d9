"""What a program need not compute: the value is in an earlier slot already."""

import numpy as np

import tpuref as tf
from tpuref.engine.graph.lowering import lower
from tpuref.engine.runtime.meaning.known_values import known_values


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
