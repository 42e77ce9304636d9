"""The cores of this computer as the TPU system of a TensorFlow 2 program."""

import numpy as np
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


def test_what_is_no_cluster(tf):
    with version_2(tf) as tf2:
        expect_raises(TypeError, tf2.config.experimental_connect_to_cluster, 8470)
