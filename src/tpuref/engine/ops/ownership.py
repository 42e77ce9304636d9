"""What outlives a run has memory that nobody else can write to."""

from __future__ import annotations

from mmap import mmap

from tpuref.engine.ops.meaning import Array


def owned(array: Array) -> Array:
    """Return an array to keep beyond the run, a copy where others hold its memory.

    What the user feeds, and what the user gets without a copy, are views of other
    arrays.  What a core leaves in the arena belongs to the host alone.
    """
    alone = array.base is None or isinstance(array.base, mmap)
    return array if alone else array.copy()
