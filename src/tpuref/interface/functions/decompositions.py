"""Decompositions of matrices, inverses and determinants."""

from typing import Any, NamedTuple

import numpy as np

from tpuref.base.dtypes import int32
from tpuref.engine.graph.build import apply, apply_all, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.complex_numbers import conj
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.linalg import matmul
from tpuref.interface.functions.reductions import reduce_max, reduce_sum
from tpuref.interface.functions.reshaping import expand_dims, matrix_transpose
from tpuref.interface.functions.selection import where_v2


class SignAndLogarithm(NamedTuple):
    """The result of `slogdet`."""

    sign: Tensor
    log_abs_determinant: Tensor


class OrthonormalAndTriangular(NamedTuple):
    """The result of `qr`."""

    q: Tensor
    r: Tensor


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """Return the lower triangle whose product with its adjoint is a matrix.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).numpy().tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    return apply_one("Cholesky", input, name=name)


def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Return the inverse of a matrix, or that of its adjoint."""
    inverse = apply_one("MatrixInverse", input, name=name)
    return _adjoint(inverse) if adjoint else inverse


def det(input: Any, name: str | None = None) -> Tensor:
    """Return the determinant of a matrix.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     round(float(tf.linalg.det([[4.0, 2.0], [2.0, 5.0]])), 4)
    16.0
    """
    return apply_one("MatrixDeterminant", input, name=name)


def slogdet(input: Any, name: str | None = None) -> SignAndLogarithm:
    """Return the sign of a determinant, and the logarithm of its size."""
    return SignAndLogarithm(*apply_all("LogMatrixDeterminant", input, name=name))


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """Return the logarithm of the determinant of a positive matrix."""
    diagonal: Tensor = apply("MatrixDiagPart", cholesky(matrix))
    return reduce_sum(apply("Log", diagonal), axis=-1) * 2.0


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """Return the transposed and conjugated matrix."""
    return conj(matrix_transpose(convert_to_tensor(matrix)), name=name)


_adjoint = adjoint


def qr(
    input: Any, full_matrices: bool = False, name: str | None = None
) -> OrthonormalAndTriangular:
    """Return orthonormal columns and an upper triangle whose product is a matrix."""
    factors = apply_all("Qr", input, full_matrices=full_matrices, name=name)
    return OrthonormalAndTriangular(*factors)


def svd(
    tensor: Any,
    full_matrices: bool = False,
    compute_uv: bool = True,
    name: str | None = None,
) -> Any:
    """Return the singular values, and by default the vectors ``u`` and ``v``."""
    attrs = {"full_matrices": full_matrices, "compute_uv": compute_uv}
    factors = apply_all("Svd", tensor, name=name, **attrs)
    return tuple(factors) if compute_uv else factors[0]


def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, ...]:
    """Return the eigenvalues, ascending, and the vectors of a self-adjoint matrix."""
    return tuple(apply_all("SelfAdjointEigV2", tensor, name=name))


def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """Return the eigenvalues of a self-adjoint matrix, ascending."""
    return eigh(tensor, name)[0]


def eig(tensor: Any, name: str | None = None) -> tuple[Tensor, ...]:
    """Return the complex eigenvalues and vectors of a matrix."""
    return tuple(apply_all("Eig", tensor, name=name))


def lu(
    input: Any, output_idx_type: Any = int32, name: str | None = None
) -> tuple[Tensor, ...]:
    """Return both triangles of a matrix in one, and the order of its rows.

    `output_idx_type` is the dtype of the order.
    """
    triangles, order = apply_all("Lu", input, name=name)
    return triangles, cast(order, output_idx_type)


def solve(
    matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Return the solution of ``matrix @ x = rhs``.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [[2.0], [2.0]]).numpy().tolist()
    [[1.0], [0.5]]
    """
    return apply_one("MatrixSolve", matrix, rhs, adjoint=adjoint, name=name)


def triangular_solve(
    matrix: Any,
    rhs: Any,
    lower: bool = True,
    adjoint: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the solution of ``matrix @ x = rhs`` for one triangle of a matrix."""
    return apply_one(
        "MatrixTriangularSolve", matrix, rhs, lower=lower, adjoint=adjoint, name=name
    )


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """Return the solution of ``a @ x = rhs`` for the result of `cholesky` of ``a``."""
    inner = triangular_solve(chol, rhs, lower=True)
    return triangular_solve(chol, inner, lower=True, adjoint=True, name=name)


def _tolerance(values: Tensor, a: Tensor, tol: Any) -> Any:
    if tol is not None:
        return expand_dims(convert_to_tensor(tol, values.dtype), -1)
    sizes = [n or 0 for n in a.shape.as_list()[-2:]]
    least = float(np.finfo(values.dtype.as_numpy_dtype).eps) * max(sizes)
    return reduce_max(values, axis=-1, keepdims=True) * least


def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Return the number of singular values above a tolerance, int32."""
    x = convert_to_tensor(a)
    values: Tensor = svd(x, compute_uv=False)
    above: Tensor = apply("Cast", values > _tolerance(values, x, tol), dtype="int32")
    return reduce_sum(above, axis=-1)


def pinv(
    a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """Return the pseudo-inverse of a matrix, which ignores small singular values."""
    x = convert_to_tensor(a)
    values, u, v = svd(x)
    sizes = [n or 0 for n in x.shape.as_list()[-2:]]
    eps = float(np.finfo(values.dtype.as_numpy_dtype).eps)
    share = 10.0 * max(sizes) * eps if rcond is None else rcond
    least = reduce_max(values, axis=-1, keepdims=True) * share
    inverse = where_v2(values > least, 1 / values, values * 0)
    scaled = v * expand_dims(apply("Cast", inverse, dtype=x.dtype.name), -2)
    return matmul(scaled, u, adjoint_b=True)
