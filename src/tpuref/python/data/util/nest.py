"""Names of ``tensorflow.python.data.util.nest`` that programs import."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.namespaces.nest import (
    assert_same_structure,
    flatten,
    map_structure,
    pack_sequence_as,
)

__all__ = [
    "assert_same_structure",
    "flatten",
    "map_structure",
    "pack_sequence_as",
]

_explain_missing(__name__, "tf.python.data.util.nest")
