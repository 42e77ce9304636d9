"""Checks of the namespace tf.tpu and of the names that its page relies on."""

import re

import numpy as np

from ..clause import clause, expect_raises, same
from ..probes import static_shape

PLAIN = (
    "batch_parallel", "bfloat16_scope", "core", "cross_replica_sum",
    "initialize_system", "outside_compilation", "replicate", "rewrite", "shard",
    "shutdown_system",
)  # fmt: skip
WITH_TWIN = tuple(name for name in PLAIN if name != "cross_replica_sum")

# A 2x2x1 mesh of one host with four devices, as the protocol buffer has it: mesh
# shape, number of hosts, devices per host, then x, y and core of each device.
FOUR_CORES = bytes(
    [0x0A, 3, 2, 2, 1, 0x10, 1, 0x18, 4, 0x22, 12]
    + [0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0]
)
FOUR_COORDINATES = [[[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0]]]


@clause("tf.tpu/name/namespace")
def namespace(tf):
    for name in PLAIN:
        assert hasattr(tf.tpu, name), f"tf.tpu has no {name}"


@clause("tf.tpu/name/all-nineteen")
def all_nineteen(tf):
    names = list(PLAIN) + [name + "_dyn" for name in WITH_TWIN]
    same(len(names), 19)
    for name in names:
        assert hasattr(tf.tpu, name), f"tf.tpu has no {name}"
        assert callable(getattr(tf.tpu, name)), f"tf.tpu.{name} is not callable"
        assert name in dir(tf.tpu), f"{name} is not in dir(tf.tpu)"


@clause("tf.tpu/name/no-dyn-for-cross-replica-sum")
def no_twin_of_cross_replica_sum(tf):
    for name in WITH_TWIN:
        assert hasattr(tf.tpu, name + "_dyn"), f"tf.tpu has no {name}_dyn"


@clause("tf.tpu/behaviour/graph-mode-default")
def graph_mode_by_default(tf):
    seven = tf.constant(7)
    assert seven.graph is tf.get_default_graph()
    assert seven.op in tf.get_default_graph().get_operations()
    expect_raises(TypeError, int, seven)
    expect_raises(TypeError, float, seven)
    expect_raises(TypeError, range, seven)
    with tf.Session() as session:
        same(session.run(seven), 7)


@clause("tf.constant/name/constant")
def constant(tf):
    seven = tf.constant(7)
    same(seven.dtype.name, "int32")
    same(static_shape(seven), [])
    same(tf.constant(7.0).dtype.name, "float32")
    with tf.Session() as session:
        same(session.run(seven), 7)


@clause("tf.convert_to_tensor/name/convert-to-tensor")
def convert_to_tensor(tf):
    tensor = tf.convert_to_tensor([[1.0, 2.0], [3.0, 4.0]])
    assert isinstance(tensor, tf.Tensor), repr(tensor)
    same(tensor.dtype.name, "float32")
    same(static_shape(tensor), [2, 2])
    assert tf.convert_to_tensor(tensor) is tensor


@clause("tf.device/name/device")
def device(tf):
    with tf.device("/cpu:0"):
        on_cpu = tf.constant(1)
    elsewhere = tf.constant(1)
    assert on_cpu.device.upper().endswith("CPU:0"), on_cpu.device
    same(elsewhere.device, "")


@clause("tf.TensorShape/name/tensorshape")
def tensor_shape(tf):
    same(tf.TensorShape([None, 2]).as_list(), [None, 2])
    same(tf.TensorShape([]).as_list(), [])


@clause("tf.compat.v1.Dimension/name/dimension")
def dimension(tf):
    same(tf.compat.v1.Dimension(None).value, None)
    same(tf.compat.v1.Dimension(3).value, 3)
    same(tf.TensorShape([tf.compat.v1.Dimension(None), 2]).as_list(), [None, 2])


@clause("tf.get_variable/name/get-variable")
def get_variable(tf):
    variable = tf.get_variable("v", [2])
    assert isinstance(variable, tf.Variable), repr(variable)
    same(variable.dtype.base_dtype.name, "float32")
    same(static_shape(variable), [2])
    same([v.op.name for v in tf.global_variables()], ["v"])


@clause("tf.Session/name/session-run")
def session_run(tf):
    with tf.Session() as session:
        same(session.run(tf.constant(3)), 3)
    assert tf.compat.v1.Session is tf.Session


@clause("tf.contrib.tpu.InfeedQueue/name/exists")
def infeed_queue(tf):
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[4]])
    same(queue.number_of_tuple_elements, 1)
    pair = tf.contrib.tpu.InfeedQueue(
        tuple_types=[tf.float32, tf.int32], tuple_shapes=[[4], [4, 3]]
    )
    same(pair.number_of_tuple_elements, 2)


@clause("tf.tpu.experimental.DeviceAssignment/name/exists")
def device_assignment(tf):
    topology = tf.contrib.tpu.Topology(serialized=FOUR_CORES)
    built = tf.tpu.experimental.DeviceAssignment.build(topology, num_replicas=4)
    same(built.num_replicas, 4)
    same(built.num_cores_per_replica, 1)
    cores = [[FOUR_COORDINATES[0][3]], [FOUR_COORDINATES[0][1]]]
    given = tf.tpu.experimental.DeviceAssignment(topology, np.array(cores, np.int32))
    same(given.num_replicas, 2)
    assert re.search("TPU:3$", given.tpu_device(replica=0)), given.tpu_device(replica=0)
    assert re.search("TPU:1$", given.tpu_device(replica=1)), given.tpu_device(replica=1)
    assert re.search("CPU:0$", given.host_device(replica=0)), given.host_device(
        replica=0
    )


@clause("tf.contrib.tpu.Topology/name/exists")
def topology(tf):
    restored = tf.contrib.tpu.Topology(serialized=FOUR_CORES)
    same(restored.mesh_shape, [2, 2, 1])
    same(restored.device_coordinates, FOUR_COORDINATES)
    same(restored.serialized(), FOUR_CORES)
