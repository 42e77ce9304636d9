"""Ragged tensors: rows of different lengths."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of
from tpuref.base.dtypes import DType, as_dtype, float32, int64
from tpuref.base.shapes import TensorShape, as_shape
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.recognition import KnownRaggedTensor, named
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.along_axis import cumsum
from tpuref.interface.functions.arithmetic import minimum
from tpuref.interface.functions.comparison import not_equal
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import fill
from tpuref.interface.functions.creation import range as numbers
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.indexing import gather, tensor_scatter_nd_update
from tpuref.interface.functions.joining import concat, stack
from tpuref.interface.functions.reductions import reduce_any, reduce_max
from tpuref.interface.functions.repetition import repeat
from tpuref.interface.functions.reshaping import reshape
from tpuref.interface.functions.selection import boolean_mask_v2
from tpuref.interface.functions.sorting import searchsorted


@named("RaggedTensor", "ops.ragged.ragged_tensor")
class RaggedTensor(KnownRaggedTensor):
    """A tensor whose rows differ in length; `from_row_splits` makes one.

    `values` are the elements of all rows, one after the other.  `row_splits` is int64:
    where each row begins, and the end of the last.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     x = tf.RaggedTensor.from_row_splits([3, 1, 4], [0, 2, 3])
    ...     x.to_tensor().numpy().tolist()
    [[3, 1], [4, 0]]
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        self.values: Tensor = convert_to_tensor(values)
        self.row_splits = cast(convert_to_tensor(row_splits), "int64")

    @classmethod
    def from_row_splits(
        cls,
        values: Any,
        row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Return the tensor whose rows begin at some elements."""
        return cls(values, row_splits)

    @classmethod
    def from_row_lengths(
        cls,
        values: Any,
        row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Return the tensor whose rows have some lengths."""
        lengths = cast(convert_to_tensor(row_lengths), "int64")
        return cls(values, concat([np.zeros(1, np.int64), cumsum(lengths)], 0))

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        name: str | None = None,
    ) -> RaggedTensor:
        """Return the rows of a tensor.

        They are cut after `lengths` elements, or before those at the end that all equal
        `padding`.
        """
        dense = convert_to_tensor(tensor)
        sizes = shape_of(dense, out_type="int64")
        columns = numbers(sizes[1])
        if padding is not None:
            kept = not_equal(dense, convert_to_tensor(padding, dense.dtype))
            inner = list(range(2, kept.shape.rank or 2))
            last = (columns + 1) * cast(reduce_any(kept, inner), "int64")
            lengths = reduce_max(last, 1)
        if lengths is None:
            flat = reshape(dense, concat([[-1], shape_of(dense)[2:]], 0))
            return cls(flat, numbers(sizes[0] + 1) * sizes[1])
        cut = minimum(cast(convert_to_tensor(lengths), "int64"), sizes[1])
        values = boolean_mask_v2(dense, columns < reshape(cut, [-1, 1]))
        return cls.from_row_lengths(values, cut)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.values.dtype

    @property
    def flat_values(self) -> Tensor:
        """The elements of all rows."""
        return self.values

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes: one."""
        return 1

    @property
    def shape(self) -> TensorShape:
        """The static shape; the ragged axis has no size."""
        splits = self.row_splits.shape.as_list()[0]
        rows = None if splits is None else splits - 1
        return TensorShape([rows, None, *self.values.shape.as_list()[1:]])

    def get_shape(self) -> TensorShape:
        """Return the static shape."""
        return self.shape

    def _dynamic_shape(self, out_type: str) -> DynamicRaggedShape:
        return DynamicRaggedShape(self, out_type)

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """Return the number of rows."""
        return cast(shape_of(self.row_splits)[0] - 1, out_type or "int64")

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Tensor:
        """Return the length of each row."""
        return self.row_splits[1:] - self.row_splits[:-1]

    def value_rowids(self, name: str | None = None) -> Tensor:
        """Return the row of each element."""
        places = numbers(cast(shape_of(self.values)[0], "int64"))
        return cast(searchsorted(self.row_splits[1:], places, side="right"), "int64")

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Tensor:
        """Return a dense tensor; short rows end with a default, 0 if None.

        The second size of `shape`, if there is one, is the length of all rows.
        """
        rows = self.value_rowids()
        columns = numbers(cast(shape_of(self.values)[0], "int64"))
        columns = columns - gather(self.row_splits, rows)
        longest = reduce_max(concat([self.row_lengths(), np.zeros(1, np.int64)], 0))
        inner = cast(shape_of(self.values)[1:], "int64")
        sizes = concat([stack([self.nrows(), longest]), inner], 0)
        if default_value is None:
            default_value = b"" if self.dtype.name == "string" else 0
        default = convert_to_tensor(default_value, self.dtype)
        start = fill(sizes, default)
        dense = tensor_scatter_nd_update(start, stack([rows, columns], 1), self.values)
        width = None if shape is None else as_shape(shape).as_list()[1]
        return dense if width is None else _of_width(dense, width, default)

    def to_list(self) -> list[Any]:
        """Return nested lists, in eager mode."""
        splits: Any = np.asarray(self.row_splits)
        values: Any = np.asarray(self.values)
        pairs = itertools.pairwise(splits)
        return [values[first:last].tolist() for first, last in pairs]

    def with_values(self, new_values: Any) -> RaggedTensor:
        """Return a ragged tensor with other values in rows of the same lengths."""
        return type(self)(new_values, self.row_splits)

    def _gather_rows(self, indices: Any) -> RaggedTensor:
        """Return the rows at the places of a vector, for `tf.gather`."""
        rows = convert_to_tensor(indices)
        lengths = gather(self.row_lengths(), rows)
        ends = cumsum(lengths)
        moves = gather(self.row_splits, rows) + lengths - ends
        places = repeat(moves, lengths)
        places += numbers(cast(shape_of(places)[0], "int64"))
        return self.from_row_lengths(gather(self.values, places), lengths)

    # -- arithmetic with numbers, and with rows of the same lengths ------------------

    def _combine(self, op: str, other: Any) -> RaggedTensor:
        right = other.values if isinstance(other, RaggedTensor) else other
        return self.with_values(getattr(self.values, op)(right))

    def __add__(self, other: Any) -> RaggedTensor:
        return self._combine("__add__", other)

    def __sub__(self, other: Any) -> RaggedTensor:
        return self._combine("__sub__", other)

    def __mul__(self, other: Any) -> RaggedTensor:
        return self._combine("__mul__", other)

    def __truediv__(self, other: Any) -> RaggedTensor:
        return self._combine("__truediv__", other)

    __radd__, __rmul__ = __add__, __mul__

    def _traced_parts(self) -> list[Any]:
        """Return the tensors, for `tpuref.engine.tracing`."""
        return [self.values, self.row_splits]

    def _with_parts(self, parts: Sequence[Any]) -> RaggedTensor:
        """Return a ragged tensor of other tensors."""
        return type(self)(*parts)

    def __repr__(self) -> str:
        return f"<tf.RaggedTensor shape={self.shape} dtype={self.dtype.name}>"


def _of_width(dense: Tensor, width: int, default: Tensor) -> Tensor:
    """Return a dense tensor whose rows are cut or filled to a length."""
    sizes = shape_of(dense)
    missing = concat([sizes[:1], [width], sizes[2:]], 0)
    longer = concat([dense, fill(missing, default)], 1)[:, :width]
    inner = dense.shape.as_list()[2:] if dense.shape.rank else []
    longer.set_shape([None, width, *inner])
    return longer


@dataclass(frozen=True)
class DynamicRaggedShape:
    """The sizes of a ragged tensor, as `tf.shape` returns them."""

    _of: RaggedTensor
    _dtype: str

    def __getitem__(self, axis: int) -> Tensor:
        """Return the size of an axis, which must not be the ragged one."""
        if axis == 0:
            return self._of.nrows(self._dtype)
        if axis < 2:
            raise codes.WRONG_SHAPE.value_error(
                f"tf.shape of {self._of!r}: axis {axis} is ragged or counted from the "
                "end; use row_lengths() for the ragged one"
            )
        return shape_of(self._of.values, out_type=self._dtype)[axis - 1]


@dataclass(frozen=True)
class _ElementSpec:
    """The static shape and element type of a composite tensor."""

    shape: TensorShape = field(default_factory=lambda: TensorShape(None))
    dtype: Any = float32

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", as_shape(self.shape))
        object.__setattr__(self, "dtype", as_dtype(self.dtype))


@dataclass(frozen=True)
class SparseTensorSpec(_ElementSpec):
    """The shape and element type of sparse tensors."""


@dataclass(frozen=True)
class RaggedTensorSpec(_ElementSpec):
    """The shape and element type of ragged tensors."""

    ragged_rank: int | None = 1
    row_splits_dtype: Any = int64


def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> RaggedTensor:
    """Return a ragged tensor of the rows of a list.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.ragged.constant([[1], [2, 3]]).row_lengths().numpy().tolist()
    [1, 2]
    """
    rows = [np.asarray(row) for row in pylist]
    lengths = np.array([len(row) for row in rows], np.int64)
    values = [item for row in pylist for item in row]
    flat = convert_to_tensor(values if values else np.zeros(0, np.float32), dtype)
    return RaggedTensor.from_row_lengths(flat, lengths)


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> RaggedTensor:
    """Return the result of a function of the elements of ragged tensors.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     x = tf.ragged.constant([[1], [2, 3]])
    ...     tf.ragged.map_flat_values(tf.negative, x).to_list()
    [[-1], [-2, -3]]
    """
    first = instance_of(
        RaggedTensor,
        "tf.ragged.map_flat_values: args",
        "a tf.RaggedTensor",
        next((x for x in args if isinstance(x, RaggedTensor)), None),
    )
    plain = [x.values if isinstance(x, RaggedTensor) else x for x in args]
    return RaggedTensor(op(*plain, **kwargs), first.row_splits)
