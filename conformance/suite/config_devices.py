"""Checks of tf.config and tf.tpu.experimental: how a TensorFlow 2 program starts."""

import numpy as np

from ..clause import clause, expect_raises, same
from ..probes import sized, version_2


@clause("tf.config.list_logical_devices/behaviour/processors")
def logical_processors(tf):
    with version_2(tf) as tf:
        devices = tf.config.list_logical_devices("CPU")
        assert devices, "no processor"
        for number, device in enumerate(devices):
            same(device.device_type, "CPU")
            assert device.name.endswith("/device:CPU:%d" % number), device.name
        assert set(devices) <= set(tf.config.list_logical_devices())


@clause("tf.config.list_physical_devices/behaviour/processors")
def physical_processors(tf):
    with version_2(tf) as tf:
        found = tf.config.list_physical_devices("CPU")
        same([device.name for device in found], ["/physical_device:CPU:0"])
        same([device.device_type for device in found], ["CPU"])


@clause("tf.config.set_soft_device_placement/behaviour/kept")
def soft_placement(tf):
    with version_2(tf) as tf:
        before = tf.config.get_soft_device_placement()
        for wanted in (False, True):
            tf.config.set_soft_device_placement(wanted)
            same(tf.config.get_soft_device_placement(), wanted)
        tf.config.set_soft_device_placement(before)


@clause("tf.config.run_functions_eagerly/behaviour/values")
def functions_that_run_eagerly(tf):
    with version_2(tf) as tf:
        seen = []

        @tf.function
        def looked_at(x):
            seen.append(hasattr(x, "numpy") and float(x.numpy()))
            return x + 1.0

        tf.config.run_functions_eagerly(True)
        try:
            for x in (1.0, 2.0):
                same(looked_at(tf.constant(x)).numpy(), x + 1.0)
        finally:
            tf.config.run_functions_eagerly(False)
        same(seen, [1.0, 2.0])


# ---------------------------------------------------------------- what tpuref adds


def resolver(tf, **arguments):
    return tf.distribute.cluster_resolver.TPUClusterResolver(**arguments)


@clause("tf.tpu.experimental.initialize_tpu_system/behaviour/own-local")
def local_system(tf):
    for name in ("", "local"):
        with sized(tf, cores=3), version_2(tf) as tf2:
            local = resolver(tf2, tpu=name)
            tf2.config.experimental_connect_to_cluster(local)
            topology = tf2.tpu.experimental.initialize_tpu_system(local)
            same(int(np.prod(topology.mesh_shape)), 3)
            names = [d.name for d in tf2.config.list_logical_devices("TPU")]
            same(len(names), 3)
            assert names[2].endswith("/device:TPU:2"), names
            strategy = tf2.distribute.TPUStrategy(local)
            same(strategy.num_replicas_in_sync, 3)
            assert strategy.cluster_resolver is local
            tf2.tpu.experimental.shutdown_tpu_system(local)


@clause("tf.distribute.cluster_resolver.TPUClusterResolver.connect/behaviour/own-local")
def connected_resolver(tf):
    with sized(tf, cores=2), version_2(tf) as tf2:
        connected = type(resolver(tf2, tpu="local")).connect("local")
        same(len(tf2.config.list_logical_devices("TPU")), 2)
        tf2.tpu.experimental.shutdown_tpu_system(connected)


@clause("tf.config.experimental_connect_to_host/raises/own-address")
def address_of_a_host(tf):
    with version_2(tf) as tf2:
        connect = tf2.config.experimental_connect_to_host
        expect_raises(ValueError, connect, "")
        cluster = tf2.config.experimental_connect_to_cluster
        expect_raises(TypeError, cluster, 8470)


@clause("tf.distribute.TPUStrategy.run/behaviour/own-plain-function")
def plain_function(tf):
    with sized(tf, cores=3), version_2(tf) as tf2:
        local = resolver(tf2, tpu="local")
        tf2.config.experimental_connect_to_cluster(local)
        tf2.tpu.experimental.initialize_tpu_system(local)
        strategy = tf2.distribute.TPUStrategy(local)

        def step(x):
            context = tf2.distribute.get_replica_context()
            assert not hasattr(x, "numpy"), "it is traced, and so has no value"
            return context.all_reduce("SUM", x), context.replica_id_in_sync_group

        for x in (2.0, 5.0):
            total, numbers = strategy.run(step, (tf2.constant(x),))
            same(
                [float(v) for v in strategy.experimental_local_results(total)],
                [3 * x] * 3,
            )
            same(
                [int(v) for v in strategy.experimental_local_results(numbers)],
                [0, 1, 2],
            )
        tf2.tpu.experimental.shutdown_tpu_system(local)


@clause("tf.keras/raises/own-missing")
def missing_keras(tf):
    for path in (
        ["layers"],
        ["Sequential"],
        ["optimizers", "Nadam"],
        ["metrics", "AUC"],
    ):
        found = tf.keras
        for name in path[:-1]:
            found = getattr(found, name)
        error = expect_raises(AttributeError, getattr, found, path[-1])
        for word in ("tf.keras." + ".".join(path), "tf.Module", "TPUREF-E"):
            assert word in str(error), str(error)
