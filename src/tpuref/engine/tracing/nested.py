"""Calls of a function within the trace of another one.

TensorFlow traces the inner function once for each signature, and each call in a graph
refers to that trace.  Here the first call is traced within the outer graph, and later
ones copy its operations.
"""

import threading
from collections.abc import Callable, Hashable
from typing import Any

from tpuref.base import nest
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.context import context
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.part import Made, Part
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.graph.variables import variable_creator_scope
from tpuref.engine.ops.meaning import Array
from tpuref.engine.tracing.arguments import Call, is_composite, leaves_of
from tpuref.engine.tracing.trace import PLAIN

_MOST = 256
"""The most elements of a constant that may be a shape."""


class NestedCalls:
    """The calls of one function in graphs."""

    def __init__(self) -> None:
        self._portable: dict[Hashable, Any] = {}

    def run(self, function: Callable[[Any], Any], call: Call, graph: Graph) -> Any:
        """Add the operations of a call to the graph; return the result."""
        key = self, _key(call, graph)
        for known in (self._portable.get(key), graph.calls.get(key)):
            if known is not None and known[0].fits(graph):
                return _copy(known[1], known[0].copy(graph, call.values))
        inputs, created = [_stand_in(value) for value in call.values], []

        def create(next_creator: Callable[..., Any], **arguments: Any) -> Any:
            created.append(arguments)
            return next_creator(**arguments)

        begin = graph.version
        with variable_creator_scope(create):
            result = function(call.rebuilt(inputs, call.iterators))
        alone = graph.builders <= {threading.get_ident()}
        if alone and not created and all(map(_is_copyable, nest.flatten(result))):
            part = Part(graph, begin, inputs, leaves_of(result, Tensor))
            if part.repeatable:
                # A strategy's replicas are those of one call, in one graph.
                of_replicas = context.places or (
                    graph.region and graph.region.replicated
                )
                portable = part.portable and not of_replicas
                calls = self._portable if portable else graph.calls
                # `call` keeps the objects alive that the key names by their id.
                calls[key] = part, result, call
        return result


def _key(call: Call, graph: Graph) -> Hashable:
    """Return the cache key: equal for calls in which a function does the same."""
    return (
        (call.key, *map(id, call.iterators)),
        tuple((value.spec, _static_bytes(value)) for value in call.values),
        (graph.region and graph.region.replicated, graph.scopes_in_force()["tower"]),
        (graph.host_label, graph.current_device),
        (bool(context.compiled), *context.places[-1:]),
    )


def _static(tensor: Tensor) -> Array | None:
    """Return the value of a constant that may be a shape or a condition.

    Other constants are like any tensor: one trace serves all of them.
    """
    value = tensor.operand().value
    small = value is not None and value.dtype.kind in "biu" and value.size <= _MOST
    return value if small else None


def _static_bytes(tensor: Tensor) -> bytes | None:
    value = _static(tensor)
    return None if value is None else value.tobytes()


def _stand_in(tensor: Tensor) -> Tensor:
    """Return a stand-in for an argument, by whose readers its use is known."""
    stand_in = apply_one("Identity", tensor)
    stand_in.know_constant(_static(tensor))
    return stand_in


def _is_copyable(leaf: Any) -> bool:
    """Whether the result of a copy can have a counterpart of a leaf."""
    if is_composite(leaf):
        return all(map(_is_copyable, nest.flatten(leaf._traced_parts())))
    return leaf is None or isinstance(leaf, (Tensor, Operation, *PLAIN))


def _copy(result: Any, made: Made) -> Any:
    """Return a result with the copies of its tensors and operations."""

    def copied(leaf: Any) -> Any:
        if is_composite(leaf):
            return leaf._with_parts([_copy(p, made) for p in leaf._traced_parts()])
        return made.get(leaf, leaf) if isinstance(leaf, (Tensor, Operation)) else leaf

    return nest.map_structure(copied, result)
