"""Define sparse tensors, as `tf.parse_single_example` returns them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tpuref.base.arguments import instance_of
from tpuref.base.dtypes import DType
from tpuref.base.shapes import TensorShape, as_shape, unknown_shape
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.recognition import named
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import fill
from tpuref.interface.functions.indexing import gather_nd, tensor_scatter_update
from tpuref.interface.functions.reshaping import broadcast_to


class SparseTensorValue(NamedTuple):
    """The value of a sparse tensor, as a session returns it."""

    indices: Any
    values: Any
    dense_shape: Any


@named("SparseTensor", "framework.sparse_tensor")
class SparseTensor:
    """A tensor that stores only some of its elements.

    `indices` is an int64 matrix with the indices of each stored element, and
    `dense_shape` the shape of the tensor, a vector of int64.

    Examples
    --------
    >>> x = tf.SparseTensor([[0, 1]], [7], [1, 3])
    >>> tf.Session().run(tf.sparse.to_dense(x))
    array([[0, 7, 0]], dtype=int32)
    """

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self.indices = convert_to_tensor(indices, dtype_hint="int64")
        self.values = convert_to_tensor(values)
        self.dense_shape = convert_to_tensor(dense_shape, dtype_hint="int64")
        self._shape: TensorShape | None = None

    def _dynamic_shape(self, out_type: str) -> Tensor:
        return cast(self.dense_shape, out_type)

    def with_values(self, new_values: Any) -> SparseTensor:
        """Return a sparse tensor with other values at the same indices."""
        other = type(self)(self.indices, new_values, self.dense_shape)
        other._shape = self._shape
        return other

    def __mul__(self, other: Any) -> SparseTensor:
        """Return the products of the stored elements and a dense tensor."""
        return self.with_values(self.values * self._elements_of(other))

    def __truediv__(self, other: Any) -> SparseTensor:
        """Return the quotients of the stored elements and a dense tensor."""
        return self.with_values(self.values / self._elements_of(other))

    def _elements_of(self, other: Any) -> Tensor:
        """Return the elements of a dense tensor at the stored indices."""
        dense = convert_to_tensor(other, self.dtype)
        if dense.shape.rank == 0:
            return dense
        return gather_nd(broadcast_to(dense, self.dense_shape), self.indices)

    def _traced_parts(self) -> list[Any]:
        """Return the tensors, for `tpuref.engine.tracing`."""
        return [self.indices, self.values, self.dense_shape]

    def _with_parts(self, parts: Sequence[Any]) -> SparseTensor:
        """Return a sparse tensor of other tensors."""
        other = type(self)(*parts)
        other._shape = self._shape
        return other

    def _as_fetches(self) -> SparseTensorValue:
        return SparseTensorValue(self.indices, self.values, self.dense_shape)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.values.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        if self._shape is not None:
            return self._shape
        known = self.dense_shape.operand().value
        if known is not None:
            return TensorShape(known.tolist())
        (rank,) = self.dense_shape.shape.as_tuple()
        return unknown_shape(rank)

    def set_shape(self, shape: Any) -> None:
        """Merge a shape that the caller knows into the static shape."""
        self._shape = self.shape.merge_with(as_shape(shape))

    def get_shape(self) -> TensorShape:
        """Return the static shape."""
        return self.shape


def rows_of_one(parts: Sequence[Sequence[Array]]) -> tuple[Array, Array, Array]:
    """Return sparse arrays as rows of one; `parts` are indices, values and sizes."""
    indices, values, sizes = zip(*parts, strict=True)
    numbers = [np.full((len(own), 1), row) for row, own in enumerate(indices)]
    columns = np.concatenate([np.concatenate(numbers), np.concatenate(indices)], 1)
    shape = np.array([len(sizes), *np.max(sizes, axis=0)], np.int64)
    return columns.astype(np.int64), np.concatenate(values), shape


def to_dense(
    sp_input: SparseTensor,
    default_value: Any = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """Return a dense tensor.

    `sp_input` is the sparse tensor.  `default_value` is the value of other elements: by
    default 0, False or the empty text.  `validate_indices` is accepted for
    compatibility; indices out of range are always an error.
    """
    argument = "tf.sparse.to_dense: sp_input"
    values = instance_of(SparseTensor, argument, "a tf.SparseTensor", sp_input).values
    if default_value is None:
        default_value = b"" if values.dtype.name == "string" else 0
    start = fill(sp_input.dense_shape, convert_to_tensor(default_value, values.dtype))
    start.set_shape(sp_input.shape)
    return tensor_scatter_update(start, sp_input.indices, values, name=name)


def is_sparse(tensor: Any) -> bool:
    """Return whether a value is a `tf.SparseTensor`."""
    return isinstance(tensor, SparseTensor)
