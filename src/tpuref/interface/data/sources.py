"""Define the stages that produce elements."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.dtypes import DType, int64
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.graph.convert import to_array
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.host import host_fault
from tpuref.engine.ops.meaning import Array
from tpuref.interface.data.ahead import note_progress
from tpuref.interface.data.element import (
    WHOLE,
    Item,
    NoneElement,
    component,
    mapped,
    parts_of,
    row,
    spec_of,
    specs_of,
    without_sparse,
)
from tpuref.interface.data.stage import INFINITE, UNKNOWN, Pass, Stack, Stage


class Tensors(Stage):
    """Yields a single element."""

    name = "TensorDataset"

    def __init__(self, tensors: Any) -> None:
        parts = mapped(without_sparse(tensors), component)
        self._parts: list[Array | Tensor] = nest.flatten(parts)
        super().__init__(mapped(parts, spec_of), uses=self._parts)

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE` or `UNKNOWN`."""
        return 1

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the element."""
        yield tuple(current.array(part) for part in self._parts)


def _component_or_none(value: Any) -> Any:
    return NoneElement() if value is None else component(value)


class Slices(Stage):
    """Yields an element for each row of the components."""

    name = "TensorSliceDataset"

    def __init__(self, tensors: Any) -> None:
        parts = mapped(tensors, _component_or_none)
        self._parts: list[Array | Tensor] = nest.flatten(parts)
        super().__init__(mapped(parts, _row_spec), uses=self._parts)
        _check_rows([spec_of(part) for part in self._parts])

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE` or `UNKNOWN`."""
        rows = spec_of(self._parts[0]).shape.as_list()[0]
        return UNKNOWN if rows is None else rows

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the rows."""
        arrays = self._arrays(current)
        for k in range(len(arrays[0])):
            yield tuple(row(array, k) for array in arrays)

    def batches(
        self, current: Pass, size: int, drop_remainder: bool, stack: Stack
    ) -> Iterator[Item]:
        """Yield slices of the arrays."""
        arrays = self._arrays(current)
        rows = len(arrays[0])
        for k in range(0, rows - rows % size if drop_remainder else rows, size):
            yield tuple(np.array(array[k : k + size], order="C") for array in arrays)

    def _arrays(self, current: Pass) -> list[Array]:
        arrays = [current.array(part) for part in self._parts]
        if len({array.shape[:1] for array in arrays}) > 1:
            raise self.fault(
                InvalidArgumentError,
                f"the components have {[len(array) for array in arrays]} rows, "
                "expected equal numbers",
                code=codes.INVALID_ARGUMENT,
            )
        return arrays


def _row_spec(part: Array | Tensor) -> TensorSpec:
    spec = spec_of(part)
    if spec.shape.rank is None:
        return TensorSpec(TensorShape(None), spec.dtype)
    if spec.shape.rank == 0:
        raise codes.INVALID_ARGUMENT.value_error(
            f"Dataset.from_tensor_slices: a component is {spec.describe()}, which has "
            "no rows; use Dataset.from_tensors for a single element"
        )
    return TensorSpec(spec.shape[1:], spec.dtype)


def _check_rows(specs: Sequence[TensorSpec]) -> None:
    rows = {s.shape.as_list()[0] for s in specs if s.shape.rank is not None} - {None}
    if len(rows) > 1:
        raise codes.INVALID_ARGUMENT.value_error(
            "Dataset.from_tensor_slices: the components "
            f"{[spec.describe() for spec in specs]} differ in their number of rows"
        )


def static_number(value: Array | Tensor) -> int | None:
    """Return an integer argument of a stage, or None if only a pass knows it."""
    return None if isinstance(value, Tensor) else int(value)


class Range(Stage):
    """Yields integers from a start up to, but excluding, a stop."""

    name = "RangeDataset"

    def __init__(self, *bounds: Any, dtype: DType = int64) -> None:
        if not 1 <= len(bounds) <= 3:
            raise codes.INVALID_ARGUMENT.value_error(
                "Dataset.range: expected stop, or start and stop, or start, stop and "
                f"step, got {len(bounds)} arguments"
            )
        start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        self._bounds = [
            integer("Dataset.range", value) for value in (start, stop, step)
        ]
        super().__init__(TensorSpec([], dtype), uses=self._bounds)

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE` or `UNKNOWN`."""
        start, stop, step = map(static_number, self._bounds)
        if start is None or stop is None or step is None:
            return UNKNOWN
        return len(range(start, stop, step))

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the integers."""
        start, stop, step = (current.number(bound) for bound in self._bounds)
        if step == 0:
            raise self.fault(
                InvalidArgumentError,
                "step must be a non-zero integer, got 0",
                code=codes.INVALID_ARGUMENT,
            )
        dtype = self.specs[0].dtype.np
        for value in range(start, stop, step):
            yield (np.asarray(value, dtype),)


def integer(name: str, value: Any) -> Array | Tensor:
    """Return an integer argument: an array, or a tensor without a static value."""
    number = component(value)
    spec = spec_of(number)
    if not (spec.dtype.is_integer or spec.dtype.is_bool):
        raise codes.INVALID_ARGUMENT.type_error(
            f"{name}: expected an integer, got {value!r}"
        )
    if spec.shape.rank not in (0, None):
        raise codes.INVALID_ARGUMENT.value_error(
            f"{name}: expected a single integer, got {value!r}"
        )
    if isinstance(value, Tensor) and spec.dtype != int64:
        raise codes.INVALID_ARGUMENT.value_error(
            f"{name}: expected an int64 tensor, got {spec.describe()}; use "
            "tf.cast(value, tf.int64)"
        )
    return number


class Zip(Stage):
    """Combines the elements of several datasets, as many as the shortest has."""

    name = "ZipDataset"

    def __init__(self, stages: Any) -> None:
        self._stages: list[Stage] = nest.flatten(stages)
        super().__init__(mapped(stages, lambda stage: stage.element), self._stages)

    def cardinality(self) -> int:
        """Return the number of elements, `INFINITE` or `UNKNOWN`."""
        own = [stage.cardinality() for stage in self._stages]
        if UNKNOWN in own:
            return UNKNOWN
        return min((count for count in own if count >= 0), default=INFINITE)

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the combined elements."""
        for items in zip(*(s.items(current) for s in self._stages), strict=False):
            yield tuple(itertools.chain.from_iterable(items))


