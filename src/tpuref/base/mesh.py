"""The mesh of a TPU system as text, and how large it may be."""

from __future__ import annotations

import math
import re

MOST_CORES = 1 << 22
"""How many cores a system has at most."""

MESH_FORM = (
    "XxYxC, three positive whole numbers for columns of chips, rows of chips and cores "
    f"of a chip, such as 2x2x2 for 8 cores, and {MOST_CORES} cores at most"
)
"""What `parsed_mesh` takes, for messages."""

_MESH = re.compile(r"([1-9][0-9]{0,8})x([1-9][0-9]{0,8})x([1-9][0-9]{0,8})")


def parsed_mesh(text: str) -> tuple[int, int, int] | None:
    """Read a mesh written as columns, rows and cores of a chip.

    Parameters
    ----------
    text
        Three positive whole numbers with an x between them.

    Returns
    -------
    tuple of int or None
        The numbers; None if the text has another form or the mesh is too large.

    Examples
    --------
    >>> parsed_mesh("2x2x2"), parsed_mesh("2x2"), parsed_mesh("9999x9999x9")
    ((2, 2, 2), None, None)
    """
    match = _MESH.fullmatch(text.strip().lower())
    if match is None:
        return None
    x, y, cores_per_chip = map(int, match.groups())
    mesh = x, y, cores_per_chip
    return mesh if math.prod(mesh) <= MOST_CORES else None
