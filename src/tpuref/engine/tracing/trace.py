"""One trace of a function: its graph, inputs and outputs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.connection import connected_target
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.eager import STATE
from tpuref.engine.graph.eager_tensor import EagerTensor
from tpuref.engine.graph.executor import GraphExecutor
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.recorder import recording_to
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.variables import Variable, variable_creator_scope
from tpuref.engine.tracing.arguments import (
    Call,
    TracedIterator,
    is_composite,
    leaves_of,
    with_values,
)

PLAIN = (bool, int, float, complex, str, bytes, np.ndarray, np.generic, Variable)


class ConcreteFunction:
    """A function for arguments of one kind, as a program.

    `structured_outputs` is the result of the function while it was traced, and
    `variables_made` the number of variables that it created then.

    Examples
    --------
    >>> @tf.function
    ... def double(x):
    ...     return x + x
    >>> with tf.eager_execution():
    ...     doubled = double.get_concrete_function(tf.TensorSpec([2], tf.float32))
    ...     doubled(tf.constant([1.0, 2.0])).numpy().tolist()
    [2.0, 4.0]
    """

    def __init__(
        self,
        function: Callable[..., Any],
        name: str,
        call: Call,
        specs: Sequence[TensorSpec],
        may_make_variables: bool,
        once: bool = False,
    ) -> None:
        self.name, self._function = name, function
        self.specs = tuple(specs)
        self.variables_made = 0
        self._may_make_variables = may_make_variables
        self._once = once  # a result may then hold objects that are not tensors
        self.graph = self._own_graph()
        self._iterators = [iterator._traced() for iterator in call.iterators]
        # Fixed parts that cannot be compared are in the cache key by their id, which
        # is unique only as long as the trace keeps them alive.
        self._arguments = call
        with (
            self.graph.as_default(),
            recording_to(()),
            variable_creator_scope(self._create),
        ):
            self.inputs = [
                _placeholder(spec, label)
                for spec, label in zip(specs, call.names, strict=True)
            ]
            result = function(call.rebuilt(self.inputs, self._iterators))
            self._check_loops()
            self.structured_outputs = nest.map_structure(self._output, result)
        self.outputs = list(leaves_of(self.structured_outputs, Tensor))
        for tensor in self.outputs:
            self.graph.check_accessible(tensor, f"the result of {name}")
        self._effects = [
            op
            for op in self.graph.get_operations()
            if op.region is None and op.has_effect
        ]
        self._executor = GraphExecutor(
            self.graph, STATE, connected_target(), soft_placement=True
        )

    @staticmethod
    def _own_graph() -> Graph:
        outer, graph = get_default_graph(), Graph()
        graph.traced = True
        graph.seed, graph.padding_log = outer.seed, outer.padding_log
        graph.queues = outer.queues
        return graph

    def _create(self, next_creator: Callable[..., Any], **arguments: Any) -> Any:
        if not self._may_make_variables:
            raise codes.VARIABLES_MADE_AGAIN.value_error(
                f"tf.function {self.name!r} creates variables in each trace, but "
                "variables last from call to call; create them once: outside of the "
                "function, or under `if self.v is None:` in the first call"
            )
        self.variables_made += 1
        start = arguments.get("initial_value")
        if isinstance(start, Tensor) and start.graph is self.graph:
            arguments["initial_value"] = self._value_now(start)
        return next_creator(**arguments)

    def _value_now(self, tensor: Tensor) -> EagerTensor:
        """Return the value that a tensor of the trace has in the current call.

        For a tensor of a replicated computation, it is the value on replica 0.
        """
        arrays = [value.array for value in self._arguments.values]
        fed = dict(zip(self.inputs, arrays, strict=True))
        executor = GraphExecutor(self.graph, STATE, connected_target())
        region = tensor.op.region and tensor.op.region.replicated
        if region is not None and region.first:
            results = executor.run(list(region.first.values()), (), fed)
            fed.update(zip(region.first, results, strict=True))
        (array,) = executor.run([tensor], (), fed)
        return EagerTensor.of(array)

    def _check_loops(self) -> None:
        if self.graph.abandoned_loop is not None:
            raise codes.PYTHON_CONTROL_FLOW.value_error(
                f"tf.function {self.name!r}: the loop at "
                f"{self.graph.abandoned_loop} was left with `break` or `return`, which "
                "cannot depend on an iteration, because the body is traced once; use "
                "tf.while_loop with a condition"
            )

    def _output(self, leaf: Any) -> Any:
        if is_composite(leaf):
            return leaf._with_parts([self._output(p) for p in leaf._traced_parts()])
        if leaf is None or isinstance(leaf, Operation):
            return None
        if isinstance(leaf, Tensor):
            return convert_to_tensor(leaf)
        if self._once:
            return leaf
        if isinstance(leaf, PLAIN) or hasattr(leaf, "_as_tensor"):
            return convert_to_tensor(leaf)
        raise codes.INVALID_RESULT.type_error(
            f"tf.function {self.name!r} must return tensors, values that convert to "
            f"them, None, or nests of these, got {type(leaf).__name__} {leaf!r}"
        )

    # -- calls -------------------------------------------------------------------------

    def run(
        self, values: Sequence[EagerTensor], iterators: Sequence[TracedIterator]
    ) -> Any:
        """Run the program on some values; return the structure of the results."""
        for iterator, stand_in in zip(iterators, self._iterators, strict=True):
            iterator._bind(stand_in)
        fed = dict(zip(self.inputs, [value.array for value in values], strict=True))
        results = self._executor.run(self.outputs, self._effects, fed)
        # What made a value is told apart where it was the mean of a batch, say.
        made = zip(results, self.outputs, strict=True)
        tensors = (EagerTensor.of(array, tensor.op.type) for array, tensor in made)
        return with_values(self.structured_outputs, tensors)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program on tensors: in the order of `inputs`, or by name.

        Within a graph, the operations of the function join that graph.
        """
        given = [
            leaf
            for leaf in leaves_of([list(args), list(kwargs.values())], object)
            if isinstance(leaf, (Tensor, *PLAIN)) and not isinstance(leaf, str)
        ]
        if len(given) != len(self.inputs):
            raise codes.OTHER_SIGNATURE.type_error(
                f"the concrete function {self.name!r} takes {len(self.inputs)} "
                f"tensors, got {len(given)}"
            )
        values: list[Any] = []
        for value, spec in zip(given, self.specs, strict=True):
            tensor = convert_to_tensor(value, spec.dtype)
            if not spec.shape.is_compatible_with(tensor.shape):
                raise codes.OTHER_SIGNATURE.value_error(
                    f"the concrete function {self.name!r} takes {spec.describe()}, "
                    f"got {tensor.spec.describe()}"
                )
            values.append(tensor)
        iterators = self._arguments.iterators
        if executing_eagerly():
            return self.run(values, iterators)
        return self._function(self._arguments.rebuilt(values, iterators))

    def __repr__(self) -> str:
        shown = ", ".join(spec.describe() for spec in self.specs)
        return f"<ConcreteFunction {self.name}({shown})>"


def _placeholder(spec: TensorSpec, name: str) -> Tensor:
    sizes = None if spec.shape.rank is None else spec.shape.as_tuple()
    return apply_one("Placeholder", dtype=spec.dtype.name, shape=sizes, name=name)
