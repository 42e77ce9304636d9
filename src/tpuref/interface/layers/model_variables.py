"""Variables of models, and outputs, of the layers of ``tf.contrib.layers``."""

from typing import Any

from tpuref.base.arguments import instance_of, wrong_type
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.variable_scope import get_variable


def model_variable(
    name: str, shape: list[Any], variables_collections: Any, **options: Any
) -> Any:
    """Return a variable of the scope, in the collection ``MODEL_VARIABLES`` too."""
    more = variables_collections or []
    if isinstance(more, dict):
        more = more.get(name, [])
    collections = [GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES, *more]
    return get_variable(name, shape, collections=collections, **options)


def activated(outputs: Tensor, activation_fn: Any, outputs_collections: Any) -> Any:
    """Return the activation of outputs, added to collections."""
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    if outputs_collections:
        named = isinstance(outputs_collections, str)
        collections = [outputs_collections] if named else outputs_collections
        get_default_graph().add_to_collections(collections, outputs)
    return outputs


def get_variables(
    scope: Any = None,
    suffix: str | None = None,
    collection: str = GraphKeys.GLOBAL_VARIABLES,
) -> list[Any]:
    """Return the variables of a collection whose names begin with a scope.

    `scope` is a pattern, or a `tf.VariableScope`.  `suffix` is the end of the names.
    """
    name = getattr(scope, "name", scope)
    if suffix is not None:
        instance_of(str, "tf.contrib.framework.get_variables: suffix", "text", suffix)
        name = f"{name or ''}.*{suffix}{'' if ':' in suffix else ':'}"
    return get_default_graph().get_collection(collection, name)


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Return the variables of layers, as `get_variables` does."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """Return the trainable variables, as `get_variables` does."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_to_restore(include: Any = None, exclude: Any = None) -> list[Any]:
    """Return the variables of some scopes, without those of others; all by default."""
    for argument, value in (("include", include), ("exclude", exclude)):
        if not isinstance(value, list | tuple | None):
            where = f"tf.contrib.framework.get_variables_to_restore: {argument}"
            raise wrong_type(where, "a list", value)
    scopes = [None] if include is None else include
    without = [v for scope in exclude or () for v in get_variables(scope)]
    return [
        variable
        for scope in scopes
        for variable in get_variables(scope)
        if not any(variable is other for other in without)
    ]
