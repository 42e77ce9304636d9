"""The mesh of a TPU system: coordinates, text form and size limit."""

import math
import re
from collections.abc import Iterable

from tpuref.base.limits import MAX_CORES

MESH_FORM = (
    "XxYxC, three positive integers for chips along x, chips along y and cores per "
    f"chip, such as 2x2x2 for 8 cores, and at most {MAX_CORES} cores"
)
"""The form that `parsed_mesh` accepts, for messages."""

Coordinates = tuple[int, ...]
"""One number for each axis: column and row of a chip, its layer if any, the core."""

NO_DEVICE = -1
"""The task of a place in the mesh that has no device."""

_MESH = re.compile(r"([1-9][0-9]{0,8})x([1-9][0-9]{0,8})x([1-9][0-9]{0,8})")


def in_mesh(mesh_shape: Iterable[int], coordinates: Iterable[int]) -> bool:
    """Return whether coordinates lie inside a mesh of the same rank."""
    return all(0 <= at < size for at, size in zip(coordinates, mesh_shape, strict=True))


def mesh_text(mesh_shape: Iterable[int]) -> str:
    """Write a mesh as ``2x2x2``."""
    return "x".join(map(str, mesh_shape))


def parsed_mesh(text: str) -> tuple[int, int, int] | None:
    """Parse ``XxYxC``: chips along x, chips along y and cores per chip.

    Return None if the text has another form or the mesh is too large.

    >>> parsed_mesh("2x2x2"), parsed_mesh("2x2"), parsed_mesh("9999x9999x9")
    ((2, 2, 2), None, None)
    """
    match = _MESH.fullmatch(text.strip().lower())
    if match is None:
        return None
    x, y, cores_per_chip = map(int, match.groups())
    mesh = x, y, cores_per_chip
    return mesh if math.prod(mesh) <= MAX_CORES else None
