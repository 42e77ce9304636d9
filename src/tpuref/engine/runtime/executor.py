"""The executors of replicated programs: lockstep, the core pool, or XLA."""

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.extras import optional_module
from tpuref.engine.configuration import config
from tpuref.engine.ops.meaning import Array
from tpuref.engine.program import Program
from tpuref.engine.runtime.log import advice
from tpuref.engine.runtime.meaning.lockstep import Values, run_program
from tpuref.engine.runtime.meaning.run import Run
from tpuref.kernels import slab

_LOG = advice("executor")


class Executor(Protocol):
    """Runs programs for all replicas."""

    def run(self, program: Program, inputs: Values, run: Run) -> Values:
        """Run `program` for the replicas in `inputs` and return their results."""

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return an array to write an input to, where replicas can read it."""

    def close(self) -> None:
        """Stop all processes, even during a run."""

    def retire(self) -> None:
        """Stop all processes after the current run."""

    def is_sound(self) -> bool:
        """Return whether it is idle and ready for a run."""

    def stacks(self) -> str:
        """Say where each core is, if a run is under way in another thread."""


class Lockstep:
    """Runs all replicas step by step in this process."""

    def run(self, program: Program, inputs: Values, run: Run) -> Values:
        """Run `program` for the replicas in `inputs` and return their results."""
        # Never a view with strides: sums round by the order of elements in memory.
        whole: Values = {
            replica: [np.asarray(array, order="C") for array in arrays]
            for replica, arrays in inputs.items()
        }
        return run_program(program, whole, run)

    def empty(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
        """Return an array to write an input to."""
        return slab.empty(shape, dtype)

    def close(self) -> None:
        """Do nothing, as nothing was started."""

    def retire(self) -> None:
        """Do nothing, as nothing was started."""

    def is_sound(self) -> bool:
        """Return True, as nothing can break."""
        return True

    def stacks(self) -> str:
        """Say that there are only the threads of the host."""
        return "  lockstep: all replicas run in the thread of the host that runs them"


def _pool(cores: int) -> Executor:
    # Imported here, as lockstep saves its 55 ms (of 355 ms for runtime.system).
    from tpuref.engine.runtime.pool.host.pool import CorePool

    return CorePool(cores)


def _xla(cores: int) -> Executor:
    optional_module("jax", "tf.config.executor = 'xla'", "tpuref[xla]")
    # Imported here, as JAX is optional.
    from tpuref.engine.runtime.xla.executor import XlaExecutor

    return XlaExecutor()


def has_pool() -> bool:
    """Return whether this platform has the pool.

    It needs Linux, whose kernel ends the cores with the host (`pool.lifeline`).
    """
    return sys.platform.startswith("linux")


def available(name: str) -> str:
    """Return the executor to use: lockstep on platforms without the pool."""
    if name != "pool" or has_pool():
        return name
    _warn_of_lockstep(sys.platform)
    config.executor = "lockstep"  # so that it tells what runs
    return "lockstep"


@functools.cache
def _warn_of_lockstep(platform: str) -> None:
    _LOG.warning(
        "the core pool needs Linux, this is %s; lockstep runs all replicas in this "
        "process instead, with the same results. TPUREF_EXECUTOR=lockstep asks for it"
        " [%s]",
        platform,
        codes.NO_POOL_HERE,
    )


STARTS: dict[str, Callable[[int], Executor]] = {
    "lockstep": lambda cores: Lockstep(),
    "pool": _pool,
    "xla": _xla,
}
"""The executors by name; each function starts one with a number of cores."""
