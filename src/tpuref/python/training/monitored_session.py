"""Names of ``tensorflow.python.training.monitored_session``: those of ``tf.train``."""

from __future__ import annotations

from tpuref import train as _train
from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.train import *  # noqa: F403 - a list of names

__all__ = list(_train.__all__)

_explain_missing(__name__, "tf.python.training.monitored_session")
