"""The names under ``tf.contrib.framework``."""

from __future__ import annotations

from tpuref.checkpoints.initialization import (
    assign_from_checkpoint_fn,
    init_from_checkpoint,
    list_variables,
    load_checkpoint,
    load_variable,
)
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.training.global_step import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)

__all__ = [
    "assert_global_step",
    "assign_from_checkpoint_fn",
    "create_global_step",
    "get_global_step",
    "get_or_create_global_step",
    "init_from_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]

_explain_missing(__name__, "tf.contrib.framework")
