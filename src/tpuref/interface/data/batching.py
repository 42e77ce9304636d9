"""Define the stages that stack consecutive elements, as they are or padded."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import int64, string
from tpuref.base.errors import DataLossError, InvalidArgumentError
from tpuref.base.shapes import TensorShape, as_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.convert import to_array
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.interface.data.element import (
    Item,
    component,
    components_of,
    mapped,
    spec_of,
    stacked,
)
from tpuref.interface.data.sources import flat_like, integer, static_number
from tpuref.interface.data.sparse import SparseTensorValue, rows_of_one
from tpuref.interface.data.stage import UNKNOWN, Pass, Stage


class _Batches(Stage):
    _source: Stage
    _size: Array | Tensor
    _drop: bool

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE` or `UNKNOWN`."""
        size, own = static_number(self._size), self._source.cardinality()
        if own < 0 or size is None:
            return own if own < 0 else UNKNOWN
        return own // size if self._drop else -(-own // size)


class Batch(_Batches):
    """Stacks consecutive elements of equal shapes."""

    name = "BatchDataset"

    def __init__(self, source: Stage, batch_size: Any, drop_remainder: Any) -> None:
        self._source = source
        self._size = integer("Dataset.batch", batch_size)
        self._drop = _flag("Dataset.batch", drop_remainder)
        rows = _static_rows(self._size, self._drop)
        self._components = components_of(source.element)
        element = mapped(
            source.element, lambda spec: _row_of_batch(spec, rows), (SparseTensorValue,)
        )
        super().__init__(element, [source], [self._size])

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the batches."""
        size = self.positive("batch_size", current.number(self._size))
        yield from self._source.batches(current, size, self._drop, self._stack)

    def _stack(self, group: list[Item]) -> Item:
        return tuple(self._rows(group))

    def _rows(self, group: list[Item]) -> Iterator[Array]:
        columns = zip(*group, strict=True)
        for number, spec in enumerate(self._components):
            if isinstance(spec, SparseTensorValue):
                own = itertools.islice(columns, 3)
                yield from rows_of_one(list(zip(*own, strict=True)))
            else:
                yield self._stack_rows(number, next(columns))

    def _stack_rows(self, number: int, arrays: tuple[Array, ...]) -> Array:
        for k, array in enumerate(arrays):
            if array.shape != arrays[0].shape:
                raise self.fault(
                    InvalidArgumentError,
                    "cannot batch tensors with different shapes in component "
                    f"{number}: the first element had shape {list(arrays[0].shape)} "
                    f"and element {k} had shape {list(array.shape)}; use padded_batch",
                    code=codes.SHAPES_DIFFER,
                )
        return stacked(arrays)


class PaddedBatch(_Batches):
    """Pads consecutive elements to equal shapes, and stacks them."""

    name = "PaddedBatchDataset"

    def __init__(
        self,
        source: Stage,
        batch_size: Any,
        padded_shapes: Any,
        padding_values: Any,
        drop_remainder: Any,
    ) -> None:
        self._source = source
        self._size = integer("Dataset.padded_batch", batch_size)
        self._drop = _flag("Dataset.padded_batch", drop_remainder)
        self._shapes = [spec.shape for spec in source.specs]
        if padded_shapes is not None:
            shapes = _parts_like(source, "padded_shapes", padded_shapes)
            self._shapes = [_padded_shape(shape) for shape in shapes]
        values: list[Any] = [None] * len(source.specs)
        if padding_values is not None:
            values = _parts_like(source, "padding_values", padding_values)
        self._fills = list(map(_fill, source.specs, values))
        for spec, shape in zip(source.specs, self._shapes, strict=True):
            _check_padded(spec, shape)
        rows, sizes = _static_rows(self._size, self._drop), iter(self._shapes)
        element = mapped(
            source.element, lambda spec: _in_batch(spec, next(sizes), rows)
        )
        super().__init__(element, [source], [self._size, *self._fills])

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the batches."""
        size = self.positive("batch_size", current.number(self._size))
        fills = [current.array(fill) for fill in self._fills]
        for group in self._source.groups(current, size, self._drop):
            columns = zip(*group, strict=True)
            triples = zip(columns, self._shapes, fills, strict=True)
            yield tuple(self._pad_elements(*triple) for triple in triples)

    def _pad_elements(
        self, arrays: tuple[Array, ...], shape: TensorShape, fill: Array
    ) -> Array:
        sizes = np.max([array.shape for array in arrays], axis=0)
        for axis, wanted in enumerate(shape.as_list()):
            if wanted is None:
                continue
            if wanted < sizes[axis]:
                raise self.fault(
                    DataLossError,
                    f"an element has size {sizes[axis]} in dimension {axis}, but "
                    f"padded_shapes gives {wanted}; use a size that no element "
                    "exceeds, or None",
                    code=codes.INVALID_PADDING,
                )
            sizes[axis] = wanted
        result = np.empty((len(arrays), *map(int, sizes)), arrays[0].dtype)
        result[...] = fill
        for k, array in enumerate(arrays):
            place: Any = (k, *(slice(size) for size in array.shape))
            result[place] = array
        return result


