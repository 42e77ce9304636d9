"""Padding an array with zeros to a larger shape, on flat bytes.

The array is copied to the origin of the larger one. Source and destination must not
overlap.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tpuref.kernels.buffers import Buffer, Extents, flat_bytes
from tpuref.kernels.status import (
    BAD_COUNT,
    BAD_RANK,
    DESTINATION_SIZE,
    DOES_NOT_FIT,
    MAX_RANK,
    OK,
    SOURCE_SIZE,
)


def pad(
    source: Buffer,
    source_shape: Extents,
    destination: Buffer,
    destination_shape: Extents,
    item_bytes: int,
) -> int:
    """Copy an array into the corner of a larger one and fill the rest with zeros.

    Return OK, BAD_RANK, BAD_COUNT, SOURCE_SIZE, DESTINATION_SIZE or DOES_NOT_FIT;
    nothing is written unless it is OK.
    """
    corner = flat_bytes(source)
    whole = flat_bytes(destination, writable=True)
    small = [int(extent) for extent in source_shape]
    large = [int(extent) for extent in destination_shape]
    status = _check(corner.size, small, whole.size, large, item_bytes)
    if status == OK and not _fits(small, large):
        status = DOES_NOT_FIT
    if status != OK:
        return status
    whole[:] = 0
    if corner.size:
        place = _corner(whole, large, small, item_bytes)
        place[...] = corner.reshape(place.shape)
    return OK


def _check(
    source_size: int,
    source_shape: Sequence[int],
    destination_size: int,
    destination_shape: Sequence[int],
    item_bytes: int,
) -> int:
    if len(source_shape) != len(destination_shape) or len(source_shape) > MAX_RANK:
        return BAD_RANK
    if min(item_bytes, *source_shape, *destination_shape, 0) < 0:
        return BAD_COUNT
    if source_size != math.prod(source_shape) * item_bytes:
        return SOURCE_SIZE
    if destination_size != math.prod(destination_shape) * item_bytes:
        return DESTINATION_SIZE
    return OK


def _fits(small: Sequence[int], large: Sequence[int]) -> bool:
    return all(inner <= outer for inner, outer in zip(small, large, strict=True))


def _byte_shape(shape: Sequence[int], item_bytes: int) -> tuple[int, ...]:
    """Return the shape with its last dimension in bytes; a scalar has one dimension."""
    if not shape:
        return (item_bytes,)
    return (*shape[:-1], shape[-1] * item_bytes)


def _corner(
    whole: npt.NDArray[np.uint8],
    large: Sequence[int],
    small: Sequence[int],
    item_bytes: int,
) -> npt.NDArray[np.uint8]:
    """View the part of the whole array that the smaller shape covers."""
    corner = tuple(slice(extent) for extent in _byte_shape(small, item_bytes))
    return whole.reshape(_byte_shape(large, item_bytes))[corner]