class Generator(Stage):
    """Yields the values of a Python iterable, with declared types and shapes."""

    calls_user = True
    name = "GeneratorDataset"

    def __init__(
        self,
        generator: Callable[..., Iterable[Any]],
        element: Any,
        args: Sequence[Any] | None,
    ) -> None:
        if not callable(generator):
            raise codes.INVALID_ARGUMENT.type_error(
                "Dataset.from_generator: generator must be callable and return an "
                f"iterable, got {generator!r}"
            )
        self._generator = generator
        self._args = [component(value) for value in args or ()]
        super().__init__(element, uses=self._args)

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the elements of a new iterator of the generator."""
        arrays = [current.array(value) for value in self._args]
        arguments = [array[()] if array.ndim == 0 else array for array in arrays]
        for value in self._values(arguments):
            yield self._item(value)

    def _values(self, arguments: Sequence[Any]) -> Iterator[Any]:
        try:
            for value in self._generator(*arguments):
                note_progress()
                yield value
        except Exception as error:
            fault = host_fault("the generator", error)
            raise self.fault(type(fault), fault.message) from error

    def _item(self, value: Any) -> Item:
        specs = specs_of(self.element)
        return tuple(
            self._array(part, spec)
            for part, spec in zip(self._flat(value), specs, strict=True)
        )

    def _flat(self, value: Any) -> list[Any]:
        try:
            return flat_like(self.element, value)
        except (TypeError, KeyError, IndexError):
            raise self.fault(
                InvalidArgumentError,
                "the generator yielded an element that does not match the structure of "
                f"output_types: expected {shown(self.element)}, got {value!r}",
                code=codes.INVALID_RESULT,
            ) from None

    def _array(self, part: Any, spec: TensorSpec) -> Array:
        try:
            array = to_array(part, spec.dtype)
        except (TypeError, ValueError) as error:
            raise self.fault(
                InvalidArgumentError,
                f"the generator yielded {part!r} where {spec.describe()} was expected: "
                f"{error}",
                code=codes.INVALID_RESULT,
            ) from None
        if not spec.shape.is_compatible_with(array.shape):
            raise self.fault(
                InvalidArgumentError,
                f"the generator yielded an element of shape {array.shape} where an "
                f"element of shape {spec.shape} was expected",
                code=codes.INVALID_RESULT,
            )
        return array


def flat_like(structure: Any, value: Any) -> list[Any]:
    """Return the parts of `value` at the components of `structure`."""
    if isinstance(structure, WHOLE):
        parts = parts_of(value)
        if not isinstance(parts, WHOLE) or len(parts) != len(structure):
            raise TypeError
        return list(parts)
    if isinstance(structure, tuple):
        if not isinstance(value, tuple) or len(value) != len(structure):
            raise TypeError
        return [
            leaf
            for part, own in zip(structure, value, strict=True)
            for leaf in flat_like(part, own)
        ]
    if isinstance(structure, dict):
        if set(value) != set(structure):
            raise TypeError
        return [
            leaf
            for key in sorted(structure)
            for leaf in flat_like(structure[key], value[key])
        ]
    return [value]


def shown(element: Any) -> str:
    """Return the structure of an element for a message."""
    return str(mapped(element, lambda spec: spec.describe())).replace("'", "")
