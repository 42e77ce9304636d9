"""The sharding policies of an infeed queue's elements."""

from collections.abc import Sequence
from typing import Any, Protocol

from tpuref.base.shapes import TensorShape, as_shape
from tpuref.interface.tpu.infeed_shards import sharded_shape, whole_shape


class Sharded(Protocol):
    """The sharding of an `InfeedQueue`, as its policies use it."""

    @property
    def number_of_shards(self) -> int | None:
        """The number of shards of every element."""

    @property
    def shard_dimensions(self) -> list[int | None]:
        """The dimension each element is split along."""

    def set_number_of_shards(self, number_of_shards: int) -> None:
        """Set the number of shards."""

    def set_shard_dimensions(self, shard_dimensions: Sequence[int | None]) -> None:
        """Set the dimensions."""


class ShardingPolicy:
    """The sharding of one element of an `InfeedQueue`; a view of the queue."""

    def __init__(self, queue: Sharded, element: int) -> None:
        self._queue = queue
        self._element = element

    def __str__(self) -> str:
        if self.number_of_shards is None or self.shard_dimension is None:
            return "ShardingPolicy(unset)"
        return (
            f"ShardingPolicy({self.number_of_shards} shards dimension "
            f"{self.shard_dimension})"
        )

    @property
    def number_of_shards(self) -> int | None:
        """The number of shards of all elements, None until it is set."""
        return self._queue.number_of_shards

    @property
    def shard_dimension(self) -> int | None:
        """The dimension to split along, None until it is set."""
        return self._queue.shard_dimensions[self._element]

    def set_number_of_shards(self, number_of_shards: int) -> None:
        """Set the number of shards of all elements of the queue."""
        self._queue.set_number_of_shards(number_of_shards)

    def set_shard_dimension(self, shard_dimension: int) -> None:
        """Set the dimension that this element is split along."""
        dimensions = self._queue.shard_dimensions
        dimensions[self._element] = shard_dimension
        self._queue.set_shard_dimensions(dimensions)

    def get_sharded_shape(
        self, shape: Any, shard_index: int | None = None
    ) -> TensorShape:
        """Return the shape of a shard of a whole element; all shards are equal."""
        return sharded_shape(
            as_shape(shape), self.shard_dimension or 0, self.number_of_shards or 1
        )

    def get_unsharded_shape(self, shapes: Sequence[Any]) -> TensorShape:
        """Return the shape of the whole element that has shards of these shapes."""
        return whole_shape(list(map(as_shape, shapes)), self.shard_dimension or 0)
