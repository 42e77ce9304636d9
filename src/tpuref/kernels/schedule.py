"""The schedule of an all-reduce: the chunk that each core works on in each step.

Both twins of the links follow it, so both round in the same places and give the same
bits. N cores hold one vector each and want the sum of all. A vector is cut into N
nearly equal chunks.

**ring** passes chunks between neighbours, in 2 (N - 1) steps. In each step a core reads
one chunk from the core on its left. In the first N - 1 steps, the reduce-scatter, it
adds its own part and keeps the sum for the core on its right; in the others, the
all-gather, it copies the chunk, which is complete by then. Chunk c starts at core c and
is the left fold from there: ``((x[c] + x[c+1]) + x[c+2]) + ...``, indices modulo N. Its
bits depend on where the chunks begin.

**direct** gives chunk c to core c, which folds that slice of all vectors in replica
order, ``((x[0] + x[1]) + x[2]) + ...``, into one result that all cores share. In
**flat** every core folds whole vectors in the same order. The bits of these two do not
depend on chunks.

float16 and bfloat16 are added as float32 and rounded once, when a chunk is complete.
"""


def chunk_slice(length: int, num_cores: int, chunk: int) -> slice:
    """Return the elements of chunk `chunk` of a vector that is cut into `num_cores`.

    The sizes of two chunks differ by one at most; a chunk may be empty.

    >>> [chunk_slice(7, 3, chunk) for chunk in range(3)]
    [slice(0, 2, None), slice(2, 4, None), slice(4, 7, None)]
    """
    return slice(length * chunk // num_cores, length * (chunk + 1) // num_cores)


def ring_chunks(num_cores: int, core: int) -> list[int]:
    """Return the chunk that a core reads in each step of a ring.

    ``num_cores - 1`` chunks to add to, then as many to copy.

    >>> ring_chunks(4, 0)
    [3, 2, 1, 0, 3, 2]
    """
    return [(core - 1 - step) % num_cores for step in range(2 * (num_cores - 1))]
