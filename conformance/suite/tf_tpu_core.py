"""Checks of tf.tpu.core and tf.tpu.core_dyn."""

import inspect

import numpy as np

from ..clause import clause, expect_raises, same
from ..probes import assign_cores, initialised_topology, traced
from .tf_tpu_page import function_clause


@function_clause("tf.tpu.core/signature/num-only")
def num_only(tf, core):
    parameters = inspect.signature(core).parameters
    same(list(parameters), ["num"])
    assert parameters["num"].default is inspect.Parameter.empty
    expect_raises(TypeError, core)
    same(core(num=1), core(1))


@function_clause("tf.tpu.core/returns/device-name-string")
def device_name_string(tf, core):
    assert isinstance(core(0), str)
    same(core(0), "device:TPU_REPLICATED_CORE:0")
    for num in (1, 2, 3, 7, 12):
        same(core(num), f"device:TPU_REPLICATED_CORE:{num}")


@function_clause("tf.tpu.core/returns/usable-in-tf-device")
def usable_in_tf_device(tf, core):
    with tf.device(core(1)):
        tensor = tf.constant(1)
    assert tensor.device.endswith("TPU_REPLICATED_CORE:1"), tensor.device


@function_clause("tf.tpu.core/args:num/virtual-core-within-replica")
def virtual_core_within_replica(tf, core):
    assert core(0) != core(1)

    def computation(x):
        with tf.device(core(0)):
            first = tf.add(x, 1.0, name="on_core_0")
        with tf.device(core(1)):
            return tf.multiply(first, 2.0, name="on_core_1")

    with initialised_topology(tf, cores=4) as (session, topology):
        assignment = assign_cores(tf, topology, [[0, 1], [2, 3]])
        out = tf.tpu.replicate(
            computation, [[1.0], [5.0]], device_assignment=assignment
        )
        values, trace = traced(tf, session, out)
    same(values, [[4.0], [12.0]])
    same(_cores_of(trace, "on_core_0"), {0: 0, 1: 2})
    same(_cores_of(trace, "on_core_1"), {0: 1, 1: 3})

    def on_three_cores(x):
        for num in (2, 0, 1):
            with tf.device(core(num)):
                x = tf.add(x, 1.0, name=f"step_{num}")
        return x

    with initialised_topology(tf, cores=8) as (session, topology):
        assignment = assign_cores(tf, topology, [[6, 7, 2], [1, 0, 5]])
        out = tf.tpu.replicate(
            on_three_cores, [[1.0], [5.0]], device_assignment=assignment
        )
        values, trace = traced(tf, session, out)
    same(values, [[4.0], [8.0]])
    for num, cores in enumerate([{0: 6, 1: 1}, {0: 7, 1: 0}, {0: 2, 1: 5}]):
        same(_cores_of(trace, f"step_{num}"), cores)


def _cores_of(trace, operation):
    """Return {replica: physical core} of the operation whose name ends so."""
    return {
        record.replica: record.core
        for record in trace
        if record.operation.split("/")[-1] == operation
    }


@clause("tf.tpu.core_dyn/signature/num-only")
def dyn_num_only(tf):
    num_only(tf, tf.tpu.core_dyn)


@clause("tf.tpu.core_dyn/returns/same-as-plain")
def dyn_same_as_plain(tf):
    for num in range(8):
        same(tf.tpu.core_dyn(num), tf.tpu.core(num))
    same(tf.tpu.core_dyn(np.int64(3)), tf.tpu.core(3))
    device_name_string(tf, tf.tpu.core_dyn)
    usable_in_tf_device(tf, tf.tpu.core_dyn)
