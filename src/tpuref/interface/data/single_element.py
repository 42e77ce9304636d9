"""Return the element of a dataset that has just one."""

from collections.abc import Iterator
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.interface.data.dataset import Dataset
from tpuref.interface.data.element import Item
from tpuref.interface.data.stage import Pass, Stage

_FUNCTION = "tf.data.experimental.get_single_element"


class Single(Stage):
    """Passes on the single element; other numbers of elements are an error."""

    name = "SingleElementDataset"

    def __init__(self, source: Stage) -> None:
        self._source = source
        super().__init__(source.element, [source])

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the element."""
        items = self._source.items(current)
        element = next(items, None)
        if element is None or next(items, None) is not None:
            raise self.fault(
                InvalidArgumentError,
                f"{_FUNCTION}: the dataset must have one element, but "
                f"{'it is empty' if element is None else 'it has more'}; use "
                "dataset.take(1) for the first, dataset.batch(n) to put n into one",
                code=codes.WRONG_COUNT,
            )
        yield element


def get_single_element(dataset: Dataset) -> Any:
    """Return the element of a dataset that has just one, as tensors.

    In graph mode, each evaluation iterates over the dataset again.  At evaluation, it
    raises InvalidArgumentError unless there is exactly one element.

    Examples
    --------
    >>> numbers = tf.data.Dataset.range(5).batch(5)
    >>> tf.Session().run(tf.data.experimental.get_single_element(numbers))
    array([0, 1, 2, 3, 4])
    """
    instance_of(Dataset, f"{_FUNCTION}: dataset", "a tf.data.Dataset", dataset)
    single = Dataset(Single(dataset.stage))
    if executing_eagerly():
        return next(iter(single))
    iterator = single.make_initializable_iterator()
    with get_default_graph().control_dependencies([iterator.initializer]):
        return iterator.get_next()
