"""What tpuref says about an invalid sum across replicas."""

import numpy as np
from tpuref_conformance.clause import same
from tpuref_conformance.suite.tf_tpu_cross_replica_sum import build_sum

from ..messages import refused


def refused_groups(tf, exception_type, groups, replicas, words):
    """Require the error of a sum in these groups, with ``words`` in its message."""
    refused(
        exception_type,
        words,
        build_sum,
        tf,
        tf.tpu.cross_replica_sum,
        1.0,
        groups,
        replicas,
    )


def test_no_partition(tf):
    def require(groups, *words):
        refused_groups(tf, ValueError, groups, 4, (*words, "replicas 0 to 3 must"))

    require(
        [[0, 1], [2, 4]], "[[0, 1], [2, 4]] contains replica 4, which does not exist"
    )
    require([[0, 1], [2, 9]], "contains replica 9, which does not exist")
    require([[0, 1], [2, -1]], "contains replica -1, which does not exist")
    require([[0, 3], [3, 2]], "contains replica 3 2 times")
    require([[1, 1], [1, 2]], "contains replica 1 3 times")
    require([[0, 3]], "omits replica 1;")
    require([[0, 1, 2]], "omits replica 3;")


def test_array(tf):
    refused_groups(tf, ValueError, [0, 1], 2, ["two dimensions", "got shape [2]"])
    refused_groups(tf, ValueError, [[[0, 1]]], 2, ["two dimensions", "shape [1, 1, 2]"])
    uneven = [[0], [1, 2]]
    refused_groups(tf, ValueError, uneven, 3, ["the same number", "[[0], [1, 2]]"])
    refused_groups(tf, TypeError, [[0.0, 1.0]], 2, ["integers", "[[0.0, 1.0]]"])
    unknown = tf.placeholder(tf.int32, [1, 2])
    refused_groups(tf, TypeError, unknown, 2, ["known when the graph", "int32"])
    floats = tf.constant([[0.0, 1.0]])
    refused_groups(tf, TypeError, floats, 2, ["known when the graph", "float32"])
    build_sum(tf, tf.tpu.cross_replica_sum, 1.0, tf.constant([[0, 1]]))


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


def sum_of(tf, x, replicas):
    """Build the sum of ``x`` in that many replicas."""
    return build_sum(tf, tf.tpu.cross_replica_sum, x, None, replicas)
