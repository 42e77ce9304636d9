"""Arrays of tensors, written and read by index: ``tf.TensorArray``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import name_or
from tpuref.base.dtypes import as_dtype, int32
from tpuref.base.shapes import TensorShape, as_shape
from tpuref.engine.graph.build import apply
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.tensor_arrays import BLANK, is_blank
from tpuref.interface.functions.creation import range as numbers
from tpuref.interface.functions.creation import zeros
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.reshaping import reshape
from tpuref.names.members import explain_missing_members


class _Elements:
    """The state that all copies of an array share: the static shape of an element."""

    def __init__(self, shape: TensorShape) -> None:
        self.shape = shape


@explain_missing_members("tf.TensorArray")
class TensorArray:
    """An array of tensors of equal shapes, written and read by index.

    `write`, `scatter`, `unstack` and `split` return the array with the new elements; in
    a graph, the original does not have them.  An array can be a loop variable of
    `tf.while_loop`, a result of `tf.cond`, and an argument or result of a
    `tf.function`.  An element that was not written is zero.  `size` is the number of
    elements; it may be left out with `dynamic_size`.  `dynamic_size` says whether
    writing beyond the end lets the array grow.  `infer_shape` says whether the first
    elements tell the static shape of all.  `clear_after_read` and
    `colocate_with_first_write_call` are accepted for compatibility; elements can be
    read again.  `handle` and `flow` are not supported.  It raises ValueError if there
    is neither a size nor `dynamic_size`, or `handle` or `flow` is given.

    Examples
    --------
    >>> array = tf.TensorArray(tf.float32, size=3)
    >>> _, array = tf.while_loop(
    ...     lambda i, _: i < 3,
    ...     lambda i, a: (i + 1, a.write(i, tf.cast(i * i, tf.float32))),
    ...     [tf.constant(0), array])
    >>> tf.Session().run(array.stack()).tolist()
    [0.0, 1.0, 4.0]
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None or flow is not None:
            raise self._error("handle and flow cannot be given; pass the array on")
        if size is None and not dynamic_size:
            raise self._error("expected a size, or dynamic_size=True")
        self.dtype = as_dtype(dtype)
        self.dynamic_size = bool(dynamic_size)
        self._infers = infer_shape
        self._name = tensor_array_name or name or "TensorArray"
        self._elements = _Elements(as_shape(element_shape))
        known = self.element_shape.is_fully_defined()
        inner = self.element_shape.as_tuple() if known else BLANK
        self.flow = zeros([0 if size is None else size, *inner], self.dtype)

    @staticmethod
    def _error(fault: str) -> ValueError:
        return codes.SHAPES_DIFFER.value_error(f"tf.TensorArray: {fault}")

    @property
    def element_shape(self) -> TensorShape:
        """The static shape of an element."""
        return self._elements.shape

    # -- writing -------------------------------------------------------------------

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Return the array with a tensor at an index."""
        return self._write_rows(index, convert_to_tensor(value, self.dtype), name)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Return the array with the rows of a tensor at some indices."""
        return self._write_rows(indices, convert_to_tensor(value, self.dtype), name)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Return the array with the rows of a tensor as its first elements."""
        rows = convert_to_tensor(value, self.dtype)
        return self._write_rows(numbers(shape(rows)[0]), rows, name)

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Return the array with equal numbers of rows of a tensor as its elements.

        `lengths` is the number of rows of each element: known numbers, all equal.  It
        raises ValueError if they are not.
        """
        known = convert_to_tensor(lengths, int32).operand().value
        if known is None or known.ndim != 1 or len(set(known.tolist())) != 1:
            raise self._error(
                f"split needs known and equal lengths, got {lengths!r}; pad the parts "
                "(tf.pad) to equal lengths"
            )
        rows = convert_to_tensor(value, self.dtype)
        parts = concat([[len(known), known[0]], shape(rows)[1:]], 0)
        return self._write_rows(np.arange(len(known)), reshape(rows, parts), name)

    def _write_rows(self, indices: Any, rows: Tensor, name: str | None) -> TensorArray:
        places = convert_to_tensor(indices, int32)
        if self._infers and None not in (places.shape.rank, rows.shape.rank):
            self._infer(rows.shape[places.shape.rank :])
        flow = apply(
            "TensorArrayWrite",
            self.flow,
            places,
            rows,
            grows=self.dynamic_size,
            name=name_or(name, f"{self._name}/write"),
        )
        if not executing_eagerly():
            return self.with_flow(flow)
        self.flow = flow  # eager programs may ignore what `write` returns
        return self

    def _infer(self, own: TensorShape) -> None:
        if not own.is_compatible_with(self.element_shape):
            raise self._error(
                f"an element of shape {own} is written to {self._name!r}, whose "
                f"elements have shape {self.element_shape}"
            )
        self._elements.shape = self.element_shape.merge_with(own)

    # -- reading -------------------------------------------------------------------

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """Return the tensor at an index."""
        return self.gather(index, name_or(name, f"{self._name}/read"))

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Return the tensors at some indices, as rows."""
        places = convert_to_tensor(indices, int32)
        label = name_or(name, f"{self._name}/gather")
        rows: Tensor = apply("TensorArrayRead", self.flow, places, name=label)
        if places.shape.rank is not None:
            rows.set_shape(places.shape.concatenate(self.element_shape))
        return rows

    def stack(self, name: str | None = None) -> Tensor:
        """Return all tensors, as rows."""
        return self.gather(numbers(self.size()), name_or(name, f"{self._name}/stack"))

    def concat(self, name: str | None = None) -> Tensor:
        """Return the rows of all tensors, one tensor's after the other's."""
        rows = self.stack(name)
        sizes = shape(rows)
        joined = reshape(rows, concat([sizes[:1] * sizes[1], sizes[2:]], 0))
        if self.element_shape.rank:
            joined.set_shape(TensorShape([None]).concatenate(self.element_shape[1:]))
        return joined

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of elements."""
        return shape(self.flow, name)[0]

    def identity(self) -> TensorArray:
        """Return the array, after the control dependencies of this place."""
        return self.with_flow(identity(self.flow))

    def close(self, name: str | None = None) -> Operation | None:
        """Do nothing: Python frees the memory of an array."""
        return None if executing_eagerly() else self.flow.op

    # -- as part of loops, branches and functions ------------------------------------

    def with_flow(self, flow: Tensor) -> TensorArray:
        """Return a copy of the array with other elements."""
        other: TensorArray = object.__new__(type(self))
        other.__dict__.update(self.__dict__, flow=flow)
        return other

    def invariant(self) -> TensorShape:
        """Return the static shape of the elements in a loop that writes to them."""
        rows = self.flow.shape
        if is_blank(rows) or not rows[1:].is_fully_defined():
            return TensorShape(None)
        return TensorShape([None]).concatenate(rows[1:]) if self.dynamic_size else rows

    def _traced_parts(self) -> list[Any]:
        return [self.flow]

    def _with_parts(self, parts: Sequence[Any]) -> TensorArray:
        return self.with_flow(parts[0])

    def __repr__(self) -> str:
        return (
            f"<tf.TensorArray {self._name!r} of {self.dtype.name} elements of shape "
            f"{self.element_shape}>"
        )
