"""The device names of the cores of a replica."""

from tpuref.engine.graph.device import REPLICATED_CORE


def core(num: int) -> str:
    """Return the device name of a logical core of a replicated computation.

    See 000_04abb9e9288042d8.txt, core.  Numbers start at 0 within each replica.

    Examples
    --------
    >>> tf.tpu.core(1)
    'device:TPU_REPLICATED_CORE:1'
    """
    return f"device:{REPLICATED_CORE}:{num}"


core_dyn = core
