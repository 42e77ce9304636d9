r"""Who sends which chunk to whom: the all-reduce schedules as pure arithmetic.

Every implementation of an algorithm follows the schedule written here, so all of them
round in the same places and give the same bits. With N cores and vectors of n elements,
every core holds one vector and wants the sum of all; chunk c is the c-th of N nearly
equal slices.

========= ======================== ========================= =======================
algorithm steps between barriers   elements a core reads     elements a core writes
========= ======================== ========================= =======================
ring      2 (N - 1)                about 2 n (N - 1) / N      about 2 n (N - 1) / N
direct    2 (fold, read)           n to fold, n to read       n / N
flat      1                        N n                        n, its own copy
========= ======================== ========================= =======================

**ring**: reduce-scatter, then all-gather, between neighbours only. In reduce-scatter
step s core r sends chunk (r - s) mod N to core r + 1, which adds its own contribution
to what came. Chunk c so travels from core c over c + 1, c + 2, ... and is complete at
core c - 1, its owner. In all-gather step s core r passes on chunk (r + 1 - s) mod N,
the complete one it got last. Chunk c is therefore the left fold that begins at core c:
``((x[c] + x[c+1]) + x[c+2]) + ...``, all modulo N, and its bits depend on where the
chunks begin.

**direct**: core c owns chunk c, folds that slice of all vectors in replica order,
``((x[0] + x[1]) + x[2]) + ...``, into one shared result; after a barrier all cores read
it. **flat**: every core folds all vectors in the same order itself. The bits of these
two do not depend on chunks.

float16 and bfloat16 are added up as float32 and rounded once, when a chunk is
complete. In a ring their partial sums travel as float32, 4 bytes an element; the
all-gather moves the rounded 2 bytes.
"""

from __future__ import annotations

from typing import NamedTuple


class Transfer(NamedTuple):
    """One message of a ring: a chunk goes from a core to its right-hand neighbour."""

    sender: int
    receiver: int
    chunk: int


def chunk_slice(length: int, num_cores: int, chunk: int) -> slice:
    """Give the place of a chunk; the sizes of two chunks differ by one at most.

    Parameters
    ----------
    length
        The number of elements of the whole vector.
    num_cores
        The number of chunks.
    chunk
        Which of them.

    Returns
    -------
    slice
        Its elements; empty for some chunks of a vector shorter than the ring.

    Examples
    --------
    >>> [chunk_slice(7, 3, chunk) for chunk in range(3)]
    [slice(0, 2, None), slice(2, 4, None), slice(4, 7, None)]
    """
    return slice(length * chunk // num_cores, length * (chunk + 1) // num_cores)


def ring_reduce_scatter(num_cores: int) -> list[list[Transfer]]:
    """Give the transfers of every step that brings the sums together.

    Parameters
    ----------
    num_cores
        The number of cores in the ring.

    Returns
    -------
    list of list of Transfer
        ``num_cores - 1`` steps with one transfer per core.

    Examples
    --------
    >>> ring_reduce_scatter(2)
    [[Transfer(sender=0, receiver=1, chunk=0), Transfer(sender=1, receiver=0, chunk=1)]]
    """
    return [
        [
            Transfer(core, (core + 1) % num_cores, (core - step) % num_cores)
            for core in range(num_cores)
        ]
        for step in range(num_cores - 1)
    ]


def ring_all_gather(num_cores: int) -> list[list[Transfer]]:
    """Give the transfers of every step that hands the finished chunks round.

    Parameters
    ----------
    num_cores
        The number of cores in the ring.

    Returns
    -------
    list of list of Transfer
        ``num_cores - 1`` steps with one transfer per core.
    """
    return [
        [
            Transfer(core, (core + 1) % num_cores, (core + 1 - step) % num_cores)
            for core in range(num_cores)
        ]
        for step in range(num_cores - 1)
    ]


def ring_owner(num_cores: int, chunk: int) -> int:
    """Give the core at which a chunk is complete after the reduce-scatter.

    Parameters
    ----------
    num_cores
        The number of cores in the ring.
    chunk
        Which chunk.

    Returns
    -------
    int
        The core before the one that the chunk set out from.
    """
    return (chunk - 1) % num_cores


def ring_fold_order(num_cores: int, chunk: int) -> list[int]:
    """Give the order in which the ring adds the contributions to a chunk.

    Parameters
    ----------
    num_cores
        The number of cores in the ring.
    chunk
        Which chunk.

    Returns
    -------
    list of int
        The cores, beginning with the one that sends the chunk first.

    Examples
    --------
    >>> ring_fold_order(4, 2)
    [2, 3, 0, 1]
    """
    return [(chunk + step) % num_cores for step in range(num_cores)]
