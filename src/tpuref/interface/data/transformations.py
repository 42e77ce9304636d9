"""Define the stages that change elements, their number or their order."""

import itertools
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.dtypes import bool_
from tpuref.base.spec import TensorSpec
from tpuref.engine.runtime.hosts import here
from tpuref.interface.data.element import Item
from tpuref.interface.data.function import Function
from tpuref.interface.data.sources import integer, static_number
from tpuref.interface.data.stage import INFINITE, UNKNOWN, Pass, Stack, Stage


class Map(Stage):
    """Applies a function to each element."""

    name = "MapDataset"
    keeps_number = True

    def __init__(self, source: Stage, function: Callable[..., Any]) -> None:
        self._source = source
        self._function = Function("Dataset.map", function, source.element)
        super().__init__(self._function.result, [source], self._function.captured)
        self.variables += self._function.variables

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the results."""
        for item in self._source.items(current):
            yield self._function(item, current)

    def batches(
        self, current: Pass, size: int, drop_remainder: bool, stack: Stack
    ) -> Iterator[Item]:
        """Yield results that are computed together if the program allows it."""
        for group in self._source.groups(current, size):
            rows = self._function.batch(group, current)
            if rows is None:
                group = [self._function(item, current) for item in group]
            if len(group) == size or not drop_remainder:
                yield rows or stack(group)


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
        yield from filter(partial(self._passes, current), self._source.items(current))

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
        super().__init__(nest.pack_sequence_as(first.element, specs), self._sources)

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
        for group in self._source.groups(current, self._count, True):
            yield tuple(itertools.chain.from_iterable(group))
