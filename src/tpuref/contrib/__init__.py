"""The documented names under ``tf.contrib``."""

from __future__ import annotations

from tpuref.contrib import (
    cloud,
    cluster_resolver,
    data,
    distribute,
    estimator,
    framework,
    layers,
    lookup,
    opt,
    summary,
    tpu,
    training,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "cloud",
    "cluster_resolver",
    "data",
    "distribute",
    "estimator",
    "framework",
    "layers",
    "lookup",
    "opt",
    "summary",
    "tpu",
    "training",
]

_explain_missing(__name__, "tf.contrib")
