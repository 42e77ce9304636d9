"""Define monitored sessions: they prepare variables, call hooks, survive failures."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import wrong_type
from tpuref.base.errors import AbortedError, OutOfRangeError, UnavailableError
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.runner import Runner
from tpuref.engine.graph.session_options import ConfigProto, RunMetadata, RunOptions
from tpuref.engine.runtime.hosts import here
from tpuref.interface.files.filesystem import PathLike
from tpuref.interface.training.coordinator import Coordinator
from tpuref.interface.training.hooks.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    hooks_of,
)
from tpuref.interface.training.log import log
from tpuref.interface.training.scaffold import Scaffold
from tpuref.interface.training.session_creator import (
    ChiefSessionCreator,
    SessionCreator,
)

LOST = (AbortedError, UnavailableError)
"""The errors of a lost session: cores died, or a server is unreachable."""


@dataclass(eq=False)
class StepContext:
    """The argument of ``run_step_fn``'s function: runs with and without hooks."""

    session: Any  # its `run` calls no hooks
    run_with_hooks: Callable[..., Any]  # as `session.run`, and calls the hooks

    def request_stop(self) -> None:
        """Leave the function and the ``with`` block of the monitored session."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class _Attempt:
    """One session until it fails, with the coordinator of its threads."""

    def __init__(self, session: Any, coordinator: Coordinator) -> None:
        self.session, self.coordinator = session, coordinator
        self.stop_requested = False


class _HookedSession(Runner):
    """The base of `MonitoredSession` and `SingularMonitoredSession`."""

    StepContext = StepContext

    def __init__(
        self,
        session_creator: SessionCreator | None,
        hooks: Sequence[SessionRunHook] | None,
        recovers: bool,
        stop_grace_period_secs: float,
    ) -> None:
        if session_creator is not None and not hasattr(
            session_creator, "create_session"
        ):
            argument = f"{type(self).__name__}: session_creator"
            raise wrong_type(argument, "a tf.train.SessionCreator", session_creator)
        self._graph = get_default_graph()
        self._was_finalized = self._graph.finalized
        self._hooks = hooks_of(f"{type(self).__name__}: hooks", hooks)
        self._recovers, self._grace = recovers, stop_grace_period_secs
        for hook in self._hooks:
            hook.begin()
        self._creator = session_creator or ChiefSessionCreator()
        self._closed = False
        self._attempt: _Attempt | None = None
        self._persistently(lambda attempt: None)

    @property
    def graph(self) -> Any:
        """The graph, None after the session is closed."""
        return None if self._attempt is None else self._attempt.session.graph

    def _evaluate(
        self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any
    ) -> Any:
        return self._persistently(
            lambda attempt: self._run(
                attempt, fetches, feed_dict, options, run_metadata
            )
        )

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Call a function that runs the session, with or without hooks.

        `step_fn` has the parameter ``step_context``, a `StepContext`.  It raises
        ValueError if `step_fn` has other parameters.

        Examples
        --------
        >>> x = tf.placeholder(tf.int32, [])
        >>> square = x * x
        >>> def step(step_context):
        ...     first = step_context.session.run(x, {x: 2})
        ...     return step_context.run_with_hooks(square, {x: first + 1})
        >>> with tf.train.MonitoredSession() as sess:
        ...     int(sess.run_step_fn(step))
        9
        """
        if not callable(step_fn):
            argument = f"{type(self).__name__}.run_step_fn: step_fn"
            raise wrong_type(argument, "a function", step_fn)
        names = list(inspect.signature(step_fn).parameters)
        if names not in (["step_context"], ["self", "step_context"]):
            raise codes.INVALID_ARGUMENT.value_error(
                "MonitoredSession.run_step_fn: step_fn must have one parameter, "
                f"step_context, got {names}"
            )

        def call(attempt: _Attempt) -> Any:
            def run_with_hooks(
                fetches: Any,
                feed_dict: Any = None,
                options: Any = None,
                run_metadata: Any = None,
            ) -> Any:
                return self._run(attempt, fetches, feed_dict, options, run_metadata)

            return step_fn(StepContext(attempt.session, run_with_hooks))

        return self._persistently(call)

    def _persistently(self, action: Callable[[_Attempt], Any]) -> Any:
        """Call an action with a session; repeat it if the session is lost."""
        while True:
            try:
                return action(self._attempt or self._begin_attempt())
            except LOST as error:
                if not self._recovers or here.is_broken():
                    raise
                log.info(
                    "An error was raised. This may be due to a preemption in a "
                    "connected worker or parameter server. The current session will "
                    "be closed and a new session will be created. Error: %s",
                    error,
                )
                self._end_attempt()

    def _check_open(self) -> None:
        if self._closed:
            raise codes.SESSION_CLOSED.runtime_error(
                "the monitored session is closed; make a new one"
            )

    def _begin_attempt(self) -> _Attempt:
        """Create a session, and tell the hooks."""
        self._check_open()
        session = self._creator.create_session()
        coordinator = Coordinator(clean_stop_exception_types=[])
        self._attempt = _Attempt(session, coordinator)
        for hook in self._hooks:
            hook.after_create_session(session, coordinator)
        return self._attempt

    def _run(
        self, attempt: _Attempt, fetches: Any, feeds: Any, options: Any, metadata: Any
    ) -> Any:
        """Run once; raise an error of the coordinator's threads in preference."""
        try:
            return self._run_with_hooks(attempt, fetches, feeds, options, metadata)
        except LOST:
            raise
        except Exception as error:
            try:
                attempt.coordinator.raise_requested_exception()
            except LOST:
                raise
            except Exception:
                raise error from None
            raise

    def _run_with_hooks(
        self, attempt: _Attempt, fetches: Any, feeds: Any, options: Any, metadata: Any
    ) -> Any:
        if attempt.stop_requested:
            raise codes.SESSION_CLOSED.runtime_error(
                "MonitoredSession.run: a hook has requested a stop; run while "
                "`not session.should_stop()`"
            )
        context = SessionRunContext(SessionRunArgs(fetches, feeds), attempt.session)
        requests = [hook.before_run(context) for hook in self._hooks]
        asked = [one for one in requests if one is not None]
        several = [options, *(one.options for one in asked)]
        # Hooks and the caller share one run: it has the most detailed trace requested.
        level = max((o.trace_level for o in several if o is not None), default=0)
        metadata = RunMetadata() if metadata is None else metadata
        result, *results = attempt.session.run(
            [fetches, *(one.fetches for one in asked if one.fetches is not None)],
            feed_dict=_merge_feeds(feeds, asked),
            options=RunOptions(level),
            run_metadata=metadata,
        )
        remaining = iter(results)
        for hook, request in zip(self._hooks, requests, strict=True):
            wanted = request is not None and request.fetches is not None
            values = next(remaining) if wanted else None
            hook.after_run(context, SessionRunValues(values, options, metadata))
        attempt.stop_requested = context.stop_requested
        return result

    def should_stop(self) -> bool:
        """Return whether a stop was requested, or the session is closed."""
        if self._attempt is None:
            return True
        try:
            self._attempt.coordinator.raise_requested_exception()
        except LOST:
            if not self._recovers:
                raise
            self._end_attempt()
            self._persistently(lambda attempt: None)
            return False
        except Exception:
            if not self._recovers:
                raise
            return True
        return self._attempt.coordinator.should_stop() or self._attempt.stop_requested

    def close(self) -> None:
        """Call ``end`` of the hooks, and close the session."""
        self._close(None)

    def _close(self, kind: type[BaseException] | None) -> None:
        self._check_open()
        try:
            if kind is None and self._attempt is not None:
                for hook in self._hooks:
                    hook.end(self._attempt.session)
        finally:
            self._closed = True
            try:
                self._end_attempt()
            finally:
                if not self._was_finalized:
                    self._graph.unfinalize()

    def _end_attempt(self) -> None:
        attempt, self._attempt = self._attempt, None
        if attempt is None:
            return
        attempt.coordinator.request_stop()
        try:
            attempt.coordinator.join(
                stop_grace_period_secs=self._grace, ignore_live_threads=True
            )
        except LOST as error:
            if not self._recovers:
                raise
            log.warning("The session was lost before it was closed. Error: %s", error)
        finally:
            attempt.session.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        if kind in (OutOfRangeError, StopIteration):
            kind = None
        self._close(kind)
        return kind is None


