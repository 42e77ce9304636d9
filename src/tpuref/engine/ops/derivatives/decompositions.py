"""Gradients of inverses, determinants and solutions."""

from typing import Any

import numpy as np

from tpuref.engine.ops.derivatives.rule import Applied, Apply, Rule, Tensor


def _product(apply: Apply, a: Tensor, b: Tensor, **turned: bool) -> Tensor:
    return apply("MatMul", a, b, **turned)


def _as_matrix(apply: Apply, x: Tensor) -> Tensor:
    return apply("ExpandDims", apply("ExpandDims", x, axis=-1), axis=-1)


def _adjoint(apply: Apply, x: Tensor) -> Tensor:
    identity = np.eye(x.shape.as_list()[-1] or 0, dtype=x.dtype.np)
    return apply("MatMul", x, identity, adjoint_a=True)


def _cholesky(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    """Return the symmetric gradient, as Murray's paper of 2016 derives it."""
    y = op.outputs[0]
    n = y.shape.as_list()[-1] or 0
    half = np.tril(np.ones([n, n])) - np.eye(n) / 2
    middle = _product(apply, y, dy, adjoint_a=True) * half.astype(y.dtype.np)
    inverse = apply("MatrixInverse", y)
    left = _product(apply, inverse, middle, adjoint_a=True)
    gradient = _product(apply, left, inverse)
    return (gradient + _adjoint(apply, gradient)) * np.asarray(0.5, y.dtype.np)


def _inverse(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    y = op.outputs[0]
    return -_product(apply, _product(apply, y, dy, adjoint_a=True), y, adjoint_b=True)


def _determinant(apply: Apply, op: Applied, dy: Tensor) -> Tensor:
    inverse = _adjoint(apply, apply("MatrixInverse", op.inputs[0]))
    return inverse * _as_matrix(apply, dy * op.outputs[0])


def _log_determinant(apply: Apply, op: Applied, dsign: Any, dlog: Tensor) -> Any:
    if dlog is None:
        return None
    inverse = _adjoint(apply, apply("MatrixInverse", op.inputs[0]))
    return inverse * _as_matrix(apply, dlog)


def _solve(apply: Apply, op: Applied, dy: Tensor) -> Any:
    """Return da = -db y* and db = (a*)^-1 dy, where a y = b."""
    y, adjoint = op.outputs[0], op.attrs["adjoint"]
    attrs = {**op.attrs, "adjoint": not adjoint}
    db = apply(op.type, op.inputs[0], dy, **attrs)
    first, second = (y, db) if adjoint else (db, y)
    da = -_product(apply, first, second, adjoint_b=True)
    if "lower" in op.attrs:
        n = da.shape.as_list()[-1] or 0
        part = np.tril if op.attrs["lower"] else np.triu
        da = da * part(np.ones([n, n], da.dtype.np))
    return da, db


RULES: dict[str, Rule] = {
    "Cholesky": _cholesky,
    "MatrixInverse": _inverse,
    "MatrixDeterminant": _determinant,
    "LogMatrixDeterminant": _log_determinant,
    "MatrixSolve": _solve,
    "MatrixTriangularSolve": _solve,
}
