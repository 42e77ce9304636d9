"""Nests: lists, tuples, named tuples and mappings, with leaves of any other kind.

The leaves of a mapping are in the order of its sorted keys. Arrays, strings, tensors
and shapes are leaves, although some of them are iterable.
"""

import reprlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.errors import StructureError


def is_nested(seq: object) -> bool:
    """Return whether `seq` is a list, a tuple or a mapping rather than a leaf."""
    kind: Any = seq.__class__  # of a proxy, the class that it stands for
    return _is_container(kind)


@lru_cache(maxsize=1024)
def _is_container(kind: type) -> bool:
    return issubclass(kind, (list, tuple, Mapping))


def flatten(structure: Any) -> list[Any]:
    """Return the leaves of a nest in order.

    A leaf alone counts as a nest of one.  It raises TypeError if the keys of a mapping
    cannot be sorted, and ValueError if a container contains itself.

    Examples
    --------
    >>> flatten([1, {"b": 2, "a": (3, 4)}])
    [1, 3, 4, 2]
    """
    if not is_nested(structure):
        return [structure]
    # A stack instead of recursion: Python limits the depth of recursion. `enclosing`
    # has the containers on the stack: to meet one again means that it contains itself.
    leaves: list[Any] = []
    enclosing = {id(structure): structure}
    rest = [iter(_parts(structure))]
    while rest:
        for part in rest[-1]:
            if is_nested(part):
                _enter(part, enclosing)
                rest.append(iter(_parts(part)))
                break
            leaves.append(part)
        else:
            rest.pop()
            enclosing.popitem()
    return leaves


def flatten_with_paths(structure: Any) -> list[tuple[str, Any]]:
    """Return the leaves of a nest in order, each with the path to it.

    The path is the expression that follows the nest's name to reach the leaf; a leaf
    alone has the empty path.  Errors are those of `flatten`.

    Examples
    --------
    >>> flatten_with_paths([1, {"b": 2}])
    [('[0]', 1), ("[1]['b']", 2)]
    """
    if not is_nested(structure):
        return [("", structure)]
    pairs: list[tuple[str, Any]] = []
    enclosing = {id(structure): structure}
    rest = [("", iter(_named_parts(structure)))]
    while rest:
        path, children = rest[-1]
        for step, child in children:
            if is_nested(child):
                _enter(child, enclosing)
                rest.append((path + step, iter(_named_parts(child))))
                break
            pairs.append((path + step, child))
        else:
            rest.pop()
            enclosing.popitem()
    return pairs


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any]) -> Any:
    """Build a nest with the structure of another one from a list of leaves.

    The result has the containers' types and key order of `structure`.  It raises
    ValueError if there are more or fewer leaves than `structure` has places.

    The leaves of `structure` are ignored; those of `flat_sequence` are in the order of
    `flatten`.

    Examples
    --------
    >>> pack_sequence_as({"b": 0, "a": [0]}, [1, 2])
    {'b': 2, 'a': [1]}
    """
    if not isinstance(flat_sequence, (list, tuple)):
        raise TypeError(
            "pack_sequence_as: flat_sequence must be a list or tuple of leaves, got "
            f"{type(flat_sequence).__name__}"
        )
    places = len(flatten(structure))
    if places != len(flat_sequence):
        raise ValueError(
            f"pack_sequence_as: structure has places for {places} leaves, "
            f"flat_sequence has {len(flat_sequence)}: {reprlib.repr(structure)}"
        )
    leaves = iter(flat_sequence)
    return _pack(structure, lambda: next(leaves))


def map_structure(
    func: Callable[..., Any], *structures: Any, check_types: bool = True
) -> Any:
    """Apply a function to corresponding leaves and return the results as a nest.

    The result has the structure of the first nest.  It raises ValueError without a
    nest, and StructureError if the structures differ.

    `func` is called with one leaf of each nest.  With `check_types`, the types of the
    containers must agree too.

    Examples
    --------
    >>> map_structure(lambda x, y: x + y, {"a": 1, "b": [2]}, {"a": 10, "b": [20]})
    {'a': 11, 'b': [22]}
    """
    if not callable(func):
        raise TypeError(f"map_structure: func must be callable, got {func!r}")
    if not structures:
        raise ValueError("map_structure: expected at least one structure, got none")
    first = structures[0]
    for number, other in enumerate(structures[1:], start=1):
        assert_same_structure(
            first,
            other,
            check_types=check_types,
            a_name="structures[0]",
            b_name=f"structures[{number}]",
        )
    columns = [flatten(structure) for structure in structures]
    results = iter([func(*leaves) for leaves in zip(*columns, strict=True)])
    return _pack(first, lambda: next(results))


def assert_same_structure(
    nest1: Any,
    nest2: Any,
    check_types: bool = True,
    *,
    a_name: str = "a",
    b_name: str = "b",
) -> None:
    """Raise an error that shows the first difference between two structures.

    It raises StructureError, a ValueError and a TypeError, if the structures differ.

    Leaves are not compared.  With `check_types`, the types of the containers must agree
    too; mappings of all types agree, and so do named tuples with the same name and
    fields.  `a_name` and `b_name` name the nests in the error.

    Examples
    --------
    >>> assert_same_structure([1, {"a": 2}], ["x", {"a": "y"}])
    """
    difference = _first_difference(nest1, nest2, check_types)
    if difference is not None:
        path, in_a, in_b = difference
        raise StructureError(
            f"{a_name} and {b_name} must have the same structure: "
            f"{a_name}{path} is {in_a}, {b_name}{path} is {in_b}"
        )


def sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    """Return the keys of a mapping in the order of its parts."""
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError(
            "nest: the keys of a mapping must be sortable, because its leaves come in "
            f"the order of the keys; got {list(mapping)!r}"
        ) from None


def _is_namedtuple(value: object) -> bool:
    return isinstance(value, tuple) and isinstance(
        getattr(value, "_fields", None), tuple
    )


def _named_parts(node: Any) -> Iterable[tuple[str, Any]]:
    """Return the parts of a container in order, each with its step of the path."""
    if isinstance(node, Mapping):
        return [(f"[{key!r}]", node[key]) for key in sorted_keys(node)]
    if _is_namedtuple(node):
        return [(f".{name}", getattr(node, name)) for name in node._fields]
    return [(f"[{index}]", child) for index, child in enumerate(node)]


def _parts(node: Any) -> Iterable[Any]:
    """Return the parts of a container in order."""
    if isinstance(node, Mapping):
        return [node[key] for key in sorted_keys(node)]
    return node  # type: ignore[no-any-return]


def _enter(part: Any, enclosing: dict[int, Any]) -> None:
    """Add `part` to the enclosing containers, or raise if it is one of them."""
    if id(part) in enclosing:
        raise codes.INVALID_ARGUMENT.value_error(
            f"nest: a {type(part).__name__} contains itself, so its leaves never end; "
            "remove it from itself"
        )
    enclosing[id(part)] = part


def _pack(structure: Any, next_leaf: Callable[[], Any]) -> Any:
    if not is_nested(structure):
        return next_leaf()
    # Each incomplete container, its remaining parts, and the parts packed so far.
    incomplete = [(structure, iter(_parts(structure)), list[Any]())]
    while True:
        node, rest, packed = incomplete[-1]
        for part in rest:
            if is_nested(part):
                incomplete.append((part, iter(_parts(part)), []))
                break
            packed.append(next_leaf())
        else:
            incomplete.pop()
            built = _rebuild(node, packed)
            if not incomplete:
                return built
            incomplete[-1][2].append(built)


def _rebuild(node: Any, parts: list[Any]) -> Any:
    """Return a container of the type of `node` with other parts."""
    if isinstance(node, Mapping):
        return _rebuild_mapping(node, parts)
    if _is_namedtuple(node):
        return type(node)(*parts)
    return type(node)(parts)


def _rebuild_mapping(node: Mapping[Any, Any], parts: list[Any]) -> Any:
    by_key = dict(zip(sorted_keys(node), parts, strict=True))
    in_own_order = {key: by_key[key] for key in node}
    if isinstance(node, defaultdict):
        return type(node)(node.default_factory, in_own_order)
    return type(node)(in_own_order)  # type: ignore[call-arg]


def _first_difference(a: Any, b: Any, check_types: bool) -> tuple[str, str, str] | None:
    """Return the path of the first difference and the description of both nests."""
    difference = _difference(a, b, check_types)
    if difference is not None or not is_nested(a):
        return None if difference is None else ("", *difference)
    enclosing = {id(a): a}
    rest = [("", iter(_pairs(a, b)))]
    while rest:
        path, pairs = rest[-1]
        for step, in_a, in_b in pairs:
            difference = _difference(in_a, in_b, check_types)
            if difference is not None:
                return path + step, *difference
            if is_nested(in_a):
                _enter(in_a, enclosing)
                rest.append((path + step, iter(_pairs(in_a, in_b))))
                break
        else:
            rest.pop()
            enclosing.popitem()
    return None


def _pairs(a: Any, b: Any) -> list[tuple[str, Any, Any]]:
    """Return corresponding parts of two containers, with their steps of the path."""
    both = zip(_named_parts(a), _parts(b), strict=True)
    return [(step, in_a, in_b) for (step, in_a), in_b in both]


def _difference(a: Any, b: Any, check_types: bool) -> tuple[str, str] | None:
    """Return the difference of two nests without their parts, or None."""
    if not is_nested(a) and not is_nested(b):
        return None
    if not _same_kind(a, b, check_types):
        return _describe(a), _describe(b)
    if isinstance(a, Mapping):
        if set(a) != set(b):
            return _describe_keys(a), _describe_keys(b)
    elif len(a) != len(b):
        return _describe(a), _describe(b)
    return None


def _same_kind(a: Any, b: Any, check_types: bool) -> bool:
    if is_nested(a) != is_nested(b):
        return False
    if isinstance(a, Mapping) or isinstance(b, Mapping):
        return isinstance(a, Mapping) and isinstance(b, Mapping)
    if not check_types or type(a) is type(b):
        return True
    return (
        _is_namedtuple(a)
        and _is_namedtuple(b)
        and type(a).__name__ == type(b).__name__
        and a._fields == b._fields
    )


def _describe(node: Any) -> str:
    if not is_nested(node):
        return f"a leaf of type {type(node).__name__}"
    return f"a {type(node).__name__} of length {len(node)}"


def _describe_keys(node: Mapping[Any, Any]) -> str:
    return f"a {type(node).__name__} with the keys {list(node)!r}"
