"""Define the hook that ends training when the loss is NaN."""

from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)
from tpuref.interface.training.log import log


class NanLossDuringTrainingError(RuntimeError):
    """The loss became NaN."""

    def __str__(self) -> str:
        return f"NaN loss during training. [{codes.NAN_LOSS}]"


class NanTensorHook(SessionRunHook):
    """Ends training when the loss is NaN.

    With `fail_on_nan_loss` it raises `NanLossDuringTrainingError`, otherwise it
    requests a stop.

    Examples
    --------
    >>> loss = tf.constant(float("nan"))
    >>> with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as sess:
    ...     sess.run(loss)
    Traceback (most recent call last):
    tpuref.interface.training.hooks.nan_tensor.NanLossDuringTrainingError: \
NaN loss during training. [TPUREF-E243]
    """

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor = loss_tensor
        self._fail_on_nan_loss = fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Fetch the loss."""
        return SessionRunArgs(self._loss_tensor)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        """Raise an error or request a stop if the loss is NaN."""
        if not np.isnan(run_values.results).any():
            return
        if self._fail_on_nan_loss:
            log.error("Model diverged with loss = NaN.")
            raise NanLossDuringTrainingError
        log.warning("Model diverged with loss = NaN.")
        run_context.request_stop()
