"""A dataset whose elements go to the towers in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Iterator as Values
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.base.spec import TensorSpec
from tpuref.data.dataset import Dataset
from tpuref.data.iterator import EagerIterator, ElementDescription, Iterator
from tpuref.data.prefetching import Prefetch
from tpuref.data.transformations import Rounds
from tpuref.distribute.grouping import merged
from tpuref.graph.tensor import Operation

ROUNDS_AHEAD = 16
"""For how many steps at most elements are made ahead of time."""

BYTES_AHEAD = 67_108_864
"""How much memory they may take where that is for more than two steps: 64 MiB."""


def per_device_dataset(
    dataset_fn: Callable[[], Any], devices: Sequence[str]
) -> PerDeviceDataset:
    """Return the dataset of `dataset_fn`, for the towers on `devices`."""
    if not callable(dataset_fn):
        raise coded(
            TypeError,
            "distribute_dataset: dataset_fn must be a function that returns a "
            f"tf.data.Dataset, got {dataset_fn!r}; use lambda: dataset",
            code=codes.WRONG_ARGUMENT_TYPE,
        )
    dataset = dataset_fn()
    if not isinstance(dataset, Dataset):
        raise coded(
            ValueError,
            "distribute_dataset: dataset_fn must return a tf.data.Dataset, it returned "
            f"{dataset!r}; tf.data.Dataset.from_any makes one of anything iterable",
            code=codes.WRONG_ARGUMENT_TYPE,
        )
    return PerDeviceDataset(dataset, devices)


class _OfDevices(ElementDescription):
    """Elements with a value for each device."""

    _devices: Sequence[str]

    @property
    def element_spec(self) -> Any:
        """The `tf.TensorSpec` of each component: one for each device."""
        spec = super().element_spec
        return merged([spec] * len(self._devices), self._devices, apart=True)


class PerDeviceDataset(_OfDevices):
    """The elements of a dataset, one for each tower at a time.

    Consecutive elements go to consecutive towers; elements at the end that are not
    enough for all towers are left out.

    Examples
    --------
    >>> import tpuref as tf
    >>> class Local:
    ...     def master(self): return "local"
    ...     def cluster_spec(self): return None
    >>> with tf.config.override(cores=2):
    ...     strategy = tf.contrib.distribute.TPUStrategy(Local(), steps_per_run=1)
    >>> with tf.eager_execution(), strategy.scope():
    ...     dataset = strategy.distribute_dataset(lambda: tf.data.Dataset.range(5))
    ...     [[int(x) for x in strategy.unwrap(element)] for element in dataset]
    [[0, 1], [2, 3]]

    References
    ----------
    001_66db0865fe92828f.txt, distribute_dataset.
    """

    def __init__(self, dataset: Dataset, devices: Sequence[str]) -> None:
        self.element = dataset.element
        self._devices = devices
        rounds = Rounds(dataset.stage, len(devices))
        self._rounds = Dataset(Prefetch(rounds, rounds_ahead(rounds.specs)))

    def make_one_shot_iterator(self) -> PerDeviceIterator:
        """Return an iterator that starts by itself and goes through once."""
        iterator = self._rounds.make_one_shot_iterator()
        return PerDeviceIterator(self.element, iterator, self._devices)

    def make_initializable_iterator(
        self, shared_name: str | None = None
    ) -> PerDeviceIterator:
        """Return an iterator that starts, from the beginning, with its initializer."""
        iterator = self._rounds.make_initializable_iterator(shared_name)
        return PerDeviceIterator(self.element, iterator, self._devices)

    def __iter__(self) -> PerDeviceIterator:
        iterator = iter(self._rounds)
        assert isinstance(iterator, EagerIterator)
        return PerDeviceIterator(self.element, iterator, self._devices)

    def __repr__(self) -> str:
        return (
            f"<PerDeviceDataset for {len(self._devices)} towers, each with "
            f"{self._described()}>"
        )


def rounds_ahead(specs: Sequence[TensorSpec]) -> int:
    """Return for how many steps to make elements ahead, given those of one step."""
    sizes = [spec.shape.num_elements() for spec in specs]
    if None in sizes:
        return 2  # how large they are nobody knows
    pairs = zip(sizes, specs, strict=True)
    step = sum((size or 0) * spec.dtype.size for size, spec in pairs)
    return min(max(2, BYTES_AHEAD // max(1, step)), ROUNDS_AHEAD)


class PerDeviceIterator(_OfDevices):
    """Gives all towers their next elements.

    Attributes
    ----------
    rounds
        The iterator that gives as many elements at a time as there are towers.
    """

    def __init__(
        self,
        element: Any,
        rounds: Iterator | EagerIterator,
        devices: Sequence[str],
    ) -> None:
        self.element = element
        self.rounds = rounds
        self._devices = devices

    @property
    def initializer(self) -> Operation:
        """The operation that starts the iterator, from the first element again."""
        if isinstance(self.rounds, EagerIterator):
            raise coded(
                ValueError,
                "PerDeviceIterator.initializer: in eager mode an iterator starts by "
                "itself",
                code=codes.WRONG_MODE,
            )
        return self.rounds.initializer

    def initialize(self) -> list[Operation]:
        """Return what starts the iterator; in eager mode it starts by itself."""
        return [] if isinstance(self.rounds, EagerIterator) else [self.initializer]

    def get_next(self, name: str | None = None) -> Any:
        """Return the next elements of the towers.

        Returns
        -------
        object
            An element with per-device values instead of its tensors, for
            `call_for_each_tower`; with a single tower, the element.

        Raises
        ------
        tpuref.errors.OutOfRangeError
            At evaluation, if there are not enough elements for all towers.
        """
        return merged(self.rounds.get_next(name), self._devices)

    def __iter__(self) -> Values[Any]:
        return self

    def __next__(self) -> Any:
        return merged(next(self.rounds), self._devices)

    # -- as an argument of a traced function ---------------------------------------

    def _traced_key(self) -> Any:
        """Return what its elements are like, for `tpuref.tracing`."""
        assert isinstance(self.rounds, EagerIterator)
        return self.rounds._traced_key(), tuple(self._devices)

    def _traced(self) -> PerDeviceIterator:
        """Return what stands for it while a function is traced."""
        assert isinstance(self.rounds, EagerIterator)
        return PerDeviceIterator(self.element, self.rounds._traced(), self._devices)

    def _bind(self, stand_in: Any) -> None:
        """Let a stand-in give the elements of this iterator from now on."""
        assert isinstance(self.rounds, EagerIterator)
        self.rounds._bind(stand_in.rounds)

    def __repr__(self) -> str:
        return (
            f"<PerDeviceIterator for {len(self._devices)} towers, each with "
            f"{self._described()}>"
        )
