"""Agreement between processes before they compute together.

It uses the key-value store of `jax.distributed`.  Unlike a collective sum, the store
has a deadline, and it works while processes are at different places of their scripts.
"""

import itertools

import jax
from jax._src import distributed

from tpuref.base import error_codes as codes
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.configuration import config
from tpuref.engine.runtime.xla.digest import joint_digest
from tpuref.engine.runtime.xla.signature import Signature

_TURNS = itertools.count()


def exchange(what: str, said: str) -> list[str]:
    """Return one message from each process, in process order."""
    # The client has no public name in JAX. A counter makes the keys unique: all
    # processes exchange in the same order.
    service, turn = distributed.global_state.client, next(_TURNS)
    service.key_value_set(f"tpuref/{turn}/{jax.process_index()}", said)
    answers: list[str] = []
    for process in range(jax.process_count()):
        key = f"tpuref/{turn}/{process}"
        try:
            answers.append(
                service.blocking_key_value_get(key, int(config.timeout * 1e3))
            )
        except jax.errors.JaxRuntimeError as error:
            raise InvalidArgumentError(
                f"process {jax.process_index()} is about to run {what}, and within "
                f"{config.timeout:g} s process {process} is not: do all processes run "
                "the same script?",
                code=codes.PROCESSES_DIFFER,
            ) from error
    return answers


def agree(signature: Signature) -> None:
    """Check that all processes compile the same program."""
    last = signature.program.instrs[-1].site if signature.program.instrs else ""
    inputs = [f"{one.dtype}{list(one.shape)}" for one in signature.inputs]
    variables = [f"{v.handle} {v.dtype}{list(v.shape)}" for v in signature.variables]
    program = (
        f"a program of {len(signature.program.instrs)} operations, the last at {last}, "
        f"with the inputs {', '.join(inputs)} and the variables {', '.join(variables)}"
    )
    known = [str(one.known) for one in signature.inputs]
    digest = joint_digest(signature.program)
    said = exchange(program, " ".join([digest, *known, program]))
    for process, other in enumerate(said):
        if other != said[0]:
            raise InvalidArgumentError(
                "all processes must compile the same program. Process 0 has "
                f"{said[0][said[0].index('a program') :]}. Process {process} has "
                f"{other[other.index('a program') :]}",
                code=codes.PROCESSES_DIFFER,
            )
