"""Place the operations that enqueue to an infeed queue."""

import contextlib
from collections.abc import Callable, Iterator, Sequence

from tpuref.base import error_codes as codes
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.tpu.device_assignment import DeviceAssignment

CORES_PER_HOST = 8
"""The number of shards per host without a device assignment."""


def ordinals(assignment: DeviceAssignment | None) -> Callable[[int], int]:
    """Return a function from the number of a shard to its device ordinal."""
    if assignment is None:
        return lambda shard: shard % CORES_PER_HOST
    return lambda shard: assignment.tpu_ordinal(replica=shard)


def hosts(assignment: DeviceAssignment | None) -> Callable[[int], str]:
    """Return a function from the number of a shard to the CPU device of its host."""
    if assignment is None:
        return lambda shard: f"/task:{shard // CORES_PER_HOST}/device:CPU:0"
    return lambda shard: assignment.host_device(replica=shard)


def check_one_device(shard: int, tensors: Sequence[Tensor]) -> None:
    """Raise ValueError if the tensors of a shard are on different devices."""
    devices = [tensor.device for tensor in tensors]
    if len(set(devices)) > 1:
        raise codes.UNEVEN_SHARDS.value_error(
            f"InfeedQueue.generate_enqueue_ops: the tensors of shard {shard} are on "
            f"the devices {devices}, expected one device; give a placement_function"
        )


@contextlib.contextmanager
def beside(tensor: Tensor) -> Iterator[None]:
    """Place operations on the device of `tensor`, ignoring the enclosing scopes."""
    graph = get_default_graph()
    with graph.device(None), graph.device(tensor.device):
        yield
