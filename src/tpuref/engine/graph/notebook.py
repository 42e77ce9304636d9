"""HTML tables of tensors and graphs for notebooks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from tpuref.base.spec import TensorSpec
from tpuref.engine.drawings.html import table
from tpuref.engine.graph.captions import name_of, numbered, part_of
from tpuref.engine.ops.meaning import Array

if TYPE_CHECKING:
    from tpuref.engine.graph.graph import Graph
    from tpuref.engine.graph.tensor import Operation, Tensor

_NAMED = 8


def tensor_html(tensor: Tensor) -> str:
    """Return a table of the name, spec and place of a tensor without a value."""
    rows = [
        ("name", tensor.name),
        ("shape", tensor.shape),
        ("dtype", tensor.dtype.name),
        ("made by", tensor.op.type),
        ("runs", _place(tensor.op)),
    ]
    if tensor.device:
        rows.append(("device", tensor.device))
    return table("tf.Tensor, without a value before a session runs", rows)


def value_html(value: Array, spec: TensorSpec) -> str:
    """Return the value of a tensor of eager mode."""
    text = np.array2string(value, threshold=30, edgeitems=3, separator=", ")
    return table(f"tf.Tensor {spec.describe()}", [(text,)])


def graph_html(graph: Graph) -> str:
    """Return a table of the number of operations by place and type."""
    places: dict[str, Counter[str]] = {}
    operations = graph.get_operations()
    for operation in operations:
        places.setdefault(_place(operation), Counter())[operation.type] += 1
    rows = [
        (place, types.total(), _most_common(types)) for place, types in places.items()
    ]
    caption = f"tf.Graph of {numbered('operation', len(operations))}; draw() draws it"
    return table(caption, rows, ("runs", "operations", "types"))


def _most_common(types: Counter[str]) -> str:
    named = [
        type if count == 1 else f"{count} {type}"
        for type, count in types.most_common(_NAMED)
    ]
    return ", ".join([*named, "..."] if len(types) > _NAMED else named)


def _place(operation: Operation) -> str:
    """Return the computation and the part of it that an operation belongs to."""
    region, part = operation.region, part_of(operation)
    if region is None:
        return part or "on the host"
    computation = region.replicated
    outer = name_of(region if computation is None else computation)
    return f"{outer}, {part}" if part else f"{outer}, {region.name}"
