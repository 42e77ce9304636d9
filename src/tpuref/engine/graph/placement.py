"""Checks of the devices that operations request."""

from collections.abc import Collection

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.graph.device import DeviceName
from tpuref.engine.graph.tensor import Operation

_KINDS = ("CPU", "TPU")


def check_placement(operation: Operation, jobs: Collection[str], soft: bool) -> None:
    """Check the device of an operation outside of replicated computations.

    InvalidArgumentError if there is no such job or device.  With `soft`
    (``ConfigProto.allow_soft_placement``) unknown devices mean the CPU of the host.
    """
    place = operation.placement
    finds_its_job = "job" in operation.definition.attributes
    if finds_its_job or place == DeviceName():
        return
    if place.job is not None and place.job not in jobs:
        raise _unknown(operation, f"there is no job {place.job!r}", jobs)
    known = place.kind in (None, *_KINDS)
    exists = known and not (place.kind == "CPU" and place.index)
    if not exists and not soft:
        raise _unknown(operation, "there is no such device here", jobs)


def _unknown(
    operation: Operation, what: str, jobs: Collection[str]
) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"cannot place the operation on {operation.device}: {what}; the jobs are "
        f"{sorted(jobs)}, each with /device:CPU:0 and its TPU cores. Cores of a "
        "replica exist only inside tf.tpu.replicate",
        code=codes.UNKNOWN_DEVICE,
        op=operation.name,
        site=operation.site,
    )
