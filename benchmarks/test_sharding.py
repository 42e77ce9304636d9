"""Bytes that go through batch_parallel, beside one copy of them, and the kernel."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.kernels import sharding
from tpuref.kernels.buffers import byte_view
from tpuref.kernels.status import check

SIZE = 32 << 20
SHARDS = 8


@pytest.fixture
def data():
    return np.arange(SIZE // 4, dtype=np.float32)


@pytest.mark.parametrize("cores", [2, 8])
def test_batch_parallel(benchmark, session_of, cores, data):
    session, x = session_of(cores), tf.placeholder(tf.float32, data.shape)
    (out,) = tf.tpu.batch_parallel(lambda part: part, [x], cores)
    np.testing.assert_array_equal(session.run(out, {x: data}), data)
    benchmark.pedantic(session.run, (out, {x: data}), rounds=9, warmup_rounds=1)


def test_copy(benchmark, data):
    benchmark.pedantic(np.copyto, (np.zeros_like(data), data), rounds=9)


def by_the_kernel(rows, shards):
    """Along the second axis, where a shard is not in one piece."""
    outer, run = len(rows), rows.nbytes // len(rows) // SHARDS

    def cut():
        for k, shard in enumerate(shards):
            parts = byte_view(rows), byte_view(shard)
            check(sharding.take_shard(*parts, outer, run, SHARDS, k), "take_shard")

    return cut


def by_numpy(rows, shards):
    def cut():
        for shard, part in zip(shards, np.split(rows, SHARDS, 1), strict=True):
            np.copyto(shard, part)

    return cut


@pytest.mark.parametrize("cuts", [by_the_kernel, by_numpy])
def test_shards_of_the_second_axis(benchmark, data, cuts):
    benchmark.group = f"{SIZE >> 20} MiB cut into {SHARDS} shards"
    rows = data.reshape(1 << 14, -1)
    shards = np.empty((SHARDS, len(rows), rows.shape[1] // SHARDS), np.float32)
    once = cuts(rows, shards)
    once()
    np.testing.assert_array_equal(np.concatenate(shards, 1), rows)
    benchmark.pedantic(once, rounds=9, warmup_rounds=1)
