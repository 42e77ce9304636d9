"""The resolvers, and what an API object answers about two TPUs."""

from tpuref_conformance.suite.cloud_stand_ins import CloudTPU, node

import tpuref as tf

CONTRIB = tf.contrib.cluster_resolver.TPUClusterResolver
DISTRIBUTE = tf.distribute.cluster_resolver.TPUClusterResolver

NODE_1 = node("10.1.2.3:8470", "10.1.2.4:8470")
NODE_2 = node("10.9.9.9:8471")
PLACE = {"zone": "z", "project": "p"}


def answered(answer, resolver=DISTRIBUTE, **options):
    """Return a resolver of a TPU about which the API answers that."""
    return resolver("n", service=CloudTPU({"n": answer}), **PLACE, **options)
