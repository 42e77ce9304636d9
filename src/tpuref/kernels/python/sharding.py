"""Cutting an array into shards along an axis, and joining them, on flat bytes.

The whole array is seen as ``[outer, num_shards, run_bytes]``: ``outer`` is the product
of the dimensions before the axis, and a run is one shard's part of the axis with all
dimensions after it. Source and destination must not overlap.
"""

import numpy as np
import numpy.typing as npt

from tpuref.kernels import status
from tpuref.kernels.buffers import Buffer, flat_bytes


def take_shard(
    source: Buffer,
    destination: Buffer,
    outer: int,
    run_bytes: int,
    num_shards: int,
    shard: int,
) -> int:
    """Copy one shard out of the whole array.

    `source` is the whole array, ``[outer, num_shards, run_bytes]``, and `destination`
    receives the shard, ``[outer, run_bytes]``. Return OK, BAD_COUNT, NO_SUCH_SHARD,
    SOURCE_SIZE or DESTINATION_SIZE; nothing is written unless it is OK.
    """
    whole = flat_bytes(source)
    part = flat_bytes(destination, writable=True)
    if min(outer, run_bytes) < 0 or num_shards < 1:
        return status.BAD_COUNT
    if not 0 <= shard < num_shards:
        return status.NO_SUCH_SHARD
    if whole.size != outer * num_shards * run_bytes:
        return status.SOURCE_SIZE
    if part.size != outer * run_bytes:
        return status.DESTINATION_SIZE
    if part.size:
        part[:] = _column(whole, outer, run_bytes, num_shards, shard).reshape(-1)
    return status.OK


def put_shard(
    source: Buffer,
    destination: Buffer,
    outer: int,
    run_bytes: int,
    num_shards: int,
    shard: int,
) -> int:
    """Copy one shard, `source`, to its place in the whole array, `destination`.

    The inverse of `take_shard`, with its arguments and statuses. The other shards'
    places do not change.
    """
    part = flat_bytes(source)
    whole = flat_bytes(destination, writable=True)
    if min(outer, run_bytes) < 0 or num_shards < 1:
        return status.BAD_COUNT
    if not 0 <= shard < num_shards:
        return status.NO_SUCH_SHARD
    if part.size != outer * run_bytes:
        return status.SOURCE_SIZE
    if whole.size != outer * num_shards * run_bytes:
        return status.DESTINATION_SIZE
    if part.size:
        column = _column(whole, outer, run_bytes, num_shards, shard)
        column[...] = part.reshape(outer, run_bytes)
    return status.OK


def _column(
    whole: npt.NDArray[np.uint8],
    outer: int,
    run_bytes: int,
    num_shards: int,
    shard: int,
) -> npt.NDArray[np.uint8]:
    """View the runs of one shard inside the whole array."""
    return whole.reshape(outer, num_shards, run_bytes)[:, shard]
