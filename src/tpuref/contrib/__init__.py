"""The documented names under ``tf.contrib``."""

from tpuref.contrib import cluster_resolver, distribute, tpu

__all__ = ["cluster_resolver", "distribute", "tpu"]
