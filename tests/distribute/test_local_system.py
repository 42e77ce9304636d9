"""The cores of this computer as the TPU system of a TensorFlow 2 program."""

from importlib.util import find_spec

import numpy as np
import pytest
from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.probes import sized, version_2


def resolver(tf, **arguments):
    return tf.distribute.cluster_resolver.TPUClusterResolver(**arguments)


def test_local_system(tf):
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


def test_connected_resolver(tf):
    with sized(tf, cores=2), version_2(tf) as tf2:
        connected = type(resolver(tf2, tpu="local")).connect("local")
        same(len(tf2.config.list_logical_devices("TPU")), 2)
        tf2.tpu.experimental.shutdown_tpu_system(connected)


def test_address_of_a_host(tf):
    with version_2(tf) as tf2:
        connect = tf2.config.experimental_connect_to_host
        expect_raises(ValueError, connect, "")
        cluster = tf2.config.experimental_connect_to_cluster
        expect_raises(TypeError, cluster, 8470)


def test_plain_function(tf):
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


@pytest.mark.skipif(
    find_spec("keras") is not None, reason="needs an environment without Keras"
)
def test_missing_keras(tf):
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
