"""Times steps on all hosts of a job; host 0 prints them as JSON.

Run it with ``tpuref launch``, or on one host with ``tpuref run --executor xla``.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

import tpuref as tf
from tpuref.tools.benchmarks.clock import seconds_of
from tpuref.tools.benchmarks.steps import trained

HOSTS = tf.config.num_hosts or 1
REPLICAS = 8
SUMS = 8
ROUNDS = 7
SMALL, LARGE = 1 << 15, 1 << 20
"""Numbers of a vector; both are long enough to be added up between devices."""


def summed(session: tf.Session, floats: int, sums: int) -> Any:
    """Return sums of one replica of each host, one after the other."""

    def computation(x: Any, own: Any) -> Any:
        for _ in range(sums):
            # Of replicas that have the same, no host needs to hear from another.
            x = tf.tpu.cross_replica_sum(x) / HOSTS + own
        return tf.reduce_max(x)

    ones = tf.constant(np.ones(floats, np.float32))
    inputs = [[ones, tf.constant(float(host))] for host in range(HOSTS)]
    return session.make_callable(tf.tpu.replicate(computation, inputs))


def fed(session: tf.Session, floats: int) -> Callable[[], Any]:
    """Return what feeds each of eight replicas an array."""
    shares = [tf.placeholder(tf.float32, [floats]) for _ in range(REPLICAS)]
    fetches = tf.tpu.replicate(tf.reduce_max, [[share] for share in shares])
    arrays = [np.ones(floats, np.float32) for _ in shares]
    return lambda: session.run(fetches, dict(zip(shares, arrays, strict=True)))


def median(step: Callable[[], Any], calls: int) -> float:
    """Return the median time of a step, in seconds."""
    step()
    seconds = seconds_of(step, calls)
    return statistics.median(seconds() for _ in range(ROUNDS))


def main() -> None:
    """Measure, and print seconds by what they are of."""
    with tf.Session() as session:
        found = {
            "host": median(fed(session, 1), 20),
            "fed": median(fed(session, LARGE), 5),
            "training": median(session.make_callable(trained(session, REPLICAS)), 10),
        }
        for name, floats in (("small", SMALL), ("large", LARGE)):
            one, more = (summed(session, floats, count) for count in (1, 1 + SUMS))
            found[name] = (median(more, 5) - median(one, 5)) / SUMS
        if (tf.config.host or 0) == 0:
            print(json.dumps(found))


if __name__ == "__main__":
    main()
