"""Iterators over datasets.  The interpreter carries these out on the host."""

from __future__ import annotations

from collections.abc import Sequence

from tpuref.base.dtypes import as_dtype
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.ops.definition import OpDef, Operand


def _made(*captured: Operand, iterator: str, token: int) -> Sequence[TensorSpec]:
    return ()


def _next(
    *,
    iterator: str,
    token: int | None,
    dtypes: tuple[str, ...],
    shapes: tuple[tuple[int | None, ...] | None, ...],
) -> Sequence[TensorSpec]:
    return tuple(
        TensorSpec(TensorShape(shape), as_dtype(dtype))
        for shape, dtype in zip(shapes, dtypes, strict=True)
    )


def _begun(
    steps: Operand,
    *,
    feed: str,
    iterator: str,
    token: int | None,
    towers: int,
    width: int,
) -> Sequence[TensorSpec]:
    return ()


def _fed(
    *, feed: str, dtypes: tuple[str, ...], shapes: tuple[tuple[int | None, ...], ...]
) -> Sequence[TensorSpec]:
    return tuple(
        TensorSpec(TensorShape(shape), as_dtype(dtype))
        for shape, dtype in zip(shapes, dtypes, strict=True)
    )


OPERATIONS: tuple[OpDef, ...] = (
    OpDef("MakeIterator", infer=_made, stateful=True),
    OpDef("IteratorGetNext", infer=_next, stateful=True),
    OpDef("FeedBegin", infer=_begun, stateful=True),
    OpDef("FeedDequeue", infer=_fed, stateful=True),
)
