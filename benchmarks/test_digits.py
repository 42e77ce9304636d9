"""Training epochs of examples/digits.py by each executor, and in plain NumPy."""

from __future__ import annotations

from typing import Any

import pytest

from tpuref.tools.benchmarks.digits import MODELS, epoch_times, why_missing


@pytest.mark.parametrize("name", ["pool", "lockstep", "NumPy"])
@pytest.mark.parametrize("model", MODELS)
def test_epoch(benchmark: Any, model: str, name: str) -> None:
    missing = why_missing()
    if missing:
        pytest.skip(missing)
    measure = epoch_times(model, epochs=10)[name]
    samples: list[float] = []
    benchmark.pedantic(lambda: samples.append(measure()), rounds=5, iterations=1)
    benchmark.extra_info["seconds of one epoch"] = samples
