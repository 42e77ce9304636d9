"""Chains of sums within one program."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import tpuref as tf
from tpuref.tools.benchmarks.peers.rank import contribution

FEW = 4
"""The number of sums in the shorter of two programs."""


FED, COMPUTED, READ_AGAIN = "fed", "computed", "read again"
"""The contributions: fed vectors, two computed vectors in turns, or one of those."""

SMALL_BYTES = 1 << 16
"""Up to this size all results are added at the end, by one instruction.

An instruction that reads one result takes as long as a small sum.
"""


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
        of: str = READ_AGAIN,
    ) -> None:
        self._session, self._count, self._algorithm = session, count, algorithm
        fed = [tf.placeholder(dtype, [elements]) for _ in range(cores) if of == FED]
        self._feeds = {x: np.full(elements, k + 1, dtype.np) for k, x in enumerate(fed)}
        kinds = cores, elements, dtype, of, fed
        with tf.config.override(all_reduce=algorithm):
            self._few, self._many = _sums(FEW, *kinds), _sums(FEW + count, *kinds)
            verify(session, cores, elements, dtype)
        self.seconds()

    def _time(self, program: Any) -> float:
        began = time.perf_counter()
        self._session.run(program, self._feeds)
        return time.perf_counter() - began

    def seconds(self) -> float:
        """Measure once, and return the seconds per sum."""
        with tf.config.override(all_reduce=self._algorithm):
            # After a run with another algorithm, the first run prepares the sums again.
            self._time(self._many)
            self._time(self._few)
            few = self._time(self._few)
            return (self._time(self._many) - few) / self._count


def _sums(
    count: int, cores: int, elements: int, dtype: tf.DType, of: str, fed: Sequence[Any]
) -> Any:
    """Build `count` sums of vectors that differ between cores, and use the results."""
    # Two spellings of the same group: sums with equal groups could be fused into one.
    groups = [list(range(cores))], [list(reversed(range(cores)))]

    def computation(number: Any, *vectors: Any) -> Any:
        x = vectors or [tf.fill([elements], number + k) for k in range(_KINDS[of])]
        results, used = [], tf.zeros([1], dtype)
        for turn in range(count):  # all of them run, in this order
            total = tf.tpu.cross_replica_sum(x[turn % len(x)], groups[turn % 2])
            if elements * dtype.size > SMALL_BYTES:
                used += total[:1]
            else:
                results.append(total)
        return used + tf.add_n(results)[:1] if results else used

    numbers = [[tf.constant(r + 1, dtype)] for r in range(cores)]
    inputs = [[*own, *fed[r : r + 1]] for r, own in enumerate(numbers)]
    return tf.tpu.replicate(computation, inputs)[0][0]


_KINDS = {COMPUTED: 2, READ_AGAIN: 1}


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
