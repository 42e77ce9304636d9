"""Read elements from iterables, arrays, and datasets of PyTorch and TensorFlow."""

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import wrong_type
from tpuref.base.dlpack import is_foreign
from tpuref.base.dtypes import as_dtype, string
from tpuref.base.errors import FailedPreconditionError, InvalidArgumentError
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.convert import to_array
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.host import host_fault
from tpuref.engine.ops.meaning import Array
from tpuref.interface.data.ahead import note_progress
from tpuref.interface.data.element import Item, component, mapped, spec_of, specs_of
from tpuref.interface.data.sources import Slices, flat_like, shown
from tpuref.interface.data.stage import Pass, Stage


def _iterate_result(function: Callable[[], Any]) -> Iterator[Any]:
    values = function()
    if not isinstance(values, Iterable):
        argument = "Dataset.from_any: the result of the function"
        raise wrong_type(argument, "an iterable", values)
    return iter(values)


def stage_of(data: Any) -> Stage:
    """Return the stage that yields the elements of `data`."""
    if _is_from(data, "tensorflow", "element_spec"):
        return _tensorflow(data)
    if _is_from(data, "pandas", "columns"):
        return Slices(dict(data.items()))
    if _is_array_tree(data):
        return Slices(data)
    if callable(data) and not isinstance(data, Iterable):
        return Foreign(data, lambda: _iterate_result(data))
    if isinstance(data, Iterator):
        return Foreign(data, _Once(data))
    if isinstance(data, Iterable) and not _is_one(data):
        return Foreign(data, lambda: iter(data), _open_sizes(data))
    if hasattr(data, "__getitem__") and hasattr(data, "__len__") and not _is_one(data):
        return Foreign(data, lambda: (data[k] for k in range(len(data))))
    raise codes.WRONG_ARGUMENT_TYPE.type_error(
        "Dataset.from_any: expected a dataset, arrays, an iterable, or a function that "
        f"returns one, got {data!r} of type {type(data).__name__}"
    )


def _is_one(data: Any) -> bool:
    """Return whether an iterable is a single value."""
    return isinstance(data, (str, bytes, Mapping))


def _is_from(data: Any, library: str, attribute: str) -> bool:
    """Return whether an object is of a library's class; then the library is loaded."""
    module = type(data).__module__.partition(".")[0]
    return library in sys.modules and module == library and hasattr(data, attribute)


def _is_array_tree(data: Any) -> bool:
    if isinstance(data, (tuple, Mapping)):
        parts = data.values() if isinstance(data, Mapping) else data
        return bool(parts) and all(_is_array_tree(part) for part in parts)
    if isinstance(data, Tensor):
        return False
    return isinstance(data, np.ndarray) or is_foreign(data)


