"""The group of a collective: its members, dtype and order of vectors."""

from __future__ import annotations

from typing import NamedTuple

from tpuref.kernels.buffers import Extents


class Group(NamedTuple):
    """The group of a collective, which all members must have in common."""

    # The cores that take part, one of each process, in the order of the chunks of
    # `direct`
    members: Extents
    # The number of the element type: TensorFlow's DataType
    dtype: int
    # 64 bits that identify the collective in the program
    fingerprint: int
    # For each vector, in the order of summation and of the ring, the index in `members`
    # of the core that contributes it. The vectors of one member are adjacent, in this
    # order. None if every member has one, in the order of members
    parts: Extents | None = None
