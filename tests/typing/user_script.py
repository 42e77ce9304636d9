"""A user's script: what editors and type checkers have to know of tpuref."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import tpuref as tf
import tpuref.compat.v1 as v1

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value: object, kind: object) -> None:
        pass


def computation(x: tf.Tensor) -> tf.Tensor:
    total = tf.tpu.cross_replica_sum(x)
    assert_type(total, tf.Tensor)
    return tf.reduce_mean(total / 2.0)


def sums() -> list[float]:
    inputs = [[np.float32(k)] for k in range(4)]
    outputs = tf.tpu.replicate(computation, inputs)
    shares = tf.tpu.shard(computation, [tf.ones([8])], num_shards=4)
    batch = tf.tpu.batch_parallel(computation, [tf.ones([8])], num_shards=4)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run([shares, batch])
        return [float(value) for (value,) in sess.run(outputs)]


def resolve(name: str) -> str:
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(name)
    old = tf.contrib.cluster_resolver.TPUClusterResolver("local")
    print(old.cluster_spec(), resolver.get_master())
    return resolver.master()


def topology(sess: tf.Session) -> int:
    serialized = sess.run(tf.tpu.initialize_system())
    found = tf.contrib.tpu.Topology(serialized)
    assignment = tf.contrib.tpu.device_assignment(found, num_replicas=2)
    print(assignment.tpu_device(replica=0), found.mesh_shape.tolist())
    return found.num_cores


def data() -> tf.data.Dataset:
    return tf.data.Dataset.from_tensor_slices([1.0, 2.0]).batch(2).repeat()


def serve() -> None:
    server = tf.train.Server({"worker": ["localhost:0"]}, job_name="worker")
    print(server.target)
    server.join()


def train() -> None:
    w = tf.get_variable("w", initializer=tf.zeros([3, 1]))
    loss = tf.reduce_sum(tf.matmul(tf.ones([2, 3]), w) ** 2)
    optimizer = tf.contrib.tpu.CrossShardOptimizer(
        tf.train.GradientDescentOptimizer(0.1)
    )
    assert_type(w, tf.Variable)
    assert_type(tf.tpu.cross_replica_sum({"w": w}), dict[Any, tf.Tensor])
    step = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
    strategy = tf.contrib.distribute.TPUStrategy(
        tf.contrib.cluster_resolver.TPUClusterResolver("local"), steps_per_run=1
    )
    with strategy.scope(), tf.config.override(cores=4), v1.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        tf.layers.dense(tf.ones([2, 3]), 4, activation=tf.nn.relu)


if __name__ == "__main__":
    print(sums(), tf.float32.name, tf.errors.OutOfRangeError, tf.__version__)
