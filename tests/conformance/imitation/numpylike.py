"""tf.tpu over NumPy: each replica runs in its own thread."""

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from rules import (
    SUMMED,
    Operation,
    TensorShape,
    checked_groups,
    checked_inputs,
    functions_of,
    mapped,
    outputs,
    padded,
)

__all__ = ["Operation", "Tensor", "TensorShape", "no_op", "tpu"]
Tensor = (np.ndarray, np.generic)
no_op = Operation
_PLACE = threading.local()


def tensor(value):
    """Return the value as an array; Python numbers are 32 bits wide."""
    array = np.asarray(value)
    if array.dtype.kind not in "biufc":
        raise TypeError(f"expected numbers, got {value!r}")
    if not isinstance(value, Tensor) and array.dtype.kind in "fi":
        return array.astype(array.dtype.kind + "4")
    return array


class _Meeting:
    """Where the threads of the replicas exchange values."""

    def __init__(self, replicas):
        self.replicas = replicas
        self._values = [None] * replicas
        self._barrier = threading.Barrier(replicas, timeout=30)
        self.leave = self._barrier.abort

    def exchanged(self, value):
        """Return the values of all replicas, once each has come."""
        self._values[_PLACE.replica] = value
        self._barrier.wait()
        values = list(self._values)
        self._barrier.wait()
        return values


def _join(parts, axis):
    return np.stack(parts) if parts[0].ndim == 0 else np.concatenate(parts, axis)


class tpu:
    """The namespace."""

    @staticmethod
    def cross_replica_sum(x, group_assignment=None, name=None):
        """Sum over the replicas of a group."""
        if isinstance(x, dict):
            return mapped(lambda one: tpu.cross_replica_sum(one, group_assignment), x)
        x = tensor(x)
        meeting = getattr(_PLACE, "meeting", None)
        if meeting is None:
            warnings.warn("cross_replica_sum outside of replicas", stacklevel=2)
            return x
        if x.dtype.name not in SUMMED:
            raise TypeError(f"cannot sum {x.dtype}")
        groups = checked_groups(group_assignment, meeting.replicas)
        values = meeting.exchanged(x)
        (group,) = [group for group in groups if _PLACE.replica in group]
        return np.sum([values[member] for member in group], axis=0, dtype=x.dtype)

    @staticmethod
    def replicate(
        computation,
        inputs=None,
        infeed_queue=None,
        device_assignment=None,
        name=None,
        maximum_shapes=None,
    ):
        """Run the computation once for each list of inputs."""
        each = checked_inputs(computation, inputs, tensor)
        if maximum_shapes is not None:
            each = padded(each, maximum_shapes, np.pad)
        meeting = _Meeting(len(each))

        def replica(number):
            _PLACE.meeting, _PLACE.replica = meeting, number
            try:
                return outputs(computation(*each[number]), tensor)
            except BaseException:
                meeting.leave()
                raise

        with ThreadPoolExecutor(len(each)) as threads:
            waiting = [threads.submit(replica, number) for number in range(len(each))]
        for future in waiting:
            error = future.exception()
            if error and not isinstance(error, threading.BrokenBarrierError):
                raise error
        return [future.result() for future in waiting]

    shard, rewrite = functions_of(replicate, tensor, np.split, _join)
