"""Define the hook that evaluates tensors at the end of a session."""

from typing import Any

from tpuref.base.errors import OutOfRangeError
from tpuref.interface.training.hooks.session_run_hook import SessionRunHook
from tpuref.interface.training.log import log


class FinalOpsHook(SessionRunHook):
    """Evaluates tensors at the end of a session.

    `final_ops` is a tensor, an operation, a structure of them, or None.

    Examples
    --------
    >>> hook = tf.train.FinalOpsHook({"two": tf.constant(2)})
    >>> with tf.train.MonitoredSession(hooks=[hook]):
    ...     pass
    >>> int(hook.final_ops_values["two"])
    2
    """

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops, self._feed_dict = final_ops, final_ops_feed_dict
        self.final_ops_values: Any = None

    def end(self, session: Any) -> None:
        """Evaluate the tensors."""
        if self._final_ops is None:
            return
        try:
            self.final_ops_values = session.run(self._final_ops, self._feed_dict)
        except (OutOfRangeError, StopIteration) as error:
            log.warning(
                "An OutOfRangeError or StopIteration is raised by the final_ops of "
                "FinalOpsHook: they must not depend on input. Error: %s",
                error,
            )
            raise
