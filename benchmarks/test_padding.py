"""Ragged vectors padded to one size, by the kernel and by other libraries."""

from __future__ import annotations

from typing import Any

import pytest

from tpuref.tools.benchmarks.padding import (
    ARRAYS,
    BLOCK,
    COPY,
    NUMPY,
    OWN,
    SIZES,
    TORCH,
    contestants,
    ragged,
)
from tpuref.tools.benchmarks.peers.process import absent


@pytest.mark.parametrize("name", [OWN, ARRAYS, NUMPY, BLOCK, TORCH, COPY])
@pytest.mark.parametrize("size", SIZES)
def test_padding(benchmark: Any, size: int, name: str) -> None:
    torch = not absent(["gloo"], wanted=True)
    found = contestants(ragged(size // 2, size), size // 4, torch)
    if name not in found:
        pytest.skip("PyTorch is not installed")
    benchmark.pedantic(found[name], rounds=9, iterations=1, warmup_rounds=1)
