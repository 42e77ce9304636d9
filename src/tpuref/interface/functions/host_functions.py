"""Functions of the host within functions that are compiled, or that all cores run."""

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.graph.context import context
from tpuref.engine.graph.logical_devices import get_soft_device_placement
from tpuref.engine.graph.tensor import Operation
from tpuref.engine.runtime.log import advice

_log = advice()
_warned: set[str] = set()

_WAY_OUT = (
    "write it with operations of tf that need no host, or do it in the input pipeline, "
    "with Dataset.map"
)


def check_host_function(operation: Operation) -> None:
    """Refuse an operation of the host, or warn of it, as TensorFlow 2 places it.

    XLA cannot compile it.  In a replica it needs soft placement, which is on by default
    and lets it run on the host in each step.
    """
    if not operation.graph.traced:
        return
    if context.compiled:
        wanted = f"the function {context.compiled[-1]!r} has jit_compile=True"
        raise _refusal(operation, wanted, "jit_compile=False")
    region = operation.region and operation.region.replicated
    if region is None or operation.host_label is not None:
        return
    if not get_soft_device_placement():
        wanted = "soft placement is off"
        raise _refusal(operation, wanted, "tf.config.set_soft_device_placement(True)")
    if (place := str(operation.site)) not in _warned:
        _warned.add(place)
        _log.warning(
            "%r calls a function of the host for each of %d replicas, and each step "
            "waits for it; %s [%s]. Built at %s",
            operation.name,
            region.replicas,
            _WAY_OUT,
            codes.XLA_OPERATION,
            place,
        )


def _refusal(operation: Operation, why: str, setting: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        None,
        operation,
        f"{operation.name!r} calls a function of the host, but {why}; {_WAY_OUT}, or "
        f"choose {setting}",
        code=codes.XLA_OPERATION,
    )
