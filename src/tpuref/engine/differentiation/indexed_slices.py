"""Sparse gradients: the rows of a table that were used."""

from __future__ import annotations

from typing import Any

from tpuref.base.dtypes import DType
from tpuref.base.shapes import TensorShape
from tpuref.engine.differentiation.application import apply
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.graph import Graph
from tpuref.engine.graph.operators import Operators
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.derivatives.rule import Rows


class IndexedSlices(Operators):
    """A tensor of which only some rows are stored; the others are zero.

    It is the gradient of a table that `tf.gather` or `tf.nn.embedding_lookup` reads.
    `tf.convert_to_tensor` and every function of tensors convert it to the dense tensor;
    rows with the same index add up.  `values` are the rows, ``[n, ...]``.  `indices` is
    the index of each row, ``[n]``, int32 or int64.  `dense_shape` is the shape of the
    dense tensor, a vector of integers; None if unknown.

    Examples
    --------
    >>> some = tf.IndexedSlices([[1.0], [2.0]], [2, 2], dense_shape=[4, 1])
    >>> tf.Session().run(tf.convert_to_tensor(some)).tolist()
    [[0.0], [0.0], [3.0], [0.0]]
    """

    __eq__, __hash__ = object.__eq__, object.__hash__

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self.values = convert_to_tensor(values)
        self.indices = convert_to_tensor(indices)
        self.dense_shape = (
            None if dense_shape is None else convert_to_tensor(dense_shape)
        )

    @property
    def shape(self) -> TensorShape:
        """The static shape of the dense tensor."""
        known = None if self.dense_shape is None else self.dense_shape.operand().value
        if known is not None:
            return TensorShape([int(size) for size in known])
        return TensorShape([None]).concatenate(self.values.shape[1:])

    @property
    def dtype(self) -> DType:
        """The element type of the rows."""
        return self.values.dtype

    @property
    def name(self) -> str:
        """The name of the rows."""
        return self.values.name

    @property
    def device(self) -> str:
        """The device of the rows."""
        return self.values.device

    @property
    def op(self) -> Operation:
        """The operation that makes the rows."""
        return self.values.op

    @property
    def graph(self) -> Graph:
        """The graph of the rows."""
        return self.values.graph

    def get_shape(self) -> TensorShape:
        """Return the static shape of the dense tensor."""
        return self.shape

    def with_values(self, values: Any) -> IndexedSlices:
        """Return slices with other rows, at the same indices."""
        return IndexedSlices(values, self.indices, self.dense_shape)

    def __neg__(self) -> IndexedSlices:  # type: ignore[override]
        return self.with_values(-self.values)

    def _as_tensor(self) -> Tensor:
        if self.dense_shape is None:
            raise ValueError(
                f"{self!r} cannot be converted to a tensor, as its dense_shape is "
                "unknown; pass dense_shape="
            )
        return dense(Rows(self.values, self.indices), self.dense_shape)

    def _as_fetches(self) -> list[Tensor]:
        parts = [self.values, self.indices, self.dense_shape]
        return [part for part in parts if part is not None]

    def __repr__(self) -> str:
        return (
            f"<tf.IndexedSlices values={self.values!r} indices={self.indices!r} "
            f"dense_shape={self.dense_shape!r}>"
        )


def dense(rows: Rows, shape: Any) -> Tensor:
    """Return the dense tensor; rows with the same index add up."""
    places = apply("ExpandDims", rows.indices, axis=-1)
    whole: Tensor = apply("ScatterNd", places, rows.values, shape)
    return whole
