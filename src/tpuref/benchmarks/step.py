"""A warm step: one evaluation of a small replicated computation."""

from __future__ import annotations

import socket
import statistics
import subprocess
import sys
from typing import Any

import numpy as np

import tpuref as tf
from tpuref.benchmarks.clock import seconds_of
from tpuref.benchmarks.contest import interleaved
from tpuref.benchmarks.extent import Extent
from tpuref.benchmarks.peers.process import absent, running_peers
from tpuref.benchmarks.system import running_system
from tpuref.benchmarks.table import Goal, Row, Table, times_as_fast

TARGETS = {2: 2.0, 8: 3.0}
"""The target by number of cores: how many times as fast as JAX."""

CALLS = 200

OWN, PEER, FLOOR = "tpuref", "JAX", "wake-up"

ECHO = """
import socket
end = socket.socket(fileno=0)
while end.send(end.recv(1) or exit()):
    pass
"""
"""A process that echoes bytes."""


def tables(extent: Extent) -> list[Table]:
    """Measure, and return the table."""
    missing = absent(["jax"], extent.peers)
    lost = {PEER: missing["jax"]} if missing else {}
    table = Table("step", "A warm step, x + 1", [OWN, PEER], missing=lost)
    for cores in TARGETS:
        table.add(_row(cores, extent, {"jax"} - missing.keys()), extent.report)
    return [table]


def _row(cores: int, extent: Extent, names: set[str]) -> Row:
    with (
        running_system(cores) as session,
        running_peers(names, cores, extent.report) as peers,
        Echoes(cores) as echoes,
    ):
        program = small_step(session, cores)
        contestants = {OWN: seconds_of(lambda: session.run(program), CALLS)}
        if "jax" in peers:
            contestants[PEER] = peers["jax"].asked("step", 4, CALLS)
        contestants[FLOOR] = seconds_of(echoes.wake, CALLS)
        samples = interleaved(contestants, extent.rounds)
    factor = times_as_fast(samples, OWN, PEER) if PEER in samples else None
    return Row(
        point={"cores": str(cores)},
        samples=samples,
        floor=statistics.median(samples[FLOOR]),
        goals=[Goal(PEER, factor, TARGETS[cores])],
    )


def small_step(session: tf.Session, cores: int) -> Any:
    """Return the computation to evaluate: x + 1 on four floats, on every core."""
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    program = tf.tpu.replicate(lambda x: x + 1, [[x] for _ in range(cores)])
    for (out,) in session.run(program):
        np.testing.assert_array_equal(out, [2.0, 3.0, 4.0, 5.0])
    return program


class Echoes:
    """Processes that echo one byte: the minimum wait of a step.

    Parameters
    ----------
    count
        The number of processes.
    """

    def __init__(self, count: int) -> None:
        self._ends = []
        self._processes = []
        for _ in range(count):
            own, other = socket.socketpair()
            self._ends.append(own)
            with other:
                process = subprocess.Popen(
                    [sys.executable, "-c", ECHO], stdin=other.fileno()
                )
            self._processes.append(process)
        self.wake()

    def __enter__(self) -> Echoes:
        return self

    def __exit__(self, *_: object) -> None:
        for end in self._ends:
            end.close()
        for process in self._processes:
            process.wait()

    def wake(self) -> None:
        """Wake all of them, and wait for all answers."""
        for end in self._ends:
            end.send(b".")
        for end in self._ends:
            end.recv(1)
