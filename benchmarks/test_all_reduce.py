"""One sum over the cores, by each algorithm, beside NumPy's sum in one process."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.tools.benchmarks.chain import Chain

CORES = 4
SIZES = [4 << 10, 1 << 20, 16 << 20]


def group(size):
    return f"sum of {CORES} vectors of {size >> 10} KiB"


@pytest.mark.parametrize("algorithm", ["flat", "direct", "ring"])
@pytest.mark.parametrize("size", SIZES)
def test_all_reduce(benchmark, session_of, size, algorithm):
    """`seconds of one sum`, in the extra information, leaves out the call of a run."""
    benchmark.group = group(size)
    count = max(4, (4 << 20) // size)
    chain = Chain(session_of(CORES), CORES, size // 4, tf.float32, count, algorithm)
    samples = []
    benchmark.pedantic(lambda: samples.append(chain.seconds()), rounds=5)
    benchmark.extra_info["seconds of one sum"] = samples


@pytest.mark.parametrize("size", SIZES)
def test_numpy(benchmark, size):
    benchmark.group = group(size)
    vectors = np.ones((CORES, size // 4), np.float32)
    out = np.empty_like(vectors[0])
    benchmark.pedantic(np.sum, (vectors, 0), {"out": out}, rounds=9, warmup_rounds=1)
    assert out.min() == out.max() == CORES
