"""Ragged inputs padded to one size: the kernel, numpy.pad and torch's pad_sequence."""

import importlib
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tpuref.kernels import padding
from tpuref.kernels.buffers import byte_view
from tpuref.kernels.status import check
from tpuref.tools.benchmarks.clock import seconds_of
from tpuref.tools.benchmarks.contest import interleaved
from tpuref.tools.benchmarks.extent import Extent
from tpuref.tools.benchmarks.machine import MemoryCopy
from tpuref.tools.benchmarks.peers.process import absent
from tpuref.tools.benchmarks.table import Goal, Row, Table, times_as_fast
from tpuref.tools.benchmarks.units import size_text

COUNT = 64
SIZES = (4 << 10, 64 << 10, 1 << 20, 4 << 20)

OWN, ARRAYS, BLOCK = "tpuref", "tpuref, new arrays", "tpuref, new block"
NUMPY, TORCH = "numpy.pad", "pad_sequence"
COPY, MEMORY = "memcpy", "memory"

MOVED_BYTES = 64 << 20
"""The smallest number of bytes that a measurement writes."""

Vector = np.ndarray[Any, np.dtype[np.float32]]


def tables(extent: Extent) -> list[Table]:
    """Measure, and return the table."""
    missing = absent(["gloo"], extent.peers)  # PyTorch again
    lost = {TORCH: missing["gloo"]} if missing else {}
    columns = [OWN, ARRAYS, NUMPY, BLOCK, TORCH, COPY]
    table = Table("padding", f"Padding {COUNT} ragged vectors", columns, missing=lost)
    sizes = SIZES[:2] if extent.quick else SIZES
    for size in sizes:
        vectors = ragged(size // 2, size)
        table.add(_row(size_text(size), size, vectors, extent, not lost), extent.report)
    mixed = ragged(SIZES[0], sizes[-1])
    name = f"{size_text(SIZES[0])} to {size_text(sizes[-1])}"
    table.add(_row(name, sizes[-1], mixed, extent, not lost), extent.report)
    return [table]


def ragged(least: int, most: int) -> list[Vector]:
    """Return vectors of log-uniform random lengths between two sizes in bytes."""
    rng = np.random.default_rng(1)
    sizes = np.exp(rng.uniform(np.log(least), np.log(most), COUNT))
    return [rng.random(int(size) // 4, np.float32) for size in sizes]


def _row(
    name: str, size: int, vectors: Sequence[Vector], extent: Extent, torch: bool
) -> Row:
    repeats = max(1, MOVED_BYTES // (COUNT * size))
    with MemoryCopy(min(COUNT * size, MOVED_BYTES)) as memory:
        measured = {
            name: seconds_of(once, repeats)
            for name, once in contestants(vectors, size // 4, torch).items()
        }
        measured[MEMORY] = memory.seconds_per_byte
        samples = interleaved(measured, extent.rounds)
    moved = COUNT * size + sum(vector.nbytes for vector in vectors)
    goals = [
        Goal(NUMPY, times_as_fast(samples, ARRAYS, NUMPY), 3.0),
        Goal(TORCH, times_as_fast(samples, BLOCK, TORCH) if torch else None, 1.5),
    ]
    if size == SIZES[-1]:
        factor = times_as_fast(samples, OWN, COPY) * moved / (2 * COUNT * size)
        goals.append(Goal("memcpy, bytes/s", factor, 0.8))
    floor = moved * statistics.median(samples[MEMORY])
    return Row({"up to": name}, samples, floor, goals)


def contestants(
    vectors: Sequence[Vector], length: int, torch: bool
) -> dict[str, Callable[[], Any]]:
    """Return verified functions that pad all vectors once."""
    block = np.zeros((len(vectors), length), np.float32)
    full = np.ones_like(block)
    pads: dict[str, Callable[[], Any]] = {
        OWN: lambda: pad_into(block, vectors),
        ARRAYS: lambda: pad_into([np.empty_like(row) for row in block], vectors),
        BLOCK: lambda: pad_into(np.empty_like(block), vectors),
        NUMPY: lambda: [np.pad(v, (0, length - v.size)) for v in vectors],
    }
    if torch:
        pads[TORCH] = _pad_sequence(vectors, length)
    expected = np.stack(pads[NUMPY]())
    for name, once in pads.items():
        result = np.asarray(once())
        np.testing.assert_array_equal(result, expected[:, : result.shape[1]], name)
    pads[COPY] = lambda: np.copyto(block, full)
    return pads


def pad_into(rows: Any, vectors: Sequence[Vector]) -> Any:
    """Pad each vector into its row, as the pool does in the memory of its cores."""
    whole = np.array(rows[0].shape, np.int64)
    for row, vector in zip(rows, vectors, strict=True):
        status = padding.pad(
            byte_view(vector),
            np.array(vector.shape, np.int64),
            byte_view(row),
            whole,
            vector.itemsize,
        )
        check(status, "pad")
    return rows


def _pad_sequence(vectors: Sequence[Vector], length: int) -> Callable[[], Any]:
    """Return PyTorch's function, which pads to the longest vector."""
    torch = importlib.import_module("torch")
    tensors = [torch.from_numpy(vector) for vector in vectors]
    tensors[0] = torch.nn.functional.pad(tensors[0], (0, length - len(tensors[0])))
    pad_sequence = torch.nn.utils.rnn.pad_sequence
    return lambda: pad_sequence(tensors, batch_first=True)
