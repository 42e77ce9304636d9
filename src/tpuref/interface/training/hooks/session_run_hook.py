"""The hook: what a monitored session calls before and after each run."""

from __future__ import annotations

from typing import Any, NamedTuple

from tpuref.base.arguments import listed, wrong_type
from tpuref.interface.training.coordinator import Coordinator


class SessionRunArgs(NamedTuple):
    """What to run: `tf.Session.run` takes the same.

    Attributes
    ----------
    fetches
        What to evaluate: a tensor, operation or structure of them, or None.
    feed_dict
        What to feed, or None.
    options
        A `tf.RunOptions`, or None.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.train.SessionRunArgs(fetches=None).feed_dict is None
    True
    """

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """What a run has given.

    Attributes
    ----------
    results
        The values of what the hook asked for, in the same structure; None if nothing.
    options
        The `tf.RunOptions` of the run.
    run_metadata
        The `tf.RunMetadata` of the run.
    """

    results: Any
    options: Any
    run_metadata: Any


class SessionRunContext:
    """A run that is about to begin or has ended, as its hooks see it.

    Parameters
    ----------
    original_args
        What the caller of the session asked for.
    session
        The session that runs it.
    """

    def __init__(self, original_args: SessionRunArgs, session: Any) -> None:
        self._original_args, self._session = original_args, session
        self._stop_requested = False

    @property
    def original_args(self) -> SessionRunArgs:
        """What the caller of the session asked for."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session, whose ``run`` calls no hooks."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """Whether a hook asked for a stop."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Let ``should_stop`` of the monitored session be true from now on."""
        self._stop_requested = True


class SessionRunHook:
    """What a monitored session calls before and after each run.

    A subclass overrides the methods that it needs; here they do nothing.  Hooks are
    called in the order in which they were given.

    Examples
    --------
    >>> import tpuref as tf
    >>> class Teller(tf.train.SessionRunHook):
    ...     def before_run(self, run_context):
    ...         return tf.train.SessionRunArgs(doubled)
    ...     def after_run(self, run_context, run_values):
    ...         print("it was", int(run_values.results))
    >>> x = tf.placeholder(tf.int32, [])
    >>> doubled = 2 * x
    >>> with tf.train.MonitoredSession(hooks=[Teller()]) as sess:
    ...     _ = sess.run(x, {x: 4})
    it was 8
    """

    def begin(self) -> None:
        """Called once before the session is made; it may add to the graph."""

    def after_create_session(self, session: Any, coord: Coordinator) -> None:
        """Called for each session that is made: the first, and one after a failure.

        Parameters
        ----------
        session
            The session; the graph is finalized.
        coord
            The coordinator of its threads.
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Return what to run beside what the caller asks for, None for nothing."""
        return None

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        """Called after a run that did not fail."""

    def end(self, session: Any) -> None:
        """Called at the end, unless an error ended the session.

        `OutOfRangeError` and StopIteration count as a normal end.
        """


def hooks_of(argument: str, given: Any) -> list[Any]:
    """Return hooks or listeners as a list."""
    several = [] if given is None else listed(argument, given, "a list of hooks")
    for hook in several:
        if isinstance(hook, type) or not hasattr(hook, "begin"):
            raise wrong_type(f"{argument}: each entry", "a hook", hook)
    return several
