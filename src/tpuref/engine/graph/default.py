"""The default graph, and whether operations run at once instead."""

import contextlib
from collections.abc import Iterator
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.release import behavior
from tpuref.engine.graph.context import context
from tpuref.engine.graph.graph import Graph


class _Outermost:
    """The outermost state of all threads; this module alone writes it.

    `chosen` says whether the program has chosen a mode.
    """

    def __init__(self) -> None:
        self.graph = Graph()
        self.eager = False
        self.chosen = False


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

    It raises ValueError if operations were already added to the default graph.
    """
    if not _outermost.eager and _outermost.graph.version:
        raise codes.WRONG_MODE.value_error(
            "tf.enable_eager_execution must be called at program start: the default "
            "graph already has operations. Call it before the first of them"
        )
    _outermost.eager = _outermost.chosen = True


def disable_eager_execution() -> None:
    """Build graphs from now on, as TensorFlow 1 does."""
    _outermost.eager, _outermost.chosen = False, True


def enable_v2_behavior() -> None:
    """Behave as TensorFlow 2 does from now on.

    Operations run at once, names that differ between the releases mean those of
    TensorFlow 2, ``==`` compares the elements of tensors, and the items of shapes are
    integers.  It raises ValueError if operations were already added to the default
    graph.

    Examples
    --------
    >>> tf.enable_v2_behavior()
    >>> (tf.constant([1, 2]) == [1, 3]).numpy(), tf.zeros([2]).shape[0]
    (array([ True, False]), 2)
    >>> tf.disable_v2_behavior()
    """
    enable_eager_execution()
    behavior.follow(2)


def disable_v2_behavior() -> None:
    """Behave as TensorFlow 1 does: build graphs from now on."""
    disable_eager_execution()
    behavior.follow(1)


def enable_tensor_equality() -> None:
    """Let ``==`` and ``!=`` compare the elements of tensors and variables.

    It holds where TensorFlow 2 runs operations at once or traces a function; in graphs
    of 1.x a tensor equals itself alone.
    """
    behavior.tensor_equality = True


def disable_tensor_equality() -> None:
    """Let ``==`` and ``!=`` compare the identity of tensors and variables."""
    behavior.tensor_equality = False


def enable_v2_tensorshape() -> None:
    """Let the items of a `TensorShape` be integers or None."""
    behavior.integer_shapes = True


def disable_v2_tensorshape() -> None:
    """Let the items of a `TensorShape` be Dimensions."""
    behavior.integer_shapes = False


def begin_eagerly() -> None:
    """Behave as TensorFlow 2 does from now on, unless the program builds graphs.

    The names that only programs for TensorFlow 2 use call it, because those programs
    never say that they want eager mode.
    """
    undecided = not (_outermost.chosen or _outermost.graph.version or context.eager)
    if undecided:
        _outermost.eager = True
        behavior.follow(2, implicit=True)


@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """Leave traced functions, for initialization that runs once.

    Operations in the block run at once if the outermost caller runs eagerly.
    Otherwise they are added to the graph itself, outside of branches and loops.

    Examples
    --------
    >>> @tf.function
    ... def traced():
    ...     with tf.init_scope():
    ...         return tf.executing_eagerly()
    >>> with tf.eager_execution():
    ...     bool(traced())
    True
    """
    graphs = [graph for graph in context.graphs if not graph.traced]
    if len(graphs) == len(context.graphs):
        with get_default_graph().outside_regions():
            yield
        return
    before = context.graphs, context.eager, context.recorders
    context.graphs, context.recorders = graphs, []
    context.eager = [*context.eager, True]
    try:
        yield
    finally:
        context.graphs, context.eager, context.recorders = before


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
    """Use an empty default graph, no session, graph mode and release 1 in a block."""
    global _outermost
    outer, stacks = _outermost, vars(context).copy()
    before = vars(behavior).copy()
    behavior.follow(1)
    context.graphs, context.eager, context.sessions = [], [], []
    _outermost = _Outermost()
    try:
        yield
    finally:
        _outermost = outer
        vars(context).update(stacks)
        vars(behavior).update(before)
