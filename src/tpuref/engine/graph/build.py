"""Adding an operation to the graph, or running it at once in eager mode."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import check_name
from tpuref.base.callsite import user_site
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.context import context
from tpuref.engine.graph.convert import convert_operands
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.eager import run_at_once
from tpuref.engine.graph.recorder import AppliedOperation, record
from tpuref.engine.graph.region import Region
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.definition import OpDef, Static, outputs_of
from tpuref.engine.ops.registry import REGISTRY

_FOLDED_SIZE = 256  # elements; constants this small may be shapes or indices


def apply(op: str, *inputs: Any, name: str | None = None, **attrs: Any) -> Any:
    """Apply the operation `op` and return its output, or the list of its outputs.

    Other inputs are converted to tensors, in the dtype of the tensor inputs.
    """
    results = apply_all(op, *inputs, name=name, **attrs)
    return results[0] if len(results) == 1 else results


def apply_one(op: str, *inputs: Any, name: str | None = None, **attrs: Any) -> Tensor:
    """Apply an operation that has one output."""
    return apply_all(op, *inputs, name=name, **attrs)[0]


def apply_all(
    op: str, *inputs: Any, name: str | None = None, **attrs: Any
) -> list[Tensor]:
    """Apply the operation `op` and return the list of its outputs."""
    definition = REGISTRY[op]
    if executing_eagerly():
        check_name(op, name)
        tensors = convert_operands(op, inputs)
        complete, specs = infer_specs(definition, tensors, attrs, name)
        outputs = run_at_once(definition, tensors, specs, complete, name)
        if context.recorders:
            label = name or definition.name
            applied = AppliedOperation(
                definition, label, tensors, outputs, complete, user_site()
            )
            record(applied)
        return outputs
    return add_operation(definition, inputs, attrs, name).outputs


def apply_operation(
    op: str, *inputs: Any, name: str | None = None, **attrs: Any
) -> Operation:
    """Add the operation `op`, which has no outputs, and return it."""
    return add_operation(REGISTRY[op], inputs, attrs, name)


def perform(
    op: str, inputs: Sequence[Tensor], name: str, **attrs: Any
) -> Operation | None:
    """Add an operation without outputs and return it; in eager mode run it."""
    if executing_eagerly():
        apply_all(op, *inputs, name=name, **attrs)
        return None
    return apply_operation(op, *inputs, name=name, **attrs)


def add_operation(
    definition: OpDef,
    inputs: Sequence[Any],
    attrs: Mapping[str, Any],
    name: str | None,
    blocks: Sequence[Region] = (),
) -> Operation:
    """Add one operation to the default graph after checking it by its definition."""
    check_name(definition.name, name)
    tensors = convert_operands(definition.name, inputs)
    attrs, specs = infer_specs(definition, tensors, attrs, name, blocks)
    operation = get_default_graph().create_operation(
        definition.name, tensors, specs, attrs, name or definition.name, blocks
    )
    _record_constants(definition, operation)
    record(operation)
    return operation


def parameter(definition: OpDef, spec: TensorSpec, name: str, index: int = 0) -> Tensor:
    """Return a new parameter tensor of the region being built."""
    attrs = {
        "index": index,
        "dtype": spec.dtype.name,
        "shape": None if spec.shape.rank is None else spec.shape.as_tuple(),
    }
    return add_operation(definition, (), attrs, name).outputs[0]


def infer_specs(
    definition: OpDef,
    tensors: Sequence[Tensor],
    attrs: Mapping[str, Any],
    name: str | None,
    blocks: Sequence[Region] = (),
) -> tuple[dict[str, Any], tuple[TensorSpec, ...]]:
    """Return the checked attributes and the specs of the outputs.

    Errors of the inference rule are raised with the operation's context.
    """
    try:
        complete = definition.check(attrs)
        inside = {"blocks": [block.spec() for block in blocks]} if blocks else {}
        operands = [tensor.operand() for tensor in tensors]
        return complete, outputs_of(definition.infer(*operands, **complete, **inside))
    except (ValueError, TypeError) as error:
        places = "".join(
            f"\n  input {k}: {t.describe()}, made at {t.op.site}"
            for k, t in enumerate(tensors)
        )
        label = definition.name if name is None else f"{definition.name} {name!r}"
        fault = codes.with_code(str(error), codes.INVALID_OPERANDS)
        raise type(error)(f"{label}: {fault}{places}\n  at: {user_site()}") from error


def _record_constants(definition: OpDef, operation: Operation) -> None:
    """Record the values of small constants, so that their users have static shapes."""
    if definition.static is not None:
        _fold_static(definition.static, operation)
        return
    if not definition.foldable or definition.kernel is None:
        return
    values = []
    for tensor in operation.inputs:
        value = tensor.operand().value
        if value is None or value.size > _FOLDED_SIZE:
            return
        values.append(value)
    if not _all_small(operation):
        return
    try:
        with np.errstate(all="ignore"):
            outputs = outputs_of(definition.kernel(*values, **operation.attrs))
    except Exception:
        return  # the fault belongs to the run, which reports it with the replica
    for tensor, value in zip(operation.outputs, outputs, strict=True):
        tensor.know_constant(np.asarray(value))


def _fold_static(static: Static, operation: Operation) -> None:
    (tensor,), (output,) = operation.inputs, operation.outputs
    value = static(tensor.operand(), **operation.attrs)
    if value is not None:
        output.know_constant(np.asarray(value, output.dtype.np))


def _all_small(operation: Operation) -> bool:
    return bool(operation.inputs) and all(
        tensor.shape.is_fully_defined()
        and (tensor.shape.num_elements() or 0) <= _FOLDED_SIZE
        for tensor in operation.outputs
    )
