"""Define the stages that change elements, their number or their order."""

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.dtypes import bool_, int64, string
from tpuref.base.errors import DataLossError, InvalidArgumentError
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.convert import to_array
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.engine.runtime.hosts import here
from tpuref.interface.data.element import (
    Item,
    component,
    components_of,
    mapped,
    spec_of,
    stacked,
)
from tpuref.interface.data.function import Function
from tpuref.interface.data.sources import Slices, integer, static_number
from tpuref.interface.data.sparse import SparseTensorValue, rows_of_one
from tpuref.interface.data.stage import INFINITE, UNKNOWN, Pass, Stage


class Map(Stage):
    """Applies a function to each element."""

    name = "MapDataset"
    keeps_number = True

    def __init__(self, source: Stage, function: Callable[..., Any]) -> None:
        self.source = source
        self.function = Function("Dataset.map", function, source.element)
        super().__init__(self.function.result, [source], self.function.captured)
        self.variables += self.function.variables

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the results."""
        for item in self.source.items(current):
            yield self.function(item, current)


class Filter(Stage):
    """Selects the elements for which a function returns true."""

    name = "FilterDataset"
    function_name = "Dataset.filter"

    def __init__(self, source: Stage, predicate: Callable[..., Any]) -> None:
        self._source = source
        self._function = Function(self.function_name, predicate, source.element)
        spec = self._function.result
        scalar = isinstance(spec, TensorSpec) and spec.shape.rank in (0, None)
        if not scalar or spec.dtype != bool_:
            raise codes.INVALID_ARGUMENT.value_error(
                f"{self.function_name}: predicate must return a scalar bool tensor, "
                f"got {spec!r}"
            )
        super().__init__(source.element, [source], self._function.captured)
        self.variables += self._function.variables

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the elements that pass."""
        passes = partial(self._passes, current)
        yield from filter(passes, self._source.items(current))

    def _passes(self, current: Pass, item: Item) -> bool:
        return bool(self._function(item, current)[0])


class TakeWhile(Filter):
    """Gives the elements before the first one for which a function returns false."""

    name = "TakeWhileDataset"
    function_name = "Dataset.take_while"

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the elements before the first one that does not pass."""
        passes = partial(self._passes, current)
        yield from itertools.takewhile(passes, self._source.items(current))


class Repeat(Stage):
    """Repeats the elements, forever for a negative count."""

    name = "RepeatDataset"

    def __init__(self, source: Stage, count: Any) -> None:
        self._source = source
        self._count = integer("Dataset.repeat", -1 if count is None else count)
        super().__init__(source.element, [source], [self._count])

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE` or `UNKNOWN`."""
        count, own = static_number(self._count), self._source.cardinality()
        if count is None or own <= 0:
            return UNKNOWN if count is None else own
        return INFINITE if count < 0 else own * count

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield all elements repeatedly."""
        count = current.number(self._count)
        for _ in itertools.count() if count < 0 else range(count):
            any_items = False
            for item in self._source.items(current):
                any_items = True
                yield item
            if not any_items:
                return  # repeating no elements would loop forever


class Concatenate(Stage):
    """Gives the elements of one stage, then those of another."""

    name = "ConcatenateDataset"

    def __init__(self, first: Stage, second: Stage) -> None:
        self._sources = (first, second)
        nest.assert_same_structure(first.element, second.element)
        specs = [
            common_spec(a, b) for a, b in zip(first.specs, second.specs, strict=True)
        ]
        element = nest.pack_sequence_as(first.element, specs)
        super().__init__(element, self._sources)

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE` or `UNKNOWN`."""
        own = [source.cardinality() for source in self._sources]
        return INFINITE if INFINITE in own else UNKNOWN if UNKNOWN in own else sum(own)

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the elements of both."""
        for source in self._sources:
            yield from source.items(current)


def common_spec(first: TensorSpec, second: TensorSpec) -> TensorSpec:
    """Return the most specific spec that covers both; TypeError for two dtypes."""
    if first.dtype != second.dtype:
        raise codes.DTYPES_DIFFER.type_error(
            "Dataset.concatenate: both datasets must have elements of the same dtypes, "
            f"got {first.dtype.name} and {second.dtype.name}"
        )
    shape = first.shape.most_specific_compatible_shape(second.shape)
    return TensorSpec(shape, first.dtype)


class Cache(Stage):
    """Computes the elements in the first complete pass, and keeps them."""

    name = "CacheDataset"
    keeps_number = True

    def __init__(self, source: Stage) -> None:
        self._source = source
        super().__init__(source.element, [source])

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the elements, and keep them after a complete pass."""
        if self in current.kept:
            yield from current.kept[self]
            return
        seen: list[Item] = []
        for item in self._source.items(current):
            seen.append(item)
            yield item
        current.kept[self] = seen


class Take(Stage):
    """Selects the first elements, all of them for a negative count."""

    name = "TakeDataset"

    def __init__(self, source: Stage, count: Any) -> None:
        self._source = source
        self._count = integer("Dataset.take", count)
        super().__init__(source.element, [source], [self._count])

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE` or `UNKNOWN`."""
        count, own = static_number(self._count), self._source.cardinality()
        if count is None or own == UNKNOWN:
            return UNKNOWN
        if INFINITE in (count, own):
            return own if count == INFINITE else count
        return min(count, own)

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the first elements."""
        count = current.number(self._count)
        items = self._source.items(current)
        yield from items if count < 0 else itertools.islice(items, count)


class Skip(Stage):
    """Skips the first elements, all of them for a negative count."""

    name = "SkipDataset"

    def __init__(self, source: Stage, count: Any) -> None:
        self._source = source
        self._count = integer("Dataset.skip", count)
        super().__init__(source.element, [source], [self._count])

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE` or `UNKNOWN`."""
        count, own = static_number(self._count), self._source.cardinality()
        if own < 0 or count is None:
            return own if own < 0 else UNKNOWN
        return 0 if count < 0 else max(0, own - count)

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the remaining elements."""
        count = current.number(self._count)
        if count >= 0:
            yield from itertools.islice(self._source.items(current), count, None)


