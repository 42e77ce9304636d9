"""The TPU system and its infeed.  The interpreter carries these out on the host."""

from __future__ import annotations

from collections.abc import Sequence

from tpuref.base.dtypes import as_dtype, string
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.ops.definition import OpDef, Operand


def _topology(*, job: str | None, embedding_config: bytes) -> TensorSpec:
    return TensorSpec(unknown_shape(), string)


def _stopped(*, job: str | None) -> Sequence[TensorSpec]:
    return ()


def _enqueued(
    *elements: Operand, queue: str, shard: int, device_ordinal: int
) -> Sequence[TensorSpec]:
    return ()


def _dequeued(
    *, queue: str, dtypes: tuple[str, ...], shapes: tuple[tuple[int | None, ...], ...]
) -> Sequence[TensorSpec]:
    return tuple(
        TensorSpec(TensorShape(shape), as_dtype(dtype))
        for shape, dtype in zip(shapes, dtypes, strict=True)
    )


def _closed(*, queue: str) -> Sequence[TensorSpec]:
    return ()


OPERATIONS: tuple[OpDef, ...] = (
    OpDef("ConfigureDistributedTPU", infer=_topology, stateful=True),
    OpDef("ShutdownDistributedTPU", infer=_stopped, stateful=True),
    OpDef("InfeedEnqueueTuple", infer=_enqueued, stateful=True),
    OpDef("InfeedDequeueTuple", infer=_dequeued, stateful=True),
    OpDef("InfeedClose", infer=_closed, stateful=True),
)
