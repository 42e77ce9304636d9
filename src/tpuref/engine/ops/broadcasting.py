"""The shape and dtype rules that several families of operations share."""

from dataclasses import dataclass

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import (
    DTYPES,
    DType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.definition import Operand

Axis = int | tuple[int, ...] | None


@dataclass(frozen=True)
class Kind:
    """A set of element types that an operation takes, with its name for messages."""

    name: str
    dtypes: tuple[DType, ...]

    def __contains__(self, dtype: DType) -> bool:
        return dtype in self.dtypes

    def __str__(self) -> str:
        return f"{self.name} ({', '.join(dtype.name for dtype in self.dtypes)})"


_FLOATING = (float16, bfloat16, float32, float64)
_COMPLEX = (complex64, complex128)
_SIGNED = (int8, int16, int32, int64)
_UNSIGNED = (uint8, uint16, uint32, uint64)

ANY = Kind("any type", DTYPES)
BOOL = Kind("a boolean", (bool_,))
INTEGER = Kind("an integer", _SIGNED + _UNSIGNED)
INDEX = Kind("an index type", (int32, int64))
FLOATING = Kind("a floating-point type", _FLOATING)
COMPLEX = Kind("a complex type", _COMPLEX)
INEXACT = Kind("a floating-point or complex type", _FLOATING + _COMPLEX)
REAL = Kind("a real number", _FLOATING + _SIGNED + _UNSIGNED)
REAL_OR_TEXT = Kind("a real number or text", (*REAL.dtypes, string))
NUMERIC = Kind("a number", _FLOATING + _SIGNED + _UNSIGNED + _COMPLEX)
NUMERIC_OR_BOOL = Kind("a number or boolean", (*NUMERIC.dtypes, bool_))


def describe_all(*operands: Operand) -> str:
    """Return the short forms of the operands, joined for a message."""
    return " and ".join(operand.describe() for operand in operands)


def require_kind(operand: Operand, kind: Kind) -> DType:
    """Return the dtype of `operand`; TypeError unless it belongs to `kind`."""
    if operand.dtype not in kind:
        raise codes.DTYPES_DIFFER.type_error(
            f"expected {kind}, got {operand.describe()}; use tf.cast to convert"
        )
    return operand.dtype


def require_same_dtype(*operands: Operand) -> DType:
    """Return the dtype that all operands have; TypeError if they differ."""
    if len({operand.dtype for operand in operands}) > 1:
        raise codes.DTYPES_DIFFER.type_error(
            f"expected equal dtypes, got {describe_all(*operands)}; use tf.cast to "
            "convert one of them"
        )
    return operands[0].dtype


def require_rank(operand: Operand, rank: int) -> TensorShape:
    """Return the shape of `operand` with this rank; ValueError if it differs."""
    if operand.shape.rank not in (None, rank):
        raise codes.WRONG_SHAPE.value_error(
            f"expected rank {rank}, got {operand.describe()}"
        )
    return operand.shape.with_rank(rank)


def require_rank_at_least(operand: Operand, rank: int) -> TensorShape:
    """Return the shape of `operand`; ValueError if its rank is less."""
    if operand.shape.rank is not None and operand.shape.rank < rank:
        raise codes.WRONG_SHAPE.value_error(
            f"expected rank {rank} or more, got {operand.describe()}"
        )
    return operand.shape


def same_shape(x: Operand, kind: Kind = NUMERIC) -> TensorSpec:
    """Infer an operation on each element of `x` that keeps shape and dtype."""
    return TensorSpec(x.shape, require_kind(x, kind))


def broadcast_same_dtype(*operands: Operand, kind: Kind = NUMERIC) -> TensorSpec:
    """Infer an elementwise operation on operands of one dtype, shapes broadcast."""
    dtype = require_same_dtype(*operands)
    require_kind(operands[0], kind)
    return TensorSpec(broadcast_shape(*operands), dtype)


def broadcast_shape(*operands: Operand) -> TensorShape:
    """Return the static broadcast shape; ValueError if two sizes differ."""
    shape = operands[0].shape
    for operand in operands[1:]:
        merged = broadcast_pair(shape, operand.shape)
        if merged is None:
            raise codes.WRONG_SHAPE.value_error(
                f"the shapes of {describe_all(*operands)} do not broadcast: from the "
                "right, dimensions must be equal or 1"
            )
        shape = merged
    return shape


def broadcast_pair(left: TensorShape, right: TensorShape) -> TensorShape | None:
    """Return the shape that two shapes broadcast to, None if they do not.

    >>> print(broadcast_pair(TensorShape([2, 1, None]), TensorShape([3, 4])))
    (2, 3, 4)
    >>> broadcast_pair(TensorShape([2]), TensorShape([3])) is None
    True
    """
    if left.rank is None or right.rank is None:
        return unknown_shape()
    if left.as_tuple() == right.as_tuple():
        return left
    rank = max(left.rank, right.rank)
    first = (1,) * (rank - left.rank) + left.as_tuple()
    second = (1,) * (rank - right.rank) + right.as_tuple()
    pairs = list(zip(first, second, strict=True))
    if not all(_broadcasts(a, b) for a, b in pairs):
        return None
    return TensorShape([_broadcast_dimension(a, b) for a, b in pairs])


def _broadcasts(a: int | None, b: int | None) -> bool:
    return a is None or b is None or a == b or 1 in (a, b)


def _broadcast_dimension(a: int | None, b: int | None) -> int | None:
    if a == 1:
        return b
    if b == 1 or b is None:
        return a
    return b


def normalize_axis(axis: int, rank: int) -> int:
    """Return `axis` counted from the left; ValueError if there is none."""
    if not -rank <= axis < rank:
        raise ValueError(
            f"axis {axis} is out of range for rank {rank}; expected "
            + (f"{-rank} to {rank - 1}" if rank else "none, as for any scalar")
            + f" [{codes.INDEX_OUT_OF_RANGE}]"
        )
    return axis % rank


def normalize_axes(axis: Axis, rank: int) -> tuple[int, ...]:
    """Return the axes counted from the left, in rising order; None means all.

    ValueError if an axis is out of range or repeated.

    >>> normalize_axes((-1, 0), 3), normalize_axes(None, 2)
    ((0, 2), (0, 1))
    """
    if axis is None:
        return tuple(range(rank))
    several = (axis,) if isinstance(axis, int) else axis
    axes = [normalize_axis(a, rank) for a in several]
    if len(set(axes)) < len(axes):
        raise codes.INDEX_OUT_OF_RANGE.value_error(
            f"axis {list(several)} names an axis of rank {rank} twice"
        )
    return tuple(sorted(axes))


def reduced_shape(shape: TensorShape, axis: Axis, keepdims: bool) -> TensorShape:
    """Return the shape after reducing the axes; None means all.

    >>> print(reduced_shape(TensorShape([2, None, 4]), (0, -1), keepdims=True))
    (1, ?, 1)
    """
    if shape.rank is None:
        return TensorShape([]) if axis is None and not keepdims else unknown_shape()
    axes = normalize_axes(axis, shape.rank)
    dims = shape.as_tuple()
    if keepdims:
        return TensorShape([1 if k in axes else dim for k, dim in enumerate(dims)])
    return TensorShape([dim for k, dim in enumerate(dims) if k not in axes])
