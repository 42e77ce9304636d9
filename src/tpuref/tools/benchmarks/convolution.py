"""Convolution and its gradients on one thread, compared with PyTorch."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.registry import REGISTRY
from tpuref.tools.benchmarks.clock import seconds_of
from tpuref.tools.benchmarks.contest import interleaved
from tpuref.tools.benchmarks.extent import Extent
from tpuref.tools.benchmarks.peers.pytorch import convolutions
from tpuref.tools.benchmarks.table import Goal, Row, Table, times_as_fast

OWN, PEER = "tpuref", "PyTorch"

TARGET = 1 / 3
"""The target of the speed relative to PyTorch."""

BATCH, CALLS = 32, 3

SHAPES = (
    (32, 3, 16, 1),
    (32, 16, 16, 1),
    (32, 16, 32, 2),
    (16, 32, 32, 1),
    (16, 32, 64, 2),
    (8, 64, 64, 1),
)
"""Rows, channels, outputs and stride of the 3 x 3 layers of a ResNet for CIFAR."""


def tables(extent: Extent) -> list[Table]:
    """Measure, and return the table."""
    table = Table("convolution", "A 3 x 3 convolution, one thread", [OWN, PEER])
    needed = ("threadpoolctl", "torch")
    if not extent.peers or not all(map(importlib.util.find_spec, needed)):
        table.missing = {PEER: "left out, or torch or threadpoolctl is not installed"}
        return [table]
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        for shape in SHAPES[:1] if extent.quick else SHAPES:
            for row in _rows(shape, extent):
                table.add(row, extent.report)
    return [table]


def _rows(shape: tuple[int, int, int, int], extent: Extent) -> list[Row]:
    rows, channels, outputs, stride = shape
    random = np.random.default_rng(1)

    def drawn(*sizes: int) -> Array:
        return random.standard_normal(sizes, np.float32)

    images = drawn(BATCH, rows, rows, channels)
    filters = drawn(3, 3, channels, outputs)
    backprop = drawn(BATCH, rows // stride, rows // stride, outputs)
    # Explicit padding of 1: SAME with a stride pads unevenly, PyTorch evenly.
    own = _own(images, filters, backprop, stride)
    table_rows = []
    for name, (compute, result) in convolutions(
        images, filters, backprop, stride
    ).items():
        np.testing.assert_allclose(own[name](), result(), rtol=1e-3, atol=1e-2)
        contest = {OWN: own[name], PEER: compute}
        samples = interleaved(
            {name: seconds_of(once, CALLS) for name, once in contest.items()},
            extent.rounds,
        )
        goal = Goal(PEER, times_as_fast(samples, OWN, PEER), TARGET)
        size = f"{rows} x {rows} x {channels} to {outputs}, stride {stride}"
        table_rows.append(Row({"layer": size, "of": name}, samples, goals=[goal]))
    return table_rows


def _own(
    images: Array, filters: Array, backprop: Array, stride: int
) -> dict[str, Callable[[], Any]]:
    attrs = {
        "strides": (stride, stride),
        "padding": ((1, 1), (1, 1)),
        "data_format": "NHWC",
        "dilations": (1, 1),
    }

    def computing(name: str, *inputs: Array) -> Callable[[], Any]:
        compute: Any = REGISTRY[name].kernel
        return lambda: compute(*inputs, **attrs)

    sizes = [np.array(a.shape, np.int32) for a in (images, filters)]
    return {
        "forward": computing("Conv2D", images, filters),
        "images": computing("Conv2DBackpropInput", sizes[0], filters, backprop),
        "filters": computing("Conv2DBackpropFilter", images, sizes[1], backprop),
    }
