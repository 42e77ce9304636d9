"""What all members of a collective must agree on: who sums what."""

from __future__ import annotations

from typing import NamedTuple

from tpuref.kernels.buffers import Extents


class Group(NamedTuple):
    """The cores that sum, and what they sum.

    Attributes
    ----------
    members
        The cores that take part, one of each process, in the order of the chunks of
        `direct`.
    dtype
        The number of the element type: TensorFlow's DataType.
    fingerprint
        64 bits that identify the collective in the program.
    parts
        For each vector, in the order of summation and of the ring, the place in
        `members` of the core that brings it. The vectors of one member lie side by
        side, in this order. None if every member brings one, in the order of members.
    """

    members: Extents
    dtype: int
    fingerprint: int
    parts: Extents | None = None
