"""Optimizers as TensorFlow 2 has them: ``tf.optimizers``."""

from __future__ import annotations

from tpuref.missing.namespaces import explain_missing as _explain_missing
from tpuref.optimizers import schedules as schedules
from tpuref.optimizers.adagrad import Adagrad
from tpuref.optimizers.adam import Adam
from tpuref.optimizers.gradient_descent import SGD
from tpuref.optimizers.optimizer import Optimizer
from tpuref.optimizers.rmsprop import RMSprop

__all__ = ["SGD", "Adagrad", "Adam", "Optimizer", "RMSprop", "schedules"]

_explain_missing(__name__, "tf.optimizers")
