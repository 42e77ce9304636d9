"""The default graph, the current session and the eager state of each thread."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.graph.graph import Graph


class _Stacks(threading.local):
    def __init__(self) -> None:
        self.graphs: list[Graph] = []
        self.sessions: list[Any] = []
        self.eager: list[bool] = []


_stacks = _Stacks()
_default = [Graph()]
_eager_by_default = [False]


def get_default_graph() -> Graph:
    """Return the graph that functions add their operations to."""
    return _stacks.graphs[-1] if _stacks.graphs else _default[0]


def reset_default_graph() -> None:
    """Put an empty graph in the place of the outermost default graph."""
    if _stacks.graphs:
        raise AssertionError(
            "tf.reset_default_graph: a graph is still in use by a `with "
            "graph.as_default()` block; leave the block first"
        )
    _default[0] = Graph()


@contextlib.contextmanager
def use_graph(graph: Graph) -> Iterator[Graph]:
    """Make `graph` the default; operations in it are built, not run at once."""
    _stacks.graphs.append(graph)
    _stacks.eager.append(False)
    try:
        yield graph
    finally:
        _stacks.eager.pop()
        _stacks.graphs.pop()


def executing_eagerly() -> bool:
    """Return whether operations run at once in this thread."""
    return _stacks.eager[-1] if _stacks.eager else _eager_by_default[0]


def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Run operations at once from now on; call it before anything is built.

    Raises
    ------
    ValueError
        If operations were already added to the default graph.
    """
    if not _eager_by_default[0] and _default[0].version:
        raise coded(
            ValueError,
            "tf.enable_eager_execution must be called at program start: the default "
            f"graph already has {_default[0].version} operations",
            code=codes.WRONG_MODE,
        )
    _eager_by_default[0] = True


@contextlib.contextmanager
def eager_execution() -> Iterator[None]:
    """Run operations at once within a ``with`` block."""
    _stacks.eager.append(True)
    try:
        yield
    finally:
        _stacks.eager.pop()


@contextlib.contextmanager
def fresh_defaults() -> Iterator[None]:
    """Begin with an empty default graph, no session, and no eager mode.

    After the block everything is as before it.
    """
    stacks, graph, eager = vars(_stacks).copy(), _default[0], _eager_by_default[0]
    vars(_stacks).update(vars(_Stacks()))
    _default[0], _eager_by_default[0] = Graph(), False
    try:
        yield
    finally:
        vars(_stacks).update(stacks)
        _default[0], _eager_by_default[0] = graph, eager


def get_default_session() -> Any:
    """Return the innermost session made current by ``with``, None outside of any."""
    return _stacks.sessions[-1] if _stacks.sessions else None


def push_session(session: Any) -> None:
    """Make `session` the current one."""
    _stacks.sessions.append(session)


def pop_session(session: Any) -> None:
    """End what `push_session` began."""
    if not _stacks.sessions or _stacks.sessions[-1] is not session:
        raise RuntimeError("sessions must be left in the reverse order of entering")
    _stacks.sessions.pop()
