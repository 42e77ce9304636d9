"""The names under ``tf.dtypes``."""

from __future__ import annotations

from tpuref.base.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tpuref.base.dtypes import bool_ as bool
from tpuref.functions.conversion import cast
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "DType",
    "as_dtype",
    "bfloat16",
    "bool",
    "cast",
    "complex64",
    "complex128",
    "double",
    "float16",
    "float32",
    "float64",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "string",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

_explain_missing(__name__, "tf.dtypes")
