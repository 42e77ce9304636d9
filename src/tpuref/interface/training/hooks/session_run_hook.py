"""Define the hook interface of monitored sessions."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tpuref.base.arguments import listed, wrong_type
from tpuref.interface.training.coordinator import Coordinator


class SessionRunArgs(NamedTuple):
    """The arguments of a run, as for `tf.Session.run`.

    `fetches` is a tensor, operation or structure of them, or None.  `feed_dict` has the
    feeds, or is None.  `options` is a `tf.RunOptions`, or None.

    Examples
    --------
    >>> tf.train.SessionRunArgs(fetches=None).feed_dict is None
    True
    """

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """The results of a run.

    `results` are the values of the hook's fetches, in the same structure, or None.
    `options` is the `tf.RunOptions` of the run.  `run_metadata` is the `tf.RunMetadata`
    of the run.
    """

    results: Any
    options: Any
    run_metadata: Any


@dataclass(eq=False)
class SessionRunContext:
    """The run before or after which hooks are called."""

    original_args: SessionRunArgs  # the arguments of the session's caller
    session: Any  # its `run` calls no hooks
    stop_requested: bool = field(init=False, default=False)

    def request_stop(self) -> None:
        """Make ``should_stop`` of the monitored session return true from now on."""
        self.stop_requested = True


class SessionRunHook:
    """The base of hooks, which a monitored session calls before and after each run.

    A subclass overrides the methods that it needs.  Hooks are called in the order of
    the list.

    Examples
    --------
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
        """Called once before the session is created; it may add to the graph."""

    def after_create_session(self, session: Any, coord: Coordinator) -> None:
        """Called for each new session: the first, and one after each failure.

        The graph of `session` is finalized; `coord` is the coordinator of its threads.
        """

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Return the arguments to add to a run, or None."""
        return None

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        """Called after a run without an error."""

    def end(self, session: Any) -> None:
        """Called at the end, unless an error ended the session.

        `OutOfRangeError` and StopIteration count as a normal end.
        """


def hooks_of(argument: str, hooks: Any) -> list[Any]:
    """Return a list of hooks or listeners."""
    several = [] if hooks is None else listed(argument, hooks, "a list of hooks")
    for hook in several:
        if isinstance(hook, type) or not hasattr(hook, "begin"):
            raise wrong_type(f"{argument}: each entry", "a hook", hook)
    return several
