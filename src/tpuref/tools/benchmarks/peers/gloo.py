"""Gloo through torch.distributed: one rank."""

import os
import time
from typing import Any

from tpuref.tools.benchmarks.peers.rank import contribution, serve, verify


def main() -> None:
    """Answer requests for sums of float32."""
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    rank, cores = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    meeting = f"file://{os.environ['MEETING']}"
    dist.init_process_group("gloo", meeting, rank=rank, world_size=cores)
    vectors: dict[int, Any] = {}

    def prepare(elements: int) -> None:
        x = torch.from_numpy(contribution(rank, elements))
        dist.all_reduce(x)
        verify(x.numpy(), cores)
        vectors.clear()
        vectors[elements] = x

    def answer(task: str, elements: int, count: int) -> float | None:
        if elements not in vectors:
            prepare(elements)
        x = vectors[elements].zero_()  # sums in place would grow forever
        dist.all_reduce(x)
        dist.barrier()
        began = time.perf_counter()
        for _ in range(count):
            dist.all_reduce(x)
        return (time.perf_counter() - began) / count if rank == 0 else None

    serve(answer)


if __name__ == "__main__":
    main()
