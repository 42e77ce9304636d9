"""Places in a mesh of chips and cores."""

from __future__ import annotations

from collections.abc import Iterable

Coordinates = tuple[int, ...]
"""One number for each axis: column and row of a chip, its layer if any, the core."""

NO_DEVICE = -1
"""The task of a place in the mesh that has no device."""


def in_mesh(mesh_shape: Iterable[int], coordinates: Iterable[int]) -> bool:
    """Return whether coordinates lie inside a mesh of the same rank."""
    return all(0 <= at < size for at, size in zip(coordinates, mesh_shape, strict=True))


def mesh_text(mesh_shape: Iterable[int]) -> str:
    """Write a mesh as ``2x2x2``."""
    return "x".join(map(str, mesh_shape))
