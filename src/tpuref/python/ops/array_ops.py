"""Names of ``tensorflow.python.ops.array_ops`` that programs import."""

from __future__ import annotations

from tpuref.compat.v1 import (
    concat,
    expand_dims,
    fill,
    gather,
    identity,
    one_hot,
    ones,
    ones_like,
    pad,
    placeholder,
    reshape,
    shape,
    size,
    split,
    squeeze,
    stack,
    stop_gradient,
    tile,
    transpose,
    unstack,
    where,
    zeros,
    zeros_like,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "concat",
    "expand_dims",
    "fill",
    "gather",
    "identity",
    "one_hot",
    "ones",
    "ones_like",
    "pad",
    "placeholder",
    "reshape",
    "shape",
    "size",
    "split",
    "squeeze",
    "stack",
    "stop_gradient",
    "tile",
    "transpose",
    "unstack",
    "where",
    "zeros",
    "zeros_like",
]

_explain_missing(__name__, "tf.python.ops.array_ops")
