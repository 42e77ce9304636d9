"""Names of ``tensorflow.python.estimator.estimator`` that programs import."""

from __future__ import annotations

from tpuref.checkpoints.state import latest_checkpoint as _latest_checkpoint
from tpuref.estimator.estimator import Estimator
from tpuref.estimator.estimator import step_of_checkpoint as _step_of_checkpoint
from tpuref.estimator.spec import EstimatorSpec
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "Estimator",
    "EstimatorSpec",
]


def _load_global_step_from_checkpoint_dir(checkpoint_dir: str) -> int:
    """Return the global step of the last checkpoint of a directory, 0 without one."""
    return _step_of_checkpoint(_latest_checkpoint(checkpoint_dir))


_explain_missing(__name__, "tf.python.estimator.estimator")
