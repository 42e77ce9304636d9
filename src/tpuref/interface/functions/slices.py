"""A block of a tensor, replaced."""

from typing import Any

from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import maximum, minimum
from tpuref.interface.functions.creation import range as numbers
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.indexing import tensor_scatter_nd_update
from tpuref.interface.functions.joining import stack
from tpuref.interface.functions.repetition import meshgrid


def dynamic_update_slice(
    input: Any, update: Any, start_indices: Any, name: str | None = None
) -> Tensor:
    """Return a tensor with a block replaced; the block is moved to lie inside."""
    whole, block = convert_to_tensor(input), convert_to_tensor(update)
    first = convert_to_tensor(start_indices)
    sizes, own = shape(whole, out_type=first.dtype), shape(block, out_type=first.dtype)
    start = minimum(maximum(first, 0), sizes - own)
    axes = [start[k] + numbers(own[k]) for k in range(whole.shape.rank or 0)]
    if not axes:
        return block
    places = stack(meshgrid(*axes, indexing="ij"), axis=-1)
    return tensor_scatter_nd_update(whole, places, block)
