"""Groups of operations, and tensors that wait for others."""

from collections.abc import Sequence
from typing import Any

from tpuref.base import nest
from tpuref.base.arguments import listed, name_or
from tpuref.engine.graph import build
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.interface.functions.scopes import control_dependencies


def no_op(name: str | None = None) -> Operation | None:
    """Return an operation that does nothing and can wait for others."""
    if executing_eagerly():
        return None
    return build.apply_operation("NoOp", name=name)


def group(*inputs: Any, name: str | None = None) -> Operation | None:
    """Return one operation that waits for all `inputs`.

    Inputs are operations, tensors, variables, or nested structures of those.

    Examples
    --------
    >>> both = tf.group(tf.no_op(), tf.constant(1))
    >>> len(both.control_inputs)
    2
    """
    if executing_eagerly():
        return None
    leaves = [leaf for leaf in nest.flatten(list(inputs)) if leaf is not None]
    with get_default_graph().control_dependencies(leaves):
        return build.apply_operation("NoOp", name=name_or(name, "group_deps"))


def tuple(
    tensors: Sequence[Any],
    name: str | None = None,
    control_inputs: Sequence[Any] | None = None,
) -> list[Any]:
    """Return the tensors, each available only when all are.

    `tensors` holds tensors, operations and None; None stays None.  `control_inputs`
    holds operations that must also run before any of them is available.  It raises
    ValueError if `tensors` contains only None.
    """
    tensors = listed("tf.tuple: tensors", tensors)
    if executing_eagerly():
        return tensors
    if all(t is None for t in tensors):
        raise ValueError(f"tf.tuple: expected at least one tensor, got {tensors!r}")
    awaited = listed("tf.tuple: control_inputs", control_inputs or [])
    with get_default_graph().name_scope(name_or(name, "tuple")):
        gate = group(*tensors, *awaited)
        return [None if t is None else _gate(gate, t) for t in tensors]


def _gate(gate: Operation | None, element: Any) -> Any:
    if isinstance(element, Operation):
        return group(gate, element)
    return with_dependencies([gate], element)


def with_dependencies(dependencies: Sequence[Any], output: Any) -> Tensor:
    """Return `output`, available only after `dependencies`."""
    with control_dependencies(dependencies):
        result: Tensor = build.apply("Identity", output)
    return result


def tuple_v2(
    tensors: Sequence[Any],
    control_inputs: Sequence[Any] | None = None,
    name: str | None = None,
) -> list[Any]:
    """Return `tuple`, with the parameters of TensorFlow 2."""
    return tuple(tensors, name, control_inputs)
