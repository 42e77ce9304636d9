"""One all-reduce: the time of many in a row, less that of few."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tpuref as tf

FEW = 4


def repeated(cores: int, elements: int, count: int) -> Any:
    """Build `count` sums of what each replica brings, replica r a vector of r + 1."""

    def computation(x: Any) -> Any:
        for _ in range(count):  # all of them run, in this order
            total = tf.tpu.cross_replica_sum(x)
        return total[:1]

    inputs = [np.full(elements, r + 1, np.float32) for r in range(cores)]
    return tf.tpu.replicate(computation, [[tf.constant(x)] for x in inputs])[0][0]


@pytest.mark.parametrize("cores", [2, 4, 8])
@pytest.mark.parametrize("size", [4, 1 << 10, 1 << 16, 1 << 20, 16 << 20, 64 << 20])
def test_all_reduce(
    benchmark: Any, session_of: Callable[[int], Any], cores: int, size: int
) -> None:
    session = session_of(cores)
    many = FEW + (200 if size <= 1 << 16 else 20 if size <= 1 << 20 else 6)
    few_ops = repeated(cores, size // 4, FEW)
    many_ops = repeated(cores, size // 4, many)
    assert session.run(few_ops) == cores * (cores + 1) / 2
    assert session.run(many_ops) == cores * (cores + 1) / 2

    def once() -> float:
        began = time.perf_counter()
        session.run(few_ops)
        between = time.perf_counter()
        session.run(many_ops)
        return (time.perf_counter() - between - (between - began)) / (many - FEW)

    samples = [once() for _ in range(9)]
    benchmark.extra_info["seconds per all-reduce"] = statistics.median(samples)
    benchmark.extra_info["samples"] = samples
    benchmark.pedantic(once, rounds=3, iterations=1)
