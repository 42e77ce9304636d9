"""Datasets of all replicas: batches are divided, or elements distributed in turn.

The rows of each replica and the handling of an incomplete end were measured on
TensorFlow 2.4.4 with MirroredStrategy on two and three logical CPUs.
"""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.meaning import Array
from tpuref.interface.data.dataset import Dataset
from tpuref.interface.data.element import Item, mapped
from tpuref.interface.data.prefetching import Prefetch
from tpuref.interface.data.stage import Pass, Stage
from tpuref.interface.data.transformations import Rounds
from tpuref.interface.distribute.dataset import PerDeviceDataset, rounds_ahead


class Shares(Stage):
    """Divides each batch among the replicas, with the larger shares first."""

    name = "ShareDataset"

    def __init__(self, source: Stage, count: int) -> None:
        self._source = source
        self._count = count
        for spec in source.specs:
            if spec.shape.rank == 0:
                raise codes.UNEVEN_SHARDS.value_error(
                    "Strategy.experimental_distribute_dataset divides batches among "
                    f"the replicas, but an element has {spec.describe()}, which has no "
                    "rows; use dataset.batch(global_batch_size)"
                )
        super().__init__((mapped(source.element, self._share),) * count, [source])

    def _share(self, spec: TensorSpec) -> TensorSpec:
        if spec.shape.rank is None:
            return spec
        rows, *others = spec.shape.as_tuple()
        even = rows is not None and rows % self._count == 0
        own = rows // self._count if even and rows is not None else None
        return TensorSpec(TensorShape([own, *others]), spec.dtype)

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE` or `UNKNOWN`."""
        return self._source.cardinality()

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the shares of all replicas of each batch."""
        for item in self._source.items(current):
            sizes = [-(-array.shape[0] // self._count) for array in item]
            yield tuple(
                np.ascontiguousarray(array[k * size : (k + 1) * size])
                for k in range(self._count)
                for array, size in zip(item, sizes, strict=True)
            )


class FilledRounds(Rounds):
    """Groups consecutive elements into tuples; empty elements fill up the last one."""

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE` or `UNKNOWN`."""
        own = self._source.cardinality()
        return own if own < 0 else -(-own // self._count)

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the tuples."""
        items = self._source.items(current)
        while turn := list(itertools.islice(items, self._count)):
            turn += [self._empty()] * (self._count - len(turn))
            yield tuple(itertools.chain.from_iterable(turn))

    def _empty(self) -> tuple[Array, ...]:
        return tuple(
            np.zeros([n or 0 for n in spec.shape.as_tuple()], spec.dtype.np)
            for spec in self._source.specs
        )


class ReplicaDataset(PerDeviceDataset):
    """Returns the elements of `rounds`, tuples with a part for each replica."""

    def __init__(self, rounds: Stage, devices: Sequence[str]) -> None:
        self.element = rounds.element[0]
        self._devices = devices
        self._rounds = Dataset(Prefetch(rounds, rounds_ahead(rounds.specs)))


def divided(dataset: Any, devices: Sequence[str]) -> ReplicaDataset:
    """Return the dataset whose batches are divided among the replicas."""
    source = _source_stage("experimental_distribute_dataset", dataset)
    return ReplicaDataset(Shares(source, len(devices)), devices)


def dealt(dataset: Any, devices: Sequence[str]) -> ReplicaDataset:
    """Return the dataset whose elements are distributed to the replicas in turn."""
    source = _source_stage("distribute_datasets_from_function", dataset)
    whole = all(spec.shape.is_fully_defined() for spec in source.specs)
    kind = Rounds if whole else FilledRounds
    return ReplicaDataset(kind(source, len(devices)), devices)


def _source_stage(method: str, dataset: Any) -> Stage:
    if not isinstance(dataset, Dataset):
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            f"Strategy.{method}: dataset must be a tf.data.Dataset, got {dataset!r}"
        )
    return dataset.stage
