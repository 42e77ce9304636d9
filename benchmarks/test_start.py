"""Starting and shutting down a system, in a separate process."""

from __future__ import annotations

from typing import Any

from tpuref.tools.benchmarks.start import CORES, started_and_ended


def test_start(benchmark: Any) -> None:
    samples: list[tuple[float, float]] = []
    benchmark.pedantic(
        lambda: samples.append(started_and_ended(CORES)), rounds=5, iterations=1
    )
    benchmark.extra_info["seconds of start and shutdown"] = samples