class Shard(Stage):
    """Selects each n-th element, from the one at an index on."""

    name = "ShardDataset"

    def __init__(self, source: Stage, num_shards: Any, index: Any) -> None:
        self._source = source
        self._parts = [integer("Dataset.shard", x) for x in (num_shards, index)]
        number, first = map(static_number, self._parts)
        if number is not None and first is not None and not 0 <= first < number:
            raise codes.INVALID_ARGUMENT.value_error(
                "Dataset.shard: expected an index from 0 to num_shards - 1, got "
                f"num_shards {number} and index {first}"
            )
        super().__init__(source.element, [source], self._parts)

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the elements of the shard."""
        number, first = map(current.number, self._parts)
        yield from itertools.islice(self._source.items(current), first, None, number)


class Shuffle(Stage):
    """Draws elements from a buffer that is refilled."""

    name = "ShuffleDataset"
    keeps_number = True

    def __init__(
        self,
        source: Stage,
        buffer_size: Any,
        seeds: tuple[int | None, int | None],
        reshuffle: bool,
    ) -> None:
        self._source = source
        self._size = integer("Dataset.shuffle", buffer_size)
        self._reshuffle = reshuffle
        if seeds[0] is None or seeds[1] is None:
            seeds = (here.entropy(), 0)
        self._seeds = [seed % 2**64 for seed in seeds if seed is not None]
        super().__init__(source.element, [source], [self._size])

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the elements in an order that each epoch changes."""
        size = self.positive("buffer_size", current.number(self._size))
        epoch = current.next_epoch(self) if self._reshuffle else 0
        rng = np.random.default_rng([*self._seeds, epoch])
        items = self._source.items(current)
        buffer = list(itertools.islice(items, size))
        for item in items:
            chosen = int(rng.integers(len(buffer)))
            yield buffer[chosen]
            buffer[chosen] = item
        for chosen in rng.permutation(len(buffer)):
            yield buffer[chosen]


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
        step = self._source
        if isinstance(step, Slices):
            batches = step.batches(current, size)
            yield from (b for b in batches if len(b[0]) == size or not self._drop)
            return
        items = (step.source if isinstance(step, Map) else step).items(current)
        # A map before the batch runs once for all its elements, if its program allows.
        while turn := list(itertools.islice(items, size)):
            rows = None
            if isinstance(step, Map):
                rows = step.function.batch(turn, current)
                if rows is None:
                    turn = [step.function(item, current) for item in turn]
            if len(turn) == size or not self._drop:
                yield rows or tuple(self._rows(turn))

    def _rows(self, turn: list[Item]) -> Iterator[Array]:
        columns = zip(*turn, strict=True)
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
        padded_shapes: list[TensorShape],
        padding_values: list[Any],
        drop_remainder: Any,
    ) -> None:
        self._source = source
        self._size = integer("Dataset.padded_batch", batch_size)
        self._drop = _flag("Dataset.padded_batch", drop_remainder)
        self._shapes = padded_shapes
        self._fills = [
            _fill(spec, value)
            for spec, value in zip(source.specs, padding_values, strict=True)
        ]
        for spec, shape in zip(source.specs, padded_shapes, strict=True):
            _check_padded(spec, shape)
        rows, shapes = _static_rows(self._size, self._drop), iter(padded_shapes)
        flat = [_in_batch(spec, next(shapes), rows) for spec in source.specs]
        parts = iter(flat)
        element = mapped(source.element, lambda spec: next(parts))
        super().__init__(element, [source], [self._size, *self._fills])

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the batches."""
        size = self.positive("batch_size", current.number(self._size))
        fills = [current.array(fill) for fill in self._fills]
        items = self._source.items(current)
        while batch := list(itertools.islice(items, size)):
            if len(batch) == size or not self._drop:
                columns = zip(*batch, strict=True)
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


def _fill(spec: TensorSpec, value: Any) -> Array | Tensor:
    """Return the padding of a component: by default 0, False or an empty string."""
    if value is None:
        text = spec.dtype == string
        return to_array(b"") if text else np.zeros((), spec.dtype.np)
    fill = component(value)
    given = spec_of(fill).dtype
    if not isinstance(value, Tensor) and given.is_bool == spec.dtype.is_bool:
        fill = to_array(value, spec.dtype)
        given = spec.dtype
    if given != spec.dtype:
        raise codes.INVALID_PADDING.type_error(
            f"Dataset.padded_batch: padding_values has {given.name} for the component "
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


class Rounds(Stage):
    """Groups consecutive elements into tuples; an incomplete last one is dropped."""

    name = "RoundDataset"

    def __init__(self, source: Stage, count: int) -> None:
        self._source = source
        self._count = count
        super().__init__((source.element,) * count, [source])

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE` or `UNKNOWN`."""
        own = self._source.cardinality()
        return own if own < 0 else own // self._count

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the tuples."""
        items = self._source.items(current)
        while len(turn := list(itertools.islice(items, self._count))) == self._count:
            yield tuple(itertools.chain.from_iterable(turn))
