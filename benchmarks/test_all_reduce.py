"""One all-reduce, by each algorithm and by each peer that is installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tpuref as tf
from tpuref.tools.benchmarks.all_reduce import CORES, PEERS, SIZES, counts
from tpuref.tools.benchmarks.chain import Chain
from tpuref.tools.benchmarks.peers.process import Peer, absent

ROUNDS = 5


def keep(benchmark: Any, measure: Callable[[], float]) -> None:
    """Time the measurement, and record its seconds per sum."""
    samples: list[float] = []
    benchmark.pedantic(lambda: samples.append(measure()), rounds=ROUNDS, iterations=1)
    benchmark.extra_info["seconds of one sum"] = samples


@pytest.mark.parametrize("algorithm", ["auto", "flat", "direct", "ring"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("cores", CORES)
def test_tpuref(
    benchmark: Any,
    session_of: Callable[[int], tf.Session],
    cores: int,
    size: int,
    algorithm: str,
) -> None:
    session, (count, _) = session_of(cores), counts(size)
    chain = Chain(session, cores, size // 4, tf.float32, count, algorithm)
    keep(benchmark, chain.seconds)


@pytest.mark.parametrize("column", PEERS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("cores", CORES)
def test_peer(benchmark: Any, cores: int, size: int, column: str) -> None:
    name, task = PEERS[column]
    missing = absent([name], wanted=True)
    if missing:
        pytest.skip(missing[name])
    peer = Peer(name, cores)
    try:
        keep(benchmark, peer.asked(task, size // 4, counts(size)[1]))
    finally:
        peer.close()
