"""A user's script: what editors and type checkers have to know of tpuref."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

import tpuref as tf
import tpuref.compat.v1 as v1
import tpuref.compat.v2 as v2

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value: object, kind: object) -> None:
        pass


def computation(x: tf.Tensor) -> tf.Tensor:
    total = tf.tpu.cross_replica_sum(x)
    assert_type(total, tf.Tensor)
    assert_type(v1.nn.relu(x), tf.Tensor)
    assert_type(v2.nn.relu(x), tf.Tensor)
    assert_type(-total[..., None] * 2.0, tf.Tensor)
    return tf.reduce_mean(total / 2.0)


Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


def sums() -> list[float]:
    outputs = tf.tpu.replicate(computation, [[np.float32(k)] for k in range(4)])
    assert_type(outputs, list[tuple[tf.Tensor]])
    assert_type(tf.tpu.rewrite(computation, [1.0]), tuple[tf.Tensor])
    shares = tf.tpu.shard(computation, [tf.ones([8])], num_shards=4)
    assert_type(shares, list[tf.Tensor])
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
    found = tf.contrib.tpu.Topology(sess.run(tf.tpu.initialize_system()))
    assignment = tf.contrib.tpu.device_assignment(found, num_replicas=2)
    print(assignment.tpu_device(replica=0), found.mesh_shape.tolist())
    return found.num_cores


def data() -> tf.data.Dataset:
    rows = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).batch(2).repeat()
    assert_type(rows, "tf.data.Dataset[tf.Tensor]")
    pairs = tf.data.Dataset.from_tensor_slices(([1.0], [2])).shuffle(2)
    assert_type(pairs, "tf.data.Dataset[tuple[tf.Tensor, ...]]")
    assert_type(pairs.map(scaled), "tf.data.Dataset[dict[str, tf.Tensor]]")
    return rows


def scaled(x: tf.Tensor, y: tf.Tensor) -> dict[str, tf.Tensor]:
    return {"x": 2.0 * x, "y": y}


def elements() -> None:
    for x in data().take(1):
        assert_type(x, Any)
    for element in tf.data.Dataset.range(3).batch(2):
        assert_type(element, tf.Tensor)


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
    assert_type(tf.gradients(loss, [w]), list[tf.Tensor])
    step = optimizer.minimize(loss, global_step=tf.train.get_or_create_global_step())
    assert_type(step, tf.Operation)
    strategy = tf.contrib.distribute.TPUStrategy(
        tf.contrib.cluster_resolver.TPUClusterResolver("local"), steps_per_run=1
    )
    with strategy.scope(), tf.config.override(cores=4), v1.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert_type(sess.run(step), None)
        value = tf.ones([])
        assert_type(sess.run(value), Array)
        assert_type(sess.run([value, value]), list[Array])
        assert_type(sess.run({"loss": value}), dict[str, Array])
        tf.layers.dense(tf.ones([2, 3]), 4, activation=tf.nn.relu)


def estimate(folder: str) -> tf.estimator.tpu.TPUEstimator:
    def input_fn(params: dict[str, Any]) -> tf.data.Dataset:
        rows = tf.data.Dataset.from_tensor_slices(
            (np.ones([8, 2], np.float32), [1.0] * 8)
        )
        return rows.repeat().batch(params["batch_size"], drop_remainder=True)

    def model_fn(
        features: tf.Tensor, labels: tf.Tensor, mode: str, params: dict[str, Any]
    ) -> tf.estimator.tpu.TPUEstimatorSpec:
        line = tf.squeeze(tf.layers.dense(features, 1), 1)
        loss = tf.losses.mean_squared_error(labels, line)
        optimizer = tf.tpu.CrossShardOptimizer(tf.train.AdamOptimizer(0.1))
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
        return tf.estimator.tpu.TPUEstimatorSpec(mode, loss=loss, train_op=train_op)

    config = tf.estimator.tpu.RunConfig(
        model_dir=folder,
        tpu_config=tf.estimator.tpu.TPUConfig(iterations_per_loop=2, num_shards=2),
    )
    estimator = tf.estimator.tpu.TPUEstimator(
        model_fn=model_fn, config=config, use_tpu=True, train_batch_size=4
    )
    estimator.train(input_fn, max_steps=2)
    return estimator


class Line(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable(1.0)

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return self.weight * x


def functions() -> float:
    class Scale(tf.Module):
        @tf.function
        def __call__(self, x: tf.Tensor) -> tf.Tensor:
            return 2.0 * x

        @tf.function(reduce_retracing=True)
        def by(self, x: tf.Tensor, by: float = 2.0) -> dict[str, tf.Tensor]:
            return {"scaled": self(x) * by}

    scale = Scale()
    assert_type(scale(tf.ones([2])), tf.Tensor)
    scaled = scale.by(tf.ones([2]), by=3.0)
    assert_type(scaled, dict[str, tf.Tensor])
    if TYPE_CHECKING:
        scale.by(tf.ones([2]), by="three")  # type: ignore[arg-type]
    return float(scaled["scaled"][0])


def train_as_in_tensorflow_2() -> float:
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(tpu="")
    tf.config.experimental_connect_to_cluster(resolver)
    tf.tpu.experimental.initialize_tpu_system(resolver)
    strategy = tf.distribute.TPUStrategy(resolver)
    with strategy.scope():
        line, optimizer = Line(), tf.optimizers.SGD(0.1)
        mean = tf.keras.metrics.Mean()

    @tf.function
    def step(x: tf.Tensor) -> None:
        def replica(x: tf.Tensor) -> None:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(line(x) ** 2)
            gradients = tape.gradient(loss, line.trainable_variables)
            assert_type(gradients, list[tf.Tensor])
            pairs = zip(gradients, line.trainable_variables, strict=True)
            optimizer.apply_gradients(pairs)
            mean.update_state(loss)

        assert_type(strategy.run(replica, args=(x,)), None)

    rows = tf.data.Dataset.from_tensor_slices(np.ones([16], np.float32)).batch(8)
    for x in strategy.experimental_distribute_dataset(rows):
        step(x)
    return float(mean.result())


if __name__ == "__main__":
    print(sums(), tf.float32.name, tf.errors.OutOfRangeError, tf.__version__)
