"""Operations that act outside the program: Python calls, printing, assertions."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from tpuref.base.dtypes import as_dtype, bool_
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.ops.definition import Array, OpDef, Operand


def _called(
    *operands: Operand, token: int, dtypes: tuple[str, ...]
) -> Sequence[TensorSpec]:
    return tuple(TensorSpec(unknown_shape(), as_dtype(dtype)) for dtype in dtypes)


def _passed_through(x: Operand, *data: Operand, **attrs: object) -> TensorSpec:
    return TensorSpec(x.shape, x.dtype)


def _print(x: Array, *data: Array, message: str, summarize: int) -> Array:
    shown = "".join(f"[{_summary(values, summarize)}]" for values in data)
    print(f"{message}{shown}", file=sys.stderr)
    return x


def _summary(values: Array, count: int) -> str:
    flat = np.ravel(values)
    text = " ".join(_text(value) for value in flat[:count])
    return text + ("..." if flat.size > count else "")


def _text(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _asserted(
    condition: Operand, *data: Operand, summarize: int
) -> Sequence[TensorSpec]:
    if condition.dtype != bool_:
        raise TypeError(f"the condition must be bool, got {condition.describe()}")
    return ()


def _assert(condition: Array, *data: Array, summarize: int) -> Sequence[Array]:
    if not np.all(condition):
        shown = " ".join(f"[{_summary(values, summarize)}]" for values in data)
        raise InvalidArgumentError(f"assertion failed: {shown}")
    return ()


OPERATIONS: tuple[OpDef, ...] = (
    OpDef("PyFunc", infer=_called, stateful=True),
    OpDef("Print", infer=_passed_through, compute=_print, stateful=True),
    OpDef("Assert", infer=_asserted, compute=_assert, stateful=True),
)
