"""Bytes through batch_parallel, and one copy of the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tpuref as tf
from tpuref.tools.benchmarks.sharding import CORES, SIZE, copied, sharded


@pytest.fixture
def data() -> Any:
    return np.arange(SIZE // 4, dtype=np.float32)


@pytest.mark.parametrize("cores", CORES)
def test_batch_parallel(
    benchmark: Any, session_of: Callable[[int], tf.Session], cores: int, data: Any
) -> None:
    once = sharded(session_of(cores), cores, data)
    benchmark.pedantic(once, rounds=9, iterations=1, warmup_rounds=1)


def test_memcpy(benchmark: Any, data: Any) -> None:
    benchmark.pedantic(copied(data), rounds=9, iterations=1, warmup_rounds=1)
