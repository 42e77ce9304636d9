"""An instance of each kind of public class, made in the graph that is the default."""

import numpy as np

import tpuref as tf


def strategy():
    return tf.contrib.distribute.TPUStrategy(resolver(), steps_per_run=2, num_cores=2)


def tensor():
    return tf.constant([[1.0, 2.0], [3.0, 4.0]])


def variable():
    return tf.Variable([1.0, 2.0], name="specimen")


def dataset():
    return tf.data.Dataset.from_tensor_slices(np.arange(6.0, dtype=np.float32))


def infeed_queue():
    return tf.contrib.tpu.InfeedQueue(
        2, tuple_types=[tf.float32], tuple_shapes=[[4, 2]]
    )


def topology():
    return tf.contrib.tpu.Topology.for_mesh(2, 2, 2)


def assignment():
    return tf.contrib.tpu.device_assignment(topology(), num_replicas=2)


def mirrored_variable():
    with strategy().scope():
        return tf.get_variable("mirrored", initializer=1.0)


def resolver():
    return tf.contrib.cluster_resolver.TPUClusterResolver([""])


def monitored():
    tf.train.get_or_create_global_step()
    return tf.train.MonitoredSession()


def moved_average():
    average = tf.train.ExponentialMovingAverage(0.5)
    average.apply([variable()])
    return average


def tape():
    recorded = tf.GradientTape(persistent=True)
    with recorded:
        recorded.watch(tensor())
    return recorded


SPECIMENS = {
    "Tensor": (tf.Tensor, tensor),
    "Operation": (tf.Operation, lambda: tensor().op),
    "Variable": (tf.Variable, variable),
    "Graph": (tf.Graph, tf.get_default_graph),
    "Session": (tf.Session, tf.Session),
    "VariableScope": (tf.VariableScope, tf.get_variable_scope),
    "TensorShape": (tf.TensorShape, lambda: tf.TensorShape([2, None])),
    "Dimension": (tf.Dimension, lambda: tf.Dimension(2)),
    "DType": (tf.DType, lambda: tf.float32),
    "TensorSpec": (tf.TensorSpec, lambda: tf.TensorSpec([2, None], tf.float32)),
    "Dataset": (tf.data.Dataset, dataset),
    "Iterator": (tf.data.Iterator, lambda: dataset().make_one_shot_iterator()),
    "ClusterSpec": (tf.train.ClusterSpec,
                    lambda: tf.train.ClusterSpec({"worker": ["a:1", "b:2"]})),
    "TPUClusterResolver": (tf.contrib.cluster_resolver.TPUClusterResolver, resolver),
    "Topology": (tf.contrib.tpu.Topology, topology),
    "DeviceAssignment": (tf.contrib.tpu.DeviceAssignment, assignment),
    "InfeedQueue": (tf.contrib.tpu.InfeedQueue, infeed_queue),
    "PerDevice": (
        tf.contrib.distribute.PerDevice,
        lambda: tf.contrib.distribute.PerDevice({"/cpu:0": 1.0, "/cpu:1": 2.0}),
    ),
    "MirroredVariable": (tf.contrib.distribute.MirroredVariable, mirrored_variable),
    "TPUStrategy": (tf.contrib.distribute.TPUStrategy, strategy),
    "AdamOptimizer": (tf.train.AdamOptimizer, tf.train.AdamOptimizer),
    "BatchNormalization": (tf.layers.BatchNormalization, tf.layers.BatchNormalization),
    "Coordinator": (tf.train.Coordinator, tf.train.Coordinator),
    "CrossShardOptimizer": (
        tf.contrib.tpu.CrossShardOptimizer,
        lambda: tf.contrib.tpu.CrossShardOptimizer(tf.train.AdamOptimizer()),
    ),
    "Dense": (tf.layers.Dense, lambda: tf.layers.Dense(2)),
    "ExponentialMovingAverage": (tf.train.ExponentialMovingAverage, moved_average),
    "FileWriter": (tf.summary.FileWriter, lambda: tf.summary.FileWriter("events")),
    "GradientTape": (tf.GradientTape, tape),
    "IndexedSlices": (tf.IndexedSlices,
                      lambda: tf.IndexedSlices(tensor(), tf.constant([0, 1]))),
    "MonitoredSession": (tf.train.MonitoredSession, monitored),
    "Scaffold": (tf.train.Scaffold, tf.train.Scaffold),
    "SparseTensor": (tf.SparseTensor, lambda: tf.SparseTensor([[0, 0]], [1.0], [2, 2])),
    "TFRecordWriter": (tf.python_io.TFRecordWriter,
                       lambda: tf.python_io.TFRecordWriter("records")),
    "TensorArray": (tf.TensorArray, lambda: tf.TensorArray(tf.float32, 2)),
}  # fmt: skip
"""The class, and what makes an instance, by the name of the class."""
