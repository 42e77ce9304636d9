"""Define the global step, which counts the steps of training."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of, wrong_type
from tpuref.base.dtypes import int64
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import Graph, GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.interface.functions.initializers import Zeros
from tpuref.interface.functions.variable_scope import get_variable


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """Return the value of a global step in a session.

    In eager mode the session is ignored.

    Examples
    --------
    >>> step = tf.Variable(0, name="step")
    >>> with tf.Session() as sess:
    ...     sess.run(step.initializer)
    ...     tf.train.global_step(sess, step)
    0
    """
    argument = "tf.train.global_step: global_step_tensor"
    if executing_eagerly():
        if not hasattr(global_step_tensor, "numpy"):
            raise wrong_type(argument, "a variable", global_step_tensor)
        value = global_step_tensor.numpy()
    else:
        if not hasattr(sess, "run"):
            raise wrong_type("tf.train.global_step: sess", "a tf.Session", sess)
        value = sess.run(global_step_tensor)
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise wrong_type(argument, "one integer", value) from None


def get_global_step(graph: Graph | None = None) -> Any:
    """Return the global step of a graph, by default the current one, or None.

    It raises ValueError if the graph has several.
    """
    graph = _graph_or_default("tf.train.get_global_step", graph)
    known = list(dict.fromkeys(graph.get_collection(GraphKeys.GLOBAL_STEP)))
    if len(known) > 1:
        raise codes.VARIABLE_REUSE.value_error(
            f"tf.train.get_global_step: the collection {GraphKeys.GLOBAL_STEP!r} must "
            f"have one variable, got {known}"
        )
    if not known:
        return graph.variables_by_name.get("global_step")
    assert_global_step(known[0])
    return known[0]


def required_global_step(user: str) -> Any:
    """Return the global step; RuntimeError for `user`, which needs one."""
    step = get_global_step()
    if step is None:
        raise codes.VARIABLE_REUSE.runtime_error(
            f"{user}: the graph has no global step; create it first with "
            "tf.train.get_or_create_global_step()"
        )
    return step


def create_global_step(graph: Graph | None = None) -> Variable:
    """Create the global step of a graph, an int64 variable with initial value 0.

    It raises ValueError if the graph already has one.
    """
    graph = _graph_or_default("tf.train.create_global_step", graph)
    if get_global_step(graph) is not None:
        raise codes.VARIABLE_REUSE.value_error(
            "tf.train.create_global_step: the graph has a global step; use "
            "tf.train.get_or_create_global_step()"
        )
    if executing_eagerly():
        step = _make_global_step([])
        graph.add_to_collection(GraphKeys.GLOBAL_STEP, step)
        return step
    with graph.as_default(), graph.outside_regions(), graph.name_scope(None):
        return _make_global_step([GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP])


def _graph_or_default(function: str, graph: Graph | None) -> Graph:
    if graph is None:
        return get_default_graph()
    return instance_of(Graph, f"{function}: graph", "a tf.Graph or None", graph)


def _make_global_step(collections: list[str]) -> Variable:
    return get_variable(
        GraphKeys.GLOBAL_STEP,
        shape=[],
        dtype=int64,
        initializer=Zeros(),
        trainable=False,
        collections=collections,
        aggregation=VariableAggregation.ONLY_FIRST_TOWER,
    )


def get_or_create_global_step(graph: Graph | None = None) -> Any:
    """Return the global step of a graph, created if the graph has none.

    Examples
    --------
    >>> step = tf.train.get_or_create_global_step()
    >>> step is tf.train.get_or_create_global_step()
    True
    """
    graph = _graph_or_default("tf.train.get_or_create_global_step", graph)
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def assert_global_step(global_step_tensor: Any) -> None:
    """Raise TypeError unless the argument is an integer scalar, as a global step is."""
    step = global_step_tensor
    if (
        not isinstance(step, (Variable, Tensor))
        or not step.dtype.is_integer
        or step.shape.ndims not in (0, None)
    ):
        raise codes.VARIABLE_REUSE.type_error(
            f"the global step must be a scalar integer variable, got {step!r}"
        )
