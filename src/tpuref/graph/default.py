"""The default graph, and whether operations run at once instead."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.graph.context import context
from tpuref.graph.graph import Graph


class _Outermost:
    """What holds outside of all blocks, in every thread; this module alone writes it.

    Attributes
    ----------
    graph
        The default graph.
    eager
        Whether operations run at once.
    """

    def __init__(self) -> None:
        self.graph = Graph()
        self.eager = False


_outermost = _Outermost()


def get_default_graph() -> Graph:
    """Return the graph that functions add their operations to."""
    return context.graphs[-1] if context.graphs else _outermost.graph


def reset_default_graph() -> None:
    """Replace the outermost default graph by an empty one."""
    if context.graphs:
        raise AssertionError(
            "tf.reset_default_graph: a graph is still in use by a `with "
            "graph.as_default()` block; leave the block first"
        )
    _outermost.graph = Graph()


def executing_eagerly() -> bool:
    """Return whether operations run at once in this thread."""
    return context.eager[-1] if context.eager else _outermost.eager


def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Run operations at once from now on; call it before anything is built.

    Raises
    ------
    ValueError
        If operations were already added to the default graph.
    """
    if not _outermost.eager and _outermost.graph.version:
        raise coded(
            ValueError,
            "tf.enable_eager_execution must be called at program start: the default "
            f"graph already has {_outermost.graph.version} operations",
            code=codes.WRONG_MODE,
        )
    _outermost.eager = True


@contextlib.contextmanager
def eager_execution() -> Iterator[None]:
    """Run operations at once within a ``with`` block."""
    context.eager.append(True)
    try:
        yield
    finally:
        context.eager.pop()


@contextlib.contextmanager
def fresh_defaults() -> Iterator[None]:
    """Begin with an empty default graph, no session, and no eager mode.

    After the block everything is as before it.
    """
    global _outermost
    around, stacks = _outermost, vars(context).copy()
    context.graphs, context.eager, context.sessions = [], [], []
    _outermost = _Outermost()
    try:
        yield
    finally:
        _outermost = around
        vars(context).update(stacks)
