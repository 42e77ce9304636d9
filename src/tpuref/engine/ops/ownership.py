"""Copies of arrays that must not change after a run."""

from mmap import mmap

from tpuref.engine.ops.meaning import Array


def owned(array: Array) -> Array:
    """Return an array to keep beyond the run, copied if others can write to it."""
    # Fed arrays, and results returned without a copy, are views of other arrays. The
    # arena's memory of a core's results belongs to the host alone.
    alone = array.base is None or isinstance(array.base, mmap)
    return array if alone else array.copy()
