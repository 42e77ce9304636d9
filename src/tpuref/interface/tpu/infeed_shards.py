"""Compute the shapes of shards and whole elements of an infeed queue."""

import operator
from collections.abc import Sequence

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.base.shapes import TensorShape


class ShardDimensionTypeError(TypeError, ValueError):
    """A shard dimension is not an integer.

    Releases up to 1.15 raise ValueError, later ones TypeError; this class is both.
    """


def shard_dimension(value: int | None) -> int | None:
    """Return a shard dimension as an integer of at least 0, or None if it is unset."""
    if value is None:
        return None
    try:
        dimension = operator.index(value)
    except TypeError:
        raise coded(
            ShardDimensionTypeError,
            f"InfeedQueue: shard_dimensions holds {value!r} of type "
            f"{type(value).__name__}, expected integers or None",
            code=codes.WRONG_ARGUMENT_TYPE,
        ) from None
    if dimension < 0:
        raise codes.UNEVEN_SHARDS.value_error(
            f"InfeedQueue: shard_dimensions holds {dimension}, expected 0 or more; "
            "dimensions are counted from the first"
        )
    return dimension


def sharded_shape(shape: TensorShape, dimension: int, shards: int) -> TensorShape:
    """Return the shape of one of `shards` equal parts along `dimension`."""
    if shards == 1:
        return shape
    dims = _dims_with(shape, dimension)
    size = dims[dimension]
    if size is None:
        raise codes.UNEVEN_SHARDS.value_error(
            f"InfeedQueue: dimension {dimension} of shape {shape} must be known to "
            f"split it into {shards} shards; declare its size in tuple_shapes"
        )
    if size % shards:
        raise codes.UNEVEN_SHARDS.value_error(
            f"InfeedQueue: shape {shape} cannot be split into {shards} equal shards "
            f"along dimension {dimension}, whose size is {size}"
        )
    dims[dimension] = size // shards
    return TensorShape(dims)


def whole_shape(shapes: Sequence[TensorShape], dimension: int) -> TensorShape:
    """Return the shape of the tensor with equal parts of `shapes` along `dimension`."""
    if len(shapes) == 1:
        return shapes[0]
    wholes = [_multiply(shape, dimension, len(shapes)) for shape in shapes]
    if not all(whole.is_compatible_with(wholes[0]) for whole in wholes):
        raise codes.UNEVEN_SHARDS.value_error(
            f"InfeedQueue: {[str(shape) for shape in shapes]} are not the shapes of "
            f"{len(shapes)} equal shards along dimension {dimension}"
        )
    return wholes[0]


def _multiply(shape: TensorShape, dimension: int, shards: int) -> TensorShape:
    dims = _dims_with(shape, dimension)
    size = dims[dimension]
    if size is None:
        raise codes.UNEVEN_SHARDS.type_error(
            f"InfeedQueue: dimension {dimension} of a shard of shape {shape} is "
            "unknown; expected a static size; use set_shape"
        )
    dims[dimension] = size * shards
    return TensorShape(dims)


def _dims_with(shape: TensorShape, dimension: int) -> list[int | None]:
    if shape.rank is None or shape.rank <= dimension:
        raise codes.UNEVEN_SHARDS.value_error(
            f"InfeedQueue: shape {shape} has no dimension {dimension} to split; choose "
            "another one with shard_dimensions"
        )
    return shape.as_list()
