"""Define datasets that draw elements from several datasets."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import instance_of, listed, wrong_type
from tpuref.base.dtypes import int64
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.spec import TensorSpec
from tpuref.engine.runtime.hosts import here
from tpuref.interface.data.dataset import Dataset
from tpuref.interface.data.element import Item, mapped
from tpuref.interface.data.stage import Pass, Stage
from tpuref.interface.functions.random import get_seed

_SAMPLE = "tf.data.experimental.sample_from_datasets"
_CHOOSE = "tf.data.experimental.choose_from_datasets"


class Sample(Stage):
    """Draws elements from several stages at random, until all are exhausted."""

    name = "SampleDataset"

    def __init__(
        self,
        stages: Sequence[Stage],
        weights: Sequence[float],
        seed: int | None,
        stops: bool,
    ) -> None:
        self._stages, self._stops = stages, stops
        self._weights = np.array(weights, np.float64)
        seeds = get_seed(seed)
        if seeds[0] is None or seeds[1] is None:
            seeds = (here.entropy(), 0)
        self._seeds = [part % 2**64 for part in seeds if part is not None]
        super().__init__(_common(_SAMPLE, stages), stages)

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the elements in an order that each epoch changes."""
        rng = np.random.default_rng([*self._seeds, current.next_epoch(self)])
        weights = self._weights.copy()
        running = [stage.items(current) for stage in self._stages]
        while weights.any():
            chosen = int(rng.choice(len(running), p=weights / weights.sum()))
            item = next(running[chosen], None)
            if item is not None:
                yield item
            elif self._stops:
                return
            else:
                weights[chosen] = 0.0


class Choose(Stage):
    """Draws elements from the stages whose numbers another stage yields."""

    name = "DirectedInterleaveDataset"

    def __init__(self, stages: Sequence[Stage], choices: Stage, stops: bool) -> None:
        self._stages, self._choices, self._stops = stages, choices, stops
        super().__init__(_common(_CHOOSE, stages), [*stages, choices])

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the chosen elements, skipping stages that are exhausted."""
        running = dict(enumerate(stage.items(current) for stage in self._stages))
        for (choice,) in self._choices.items(current):
            number = int(choice)
            if not 0 <= number < len(self._stages):
                raise InvalidArgumentError(
                    f"{_CHOOSE}: choice_dataset chose dataset {number} of "
                    f"{len(self._stages)}"
                )
            if number not in running:
                continue
            item = next(running[number], None)
            if item is not None:
                yield item
                continue
            del running[number]
            if not running or self._stops:
                return


def _common(function: str, stages: Sequence[Stage]) -> Any:
    """Return the specs that the elements of all datasets share."""
    elements = [stage.element for stage in stages]
    for other in elements[1:]:
        nest.assert_same_structure(elements[0], other)
    flat = [nest.flatten(element) for element in elements]
    merged = iter([_merge_specs(function, specs) for specs in zip(*flat, strict=True)])
    return mapped(elements[0], lambda spec: next(merged))


def _merge_specs(function: str, specs: Sequence[TensorSpec]) -> TensorSpec:
    shape = specs[0].shape
    for spec in specs[1:]:
        if spec.dtype != specs[0].dtype:
            raise codes.INVALID_ARGUMENT.type_error(
                f"{function}: the datasets must have elements of the same types, got "
                f"{specs[0].describe()} and {spec.describe()}"
            )
        shape = shape.most_specific_compatible_shape(spec.shape)
    return TensorSpec(shape, specs[0].dtype)


def sample_from_datasets(
    datasets: Sequence[Dataset],
    weights: Sequence[float] | None = None,
    seed: int | None = None,
    stop_on_empty_dataset: bool = False,
) -> Dataset:
    """Return a dataset whose elements are drawn from several datasets at random.

    An exhausted dataset is ignored.  `datasets` are the datasets, with elements of the
    same structure and types.  `weights` is the relative frequency of each dataset; by
    default equal.  `seed` fixes the order, together with `tf.set_random_seed`.
    TensorFlow has a different order for the same seed.  `stop_on_empty_dataset` says
    whether to end at the first choice of an exhausted dataset.  It raises ValueError if
    the number of weights is wrong, a weight is negative, or all are 0, and TypeError if
    the types of elements differ.

    Examples
    --------
    >>> dataset = tf.data.experimental.sample_from_datasets(
    ...     [tf.data.Dataset.range(3), tf.data.Dataset.range(7, 9)], seed=1)
    >>> sorted(int(x) for x in dataset.as_numpy_iterator())
    [0, 1, 2, 7, 8]
    """
    stages = _stages(_SAMPLE, datasets)
    shares = [1.0] * len(stages) if weights is None else list(weights)
    if len(shares) != len(stages) or min(shares, default=0) < 0 or not any(shares):
        raise codes.INVALID_ARGUMENT.value_error(
            f"{_SAMPLE}: weights must be a positive number for each of the "
            f"{len(stages)} datasets, got {shares}"
        )
    return Dataset(Sample(stages, shares, seed, stop_on_empty_dataset))


def choose_from_datasets(
    datasets: Sequence[Dataset],
    choice_dataset: Dataset,
    stop_on_empty_dataset: bool = False,
) -> Dataset:
    """Return a dataset of elements from the datasets that another one chooses.

    `datasets` are the datasets, with elements of the same structure and types.
    `choice_dataset` is a dataset of numbers of datasets, int64 scalars.
    `stop_on_empty_dataset` says whether a choice of an exhausted dataset ends the
    result; else it is skipped.  It raises TypeError if the types of elements differ or
    the choices are not int64 scalars, and at run time InvalidArgumentError if there is
    no dataset of a chosen number.

    Examples
    --------
    >>> dataset = tf.data.experimental.choose_from_datasets(
    ...     [tf.data.Dataset.range(3), tf.data.Dataset.range(7, 9)],
    ...     tf.data.Dataset.from_tensor_slices(tf.constant([1, 0, 0, 1], tf.int64)))
    >>> [int(x) for x in dataset.as_numpy_iterator()]
    [7, 0, 1, 8]
    """
    stages = _stages(_CHOOSE, datasets)
    argument = f"{_CHOOSE}: choice_dataset"
    choices = instance_of(Dataset, argument, "a dataset", choice_dataset).stage
    if choices.element != TensorSpec([], int64):
        raise wrong_type(argument, "a dataset of int64 scalars", choices.element)
    return Dataset(Choose(stages, choices, stop_on_empty_dataset))


def _stages(function: str, datasets: Any) -> list[Stage]:
    return [
        instance_of(Dataset, f"{function}: datasets", "datasets", one).stage
        for one in listed(f"{function}: datasets", datasets)
    ]