class MonitoredSession(_HookedSession):
    """A session that prepares variables, calls hooks, and is replaced if it is lost.

    If a run raises `AbortedError` or `UnavailableError`, the session creator makes a
    new session, which continues from the last checkpoint, and the run is repeated.
    `OutOfRangeError` and StopIteration end the ``with`` block without an error.  `run`
    also calls the hooks, before and after, and raises RuntimeError if a hook has
    requested a stop, two hooks feed a tensor, or the session is closed.
    `session_creator` is a `SessionCreator`, by default a `ChiefSessionCreator`.
    Threads of the coordinator may take `stop_grace_period_secs` to end.

    Examples
    --------
    >>> step = tf.train.create_global_step()
    >>> train_op = step.assign_add(1)
    >>> hooks = [tf.train.StopAtStepHook(last_step=3)]
    >>> with tf.train.MonitoredSession(hooks=hooks) as sess:
    ...     while not sess.should_stop():
    ...         done = sess.run(train_op)
    >>> int(done)
    3
    """

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


class SingularMonitoredSession(_HookedSession):
    """A `MonitoredSession` that does not recover, of a `ChiefSessionCreator`."""

    def __init__(
        self,
        hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        master: Any = "",
        config: ConfigProto | None = None,
        checkpoint_dir: PathLike | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: PathLike | None = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """Return the session; its ``run`` calls no hooks."""
        return None if self._attempt is None else self._attempt.session


def _merge_feeds(own: Any, asked: Sequence[SessionRunArgs]) -> Any:
    """Return the feeds of the caller and the hooks; each tensor may be fed once."""
    feeds: dict[Any, Any] = {}
    for fed, who in [
        *((one.feed_dict, "two hooks") for one in asked),
        (own, "a hook and the caller"),
    ]:
        twice = feeds.keys() & (fed or {}).keys()
        if twice:
            raise codes.CANNOT_FEED.runtime_error(
                f"MonitoredSession.run: the same tensor is fed by {who}: "
                f"{next(iter(twice))!r}; feed each once"
            )
        feeds.update(fed or {})
    return feeds or None
