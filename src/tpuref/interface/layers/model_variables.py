"""Variables of models, and outputs, of the layers of ``tf.contrib.layers``."""

from typing import Any

from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.variable_scope import get_variable


def model_variable(
    name: str, shape: list[Any], variables_collections: Any, **given: Any
) -> Any:
    """Return a variable of the scope, in the collection ``MODEL_VARIABLES`` too."""
    more = variables_collections or []
    if isinstance(more, dict):
        more = more.get(name, [])
    collections = [GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES, *more]
    return get_variable(name, shape, collections=collections, **given)


def activated(outputs: Tensor, activation_fn: Any, outputs_collections: Any) -> Any:
    """Return the activation of outputs, added to collections."""
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    if outputs_collections:
        named = isinstance(outputs_collections, str)
        collections = [outputs_collections] if named else outputs_collections
        get_default_graph().add_to_collections(collections, outputs)
    return outputs
