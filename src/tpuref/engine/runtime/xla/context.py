"""The context of lowering: the state of one trace of a program by JAX."""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tpuref.base.errors import OpError
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.definition import Operand, outputs_of
from tpuref.engine.program import Instr, Program, users_of
from tpuref.engine.runtime.xla.placement import Placement
from tpuref.engine.runtime.xla.value import Value

Failure = tuple[Any, Any]
"""The number of the first failed check, 0 for none, and a flag for each replica."""

Describe = Callable[[list[int]], OpError]
"""Returns the error of a check that failed for some replicas."""


class Context(ABC):
    """The context that the lowerings of operations share.

    With `assumes_limit`, a loop that keeps the values of all turns makes as many as it
    may, if their number is not known.

    `variables` are the values of variables so far, `own` tells for each whether only
    one replica uses it; `host` runs host parts.  `drawn` lists the random operations
    that are drawn before the run, with their operands; `failures` describes the failure
    of each check; `failure` is the first failed check.  Host parts read and write it,
    which orders them.  `active` are the replicas that run the current branch or body,
    None for all.
    """

    assumes_limit = False

    def __init__(
        self,
        program: Program,
        placement: Placement,
        variables: Mapping[str, Value],
        host: Callable[..., Any],
    ) -> None:
        self.placement = placement
        self.replicas = placement.replicas
        self.variables = dict(variables)
        self.failures: list[Describe] = []
        self.failure: Failure = (
            jnp.zeros((), jnp.int32),
            self.placement.divided(jnp.zeros(self.replicas, jnp.bool_)),
        )
        self.drawn: list[tuple[Instr, list[Any]]] = []
        self.active: Value | None = None
        self.depth = 0
        self.host = host
        self.own = _own_variables(program)

    @abstractmethod
    def block(self, program: Program, inputs: Sequence[Value]) -> list[Value]:
        """Lower the instructions of a program and return its results."""

    @contextlib.contextmanager
    def within(self, active: Value | None) -> Iterator[None]:
        """Lower a branch or body that only the active replicas run."""
        before = self.active
        self.active, self.depth = active, self.depth + 1
        try:
            yield
        finally:
            self.active, self.depth = before, self.depth - 1

    @contextlib.contextmanager
    def trial(self) -> Iterator[None]:
        """Restore the variables and the first failure after a trace."""
        before = dict(self.variables), self.failure
        try:
            yield
        finally:
            self.variables, self.failure = before

    def both_active(self, mask: Value) -> Value:
        """Return the active replicas for which `mask` is true."""
        if self.active is None:
            return mask
        stacked = mask.stacked or self.active.stacked
        a, b = (v.as_stacked(stacked, self.replicas) for v in (mask, self.active))
        return Value(a & b, stacked)

    def fail_where(self, instr: Instr, wrong: Value, describe: Describe) -> None:
        """Record a failure where the flag is true for an active replica."""
        flags = wrong.rows(self.replicas)
        if self.active is not None:
            flags = flags & self.active.rows(self.replicas)
        if instr.replica is not None:
            flags = flags & (np.arange(self.replicas) == instr.replica)
        # Compiled code cannot raise. The first failed check is an output of the
        # program, and the error is raised after the run.
        number, where = self.failure
        self.failures.append(describe)
        first = (number == 0) & jnp.any(flags)
        self.failure = (
            jnp.where(first, jnp.int32(len(self.failures)), number),
            jnp.where(first, flags, where),
        )

    def specs(
        self,
        instr: Instr,
        inputs: Sequence[TensorSpec | None],
        values: Sequence[Value | None],
    ) -> list[TensorSpec]:
        """Return the specs of the outputs for the actual shapes of the inputs."""
        if instr.blocks or None in inputs:
            return list(instr.specs)
        operands = [
            Operand(spec.shape, spec.dtype, _if_known(value))
            for spec, value in zip(inputs, values, strict=True)
            if spec is not None
        ]
        inferred = outputs_of(instr.definition.infer(*operands, **instr.attrs))
        return [
            TensorSpec(a.shape.merge_with(b.shape), a.dtype)
            for a, b in zip(inferred, instr.specs, strict=True)
        ]


def _if_known(value: Value | None) -> Any:
    if value is None or not value.is_shared_and_known:
        return None
    return value.array


def _own_variables(program: Program) -> dict[str, bool]:
    """Return for each variable whether only one replica uses it."""
    users = users_of(program.all_instrs())
    return {handle: len(own) == 1 and None not in own for handle, own in users.items()}
