"""Diagonals and bands of matrices."""

import functools
import operator
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import bool_
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_integer
from tpuref.interface.functions.creation import ones_like
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.repetition import pad
from tpuref.interface.functions.reshaping import reshape
from tpuref.interface.functions.selection import where_v2


def matrix_diag(
    diagonal: Any,
    name: str | None = None,
    k: int = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Return matrices with the given diagonals.

    The diagonals have the shape ``[..., n]``, and the matrices are square by default.
    `k` is the place of the diagonal above the main one; bands are not supported.
    `num_rows` and `num_cols` are the sizes of the matrices; by default the least.
    `padding_value` is the value of all other elements.  `align` is accepted for
    compatibility: it concerns bands.

    Examples
    --------
    >>> tf.Session().run(tf.linalg.diag([1, 2], k=1)).tolist()
    [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    """
    result: Tensor = apply_one("MatrixDiag", diagonal, name=name)
    shift = static_integer(k, "tf.linalg.diag: k")
    if not shift and num_rows == num_cols == -1 and not np.any(padding_value):
        return result
    mask = apply_one("MatrixDiag", ones_like(convert_to_tensor(diagonal), bool_))
    before = max(-shift, 0), max(shift, 0)
    paddings: list[list[Any]] = [[0, 0] for _ in result.shape.as_list()]
    for axis, wanted in ((-2, num_rows), (-1, num_cols)):
        rest = wanted - _sizes(result)[axis] - before[axis]
        paddings[axis] = [before[axis], before[-3 - axis] if wanted == -1 else rest]
    result, mask = pad(result, paddings), pad(mask, paddings)
    return where_v2(mask, result, convert_to_tensor(padding_value, result.dtype))


def matrix_diag_part(
    input: Any,
    name: str | None = None,
    k: int = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Return the diagonals of matrices, `k` above the main one.

    The result is a tensor of shape ``[..., min(m, n)]`` for matrices of shape
    ``[..., m, n]``.  `padding_value` and `align` are accepted for compatibility: they
    concern bands of several diagonals, which are not supported.

    Examples
    --------
    >>> tf.Session().run(tf.matrix_diag_part([[1, 2, 3], [4, 5, 6]])).tolist()
    [1, 5]
    """
    shift = static_integer(k, "tf.linalg.diag_part: k")
    value = convert_to_tensor(input)
    if shift:
        value = value[..., max(-shift, 0) :, max(shift, 0) :]
    return apply_one("MatrixDiagPart", value, name=name)


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
