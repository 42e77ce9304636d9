"""Decompositions and inverses of square matrices, for each matrix of a batch.

They are those of LAPACK, which TensorFlow calls too; signs of vectors may differ from
its.  float16 and bfloat16 are not supported, as in TensorFlow.
"""

from functools import partial
from typing import Any

import numpy as np

from tpuref.base.dtypes import DType, complex64, complex128, float32, float64, int32
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.broadcasting import (
    Kind,
    require_kind,
    require_rank_at_least,
    require_same_dtype,
)
from tpuref.engine.ops.definition import OpDef, Operand
from tpuref.engine.ops.meaning import Array, ieee

_KINDS = Kind("float32, float64 or complex", (float32, float64, complex64, complex128))
_REAL = {complex64: float32, complex128: float64}
_COMPLEX = {float32: complex64, float64: complex128}

Dims = tuple[int | None, ...]


def _matrix(x: Operand, square: bool = False) -> tuple[DType, Dims | None]:
    dtype = require_kind(x, _KINDS)
    if require_rank_at_least(x, 2).rank is None:
        return dtype, None
    dims = x.shape.as_tuple()
    if square and None not in dims[-2:] and dims[-2] != dims[-1]:
        raise ValueError(f"expected square matrices, got {x.describe()}")
    return dtype, dims


def _spec(dims: Dims | None, dtype: DType) -> TensorSpec:
    return TensorSpec(unknown_shape() if dims is None else TensorShape(dims), dtype)


def _square(x: Operand) -> TensorSpec:
    dtype, dims = _matrix(x, square=True)
    return _spec(dims, dtype)


def _number(x: Operand) -> TensorSpec:
    dtype, dims = _matrix(x, square=True)
    return _spec(None if dims is None else dims[:-2], dtype)


def _two_numbers(x: Operand) -> list[TensorSpec]:
    return [_number(x), _number(x)]


def _infer_qr(x: Operand, *, full_matrices: bool = False) -> list[TensorSpec]:
    dtype, dims = _matrix(x)
    if dims is None:
        return [_spec(None, dtype)] * 2
    *batch, m, n = dims
    inner = m if full_matrices else _least(m, n)
    return [_spec((*batch, m, inner), dtype), _spec((*batch, inner, n), dtype)]


def _least(m: int | None, n: int | None) -> int | None:
    return None if m is None or n is None else min(m, n)


def _infer_svd(
    x: Operand, *, full_matrices: bool = False, compute_uv: bool = True
) -> list[TensorSpec]:
    dtype, dims = _matrix(x)
    real = _REAL.get(dtype, dtype)
    if dims is None:
        return [_spec(None, real), _spec(None, dtype), _spec(None, dtype)]
    *batch, m, n = dims
    p = _least(m, n)
    rows, columns = (m, n) if full_matrices else (p, p)
    empty = _spec((0,), dtype)
    u, v = _spec((*batch, m, rows), dtype), _spec((*batch, n, columns), dtype)
    return [_spec((*batch, p), real), *((u, v) if compute_uv else (empty, empty))]


def _infer_eigh(x: Operand) -> list[TensorSpec]:
    dtype, dims = _matrix(x, square=True)
    values = None if dims is None else dims[:-1]
    return [_spec(values, _REAL.get(dtype, dtype)), _spec(dims, dtype)]


def _infer_eig(x: Operand) -> list[TensorSpec]:
    dtype, dims = _matrix(x, square=True)
    result = _COMPLEX.get(dtype, dtype)
    return [_spec(None if dims is None else dims[:-1], result), _spec(dims, result)]


def _infer_lu(x: Operand) -> list[TensorSpec]:
    dtype, dims = _matrix(x, square=True)
    return [_spec(dims, dtype), _spec(None if dims is None else dims[:-1], int32)]


def _infer_solve(a: Operand, b: Operand, *, adjoint: bool = False) -> TensorSpec:
    dtype, dims = _matrix(a, square=True)
    require_same_dtype(a, b)
    _, other = _matrix(b)
    if dims is None or other is None:
        return _spec(None, dtype)
    batch = max(dims, other, key=len)[:-2]
    return _spec((*batch, dims[-1], other[-1]), dtype)


