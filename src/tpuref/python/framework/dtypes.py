"""Names of ``tensorflow.python.framework.dtypes`` that programs import."""

from __future__ import annotations

from tpuref.base.dtypes import bool_ as bool
from tpuref.compat.v1 import (
    DType,
    as_dtype,
    bfloat16,
    float16,
    float32,
    float64,
    int32,
    int64,
    string,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "DType",
    "as_dtype",
    "bfloat16",
    "bool",
    "float16",
    "float32",
    "float64",
    "int32",
    "int64",
    "string",
]

_explain_missing(__name__, "tf.python.framework.dtypes")
