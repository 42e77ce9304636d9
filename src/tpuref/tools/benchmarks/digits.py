"""Seconds per epoch of examples/digits.py: the pool, lockstep, and plain NumPy."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import runpy
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import tpuref as tf
from tpuref.tools.benchmarks.contest import interleaved
from tpuref.tools.benchmarks.extent import Extent
from tpuref.tools.benchmarks.table import Row, Table

POOL, LOCKSTEP, NUMPY = "pool", "lockstep", "NumPy"
MODELS = ("softmax", "perceptron")
FEW = 1
"""The number of epochs in the shorter of two training runs."""


def tables(extent: Extent) -> list[Table]:
    """Measure, and return the table."""
    table = Table("digits", "A training epoch", [POOL, LOCKSTEP, NUMPY])
    missing = why_missing()
    if missing:
        table.missing = dict.fromkeys(table.contestants, missing)
        table.add(Row({"model": "-"}, {}), extent.report)
        return [table]
    for model in MODELS[: 1 if extent.quick else None]:
        contestants = epoch_times(model, epochs=2 if extent.quick else 10)
        samples = interleaved(contestants, extent.rounds)
        table.add(Row({"model": model}, samples), extent.report)
    return [table]


def _path() -> Path:
    """Return the path of the example in the source tree."""
    return Path(tf.__file__).resolve().parents[2] / "examples" / "digits.py"


def why_missing() -> str | None:
    """Return the reason why the example cannot run here, or None."""
    if importlib.util.find_spec("sklearn") is None:
        return "not installed; python3 -m pip install scikit-learn"
    return None if _path().exists() else "not installed; examples/ is in the sources"


def epoch_times(model: str, epochs: int) -> dict[str, Callable[[], float]]:
    """Compare the results of all executors, and return functions that time an epoch."""
    example = SimpleNamespace(**runpy.run_path(str(_path())))
    options = argparse.Namespace(model=model, batch=160, rate=0.5, seed=1, epochs=FEW)
    images, labels, *_ = example.load(options.seed)

    def training(train: Callable[..., Any]) -> Callable[[int], list[Any]]:
        def run(epochs: int) -> list[Any]:
            options.epochs = epochs
            with contextlib.redirect_stderr(io.StringIO()):  # no progress bar
                trained: list[Any] = train(model, images, labels, options)
            return trained

        return run

    plain = training(example.train_in_numpy)
    cores = training(example.train_on_cores)
    runs = {POOL: _on(POOL, cores), LOCKSTEP: _on(LOCKSTEP, cores), NUMPY: plain}
    expected = plain(FEW)
    for run in runs.values():
        for learnt, right in zip(run(FEW), expected, strict=True):
            np.testing.assert_allclose(learnt, right, rtol=1e-4, atol=1e-5)
    return {name: _per_epoch(run, epochs) for name, run in runs.items()}


def _on(executor: str, run: Callable[[int], list[Any]]) -> Callable[[int], list[Any]]:
    def trained(epochs: int) -> list[Any]:
        with tf.config.override(executor=executor):
            try:
                return run(epochs)
            finally:
                tf.Session().run(tf.tpu.shutdown_system())

    return trained


def _per_epoch(run: Callable[[int], list[Any]], epochs: int) -> Callable[[], float]:
    """Return a function that times many epochs minus few, which excludes start-up."""

    def seconds() -> float:
        began = time.perf_counter()
        run(FEW)
        between = time.perf_counter()
        run(FEW + epochs)
        return (time.perf_counter() - between - (between - began)) / epochs

    return seconds
