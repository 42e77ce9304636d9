"""The arguments of a traced function: values and fixed parts.

Tensors and arrays are values, which may differ in each call.  Iterators are bound in
each call as well.  Everything else is fixed and part of the cache key: a call with
another fixed part is traced again.
"""

import functools
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol, TypeGuard, TypeVar, runtime_checkable

import numpy as np

from tpuref.base import nest
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.eager_tensor import EagerTensor
from tpuref.engine.graph.tensor import Tensor

Key = Hashable
Leaf = TypeVar("Leaf")


@runtime_checkable
class Composite(Protocol):
    """A value that consists of several tensors, such as per-replica values."""

    def _traced_parts(self) -> list[Any]:
        """Return its parts."""

    def _with_parts(self, parts: Sequence[Any]) -> Any:
        """Return a value of the same kind with other parts."""


@runtime_checkable
class TracedIterator(Protocol):
    """An iterator that a traced function takes elements from."""

    def _traced_key(self) -> Key:
        """Return the cache key: the structure and specs of its elements."""

    def _traced(self) -> Any:
        """Return the stand-in used while a function is traced."""

    def _bind(self, stand_in: Any) -> None:
        """Let the stand-in yield the elements of this iterator from now on."""


@functools.lru_cache(maxsize=1024)
def _has(kind: Any, protocol: Any) -> bool:
    """Whether objects of a class follow a protocol; cached, as the check is slow."""
    return issubclass(kind, protocol)


def is_composite(value: Any) -> TypeGuard[Composite]:
    """Whether a value consists of several tensors."""
    kind: Any = type(value)
    return _has(kind, Composite)


def _is_iterator(value: Any) -> TypeGuard[TracedIterator]:
    kind: Any = type(value)
    return _has(kind, TracedIterator)


class Call(NamedTuple):
    """The arguments of one call.

    `key` is the cache key: equal for calls that one trace can serve, up to the shapes
    of `values`, which are eager tensors, or within a graph symbolic ones; `names` are
    their parameters.
    ``rebuilt(values, iterators)`` returns the arguments with other values.
    """

    key: Key
    values: list[Any]
    names: list[str]
    iterators: list[TracedIterator]
    rebuilt: Callable[[Sequence[Any], Sequence[Any]], Any]


def taken_apart(arguments: dict[str, Any]) -> Call:
    """Split the arguments of a call, by parameter, into values and a cache key."""
    parts = _Parts()
    shown: dict[str, Any] = {}
    structure = []
    for name, value in arguments.items():
        add = functools.partial(parts.add, name=name)
        if nest.is_nested(value):
            # It tells lists from tuples, and has the keys of dictionaries.
            structure.append((name, repr(nest.map_structure(lambda _: 0, value))))
            shown[name] = nest.map_structure(add, value)
        else:
            structure.append((name, ""))
            shown[name] = add(value)

    def rebuilt(values: Sequence[Any], iterators: Sequence[Any]) -> Any:
        return nest.map_structure(
            lambda place: place(values, iterators), dict(shown), check_types=False
        )

    key = tuple(structure), tuple(parts.keys)
    return Call(key, parts.values, parts.names, parts.iterators, rebuilt)


Place = Callable[[Sequence[Any], Sequence[Any]], Any]


class _Parts:
    """Collects the leaves of arguments."""

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.values: list[Tensor] = []
        self.names: list[str] = []
        self.iterators: list[TracedIterator] = []

    def add(self, leaf: Any, name: str) -> Place:
        """Record a leaf; return its cache key or the slot that replaces it."""
        if isinstance(leaf, (EagerTensor, np.ndarray, np.generic)) or (
            isinstance(leaf, Tensor) and not executing_eagerly()
        ):
            return self._add_value(leaf, name)
        if is_composite(leaf):
            return self._add_composite(leaf, name)
        if _is_iterator(leaf):
            number = len(self.iterators)
            self.iterators.append(leaf)
            self.keys.append(("iterator", leaf._traced_key()))
            return lambda values, iterators: iterators[number]
        self.keys.append(_fixed_key(leaf))
        return lambda values, iterators: leaf

    def _add_value(self, leaf: Any, name: str) -> Place:
        number = len(self.values)
        tensor = convert_to_tensor(leaf)
        self.values.append(tensor)
        self.names.append(name)
        self.keys.append(("value", tensor.dtype.name))
        return lambda values, iterators: values[number]

    def _add_composite(self, leaf: Composite, name: str) -> Place:
        shape = str(getattr(leaf, "_shape", None))  # that was declared, of a sparse one
        self.keys.append((type(leaf), len(leaf._traced_parts()), shape))
        places = [self.add(part, name) for part in leaf._traced_parts()]

        def place(values: Sequence[Any], iterators: Sequence[Any]) -> Any:
            return leaf._with_parts([find(values, iterators) for find in places])

        return place


def _fixed_key(leaf: Any) -> Key:
    """Return the cache key of a leaf that is not a tensor."""
    if isinstance(leaf, (bool, int, float, complex, str, bytes, type(None))):
        return type(leaf), repr(leaf) if isinstance(leaf, float) else leaf
    return "object", id(leaf)  # a trace keeps its arguments alive


# -- results -----------------------------------------------------------------------


def leaves_of(structure: Any, kind: type[Leaf]) -> Iterator[Leaf]:
    """Yield the leaves of a type, such as the tensors in a result."""
    for leaf in nest.flatten(structure):
        if is_composite(leaf):
            for part in leaf._traced_parts():
                yield from leaves_of(part, kind)
        elif isinstance(leaf, kind):
            yield leaf


def with_values(result: Any, values: Iterator[Any]) -> Any:
    """Return the structure of a result with its tensors replaced by values."""

    def other(leaf: Any) -> Any:
        if is_composite(leaf):
            return leaf._with_parts(
                [with_values(part, values) for part in leaf._traced_parts()]
            )
        return next(values) if isinstance(leaf, Tensor) else leaf

    return (
        nest.map_structure(other, result) if nest.is_nested(result) else other(result)
    )
