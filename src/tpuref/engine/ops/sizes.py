"""Operands that hold sizes, shapes and scalars."""

from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.engine.ops.broadcasting import INDEX, require_kind, require_rank
from tpuref.engine.ops.definition import Operand
from tpuref.engine.ops.meaning import Array


def sizes_in(value: Array) -> tuple[int, ...]:
    """Return the sizes in a shape array; ValueError if one is negative."""
    sizes = tuple(map(int, value.reshape(-1).tolist()))
    if sizes and min(sizes) < 0:
        raise ValueError(f"expected sizes of 0 or more, got {list(sizes)}")
    return sizes


def shape_held_by(operand: Operand) -> TensorShape:
    """Return the static shape whose sizes are the values of `operand`."""
    length = require_shape(operand)
    if operand.value is not None:
        return TensorShape(sizes_in(operand.value))
    return unknown_shape(length)


def require_shape(operand: Operand) -> int | None:
    """Return the length of a vector of sizes; raise an error for anything else."""
    require_kind(operand, INDEX)
    return require_rank(operand, 1).as_tuple()[0]


def require_index_scalar(operand: Operand) -> int | None:
    """Return the value of a scalar integer, None if it is not static."""
    require_kind(operand, INDEX)
    require_rank(operand, 0)
    return None if operand.value is None else int(operand.value)
