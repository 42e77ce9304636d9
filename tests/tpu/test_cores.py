"""tf.tpu.core, device assignments, and replicas of several cores."""

import numpy as np
import pytest

import tpuref as tf

from ..messages import refused

contrib = tf.contrib.tpu


def assignment(replicas, shape=None):
    topology = contrib.Topology.for_mesh(2, 2, 2)
    return contrib.device_assignment(
        topology, computation_shape=shape, num_replicas=replicas
    )


def test_the_trace_tells_task_and_device(traced):
    topology = contrib.Topology(
        mesh_shape=[2, 2, 2],
        device_coordinates=np.array(
            [
                [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]],
                [[0, 1, 0], [0, 1, 1], [1, 1, 0], [1, 1, 1]],
            ]
        ),
    )
    chosen = contrib.device_assignment(topology, num_replicas=8)
    out = tf.tpu.replicate(
        lambda x: x * 1, [[r] for r in range(8)], device_assignment=chosen
    )
    _, trace = traced(out)
    for record in trace:
        ordinal = chosen.tpu_ordinal(record.replica)
        assert chosen.host_device(record.replica) == f"/task:{record.task}/device:CPU:0"
        assert record.core == 4 * record.task + ordinal
        assert record.device == (
            f"/job:localhost/replica:0/task:{record.task}/device:TPU:{ordinal}"
        )
    assert {t.task for t in trace} == {0, 1}


def test_without_being_asked_nothing_is_traced(session):
    out = tf.tpu.replicate(lambda x: x, [[1.0]])
    metadata = tf.RunMetadata()
    session.run(out, run_metadata=metadata)
    assert metadata.core_trace == ()
    session.run(out, options=tf.RunOptions(), run_metadata=metadata)
    assert metadata.core_trace == ()


def test_operations_without_a_core_run_on_the_first(traced):
    def computation(x):
        with tf.device(tf.tpu.core(1)):
            y = tf.negative(x)
        return tf.negative(y, name="nowhere")

    out = tf.tpu.rewrite(computation, [1.0], device_assignment=assignment(1, [1, 1, 2]))
    _, trace = traced(out)
    assert [t.logical_core for t in trace if t.operation.endswith("nowhere")] == [0]


def test_sums_cross_replicas_on_their_core(traced):
    def computation(x):
        with tf.device(tf.tpu.core(1)):
            return tf.tpu.cross_replica_sum(x, name="total")

    out = tf.tpu.replicate(
        computation, [[1.0], [2.0]], device_assignment=assignment(2, [1, 1, 2])
    )
    values, trace = traced(out)
    assert values == [(3.0,), (3.0,)]
    summing = [t for t in trace if t.operation.endswith("total")]
    assert {(t.replica, t.logical_core) for t in summing} == {(0, 1), (1, 1)}


def test_control_flow_may_use_other_cores(traced):
    def branch(x):
        with tf.device(tf.tpu.core(1)):
            return tf.identity(x + 1, name="branch")

    out = tf.tpu.rewrite(
        lambda x: tf.cond(x > 0, lambda: branch(x), lambda: x),
        [1.0],
        device_assignment=assignment(1, [1, 1, 2]),
    )
    value, trace = traced(out)
    assert value == (2.0,)
    assert [t.logical_core for t in trace if t.operation.endswith("branch")] == [1]


def test_several_cores_need_an_assignment(session):
    def computation(x):
        with tf.device(tf.tpu.core(1)):
            moved = tf.identity(x + 1, name="on_one")
        return moved * 10

    for cores in (None, 8):
        out = tf.tpu.replicate(computation, [[1.0]])
        words = ["2 logical cores", "device_assignment", "on core 1, built at"]
        words.append('tf.identity(x + 1, name="on_one")')
        with tf.config.override(cores=cores):
            refused(tf.errors.InvalidArgumentError, words, session.run, out)


def test_a_core_beyond_the_assignment_is_named_with_its_place(session):
    def computation(x):
        with tf.device(tf.tpu.core(5)):
            return tf.negative(x, name="too_far")  # on a core that there is not

    out = tf.tpu.rewrite(computation, [1.0], device_assignment=assignment(1, [1, 1, 2]))
    words = ["6 logical cores", "gives 2", "too_far", "core 5"]
    words.append("# on a core that there is not")
    refused(tf.errors.InvalidArgumentError, words, session.run, out)


@pytest.mark.parametrize("replicas", [1, 3])
def test_an_assignment_for_another_number_of_replicas(replicas, session):
    out = tf.tpu.replicate(
        lambda x: x, [[1.0]] * replicas, device_assignment=assignment(2)
    )
    words = [f"{replicas} replicas", "has 2"]
    refused(tf.errors.InvalidArgumentError, words, session.run, out)


def test_an_assignment_for_another_topology(session):
    out = tf.tpu.replicate(lambda x: x, [[1.0]] * 8, device_assignment=assignment(8))
    invalid = pytest.raises(tf.errors.InvalidArgumentError, match="another topology")
    with tf.config.override(topology="1x1x2"), invalid:
        session.run(out)
