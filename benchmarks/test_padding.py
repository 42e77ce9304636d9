"""64 vectors padded to one size: the kernel beside numpy.pad."""

import numpy as np
import pytest

from tpuref.kernels import padding
from tpuref.kernels.buffers import byte_view
from tpuref.kernels.status import check

COUNT = 64


def ragged(most):
    draw = np.random.default_rng(1)
    return [draw.random(n, np.float32) for n in draw.integers(most // 2, most, COUNT)]


def by_the_kernel(vectors, length):
    """As the pool pads in the memory of its cores, which is there already."""
    block, whole = np.zeros((COUNT, length), np.float32), np.array([length])

    def padded():
        for row, vector in zip(block, vectors, strict=True):
            source, destination = byte_view(vector), byte_view(row)
            shape = np.array(vector.shape)
            check(padding.pad(source, shape, destination, whole, 4), "pad")
        return block

    return padded


def by_numpy(vectors, length):
    return lambda: [np.pad(vector, (0, length - vector.size)) for vector in vectors]


@pytest.mark.parametrize("pads", [by_the_kernel, by_numpy])
@pytest.mark.parametrize("length", [1 << 10, 1 << 14, 1 << 18])
def test_padding(benchmark, length, pads):
    benchmark.group = f"{COUNT} vectors padded to {4 * length >> 10} KiB"
    vectors = ragged(length)
    once = pads(vectors, length)
    for row, vector in zip(once(), vectors, strict=True):
        np.testing.assert_array_equal(row[: vector.size], vector)
        assert not row[vector.size :].any()
    benchmark.pedantic(once, rounds=9, warmup_rounds=1)
