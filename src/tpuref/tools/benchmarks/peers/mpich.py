"""MPICH through mpi4py: one rank."""

import time

import numpy as np

from tpuref.tools.benchmarks.peers.rank import contribution, serve, verify


def main() -> None:
    """Answer requests for sums of float32."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    vectors: dict[int, tuple[object, object]] = {}

    def prepare(elements: int) -> None:
        x, total = contribution(world.rank, elements), np.empty(elements, np.float32)
        world.Allreduce(x, total)
        verify(total, world.size)
        vectors.clear()
        vectors[elements] = x, total

    def answer(task: str, elements: int, count: int) -> float | None:
        if elements not in vectors:
            prepare(elements)
        x, total = vectors[elements]
        world.Barrier()
        world.Allreduce(x, total)
        began = time.perf_counter()
        for _ in range(count):
            world.Allreduce(x, total)
        return (time.perf_counter() - began) / count if world.rank == 0 else None

    serve(answer)


if __name__ == "__main__":
    main()
