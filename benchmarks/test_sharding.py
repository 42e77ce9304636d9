"""Bytes through batch_parallel, beside one copy of the same bytes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tpuref as tf

BYTES = 256 << 20


def test_identity_over_shards(benchmark: Any, session_of: Callable[[int], Any]) -> None:
    session = session_of(2)
    data = np.arange(BYTES // 4, dtype=np.float32)
    x = tf.placeholder(tf.float32, data.shape)
    out = tf.tpu.batch_parallel(lambda part: part, [x], 2)
    np.testing.assert_array_equal(session.run(out, {x: data})[0], data)
    copy = np.empty_like(data)
    copies = []

    def once() -> None:
        began = time.perf_counter()
        np.copyto(copy, data)
        copies.append(time.perf_counter() - began)
        session.run(out, {x: data})

    benchmark.pedantic(once, rounds=9, iterations=1, warmup_rounds=1)
    # Read and written once by the host, read and written once by the cores.
    moved = 4 * BYTES / (benchmark.stats.stats.median - statistics.median(copies))
    benchmark.extra_info["part of memcpy"] = moved / (
        2 * BYTES / statistics.median(copies)
    )