class Foreign(Stage):
    """Yields the values of an iterable; the first one determines types and shapes.

    `begin` returns an iterator of `data` for each pass.  `open_sizes` tells whether the
    first dimension may differ between elements.  `element` has the specs, if known.
    """

    calls_user = True
    name = "ForeignDataset"

    def __init__(
        self,
        data: Any,
        begin: Callable[[], Iterator[Any]],
        open_sizes: bool = False,
        element: Any = None,
    ) -> None:
        self._data = data
        self._begin = begin
        if element is None:
            element = mapped(_first(data, begin), lambda a: _open_spec(a, open_sizes))
        super().__init__(element)

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the elements of a new iterator."""
        for number, value in enumerate(self._values()):
            yield self._item(number, value)

    def _values(self) -> Iterator[Any]:
        try:
            for value in self._begin():
                note_progress()
                yield value
        except FailedPreconditionError as error:
            raise self.fault(FailedPreconditionError, error.message) from None
        except Exception as error:
            fault = host_fault(f"the iterator of {type(self._data).__name__}", error)
            raise self.fault(type(fault), fault.message) from error

    def _item(self, number: int, value: Any) -> Item:
        try:
            parts = flat_like(self.element, _native(value))
            specs = specs_of(self.element)
            return tuple(map(_fit, parts, specs))
        except (TypeError, ValueError, KeyError) as error:
            raise self.fault(
                InvalidArgumentError,
                f"element {number} differs from the first, {shown(self.element)}: got "
                f"{_brief(value)}; {error}",
                code=codes.INVALID_RESULT,
            ) from None


class _Once:
    """An existing iterator, which can be consumed only once."""

    def __init__(self, values: Iterator[Any]) -> None:
        self._values: Iterator[Any] | None = values

    def peek(self) -> Any:
        """Return the first value and keep it for the pass."""
        assert self._values is not None
        first = next(self._values)
        self._values = itertools.chain([first], self._values)
        return first

    def __call__(self) -> Iterator[Any]:
        if self._values is None:
            raise FailedPreconditionError(
                "the iterator passed to Dataset.from_any is exhausted; pass a list, or "
                "a function that returns a new iterator",
                code=codes.END_OF_SEQUENCE,
            )
        values, self._values = self._values, None
        return values


def _first(data: Any, begin: Callable[[], Iterator[Any]]) -> Any:
    try:
        first = begin.peek() if isinstance(begin, _Once) else next(begin())
    except StopIteration:
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            f"Dataset.from_any: {_brief(data)} is empty, so its types and shapes are "
            "unknown; use Dataset.from_generator"
        ) from None
    return mapped(_native(first), _array)


def _native(value: Any) -> Any:
    """Return an element with PyTorch's lists of arrays turned into tuples."""
    if isinstance(value, list) and any(_is_array(part) for part in value):
        return tuple(_native(part) for part in value)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(_native(part) for part in value)
    return value


def _is_array(value: Any) -> bool:
    """Return whether a value is an array, or a list that holds one."""
    arrays = (tuple, Mapping, np.ndarray, np.generic)
    rest, lists = [value], set[int]()
    while rest:
        part = rest.pop()
        if isinstance(part, list):
            rest += [] if id(part) in lists else part
            lists.add(id(part))
        elif isinstance(part, arrays) or is_foreign(part):
            return True
    return False


def _array(value: Any) -> Array:
    """Return a component as an array."""
    array = component(value)
    if isinstance(array, Tensor):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"Dataset.from_any: {array.describe()} has no value yet; use "
            "Dataset.from_tensors or from_tensor_slices"
        )
    return array


def _fit(value: Any, spec: TensorSpec) -> Array:
    array = _array(value)
    if array.dtype != spec.dtype.np:
        array = to_array(value, spec.dtype)
    if not spec.shape.is_compatible_with(array.shape):
        raise ValueError(f"shape {list(array.shape)} does not fit {spec.describe()}")
    return array


def _open_spec(array: Array, open_sizes: bool) -> TensorSpec:
    spec = spec_of(array)
    if not open_sizes or not spec.shape.rank:
        return spec
    return TensorSpec(TensorShape([None, *spec.shape.as_list()[1:]]), spec.dtype)


def _open_sizes(data: Any) -> bool:
    """Return whether a loader's last batch may be smaller than the others."""
    size = getattr(data, "batch_size", None)
    if size is None or not hasattr(data, "drop_last") or data.drop_last:
        return False
    try:
        return bool(len(data.dataset) % size)
    except TypeError:
        return True  # its length is unknown


def _tensorflow(data: Any) -> Stage:
    element = mapped(data.element_spec, _foreign_spec)
    return Foreign(data, data.as_numpy_iterator, element=element)


def _foreign_spec(spec: Any) -> TensorSpec:
    if type(spec).__name__ != "TensorSpec":
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"Dataset.from_any: the dataset has a component {spec!r}; only dense "
            "tensors are supported"
        )
    dims = None if spec.shape.rank is None else spec.shape.as_list()
    dtype = string if spec.dtype.name == "string" else as_dtype(spec.dtype.name)
    return TensorSpec(TensorShape(dims), dtype)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
