"""Define the hook that feeds every run."""

from collections.abc import Callable
from typing import Any

from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
)


class FeedFnHook(SessionRunHook):
    """Feeds every run with the ``feed_dict`` that a function returns.

    Examples
    --------
    >>> x = tf.placeholder(tf.int32, [])
    >>> following = x + 1
    >>> hook = tf.train.FeedFnHook(lambda: {x: 3})
    >>> with tf.train.MonitoredSession(hooks=[hook]) as sess:
    ...     int(sess.run(following))
    4
    """

    def __init__(self, feed_fn: Callable[[], dict[Any, Any]]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        """Return the feeds, without fetches."""
        return SessionRunArgs(None, feed_dict=self.feed_fn())
