"""The TPU system, replicated computations, and the queues that feed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype, int32, string
from tpuref.base.errors import FailedPreconditionError
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.context import EffectContext, Systems
from tpuref.engine.ops.definition import (
    Block,
    BlockSpec,
    ControlFlow,
    Effects,
    Flow,
    OpDef,
    Operand,
    Place,
    Traits,
)
from tpuref.engine.ops.feeds import infer_core_take
from tpuref.engine.ops.meaning import Array

Sizes = tuple[int | None, ...]
Coordinates = tuple[int, ...]
Padding = tuple[tuple[str, tuple[tuple[int | None, bool], ...] | None], ...]
"""The name of each input, and the size of each dimension and whether it is bucketed."""
Assignment = tuple[tuple[Coordinates, ...], ...]
"""The coordinates of each core, by replica and logical core."""

# -- the system --------------------------------------------------------------------


def _topology(*, job: str | None, embedding_config: bytes) -> TensorSpec:
    return TensorSpec(unknown_shape(), string)


def _infer_shutdown(*, job: str | None) -> Sequence[TensorSpec]:
    return ()


def _initialize(context: EffectContext, **attrs: Any) -> Array:
    topology = np.empty((), object)
    topology[()] = _systems(context).initialize(context.instr)
    context.run.state.clear_device_queues()
    return topology


def _shutdown(context: EffectContext, **attrs: Any) -> Sequence[Array]:
    _systems(context).shutdown(context.instr)
    return ()


def _systems(context: EffectContext) -> Systems:
    systems: Systems | None = context.run.systems
    if systems is None:
        raise FailedPreconditionError(
            "the TPU system cannot be started, stopped or used from within a "
            "replicated computation; do it outside",
            code=codes.NESTED_COMPUTATION,
        )
    return systems


# -- replicated computations -------------------------------------------------------


@dataclass(frozen=True)
class Replication:
    """The attributes of a replicated computation.

    After the `inputs_per_replica` inputs of each replica come the captured inputs,
    which all replicas share.  `padding` has for each input of a replica its name and
    the shape to pad it to, or None; `assignment` the coordinates of each core, by
    replica and logical core, in the serialized `topology`.  Replicas run on the host
    instead of cores if `on_host`.
    """

    replicas: int
    inputs_per_replica: int = 0
    padding: Padding | None = None
    assignment: Assignment | None = None
    topology: bytes | None = None
    job: str | None = None
    xla_options: tuple[Any, ...] = ()
    on_host: bool = False

    @classmethod
    def of(cls, attrs: Mapping[str, Any]) -> Replication:
        """Return the attributes of an operation or instruction."""
        return cls(**attrs)

    def attrs(self) -> dict[str, Any]:
        """Return the attributes by name."""
        return dict(vars(self))


def _infer_replicate(
    *inputs: Operand,
    replicas: int,
    inputs_per_replica: int,
    padding: Padding | None,
    assignment: Assignment | None,
    topology: bytes | None,
    job: str | None,
    xla_options: tuple[Any, ...],
    blocks: Sequence[BlockSpec],
    on_host: bool = False,
) -> Sequence[TensorSpec]:
    return tuple(blocks[0].results) * replicas


def _replicate(context: EffectContext, *inputs: Array, **attrs: Any) -> Sequence[Array]:
    return _systems(context).replicate(context.instr, inputs, context.run)


def _own_and_captured(inputs: int, attrs: Mapping[str, Any]) -> int:
    wanted = Replication.of(attrs)
    own = wanted.inputs_per_replica
    return own + inputs - wanted.replicas * own


def _replica_input(*, index: int, dtype: str, shape: Sizes | None) -> TensorSpec:
    return TensorSpec(TensorShape(shape), as_dtype(dtype))


def _replica_id() -> TensorSpec:
    return TensorSpec(TensorShape([]), int32)


def _own_id(context: EffectContext) -> Array:
    return np.asarray(context.replica, np.int32)


# -- infeed ------------------------------------------------------------------------


def _infer_enqueue(
    *elements: Operand, queue: str, shard: int, device_ordinal: int
) -> Sequence[TensorSpec]:
    return ()


def _infer_close(*, queue: str) -> Sequence[TensorSpec]:
    return ()


def _enqueue(
    context: EffectContext, *elements: Array, queue: str, shard: int, **attrs: Any
) -> Sequence[Array]:
    context.run.state.infeed(queue).enqueue(shard, elements)
    return ()


def _dequeue(context: EffectContext, *, queue: str, **attrs: Any) -> Sequence[Array]:
    run = context.run
    taken: Sequence[Array] = run.state.infeed(queue).dequeue(
        context.replica, run.timeout, run.watch
    )
    return taken


def _close(context: EffectContext, *, queue: str) -> Sequence[Array]:
    context.run.state.infeed(queue).close()
    return ()


_op = partial(OpDef, gradient="effects")
_host = partial(_op, place=Place.HOST)

CONFIGURE = _host("ConfigureDistributedTPU", _topology, effects=Effects(_initialize))
SHUTDOWN = _host("ShutdownDistributedTPU", _infer_shutdown, effects=Effects(_shutdown))
REPLICATE = OpDef(
    "TPUReplicate",
    _infer_replicate,
    place=Place.HOST,
    control=ControlFlow(Flow.REPLICATION, (Block("computation", _own_and_captured),)),
    effects=Effects(_replicate),
)
REPLICA_ID = _op("ReplicaId", _replica_id, effects=Effects(_own_id), xla="replicas")
REPLICA_INPUT = _op("TPUReplicatedInput", _replica_input, traits=Traits(fed=True))

OPERATIONS: tuple[OpDef, ...] = (
    CONFIGURE,
    SHUTDOWN,
    REPLICATE,
    REPLICA_INPUT,
    REPLICA_ID,
    _host(
        "InfeedEnqueueTuple", _infer_enqueue, effects=Effects(_enqueue, fills="queue")
    ),
    _op(
        "InfeedDequeueTuple",
        infer_core_take,
        place=Place.CALL,
        effects=Effects(_dequeue, drains="queue"),
    ),
    _host("InfeedClose", _infer_close, effects=Effects(_close, fills="queue")),
)
