"""A dataset whose elements are distributed to the towers in turn."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from collections.abc import Iterator as Values
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.recognition import KnownDistributedDataset
from tpuref.engine.graph.tensor import Operation
from tpuref.interface.data.dataset import Dataset
from tpuref.interface.data.iterator import EagerIterator, ElementDescription, Iterator
from tpuref.interface.data.prefetching import Prefetch
from tpuref.interface.data.transformations import Rounds
from tpuref.interface.distribute.grouping import merged
from tpuref.interface.functions.optional import Optional

ROUNDS_AHEAD = 16
"""The maximum number of steps whose elements are computed ahead."""

BYTES_AHEAD = 67_108_864
"""The memory for elements of more than two steps ahead: 64 MiB."""


def per_device_dataset(
    dataset_fn: Callable[[], Any], devices: Sequence[str]
) -> PerDeviceDataset:
    """Return the dataset of `dataset_fn`, for the towers on `devices`."""
    if not callable(dataset_fn):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            "distribute_dataset: dataset_fn must be a function that returns a "
            f"tf.data.Dataset, got {dataset_fn!r}; use lambda: dataset"
        )
    dataset = dataset_fn()
    if not isinstance(dataset, Dataset):
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            "distribute_dataset: dataset_fn must return a tf.data.Dataset, it returned "
            f"{dataset!r}; tf.data.Dataset.from_generator makes one of any iterable"
        )
    return PerDeviceDataset(dataset, devices)


class _OfDevices(ElementDescription):
    """Describes elements with a value for each device."""

    _devices: Sequence[str]

    @property
    def element_spec(self) -> Any:
        """The element's structure of `tf.TensorSpec`, one for each device."""
        spec = super().element_spec
        return merged([spec] * len(self._devices), self._devices, apart=True)


class PerDeviceDataset(_OfDevices, KnownDistributedDataset):
    """Groups the elements of a dataset into rounds, one element for each tower.

    Consecutive elements go to consecutive towers; an incomplete last round is dropped.
    See 001_66db0865fe92828f.txt, distribute_dataset.

    Examples
    --------
    >>> class Local:
    ...     def master(self): return "local"
    ...     def cluster_spec(self): return None
    >>> with tf.config.override(cores=2):
    ...     strategy = tf.contrib.distribute.TPUStrategy(Local(), steps_per_run=1)
    >>> with tf.eager_execution(), strategy.scope():
    ...     dataset = strategy.distribute_dataset(lambda: tf.data.Dataset.range(5))
    ...     [[int(x) for x in strategy.unwrap(element)] for element in dataset]
    [[0, 1], [2, 3]]
    """

    def __init__(self, dataset: Dataset, devices: Sequence[str]) -> None:
        self.element = dataset.element
        self._devices = devices
        rounds = Rounds(dataset.stage, len(devices))
        self._rounds = Dataset(Prefetch(rounds, rounds_ahead(rounds.specs)))

    def make_one_shot_iterator(self) -> PerDeviceIterator:
        """Return an iterator that starts by itself and ends after one pass."""
        iterator = self._rounds.make_one_shot_iterator()
        return PerDeviceIterator(self.element, iterator, self._devices)

    def make_initializable_iterator(
        self, shared_name: str | None = None
    ) -> PerDeviceIterator:
        """Return an iterator that its initializer starts or restarts."""
        iterator = self._rounds.make_initializable_iterator(shared_name)
        return PerDeviceIterator(self.element, iterator, self._devices)

    def __iter__(self) -> Values[Any]:
        iterator = iter(self._rounds)
        if not isinstance(iterator, EagerIterator):
            return _merged_in_loop(iterator, self._devices)
        return PerDeviceIterator(self.element, iterator, self._devices)

    def __repr__(self) -> str:
        return (
            f"<PerDeviceDataset for {len(self._devices)} towers, each with "
            f"{self._description()}>"
        )


def _merged_in_loop(rounds: Values[Any], devices: Sequence[str]) -> Values[Any]:
    """Return the elements of a loop in a traced function, which inspects its caller.

    A map is no frame, so that the caller stays the loop.
    """
    return map(functools.partial(merged, devices=devices), rounds)


def rounds_ahead(specs: Sequence[TensorSpec]) -> int:
    """Return the number of steps to compute ahead, from the specs of one step."""
    sizes = [spec.shape.num_elements() for spec in specs]
    if None in sizes:
        return 2  # without a static size, the least that overlaps input and steps
    pairs = zip(sizes, specs, strict=True)
    step = sum((size or 0) * spec.dtype.size for size, spec in pairs)
    return min(max(2, BYTES_AHEAD // max(1, step)), ROUNDS_AHEAD)


class PerDeviceIterator(_OfDevices):
    """Iterates over `rounds`, an iterator of tuples with one element per tower."""

    def __init__(
        self, element: Any, rounds: Iterator | EagerIterator, devices: Sequence[str]
    ) -> None:
        self.element = element
        self.rounds = rounds
        self._devices = devices

    @property
    def initializer(self) -> Operation:
        """The operation that starts the iterator from the first element."""
        if isinstance(self.rounds, EagerIterator):
            raise codes.WRONG_MODE.value_error(
                "PerDeviceIterator.initializer: in eager mode an iterator starts by "
                "itself"
            )
        return self.rounds.initializer

    def initialize(self) -> list[Operation]:
        """Return the operations that start the iterator: none in eager mode."""
        return [] if isinstance(self.rounds, EagerIterator) else [self.initializer]

    def get_next(self, name: str | None = None) -> Any:
        """Return the next elements of the towers.

        The leaves are per-device values for `call_for_each_tower`; a single tower gets
        the element itself.  It raises `tf.errors.OutOfRangeError` at evaluation if the
        dataset has too few elements for all towers.
        """
        return merged(self.rounds.get_next(name), self._devices)

    def get_next_as_optional(self) -> Optional:
        """Return the next elements as a `tf.experimental.Optional`."""
        taken = self.rounds.get_next_as_optional()
        if taken.is_blank:
            return Optional.empty(self.element_spec)
        value = merged(taken.get_value(), self._devices)
        return Optional(value, taken.has_value(), self.element_spec)

    def __iter__(self) -> Values[Any]:
        if get_default_graph().traced:
            return _merged_in_loop(iter(self.rounds), self._devices)
        return self

    def __next__(self) -> Any:
        return merged(next(self.rounds), self._devices)

    # -- as an argument of a traced function ---------------------------------------

    def _traced_key(self) -> Any:
        """Return the cache key of its elements' specs, for `tpuref.engine.tracing`."""
        assert isinstance(self.rounds, EagerIterator)
        return self.rounds._traced_key(), tuple(self._devices)

    def _traced(self) -> PerDeviceIterator:
        """Return the stand-in of the iterator while a function is traced."""
        assert isinstance(self.rounds, EagerIterator)
        return PerDeviceIterator(self.element, self.rounds._traced(), self._devices)

    def _bind(self, stand_in: Any) -> None:
        """Take the elements of this iterator from a stand-in."""
        assert isinstance(self.rounds, EagerIterator)
        self.rounds._bind(stand_in.rounds)

    def __repr__(self) -> str:
        return (
            f"<PerDeviceIterator for {len(self._devices)} towers, each with "
            f"{self._description()}>"
        )
