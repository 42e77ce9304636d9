"""Merge one structure per tower into one of containers, and select parts again."""

from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.interface.distribute.values import (
    DistributedValues,
    MapOutput,
    PerDevice,
    container_of,
)


def merged(
    results: Sequence[Any],
    devices: Sequence[str],
    container: type[DistributedValues] = PerDevice,
    who: str = "tower",
    apart: bool = False,
) -> Any:
    """Return the structure of the results with a container in place of each leaf.

    A leaf that is the same object in all results is returned itself, unless `apart`.
    Leaves that are the components of an existing container become that container.  It
    raises ValueError if the structures differ.
    """
    _check_structures(results, who)
    columns = zip(*[nest.flatten(result) for result in results], strict=True)
    apart = apart and len(devices) > 1
    leaves = [_merged_leaf(column, devices, container, apart) for column in columns]
    return nest.pack_sequence_as(results[0], leaves)


def _merged_leaf(
    column: Sequence[Any],
    devices: Sequence[str],
    container: type[DistributedValues],
    apart: bool,
) -> Any:
    index = dict(zip(devices, column, strict=True))
    whole = container_of(column[0])
    if whole is not column[0] and _same(whole.index, index):
        return whole
    if not apart and all(leaf is column[0] for leaf in column):
        return column[0]
    return container(index)


def _same(first: dict[str, Any], second: dict[str, Any]) -> bool:
    return first.keys() == second.keys() and all(
        first[device] is second[device] for device in first
    )


def _check_structures(results: Sequence[Any], who: str) -> None:
    for k, result in enumerate(results[1:], start=1):
        try:
            nest.assert_same_structure(results[0], result)
        except (ValueError, TypeError) as error:
            raise codes.STRUCTURES_DIFFER.value_error(
                f"{who} 0 and {who} {k} returned different structures, which cannot be "
                f"merged: {results[0]!r} and {result!r}; return the same structure "
                f"everywhere ({error})"
            ) from None


def selected(device: str, structure: Any) -> Any:
    """Return the structure with the components of `device` in place of containers."""
    return _leaf_by_leaf(
        lambda leaf: leaf.get(device) if isinstance(leaf, DistributedValues) else leaf,
        structure,
    )


def selected_mirrored(device: str, structure: Any, function: str) -> Any:
    """Do the same as `selected`, but raise TypeError for a per-device value."""

    def own(leaf: Any) -> Any:
        if isinstance(leaf, PerDevice):
            raise codes.NO_AGGREGATION.type_error(
                f"{function}: {leaf!r} differs from tower to tower, so an update "
                "would make the copies of the variable differ; combine it first with "
                "strategy.reduce(aggregation, value, destinations=var), or mirror one "
                "value with strategy.broadcast"
            )
        return leaf.get(device) if isinstance(leaf, DistributedValues) else leaf

    return _leaf_by_leaf(own, structure)


def _leaf_by_leaf(own: Callable[[Any], Any], structure: Any) -> Any:
    leaves = nest.flatten(structure)
    if not any(isinstance(leaf, DistributedValues) for leaf in leaves):
        return structure
    return nest.pack_sequence_as(structure, [own(leaf) for leaf in leaves])


def unwrapped(value: Any) -> list[Any]:
    """Return the components of a value; a plain value is its only component."""
    if isinstance(value, DistributedValues):
        return value.components
    if isinstance(value, MapOutput):
        return value.get()
    return [value]
