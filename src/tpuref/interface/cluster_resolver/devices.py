"""The TPU cores of the hosts of a master."""

import re
from collections import Counter
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of
from tpuref.base.errors import DeadlineExceededError, UnavailableError
from tpuref.base.masking import masked
from tpuref.engine.graph.session import Session
from tpuref.engine.graph.session_options import ConfigProto
from tpuref.interface.cluster_resolver.patience import (
    FIRST_PAUSE,
    LONGEST_PAUSE,
    Patience,
)

_CORE = re.compile(r"(/job:[^/]+)?(/replica:[0-9]+)?(/task:[0-9]+)?/device:TPU:[0-9]+")


def cores_per_host(master: str, config: Any, patience: Patience) -> int:
    """Return the number of TPU cores of each host of `master`, 0 if there are none."""
    if config is not None:
        argument = "num_accelerators: config_proto"
        instance_of(ConfigProto, argument, "a tf.ConfigProto or None", config)
    counts = core_counts(_list_with_retries(master, config, patience))
    if len(set(counts.values())) > 1:
        shown = masked(repr(master))
        raise RuntimeError(
            f"num_accelerators: the hosts of {shown} have different numbers of TPU "
            "cores: "
            + ", ".join(f"{host} has {n}" for host, n in counts.items())
            + f" [{codes.UNEVEN_SHARDS}]"
        )
    return next(iter(counts.values()), 0)


def core_counts(devices: list[str]) -> Counter[str]:
    """Return the number of TPU cores of each host that has any.

    >>> core_counts(["/job:worker/replica:0/task:0/device:CPU:0",
    ...              "/job:worker/replica:0/task:0/device:TPU:0"])
    Counter({'/job:worker/replica:0/task:0': 1})
    """
    names = [name for name in devices if _CORE.fullmatch(name)]
    return Counter(name.rpartition("/device:")[0] for name in names)


def list_devices(master: str, config: Any) -> list[str]:
    """Connect to a master and return the names of its devices; one attempt."""
    session = Session(master, config=config)
    try:
        return [device.name for device in session.list_devices()]
    finally:
        session.close()


def _list_with_retries(master: str, config: Any, patience: Patience) -> list[str]:
    """List the devices of a master, retrying until the attempts are used up."""
    attempt, pause, start = 1, FIRST_PAUSE, patience.clock.now()
    while True:
        try:
            return list_devices(master, config)
        except (DeadlineExceededError, UnavailableError) as error:
            if attempt == patience.attempts:
                spent = patience.clock.now() - start
                shown = masked(repr(master))
                raise codes.SERVER_UNREACHABLE.runtime_error(
                    f"num_accelerators: cannot reach the TPU master {shown}: "
                    f"{attempt} attempts in {spent:.1f} s, the last one ended with "
                    f"{type(error).__name__}: {error}; it may not run yet, or the "
                    "address is wrong"
                ) from error
        patience.clock.sleep(pause)
        attempt, pause = attempt + 1, min(2 * pause, LONGEST_PAUSE)
