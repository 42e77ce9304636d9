"""Chains of sums within one program."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import tpuref as tf
from tpuref.tools.benchmarks.peers.rank import contribution

FEW = 4
"""The number of sums in the shorter of two programs."""


class Chain:
    """A chain of sums in one program, timed as many sums minus few.

    `algorithm` is a setting of ``tf.config.all_reduce``.
    """

    def __init__(
        self,
        session: tf.Session,
        cores: int,
        elements: int,
        dtype: tf.DType,
        count: int,
        algorithm: str,
    ) -> None:
        self._session, self._count, self._algorithm = session, count, algorithm
        with tf.config.override(all_reduce=algorithm):
            self._few = _sums(cores, elements, dtype, FEW)
            self._many = _sums(cores, elements, dtype, FEW + count)
            verify(session, cores, elements, dtype)
        self.seconds()

    def _time(self, program: Any) -> float:
        began = time.perf_counter()
        self._session.run(program)
        return time.perf_counter() - began

    def seconds(self) -> float:
        """Measure once, and return the seconds per sum."""
        with tf.config.override(all_reduce=self._algorithm):
            # After a run with another algorithm, the first run prepares the sums again.
            self._time(self._many)
            self._time(self._few)
            few = self._time(self._few)
            return (self._time(self._many) - few) / self._count


def _sums(cores: int, elements: int, dtype: tf.DType, count: int) -> Any:
    """Build `count` sums of vectors that differ between cores."""
    # Two spellings of the same group: sums with equal groups could be fused into one.
    groups = [list(range(cores))], [list(reversed(range(cores)))]

    def computation(number: Any) -> Any:
        x = tf.fill([elements], number)
        for turn in range(count):  # all of them run, in this order
            total = tf.tpu.cross_replica_sum(x, groups[turn % 2])
        return total[:1]

    numbers = [[tf.constant(r + 1, dtype)] for r in range(cores)]
    return tf.tpu.replicate(computation, numbers)[0][0]


def verify(session: tf.Session, cores: int, elements: int, dtype: tf.DType) -> None:
    """Raise AssertionError unless a sum is correct on all cores, in every element."""

    def computation(number: Any) -> Any:
        return tf.tpu.cross_replica_sum(
            tf.cast(tf.range(elements) % 97, dtype) + number
        )

    numbers = [[tf.constant(r, dtype)] for r in range(cores)]
    expected = contribution(0, elements) * cores + cores * (cores - 1) / 2
    for (total,) in session.run(tf.tpu.replicate(computation, numbers)):
        np.testing.assert_array_equal(total, expected.astype(total.dtype))
