"""The base of layers: functions with variables of their own."""

from __future__ import annotations

import collections
import re
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import check_name, wrong_type
from tpuref.base.dtypes import as_dtype, float32
from tpuref.engine.graph.aggregation import VariableAggregation, VariableSynchronization
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import Graph, GraphKeys
from tpuref.interface.functions.variable_scope import (
    VariableScope,
    get_variable,
    variable_scope,
)
from tpuref.names.members import explain_missing_members

_NAMES_IN_USE: weakref.WeakKeyDictionary[Graph, collections.Counter[str]]
_NAMES_IN_USE = weakref.WeakKeyDictionary()


@explain_missing_members("tf.layers.Layer")
class Layer:
    """A function with variables, which its first call creates.

    A subclass makes its variables in `build` with `add_weight` and computes in `call`.
    `trainable` says whether its variables join the collection of trainable variables.
    `name` is the name of the layer and of the scope of its variables; by default the
    scope is the name of the class in lower case, with a number if it is taken.  `dtype`
    is the element type of its variables, by default that of the first input.
    `activity_regularizer` is a function of the output whose result joins the
    regularization losses.  `_scope` is the variable scope, and `_reuse` says whether
    its variables are shared: functions such as `tf.layers.dense` get them as ``name``
    and ``reuse``.  It raises TypeError if there are other arguments.

    Examples
    --------
    >>> class Scaled(tf.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight("factor", [input_shape[-1]])
    ...         super().build(input_shape)
    ...
    ...     def call(self, inputs):
    ...         return inputs * self.factor
    >>> scaled = Scaled()
    >>> y = scaled(tf.ones([2, 3]))
    >>> [v.name for v in scaled.trainable_weights], y.shape.as_list()
    (['scaled/factor:0'], [2, 3])
    """

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        *,
        activity_regularizer: Callable[[Any], Any] | None = None,
        _scope: str | VariableScope | None = None,
        _reuse: Any = None,
    ) -> None:
        check_name(f"tf.layers.{type(self).__name__}", name)
        base = _snake_case(type(self).__name__)
        self.trainable = trainable
        self.built = False
        self._base_name = name or base
        self._name = name or _numbered_name(base)
        self._dtype = None if dtype is None else as_dtype(dtype)
        self._activity_regularizer = activity_regularizer
        self._reuse = _reuse
        self._scope: VariableScope | None = None
        self._own_weights: list[tuple[Any, bool]] = []
        self._updates: list[Any] = []
        self._losses: list[Any] = []
        if _scope is not None:
            with variable_scope(_scope) as self._scope:
                pass

    # -- what a subclass writes ------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Create the variables for inputs of this shape; called once."""
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the output for inputs."""
        return inputs

    # -- calling ---------------------------------------------------------------

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Create the variables at the first call, and return the output.

        `inputs` is a tensor, or a nested structure of tensors.  `*args` and `**kwargs`
        are further arguments of `call`.
        """
        tensors = nest.map_structure(_as_tensor, inputs)
        with self._scopes(kwargs.pop("scope", None)):
            if not self.built:
                self._learn_dtype(tensors)
                self.build(nest.map_structure(lambda x: x.shape, tensors))
                self.built = True
            outputs = self.call(tensors, *args, **kwargs)
            if self._activity_regularizer is not None:
                self.add_loss(
                    [self._activity_regularizer(x) for x in nest.flatten(outputs)]
                )
        return outputs

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Call the layer."""
        return self(inputs, *args, **kwargs)

    def _scopes(self, scope: Any = None) -> Any:
        """Return a context within the layer's variable scope and name scope."""
        if self._scope is None:
            name = None if not self._reuse else (scope or self._base_name)
            with variable_scope(name or scope, self._base_name) as self._scope:
                pass
        return _Entered(self._scope, self.built or self._reuse)

    def _learn_dtype(self, inputs: Any) -> None:
        leaves = nest.flatten(inputs)
        for leaf in leaves:
            if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
                raise wrong_type(f"tf.layers: {self.name}: inputs", "tensors", leaf)
        if self._dtype is None and leaves:
            self._dtype = leaves[0].dtype

    # -- variables, updates, losses --------------------------------------------

    def add_weight(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Callable[[Any], Any] | None = None,
        trainable: bool | None = None,
        constraint: Callable[[Any], Any] | None = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        partitioner: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Return a variable in the layer's scope, as `tf.get_variable` does.

        A custom getter may return something else.  Other parameters are those of
        `tf.get_variable`.  `dtype` is by default that of the layer.  `trainable` says
        whether it is trained if the layer is; by default as for `tf.Variable`.
        """
        losses = get_default_graph().get_collection_ref(GraphKeys.REGULARIZATION_LOSSES)
        known = len(losses)
        frozen = not self.trainable or trainable is False
        with self._scopes():
            weight = get_variable(
                name,
                [] if shape is None else shape,
                dtype=dtype or self._dtype or float32,
                initializer=initializer,
                regularizer=regularizer,
                trainable=False if frozen else trainable,
                constraint=constraint,
                use_resource=use_resource,
                synchronization=synchronization,
                aggregation=aggregation,
                partitioner=partitioner,
                **kwargs,
            )
        self._losses += losses[known:]
        self._own_weights.append((weight, trainable is not False))
        return weight

    add_variable = add_weight

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Add operations to the collection ``UPDATE_OPS``."""
        self._updates += _add_to_collection(GraphKeys.UPDATE_OPS, updates)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Add tensors to the collection ``REGULARIZATION_LOSSES``."""
        self._losses += _add_to_collection(GraphKeys.REGULARIZATION_LOSSES, losses)

    # -- facts -----------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the layer."""
        return self._name

    @property
    def dtype(self) -> Any:
        """The name of the element type of its variables, None until it is known."""
        return None if self._dtype is None else self._dtype.name

    @property
    def scope_name(self) -> str:
        """The name of the scope of its variables.

        It raises ValueError if the layer was not called yet, which chooses the scope.
        """
        if self._scope is None:
            raise codes.WRONG_ARGUMENT_TYPE.value_error(
                f"the layer {self.name!r} has no scope until it is called; call it"
            )
        return self._scope.name

    @property
    def trainable_weights(self) -> list[Any]:
        """The trainable variables of it and its sublayers."""
        own = [w for w, trained in self._own_weights if trained and self.trainable]
        return own + [w for layer in self._inner() for w in layer.trainable_weights]

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables of it and its sublayers."""
        own = [
            w for w, trained in self._own_weights if not (trained and self.trainable)
        ]
        return own + [w for layer in self._inner() for w in layer.non_trainable_weights]

    @property
    def weights(self) -> list[Any]:
        """All its variables, the trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    variables = weights
    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights

    @property
    def updates(self) -> list[Any]:
        """The operations that it and its sublayers added to ``UPDATE_OPS``."""
        return self._updates + [u for layer in self._inner() for u in layer.updates]

    @property
    def losses(self) -> list[Any]:
        """The regularization losses of it and its sublayers."""
        return self._losses + [x for layer in self._inner() for x in layer.losses]

    def count_params(self) -> int:
        """Return the number of elements of its variables."""
        return sum(int(w.shape.num_elements()) for w in self.weights)

    def _inner(self) -> Iterator[Layer]:
        """Yield sublayers: attributes, and members of list attributes."""
        for value in vars(self).values():
            if isinstance(value, Layer):
                yield value
            elif isinstance(value, (list, tuple)):
                yield from (item for item in value if isinstance(item, Layer))

    def __repr__(self) -> str:
        return f"<tf.layers.{type(self).__name__} {self.name!r}>"


class _Entered:
    """Enters a layer's variable scope and its name scope together."""

    def __init__(self, scope: VariableScope, reuse: Any) -> None:
        self._names = scope.original_name_scope
        self._variables = variable_scope(scope, reuse=reuse, auxiliary_name_scope=False)

    def __enter__(self) -> None:
        self._variables.__enter__()
        self._operations = get_default_graph().name_scope(self._names)
        self._operations.__enter__()

    def __exit__(self, *raised: Any) -> None:
        self._operations.__exit__(*raised)
        self._variables.__exit__(*raised)


def _snake_case(name: str) -> str:
    parted = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    spelled = re.sub(r"([a-z])([A-Z])", r"\1_\2", parted).lower()
    return f"private{spelled}" if spelled.startswith("_") else spelled


def _numbered_name(base: str) -> str:
    """Return a layer name of this graph with the next number, from 1."""
    used = _NAMES_IN_USE.setdefault(get_default_graph(), collections.Counter())
    used[base] += 1
    return f"{base}_{used[base]}"


def _as_tensor(value: Any) -> Any:
    plain = isinstance(value, (np.ndarray, np.generic, float, int))
    return convert_to_tensor(value) if plain else value


def _add_to_collection(collection: str, values: Any) -> Sequence[Any]:
    several = isinstance(values, (list, tuple))
    kept = [value for value in (values if several else [values]) if value is not None]
    if not executing_eagerly():
        for value in kept:
            get_default_graph().add_to_collection(collection, value)
    return kept