def _infer_triangular(
    a: Operand, b: Operand, *, lower: bool = True, adjoint: bool = False
) -> TensorSpec:
    return _infer_solve(a, b)


def _qr(x: Array, *, full_matrices: bool = False) -> Any:
    return tuple(np.linalg.qr(x, "complete" if full_matrices else "reduced"))


def _svd(x: Array, *, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    if not compute_uv:
        empty = np.empty((0,), x.dtype)
        return np.linalg.svd(x, compute_uv=False), empty, empty
    u, s, vh = np.linalg.svd(x, full_matrices)
    return s, u, _adjoint(vh)


def _eigh(x: Array) -> Any:
    return tuple(np.linalg.eigh(x))


def _eig(x: Array) -> Any:
    narrow = x.dtype.itemsize == 4 or x.dtype == np.complex64
    kind = np.complex64 if narrow else np.complex128
    values, vectors = np.linalg.eig(x)
    return values.astype(kind), vectors.astype(kind)


def _log_determinant(x: Array) -> Any:
    sign, log = np.linalg.slogdet(x)
    return np.asarray(sign, x.dtype), np.asarray(log, x.dtype)


def _adjoint(x: Array) -> Array:
    return np.conj(np.swapaxes(x, -1, -2))


def _solve(a: Array, b: Array, *, adjoint: bool = False) -> Array:
    return np.linalg.solve(_adjoint(a) if adjoint else a, b)


def _triangular(
    a: Array, b: Array, *, lower: bool = True, adjoint: bool = False
) -> Array:
    return _solve(np.tril(a) if lower else np.triu(a), b, adjoint=adjoint)


def _lu(x: Array) -> Any:
    """Eliminate with the largest pivot of each column."""
    work, n = x.copy(), x.shape[-1]
    order = np.broadcast_to(np.arange(n, dtype=np.int32), x.shape[:-1]).copy()
    flat, orders = work.reshape(-1, n, n), order.reshape(-1, n)
    for matrix, rows in zip(flat, orders, strict=True):
        for k in range(n):
            pivot = k + int(np.argmax(np.abs(matrix[k:, k])))
            if pivot != k:
                matrix[[k, pivot]], rows[[k, pivot]] = (
                    matrix[[pivot, k]],
                    rows[[pivot, k]],
                )
            if matrix[k, k]:
                matrix[k + 1 :, k] /= matrix[k, k]
                matrix[k + 1 :, k + 1 :] -= np.outer(
                    matrix[k + 1 :, k], matrix[k, k + 1 :]
                )
    return flat.reshape(x.shape), orders.reshape(x.shape[:-1])


def _guard(function: Any) -> Any:
    """Raise the error of the operation where a matrix has no result."""

    def compute(*arrays: Array, **attrs: Any) -> Any:
        try:
            return function(*arrays, **attrs)
        except np.linalg.LinAlgError as error:
            raise ValueError(f"input is not valid: {error}") from None

    return ieee(compute)


_op = partial(OpDef, gradient="decompositions")

OPERATIONS: tuple[OpDef, ...] = (
    _op("Cholesky", _square, compute=_guard(np.linalg.cholesky)),
    _op("MatrixInverse", _square, compute=_guard(np.linalg.inv)),
    _op("MatrixDeterminant", _number, compute=_guard(np.linalg.det)),
    _op("LogMatrixDeterminant", _two_numbers, compute=_guard(_log_determinant)),
    _op("MatrixSolve", _infer_solve, compute=_guard(_solve)),
    _op("MatrixTriangularSolve", _infer_triangular, compute=_guard(_triangular)),
    OpDef("Qr", _infer_qr, compute=_guard(_qr)),
    OpDef("Svd", _infer_svd, compute=_guard(_svd)),
    OpDef("SelfAdjointEigV2", _infer_eigh, compute=_guard(_eigh)),
    OpDef("Eig", _infer_eig, compute=_guard(_eig)),
    OpDef("Lu", _infer_lu, compute=_guard(_lu)),
)