def _flag(name: str, value: Any) -> bool:
    array = component(value)
    if isinstance(array, Tensor) or array.dtype != np.bool_:
        raise codes.INVALID_ARGUMENT.type_error(
            f"{name}: drop_remainder must be True or False, got {value!r}"
        )
    return bool(array)


def _static_rows(size: Array | Tensor, drop_remainder: bool) -> int | None:
    return None if isinstance(size, Tensor) or not drop_remainder else int(size)


def _row_of_batch(spec: Any, rows: int | None) -> Any:
    """Return the spec of a component in a batch."""
    if not isinstance(spec, SparseTensorValue):
        return _in_batch(spec, spec.shape, rows)
    (rank,) = spec.dense_shape.shape.as_tuple()
    rank = None if rank is None else rank + 1
    return SparseTensorValue(
        TensorSpec([None, rank], int64),
        TensorSpec([None], spec.values.dtype),
        TensorSpec([rank], int64),
    )


def _in_batch(spec: TensorSpec, shape: TensorShape, rows: int | None) -> TensorSpec:
    if shape.rank is None:
        return TensorSpec(TensorShape(None), spec.dtype)
    return TensorSpec(TensorShape([rows, *shape.as_list()]), spec.dtype)


def _parts_like(source: Stage, argument: str, value: Any) -> list[Any]:
    """Return the parts of an argument for the components of an element."""
    if len(components_of(source.element)) < len(source.specs):
        raise codes.INVALID_PADDING.type_error(
            "Dataset.padded_batch: the elements have sparse tensors; use batch, or "
            "tf.sparse.to_dense first"
        )
    try:
        return flat_like(source.element, value)
    except (TypeError, KeyError, IndexError):
        shapes = mapped(source.element, lambda spec: spec.shape)
        raise codes.INVALID_PADDING.type_error(
            f"Dataset.padded_batch: {argument} must have the structure of the "
            f"elements, {shapes}, got {value!r}"
        ) from None


def _padded_shape(shape: Any) -> TensorShape:
    if not isinstance(shape, (TensorShape, list, tuple)):
        raise codes.INVALID_PADDING.value_error(
            "Dataset.padded_batch: padded_shapes must have a shape for each component, "
            f"such as [None], got {shape!r}"
        )
    sizes = shape.as_list() if isinstance(shape, TensorShape) else shape
    return as_shape([None if size == -1 else size for size in sizes])


def _fill(spec: TensorSpec, value: Any) -> Array | Tensor:
    """Return the padding of a component: by default 0, False or an empty string."""
    if value is None:
        text = spec.dtype == string
        return to_array(b"") if text else np.zeros((), spec.dtype.np)
    fill = component(value)
    own = spec_of(fill).dtype
    if not isinstance(value, Tensor) and own.is_bool == spec.dtype.is_bool:
        fill = to_array(value, spec.dtype)
        own = spec.dtype
    if own != spec.dtype:
        raise codes.INVALID_PADDING.type_error(
            f"Dataset.padded_batch: padding_values has {own.name} for the component "
            f"{spec.describe()}; use a value of its type"
        )
    if len(fill.shape) != 0:
        raise codes.INVALID_PADDING.value_error(
            "Dataset.padded_batch: padding_values must be scalars, got shape "
            f"{list(fill.shape)}"
        )
    return fill


def _check_padded(spec: TensorSpec, shape: TensorShape) -> None:
    if shape.rank is None or spec.shape.rank not in (None, shape.rank):
        raise codes.INVALID_PADDING.value_error(
            f"Dataset.padded_batch: the padded shape {shape} does not have the rank of "
            f"the component {spec.describe()}"
        )
    sizes = spec.shape.as_list() if spec.shape.rank is not None else []
    for own, padded in zip(sizes, shape.as_list(), strict=False):
        if own is not None and padded is not None and padded < own:
            raise codes.INVALID_PADDING.value_error(
                f"Dataset.padded_batch: the padded shape {shape} is smaller than the "
                f"component {spec.describe()}"
            )
