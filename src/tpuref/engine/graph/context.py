"""The thread's context: graphs, sessions, the mode, variable creators.

All state that a thread has outside of a graph is here; scopes within a graph belong to
the graph.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from tpuref.base import error_codes as codes
from tpuref.base.arguments import wrong_type

if TYPE_CHECKING:
    from tpuref.engine.graph.graph import Graph
    from tpuref.engine.graph.recorder import Recorder


class CurrentSession(Protocol):
    """The interface of a session that evaluates a tensor or runs an operation."""

    @property
    def graph(self) -> Graph:
        """The graph that it runs."""

    def run(self, fetches: Any, feed_dict: dict[Any, Any] | None = None) -> Any:
        """Return the values of `fetches`."""


class Context(threading.local):
    """The stacks of the calling thread, the innermost block last.

    `use_graph` alone writes `graphs`, and with `eager_execution` `eager`;
    `push_session` and `pop_session` write `sessions`; `variable_creator_scope` and
    `CallerContext` `creators`; `recorder`, tapes and `CallerContext` `recorders`;
    functions with ``jit_compile=True`` write their names to `compiled`, and strategies
    their scopes and replicas to `places`.
    """

    def __init__(self) -> None:
        self.graphs: list[Graph] = []
        self.eager: list[bool] = []
        self.sessions: list[CurrentSession] = []
        self.creators: list[Callable[..., Any]] = []
        self.recorders: list[Recorder] = []
        self.compiled: list[str] = []
        self.places: list[Any] = []


context = Context()


@contextlib.contextmanager
def use_graph(graph: Graph) -> Iterator[Graph]:
    """Make `graph` the default; operations in it are built, not run at once."""
    context.graphs.append(graph)
    context.eager.append(False)
    try:
        yield graph
    finally:
        context.eager.pop()
        context.graphs.pop()


def get_default_session() -> Any:
    """Return the innermost session entered by ``with``, or None."""
    return context.sessions[-1] if context.sessions else None


def push_session(session: CurrentSession) -> None:
    """Make `session` the current one."""
    context.sessions.append(session)


def pop_session(session: CurrentSession) -> None:
    """Undo `push_session`."""
    if not context.sessions or context.sessions[-1] is not session:
        raise RuntimeError("sessions must be left in the reverse order of entering")
    context.sessions.pop()


def session_for(session: CurrentSession | None, graph: Graph) -> CurrentSession:
    """Return `session`, or else the current one, for evaluating a part of `graph`."""
    chosen: CurrentSession | None = (
        session if session is not None else get_default_session()
    )
    if chosen is None:
        raise codes.SESSION_CLOSED.value_error(
            "there is no current session: use `with tf.Session() as sess:`, or give "
            "session="
        )
    if not hasattr(chosen, "graph") or not hasattr(chosen, "run"):
        raise wrong_type("session", "a tf.Session or None", chosen)
    if chosen.graph is not graph:
        raise codes.OTHER_GRAPH.value_error(
            "the session runs another graph than the one that is asked for"
        )
    return chosen
