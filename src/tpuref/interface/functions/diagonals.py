"""Diagonals and bands of matrices."""

from __future__ import annotations

from typing import Any

from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor


def matrix_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Return square matrices with the given diagonals and zeros elsewhere.

    The result is a tensor of shape ``[..., n, n]``.  The diagonals have the shape
    ``[..., n]``.

    Examples
    --------
    >>> tf.Session().run(tf.matrix_diag([1, 2])).tolist()
    [[1, 0], [0, 2]]
    """
    return apply_one("MatrixDiag", diagonal, name=name)


def matrix_diag_part(input: Any, name: str | None = None) -> Tensor:
    """Return the diagonals of matrices.

    The result is a tensor of shape ``[..., min(m, n)]``.  The matrices have the shape
    ``[..., m, n]``.

    Examples
    --------
    >>> tf.Session().run(tf.matrix_diag_part([[1, 2, 3], [4, 5, 6]])).tolist()
    [1, 5]
    """
    return apply_one("MatrixDiagPart", input, name=name)


def matrix_band_part(
    input: Any, num_lower: Any, num_upper: Any, name: str | None = None
) -> Tensor:
    """Return matrices with all but a band around the diagonal set to zero.

    The result has the same shape and dtype.  `input` is a tensor of shape
    ``[..., m, n]``.  `num_lower` and `num_upper` are the number of diagonals to keep
    below and above the main one; negative keeps all.

    Examples
    --------
    >>> tf.Session().run(tf.matrix_band_part([[1, 2], [3, 4]], 0, -1)).tolist()
    [[1, 2], [0, 4]]
    """
    value = convert_to_tensor(input)
    lower, upper = convert_to_tensor(num_lower), convert_to_tensor(num_upper)
    return apply_one("MatrixBandPart", value, lower, upper, name=name)
