"""The names under ``tf.contrib.training``."""

from __future__ import annotations

from tpuref.checkpoints.state import checkpoints_iterator
from tpuref.contrib.training import python
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.training.evaluation import (
    StopAfterNEvalsHook,
    evaluate_once,
    get_or_create_eval_step,
)
from tpuref.training.train_op import create_train_op

__all__ = [
    "StopAfterNEvalsHook",
    "checkpoints_iterator",
    "create_train_op",
    "evaluate_once",
    "get_or_create_eval_step",
    "python",
]

_explain_missing(__name__, "tf.contrib.training")
