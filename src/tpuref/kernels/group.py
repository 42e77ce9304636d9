"""What all members of a collective must agree on."""

from __future__ import annotations

from typing import NamedTuple

from tpuref.kernels.buffers import Extents


class Group(NamedTuple):
    """The cores that sum, and what they sum.

    Attributes
    ----------
    members
        The cores that take part: the order of summation, of the chunks of `direct` and
        of the ring.
    dtype
        The number of the element type: TensorFlow's DataType.
    fingerprint
        64 bits that identify the collective in the program.
    """

    members: Extents
    dtype: int
    fingerprint: int
