"""Diagonals and bands of matrices."""

from __future__ import annotations

import functools
import operator
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.reshaping import reshape


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


def _sizes(value: Tensor) -> list[Any]:
    """Return the sizes of a tensor, those that only a run knows as tensors."""
    known = enumerate(value.shape.as_list())
    return [shape(value)[k] if size is None else size for k, size in known]


def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Return a tensor with the elements of another where its indices repeat.

    A vector gives a diagonal matrix; a tensor of shape ``s`` gives one of shape
    ``s + s``, which is zero but for ``result[i, ..., i, ...] = diagonal[i, ...]``.

    Examples
    --------
    >>> tf.Session().run(tf.diag([1, 2])).tolist()
    [[1, 0], [0, 2]]
    """
    value = convert_to_tensor(diagonal)
    sizes = _sizes(value)
    return reshape(matrix_diag(reshape(value, [-1])), [*sizes, *sizes], name=name)


def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """Return the elements whose indices repeat: the inverse of `tf.diag`.

    It raises ValueError if the shape is not some sizes twice.

    Examples
    --------
    >>> tf.Session().run(tf.diag_part([[1, 2], [3, 4]])).tolist()
    [1, 4]
    """
    value = convert_to_tensor(input)
    known = value.shape.as_list() if value.shape.rank else []
    half = len(known) // 2
    pairs = zip(known[:half], known[half:], strict=False)
    if (
        len(known) % 2
        or not known
        or any(None not in pair and pair[0] != pair[1] for pair in pairs)
    ):
        raise codes.WRONG_SHAPE.value_error(
            f"tf.diag_part: input {value.describe()}: expected some sizes twice, such "
            "as [2, 3, 2, 3]"
        )
    sizes = _sizes(value)[:half]
    size = functools.reduce(operator.mul, sizes)
    return reshape(matrix_diag_part(reshape(value, [size, size])), sizes, name=name)


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
