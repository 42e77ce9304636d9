"""Sums of vectors in the arena, and the bits that must come out."""

import numpy as np

from tpuref.kernels import schedule, status
from tpuref.kernels.fold import fold

from .linked import CORES, LINE, Job


def numbers(rng, count, dtype):
    """Numbers whose sums round and, for integers, wrap."""
    if dtype.kind in "iu":
        return rng.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype)
    scale = 10.0 ** rng.integers(-2, 3, count)
    return (rng.standard_normal(count) * scale).astype(dtype)


def view(pool, offset, count, dtype):
    return pool.arena[offset : offset + count * dtype.itemsize].view(dtype)


def ringed(vectors):
    """The sum by a ring: chunk c is the fold that begins at core c."""
    total, size = np.empty_like(vectors[0]), len(vectors)
    for chunk in range(size):
        place = schedule.chunk_slice(total.size, size, chunk)
        total[place] = fold([v[place] for v in vectors[chunk:] + vectors[:chunk]])
    return total


class Vectors:
    """One vector for each member, in the arena, and their sums by one process."""

    def __init__(self, pool, members, count, dtype, odd=0, vectors=None):
        size = count * dtype.itemsize
        self.members, self.count, self.dtype, self.odd = members, count, dtype, odd
        self.offsets = [
            pool.allocate(LINE + size + odd) + LINE + odd for _ in range(CORES)
        ]
        if vectors is None:
            rng = np.random.default_rng([count, dtype.num % 100, len(members)])
            vectors = [numbers(rng, count, dtype) for _ in members]
        for member, vector in zip(members, vectors, strict=True):
            view(pool, self.offsets[member], count, dtype)[:] = vector
        self.folded = fold(vectors).tobytes()
        self.ringed = ringed(vectors).tobytes()


class Sum:
    """One job, and the bits that must come out."""

    def __init__(self, pool, kind, vectors):
        self.pool, self.kind, self.vectors = pool, kind, vectors
        self.expected = {vectors.ringed if kind == "ring" else vectors.folded}
        size, odd = vectors.count * vectors.dtype.itemsize, vectors.odd
        self.results, scratches = (
            [pool.allocate(room + odd) + odd for _ in range(CORES)]
            for room in (size, 4 * vectors.count if kind == "ring" else 0)
        )
        self.job = Job(
            kind,
            vectors.members,
            vectors.offsets,
            self.results,
            scratches,
            vectors.count,
            vectors.dtype,
            fingerprint=2**64 - 1 - vectors.count,
        )

    def found(self):
        """Give the results; the first member's is the shared one of direct."""
        members = self.vectors.members
        return {
            view(
                self.pool, self.results[owner], self.vectors.count, self.vectors.dtype
            ).tobytes()
            for owner in (members[:1] if self.kind == "direct" else members)
        }


def check_sums(pool, cores, sums):
    """Take sums on the cores, and compare their bits with those of one process."""
    jobs = [each.job for each in sums]
    own = [[status.OK for job in jobs if core in job.members] for core in cores]
    assert pool.run_scenario(cores, "all_jobs", jobs) == own
    for each in sums:
        assert each.found() == each.expected, each.job
