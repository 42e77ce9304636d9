"""A description of the machine, and its memory bandwidth."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tpuref import kernels
from tpuref.base.processors import usable_processors
from tpuref.base.version import __version__
from tpuref.engine.runtime.available_memory import total_bytes

LEAST_BYTES = 1 << 20
"""The smallest block: shorter copies would measure the start of threads."""

MOVED_BYTES = 64 << 20
"""The smallest number of bytes that a measurement moves."""


def description() -> dict[str, str]:
    """Return the properties of the machine that affect the figures."""
    memory, load = total_bytes(), getattr(os, "getloadavg", None)
    facts = {
        "processors": str(usable_processors()),
        "architecture": platform.machine(),
        "memory": f"{memory / 2**30:.0f} GiB" if memory else "",
        "memory bandwidth": f"{bandwidth() / 1e9:.1f} GB/s read and written",
        "load average at the beginning": f"{load()[0]:.1f}" if load else "",
        "python": platform.python_version(),
        "tpuref": f"{__version__}, {kernels.IMPLEMENTATION} kernels",
    }
    for package in ("numpy", "mpi4py", "mpich", "torch", "jax"):
        if importlib.util.find_spec(package) or package == "mpich":
            facts[package] = _version(package)
    return {name: text for name, text in facts.items() if text}


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def bandwidth() -> float:
    """Return the bytes per second that all processors together can move."""
    with MemoryCopy(MOVED_BYTES) as copy:
        return 1 / min(copy.seconds_per_byte() for _ in range(5))


class MemoryCopy:
    """A simultaneous copy on each processor, between blocks of `size` bytes.

    Small blocks measure caches.
    """

    def __init__(self, size: int) -> None:
        size = max(size, LEAST_BYTES)
        self._threads = usable_processors()
        self._repeats = max(1, MOVED_BYTES // (2 * size * self._threads))
        self._blocks = [
            (np.ones(size, np.uint8), np.zeros(size, np.uint8))
            for _ in range(self._threads)
        ]
        self._pool = ThreadPoolExecutor(self._threads)
        self.seconds_per_byte()

    def __enter__(self) -> MemoryCopy:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def _copy(self, thread: int) -> None:
        source, destination = self._blocks[thread]
        for _ in range(self._repeats):
            np.copyto(destination, source)

    def seconds_per_byte(self) -> float:
        """Measure once; a copied byte counts twice, as read and as written."""
        began = time.perf_counter()
        list(self._pool.map(self._copy, range(self._threads)))
        size = self._blocks[0][0].nbytes
        moved = 2 * size * self._repeats * self._threads
        return (time.perf_counter() - began) / moved
