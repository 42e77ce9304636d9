"""Bytes through batch_parallel, compared with one copy of the same bytes."""

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

import tpuref as tf
from tpuref.tools.benchmarks.clock import seconds_of
from tpuref.tools.benchmarks.contest import interleaved
from tpuref.tools.benchmarks.extent import Extent
from tpuref.tools.benchmarks.machine import MemoryCopy
from tpuref.tools.benchmarks.system import running_system
from tpuref.tools.benchmarks.table import Goal, Row, Table, times_as_fast
from tpuref.tools.benchmarks.units import size_text

CORES = (2, 4, 8)
SIZE = 256 << 20
QUICK_SIZE = 8 << 20

PASSES = 4
"""The number of times that each byte moves: the host reads it and writes it to the
cores' memory, a core reads it and writes it to the result, which is read in place."""

OWN, COPY, MEMORY = "tpuref", "memcpy", "memory"

Vector = np.ndarray[Any, np.dtype[np.float32]]


def tables(extent: Extent) -> list[Table]:
    """Measure, and return the table."""
    table = Table("sharding", "batch_parallel of an identity", [OWN, COPY])
    size = QUICK_SIZE if extent.quick else SIZE
    for cores in CORES:
        data = np.arange(size // 4, dtype=np.float32)
        with running_system(cores) as session, MemoryCopy(64 << 20) as memory:
            samples = interleaved(
                {
                    OWN: seconds_of(sharded(session, cores, data)),
                    COPY: seconds_of(copied(data)),
                    MEMORY: memory.seconds_per_byte,
                },
                extent.rounds,
            )
        moved = PASSES * size
        factor = times_as_fast(samples, OWN, COPY) * moved / (2 * size)
        row = Row(
            point={"cores": str(cores), "bytes": size_text(size)},
            samples=samples,
            floor=moved * statistics.median(samples[MEMORY]),
            goals=[Goal("memcpy, bytes/s", factor, 0.6)],
        )
        table.add(row, extent.report)
    return [table]


def sharded(session: tf.Session, cores: int, data: Vector) -> Callable[[], Any]:
    """Return a function that sends a vector through the cores."""
    x = tf.placeholder(tf.float32, data.shape)
    (out,) = tf.tpu.batch_parallel(lambda part: part, [x], cores)
    np.testing.assert_array_equal(session.run(out, {x: data}), data)
    return lambda: session.run(out, {x: data})


def copied(data: Vector) -> Callable[[], Any]:
    """Return a function that copies a vector into existing memory."""
    copy = np.zeros_like(data)
    return lambda: np.copyto(copy, data)
