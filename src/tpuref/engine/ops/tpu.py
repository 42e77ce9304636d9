"""The TPU system, replicated computations, and the queues that feed them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype, int32, string
from tpuref.base.errors import FailedPreconditionError
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.context import EffectContext, Systems
from tpuref.engine.ops.definition import Block, BlockSpec, OpDef, Operand, Place
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


def _infer_dequeue(
    *, queue: str, dtypes: tuple[str, ...], shapes: tuple[Sizes, ...]
) -> Sequence[TensorSpec]:
    return tuple(
        TensorSpec(TensorShape(shape), as_dtype(dtype))
        for shape, dtype in zip(shapes, dtypes, strict=True)
    )


def _infer_close(*, queue: str) -> Sequence[TensorSpec]:
    return ()


def _enqueue(
    context: EffectContext,
    *elements: Array,
    queue: str,
    shard: int,
    device_ordinal: int,
) -> Sequence[Array]:
    context.run.state.infeed(queue).enqueue(shard, elements)
    return ()


def _dequeue(
    context: EffectContext,
    *,
    queue: str,
    dtypes: tuple[str, ...],
    shapes: tuple[Sizes, ...],
) -> Sequence[Array]:
    run = context.run
    taken: Sequence[Array] = run.state.infeed(queue).dequeue(
        context.replica, run.timeout, run.watch
    )
    return taken


def _close(context: EffectContext, *, queue: str) -> Sequence[Array]:
    context.run.state.infeed(queue).close()
    return ()


CONFIGURE = OpDef(
    "ConfigureDistributedTPU", _topology, effect=_initialize, place=Place.HOST
)
SHUTDOWN = OpDef(
    "ShutdownDistributedTPU", _infer_shutdown, effect=_shutdown, place=Place.HOST
)
REPLICATE = OpDef(
    "TPUReplicate",
    _infer_replicate,
    effect=_replicate,
    place=Place.HOST,
    blocks=(Block("computation", _own_and_captured),),
)
REPLICA_ID = OpDef("ReplicaId", _replica_id, effect=_own_id)
REPLICA_INPUT = OpDef("TPUReplicatedInput", _replica_input, fed=True)

OPERATIONS: tuple[OpDef, ...] = (
    CONFIGURE,
    SHUTDOWN,
    REPLICATE,
    REPLICA_INPUT,
    REPLICA_ID,
    OpDef(
        "InfeedEnqueueTuple",
        _infer_enqueue,
        effect=_enqueue,
        place=Place.HOST,
        fills="queue",
    ),
    OpDef(
        "InfeedDequeueTuple",
        _infer_dequeue,
        effect=_dequeue,
        place=Place.CALL,
        drains="queue",
    ),
    OpDef("InfeedClose", _infer_close, effect=_close, place=Place.HOST, fills="queue"),
)
