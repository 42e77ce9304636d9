"""Define transformations for `Dataset.apply`, and functions for methods."""

from collections.abc import Callable
from typing import Any

from tpuref.base.arguments import wrong_type
from tpuref.interface.data.dataset import Dataset

AUTOTUNE = -1
"""As a number of calls or elements, it lets tpuref choose."""

Transformation = Callable[[Dataset], Dataset]


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: int | None = None,
    drop_remainder: Any = False,
    num_parallel_calls: int | None = None,
) -> Transformation:
    """Return a transformation for `Dataset.apply`: map, then batch.

    Examples
    --------
    >>> dataset = tf.data.Dataset.range(4).apply(
    ...     tf.data.experimental.map_and_batch(lambda x: x + 1, 2))
    >>> [batch.tolist() for batch in dataset.as_numpy_iterator()]
    [[1, 2], [3, 4]]
    """
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: int | None = None,
    prefetch_input_elements: int | None = None,
) -> Transformation:
    """Return a transformation for `Dataset.apply`: interleave."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def shuffle_and_repeat(
    buffer_size: Any, count: Any = None, seed: int | None = None
) -> Transformation:
    """Return a transformation for `Dataset.apply`: shuffle, then repeat."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """Return a transformation for `Dataset.apply`: batch, dropping the remainder."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def unbatch() -> Transformation:
    """Return `tf.data.Dataset.unbatch` for `Dataset.apply`."""
    return Dataset.unbatch


def enumerate_dataset(start: Any = 0) -> Transformation:
    """Return `tf.data.Dataset.enumerate` for `Dataset.apply`."""
    return lambda dataset: dataset.enumerate(start)


def make_one_shot_iterator(dataset: Dataset) -> Any:
    """Return ``dataset.make_one_shot_iterator()``."""
    return _method(dataset, "make_one_shot_iterator")()


def make_initializable_iterator(
    dataset: Dataset, shared_name: str | None = None
) -> Any:
    """Return ``dataset.make_initializable_iterator()``."""
    return _method(dataset, "make_initializable_iterator")(shared_name)


def _method(dataset: Any, name: str) -> Callable[..., Any]:
    """Return a method of a dataset, also of a strategy's dataset."""
    method: Callable[..., Any] | None = getattr(dataset, name, None)
    if method is None:
        raise wrong_type(f"tf.data.{name}: dataset", "a tf.data.Dataset", dataset)
    return method
