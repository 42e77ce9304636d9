"""Parts of a computation, shared among the threads of a process."""

import threading
from collections.abc import Callable

from tpuref.base.processors import blas_threads

LEAST_WORK = 1 << 24
"""The products or comparisons below which threads cost more than they save."""


def in_parts(compute: Callable[[int, int], None], count: int, work: int) -> None:
    """Call ``compute(first, last)`` for parts of ``[0, count)``, one on each thread.

    `compute` releases Python's lock.
    """
    number = min(blas_threads(), count) if work >= LEAST_WORK else 1
    threads = [
        threading.Thread(
            target=compute, args=(k * count // number, (k + 1) * count // number)
        )
        for k in range(1, number)
    ]
    for thread in threads:
        thread.start()
    compute(0, count // number)
    for thread in threads:
        thread.join()
