"""Advice for programs that run for long in the pool: the executor on XLA."""

import importlib.util

from tpuref.base import error_codes as codes
from tpuref.engine.runtime.log import advice
from tpuref.engine.runtime.pool.host.program_facts import RegisteredProgram

SECONDS = 20.0
"""A program that has run for longer is worth compiling."""

_LOG = advice("executor")
_told = False


def add_run(known: RegisteredProgram, seconds: float) -> None:
    """Count a run's seconds; the first program to reach the limit gets the advice."""
    global _told
    known.seconds += seconds
    if _told or known.seconds < SECONDS:
        return
    _told = True
    if not _is_compilable(known) or importlib.util.find_spec("jax") is None:
        return
    _LOG.warning(
        "%r has run for %.0f s in the core pool. The executor on XLA compiles "
        "programs, which makes many of them faster: TPUREF_EXECUTOR=xla, or "
        "tf.config.executor = 'xla'. To switch this advice off: "
        "logging.getLogger('tpuref.executor').setLevel('ERROR') [%s]",
        known.program.name,
        known.seconds,
        codes.WORTH_COMPILING,
    )


def _is_compilable(known: RegisteredProgram) -> bool:
    """Whether a program has no text and uses one logical core of each replica.

    The executor on XLA refuses more programs, but tells so only with JAX loaded.
    """
    return known.program.num_cores == 1 and not any(
        spec.dtype.name == "string"
        for instr in known.program.all_instrs()
        for spec in instr.specs
    )
