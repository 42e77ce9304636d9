"""Operations on the diagonals of matrices."""

from functools import partial
from typing import Any

import numpy as np

from tpuref.base.spec import TensorSpec
from tpuref.engine.ops import broadcasting
from tpuref.engine.ops.creation import zeros_like
from tpuref.engine.ops.definition import OpDef, Operand
from tpuref.engine.ops.meaning import Array, ieee
from tpuref.engine.ops.sizes import require_index_scalar


def _infer_matrix_diag(diagonal: Operand) -> TensorSpec:
    shape = broadcasting.require_rank_at_least(diagonal, 1)
    if shape.rank is None:
        return TensorSpec(None, diagonal.dtype)
    return TensorSpec(shape.concatenate([shape[-1]]), diagonal.dtype)


def _matrix_diag(diagonal: Array) -> Array:
    size = diagonal.shape[-1]
    result = zeros_like(np.broadcast_to(diagonal[..., None], (*diagonal.shape, size)))
    result[..., np.arange(size), np.arange(size)] = diagonal
    return result


def _infer_matrix_diag_part(x: Operand) -> TensorSpec:
    shape = broadcasting.require_rank_at_least(x, 2)
    if shape.rank is None:
        return TensorSpec(None, x.dtype)
    rows, columns = shape.as_tuple()[-2:]
    size = None if rows is None or columns is None else min(rows, columns)
    return TensorSpec(shape[:-2].concatenate([size]), x.dtype)


def _matrix_diag_part(xp: Any, x: Array) -> Any:
    return xp.diagonal(x, axis1=-2, axis2=-1).copy()


def _infer_band_part(x: Operand, lower: Operand, upper: Operand) -> TensorSpec:
    require_index_scalar(lower)
    require_index_scalar(upper)
    broadcasting.require_kind(x, broadcasting.NUMERIC_OR_BOOL)
    return TensorSpec(broadcasting.require_rank_at_least(x, 2), x.dtype)


def _band_part(xp: Any, x: Array, lower: Array, upper: Array) -> Any:
    rows, columns = x.shape[-2:]
    distance = xp.arange(columns) - xp.arange(rows)[:, None]
    inside = xp.ones((rows, columns), bool)
    if lower >= 0:
        inside &= -distance <= lower
    if upper >= 0:
        inside &= distance <= upper
    return xp.where(inside, x, xp.zeros((), x.dtype))


_op = partial(OpDef, gradient="arrays")

OPERATIONS: tuple[OpDef, ...] = (
    _op(
        "MatrixDiag", infer=_infer_matrix_diag, compute=ieee(_matrix_diag), xla="arrays"
    ),
    _op("MatrixDiagPart", infer=_infer_matrix_diag_part, meaning=_matrix_diag_part),
    _op("MatrixBandPart", infer=_infer_band_part, meaning=_band_part),
)
