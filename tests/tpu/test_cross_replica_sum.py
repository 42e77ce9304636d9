"""tf.tpu.cross_replica_sum."""

import logging

import numpy as np
from tpuref_conformance.clause import same
from tpuref_conformance.suite.tf_tpu_cross_replica_sum import build_sum

import tpuref as tf

from ..messages import refused


def test_the_order_within_a_group_does_not_change_the_bits(evaluate):
    def sums(groups):
        return tf.tpu.replicate(
            lambda x: tf.tpu.cross_replica_sum(x, group_assignment=groups),
            [[1e8], [1.0], [-1e8], [1.0]],
        )

    assert evaluate(sums([[0, 1, 2, 3]])) == evaluate(sums([[3, 2, 0, 1]]))


def test_outside_there_is_one_shard_and_one_warning(evaluate, caplog):
    with caplog.at_level(logging.WARNING, "tpuref"):
        total = tf.tpu.cross_replica_sum(tf.constant([1.0, 2.0]))
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "outside a replicated computation" in record.getMessage()
    assert "test_cross_replica_sum.py" in record.getMessage()
    assert evaluate(total).tolist() == [1.0, 2.0]


def test_a_whole_group_may_take_a_branch_of_its_own(evaluate):
    def computation(x):
        return tf.cond(
            x > 2.5, lambda: tf.tpu.cross_replica_sum(x, [[0, 1], [2, 3]]), lambda: x
        )

    out = tf.tpu.replicate(computation, [[1.0], [2.0], [3.0], [4.0]])
    assert evaluate(out) == [(1.0,), (2.0,), (7.0,), (7.0,)]


def test_a_replica_that_left_the_loop_is_named(session):
    def computation(x):
        return tf.while_loop(
            lambda i, v: i < x,
            lambda i, v: (i + 1, tf.tpu.cross_replica_sum(v)),
            [tf.constant(0), tf.constant(1.0)],
        )[1]

    out = tf.tpu.replicate(computation, [[1], [2]])
    words = ["replicas [1] wait for [0]"]
    refused(tf.errors.InvalidArgumentError, words, session.run, out)


def test_shapes_that_differ_at_evaluation(session):
    fed = [tf.placeholder(tf.float32, [None]) for _ in range(8)]
    out = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[x] for x in fed])
    ones = {x: [1.0] for x in fed}
    for last in ([1.0], [1.0, 2.0], [2.0]):
        feeds = {**ones, fed[7]: last}
        if len(last) > 1:
            words = ["different shapes [[1], [1]", "[1], [2]]"]
            refused(tf.errors.InvalidArgumentError, words, session.run, out, feeds)
        else:
            assert session.run(out, feeds)[1][0].tolist() == [7.0 + last[0]]


def test_results_of_replicas_share_no_memory(session):
    x = tf.constant([1.0, 2.0])
    out = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[x], [x]])
    (first,), (second,) = session.run(out)
    first[0] = 100.0
    assert second.tolist() == [2.0, 4.0]


def test_no_partition(tf):
    def require(groups, fault):
        refused(ValueError, [fault, "replicas 0 to 3 must"], sum_of, tf, 1.0, 4, groups)

    named = [[0, 1], [2, 4]]
    require(named, f"{named} contains replica 4, which does not exist")
    require([[0, 1], [2, 9]], "contains replica 9, which does not exist")
    require([[0, 1], [2, -1]], "contains replica -1, which does not exist")
    require([[0, 3], [3, 2]], "contains replica 3 2 times")
    require([[1, 1], [1, 2]], "contains replica 1 3 times")
    require([[0, 3]], "omits replica 1;")
    require([[0, 1, 2]], "omits replica 3;")


def test_components(tf):
    per_replica = tf.contrib.distribute.PerReplica
    pair = per_replica([1.0, 2.0])
    same(repr(pair), "PerReplica(1.0, 2.0)")
    for replicas in (1, 3):
        words = ["PerReplica(1.0, 2.0) has 2 components", f"has {replicas} replicas"]
        refused(ValueError, words, sum_of, tf, pair, replicas)
    sum_of(tf, pair, 2)
    refused(ValueError, ["non-empty list, got []"], per_replica, [])
    refused(ValueError, ["non-empty list, got 3"], per_replica, 3)
    refused(ValueError, ["got array"], per_replica, np.ones([2]))


def sum_of(tf, x, replicas, groups=None):
    """Build the sum of ``x`` in that many replicas."""
    return build_sum(tf, tf.tpu.cross_replica_sum, x, groups, replicas)
