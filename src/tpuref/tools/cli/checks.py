"""The checks of ``tpuref doctor``: this computer and its settings."""

from __future__ import annotations

import difflib
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tpuref.base import error_codes as codes
from tpuref.engine.runtime.available_memory import UNLIMITED

if TYPE_CHECKING:
    from tpuref.engine.runtime.topology.topology import Topology

GOOD = "ok"
NOTE = "note"
PROBLEM = "problem"

BYTES_PER_PROCESS = 100 << 20
"""The approximate memory of a process of the pool without data."""

VARIABLES = (
    "TPUREF_ALL_REDUCE",
    "TPUREF_CHECK_REPLICAS",
    "TPUREF_COORDINATOR",
    "TPUREF_CORES",
    "TPUREF_EXECUTOR",
    "TPUREF_HOST",
    "TPUREF_HOST_TIMEOUT",
    "TPUREF_JOB",
    "TPUREF_KERNELS",
    "TPUREF_NUM_HOSTS",
    "TPUREF_PROCESSES",
    "TPUREF_TIMEOUT",
    "TPUREF_TOKEN",
    "TPUREF_TOPOLOGY",
    "TPUREF_TRACEBACKS",
    "TPUREF_XLA_DEVICES",
)
"""The variables that tpuref reads when a program runs."""


@dataclass(frozen=True)
class Check:
    """The result of one check."""

    name: str  # the subject of the check
    state: str  # `GOOD`, `NOTE` if it works but could be better, or `PROBLEM`
    found: str  # the finding
    advice: str = ""  # empty if there is nothing to do

    def as_dict(self) -> dict[str, str]:
        """Return the result for JSON."""
        return asdict(self)


def misspelt_variables(environment: Mapping[str, str]) -> Check:
    """Check for variables that resemble tpuref's but are not read."""
    for name in sorted(environment):
        if name.startswith("TPUREF_") and name not in VARIABLES:
            close = difflib.get_close_matches(name, VARIABLES, n=1, cutoff=0.85)
            if close:
                return Check(
                    "variables", NOTE, f"{name} is not read", f"set {close[0]}"
                )
    return Check("variables", GOOD, "all TPUREF_ variables that are set are known")


def compiled_kernels(implementation: str) -> Check:
    """Check whether the compiled kernels are in use."""
    if implementation == "cython":
        return Check("kernels", GOOD, "compiled")
    if os.environ.get("TPUREF_KERNELS") == "python":
        return Check(
            "kernels",
            NOTE,
            "NumPy's, because TPUREF_KERNELS=python",
            "unset TPUREF_KERNELS; results stay the same, bit for bit",
        )
    if sys.platform != "linux":
        return Check("kernels", GOOD, "NumPy's; the compiled ones are for Linux")
    return Check(
        "kernels",
        NOTE,
        "NumPy's, because tpuref was installed without compiled kernels",
        "install a wheel, or reinstall with a C compiler and Python's headers, and "
        "TPUREF_PURE unset; results stay the same, bit for bit",
    )


def processors(usable: int, cores: int) -> Check:
    """Check whether each core has a processor."""
    text = f"{usable} for {cores} cores"
    if usable >= cores:
        return Check("processors", GOOD, text)
    return Check(
        "processors",
        NOTE,
        f"{text}: cores take turns",
        f"nothing for correct results; for speed use TPUREF_CORES={usable} or "
        f"tpuref run --cores {usable}",
    )


def memory(available: int, processes: int) -> Check:
    """Check whether the processes of the cores have enough memory."""
    if available >= UNLIMITED:
        return Check("memory", GOOD, "this system does not say how much is available")
    text = f"{available / 2**30:.1f} GiB available for {processes} processes"
    if available >= processes * BYTES_PER_PROCESS:
        return Check("memory", GOOD, text)
    return Check(
        "memory",
        PROBLEM,
        text,
        "use fewer processes (TPUREF_PROCESSES), or give the container more memory; "
        "/dev/shm is not used",
    )


def sum_over_cores(topology: Topology, executor: str) -> Check:
    """Start the cores as a program does, and sum a number from each."""
    import tpuref as tf

    cores = topology.num_cores
    begin = time.monotonic()
    try:
        with tf.Graph().as_default():
            total = tf.tpu.replicate(
                lambda x: tf.tpu.cross_replica_sum(x),
                [[float(n)] for n in range(cores)],
            )
            with tf.Session() as session:
                session.run(tf.tpu.initialize_system())
                sums = [float(result[0]) for result in session.run(total)]
                session.run(tf.tpu.shutdown_system())
    except (tf.errors.OpError, ValueError) as error:
        return Check("cores", PROBLEM, _first_line(error), _advice(str(error)))
    if sums != [cores * (cores - 1) / 2] * cores:
        return Check("cores", PROBLEM, f"the sum over {cores} cores is wrong: {sums}")
    seconds = time.monotonic() - begin
    text = f"{cores} started ({executor}) and summed in {seconds:.1f} s"
    return Check("cores", GOOD, text)


def refused_settings(error: Exception) -> Check:
    """Return the result for invalid settings."""
    return Check("settings", PROBLEM, _first_line(error), _advice(str(error)))


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _advice(message: str) -> str:
    code: Any = codes.PATTERN.search(message)
    return "" if code is None else f"tpuref explain {code[0]}"
