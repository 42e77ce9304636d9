"""The names under ``tf.losses``."""

from __future__ import annotations

from tpuref.losses.classification import (
    hinge_loss,
    log_loss,
    sigmoid_cross_entropy,
    softmax_cross_entropy,
    sparse_softmax_cross_entropy,
)
from tpuref.losses.collection import (
    add_loss,
    get_losses,
    get_regularization_loss,
    get_regularization_losses,
    get_total_loss,
)
from tpuref.losses.reduction import Reduction
from tpuref.losses.regression import (
    absolute_difference,
    cosine_distance,
    huber_loss,
    mean_squared_error,
)
from tpuref.losses.weighted import compute_weighted_loss
from tpuref.missing.namespaces import explain_missing as _explain_missing

__all__ = [
    "Reduction",
    "absolute_difference",
    "add_loss",
    "compute_weighted_loss",
    "cosine_distance",
    "get_losses",
    "get_regularization_loss",
    "get_regularization_losses",
    "get_total_loss",
    "hinge_loss",
    "huber_loss",
    "log_loss",
    "mean_squared_error",
    "sigmoid_cross_entropy",
    "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]

_explain_missing(__name__, "tf.losses")
