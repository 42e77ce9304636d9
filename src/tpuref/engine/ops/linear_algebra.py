"""Products of matrices and tensors, which sum over the axes that they share.

float16 and bfloat16 accumulate in float32 and are rounded once.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from tpuref.base.dtypes import DType
from tpuref.base.shapes import TensorShape, unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.arithmetic import widened
from tpuref.engine.ops.broadcasting import (
    FLOATING,
    NUMERIC,
    broadcast_pair,
    describe_all,
    normalize_axis,
    require_kind,
    require_rank,
    require_rank_at_least,
    require_same_dtype,
)
from tpuref.engine.ops.definition import Batching, OpDef, Operand
from tpuref.engine.ops.meaning import Array
from tpuref.kernels import products

Dims = tuple[int | None, ...]


def _product_dtype(*operands: Operand) -> DType:
    require_kind(operands[0], NUMERIC)
    return require_same_dtype(*operands)


# Products of matrices.


def matmul(
    a: Operand,
    b: Operand,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> TensorSpec:
    """Infer a product of matrices, batched over the axes before the last two.

    A vector counts as a row on the left and as a column on the right, and the axis
    added so is taken away from the product, as in NumPy.
    """
    dtype = _product_dtype(a, b)
    left = _matrix_dims(a, transpose_a or adjoint_a)
    right = _matrix_dims(b, transpose_b or adjoint_b)
    if left is None or right is None:
        return TensorSpec(unknown_shape(), dtype)
    inner = right[-2] if len(right) > 1 else right[0]
    _require_equal(left[-1], inner, a, b)
    if len(right) == 1:
        return TensorSpec(left[:-1], dtype)
    if len(left) == 1:
        return TensorSpec(right[:-2] + right[-1:], dtype)
    batch = _batch_shape(a, b, left[:-2], right[:-2])
    return TensorSpec(batch.concatenate([left[-2], right[-1]]), dtype)


def _matrix_dims(operand: Operand, transposed: bool) -> Dims | None:
    shape = require_rank_at_least(operand, 2 if transposed else 1)
    if shape.rank is None:
        return None
    dims = shape.as_tuple()
    return (*dims[:-2], dims[-1], dims[-2]) if transposed else dims


def _require_equal(m: int | None, n: int | None, a: Operand, b: Operand) -> None:
    if m is not None and n is not None and m != n:
        raise ValueError(
            f"the inner dimensions {m} and {n} of {describe_all(a, b)} differ; the "
            "columns of the first and the rows of the second must be as many"
        )


def _batch_shape(a: Operand, b: Operand, left: Dims, right: Dims) -> TensorShape:
    batch = broadcast_pair(TensorShape(left), TensorShape(right))
    if batch is None:
        raise ValueError(
            f"the batch dimensions of {describe_all(a, b)} do not broadcast"
        )
    return batch


def _matmul(
    xp: Any,
    a: Array,
    b: Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    out: Array | None = None,
) -> Any:
    left = _orient(xp, widened(a), transpose_a, adjoint_a)
    right = _orient(xp, widened(b), transpose_b, adjoint_b)
    if xp is np and left.dtype == a.dtype:
        return products.multiply(left, right, out)
    return xp.matmul(left, right).astype(a.dtype, copy=False)


def _orient(xp: Any, matrix: Array, transpose: bool, adjoint: bool) -> Any:
    turned = matrix.swapaxes(-1, -2) if transpose or adjoint else matrix
    return xp.asarray(xp.conj(turned)) if adjoint else turned


# Products of tensors.


def tensordot(
    a: Operand, b: Operand, *, axes_a: tuple[int, ...], axes_b: tuple[int, ...]
) -> TensorSpec:
    """Infer the sum of products over pairs of axes of `a` and `b`."""
    dtype = _product_dtype(a, b)
    if len(axes_a) != len(axes_b):
        raise ValueError(
            f"expected as many axes of the first as of the second, got {list(axes_a)} "
            f"and {list(axes_b)}"
        )
    summed_a = _summed_axes(a, axes_a)
    summed_b = _summed_axes(b, axes_b)
    if summed_a is None or summed_b is None:
        return TensorSpec(unknown_shape(), dtype)
    dims_a, dims_b = a.shape.as_tuple(), b.shape.as_tuple()
    for i, j in zip(summed_a, summed_b, strict=True):
        _require_equal_axes(i, j, a, b, dims_a[i], dims_b[j])
    free_a = [dim for k, dim in enumerate(dims_a) if k not in summed_a]
    free_b = [dim for k, dim in enumerate(dims_b) if k not in summed_b]
    return TensorSpec(TensorShape(free_a + free_b), dtype)


def _summed_axes(operand: Operand, axes: tuple[int, ...]) -> tuple[int, ...] | None:
    rank = operand.shape.rank
    if rank is None:
        return None
    summed = tuple(normalize_axis(axis, rank) for axis in axes)
    if len(set(summed)) < len(summed):
        raise ValueError(f"axes {list(axes)} of {operand.describe()} repeat an axis")
    return summed


def _require_equal_axes(
    i: int, j: int, a: Operand, b: Operand, m: int | None, n: int | None
) -> None:
    if m is not None and n is not None and m != n:
        raise ValueError(
            f"axis {i} of {a.describe()} and axis {j} of {b.describe()} are summed "
            f"together but have sizes {m} and {n}"
        )


def _tensordot(
    xp: Any, a: Array, b: Array, *, axes_a: tuple[int, ...], axes_b: tuple[int, ...]
) -> Any:
    product = xp.tensordot(widened(a), widened(b), (axes_a, axes_b))
    return xp.asarray(product).astype(a.dtype, copy=False)


# Sums in index notation.


def einsum(*operands: Operand, equation: str) -> TensorSpec:
    """Infer a sum of products over the labels that the result does not have."""
    dtype = _product_dtype(*operands)
    terms, result = parse_equation(equation, len(operands))
    shapes = [operand.shape for operand in operands]
    return TensorSpec(_einsum_shape(equation, terms, result, shapes), dtype)


def parse_equation(equation: str, count: int) -> tuple[list[str], str]:
    """Return the labels of each input and of the result; ``.`` is the ellipsis.

    ValueError if the equation is malformed or does not have `count` inputs.

    >>> parse_equation("...ij, jk -> ...ik", 2)
    (['.ij', 'jk'], '.ik')
    """
    left, arrow, right = equation.replace(" ", "").replace("...", ".").partition("->")
    terms = left.split(",")
    if len(terms) != count:
        raise ValueError(
            f"the equation {equation!r} has {len(terms)} inputs, but {count} are given"
        )
    result = right if arrow else _implicit_result(terms)
    for term in (*terms, result):
        _check_term(equation, term)
    missing = sorted(set(result) - set("".join(terms)))
    if missing or len(set(result)) < len(result):
        raise ValueError(
            f"the result {result!r} of the equation {equation!r} must have labels of "
            "the inputs, each once"
        )
    return terms, result


def _implicit_result(terms: Sequence[str]) -> str:
    labels = "".join(terms).replace(".", "")
    once = sorted(label for label in set(labels) if labels.count(label) == 1)
    return ("." if "." in "".join(terms) else "") + "".join(once)


def _check_term(equation: str, term: str) -> None:
    labels = term.replace(".", "")
    if term.count(".") > 1 or not (labels == "" or labels.isalpha()):
        raise ValueError(
            f"the part {term!r} of the equation {equation!r} is malformed; expected "
            "letters and at most one ellipsis (...)"
        )


def _einsum_shape(
    equation: str, terms: Sequence[str], result: str, shapes: Sequence[TensorShape]
) -> TensorShape:
    sizes: dict[str, int | None] = {}
    batch: TensorShape | None = TensorShape([])
    for term, shape in zip(terms, shapes, strict=True):
        ellipsis = _read_term(equation, term, shape, sizes)
        batch = None if batch is None else broadcast_pair(batch, ellipsis)
    if batch is None:
        raise ValueError(f"the axes at '...' in {equation!r} do not broadcast")
    before, dots, after = result.partition(".")
    middle = batch if dots else TensorShape([])
    head = TensorShape([sizes[label] for label in before])
    return head.concatenate(middle).concatenate([sizes[label] for label in after])


def _read_term(
    equation: str, term: str, shape: TensorShape, sizes: dict[str, int | None]
) -> TensorShape:
    """Note the size of each label in `sizes` and return the shape at the ellipsis."""
    before, dots, after = term.partition(".")
    if shape.rank is None:
        for label in before + after:
            sizes.setdefault(label, None)
        return unknown_shape() if dots else TensorShape([])
    named = len(before) + len(after)
    if shape.rank < named or (shape.rank > named and not dots):
        raise ValueError(
            f"{term!r} in the equation {equation!r} has not {shape.rank} "
            f"labels, the rank of {shape}"
        )
    dims = shape.as_tuple()
    tail = len(dims) - len(after)
    labelled = zip(before + after, dims[: len(before)] + dims[tail:], strict=True)
    for label, dim in labelled:
        _note_size(equation, label, dim, sizes)
    return TensorShape(dims[len(before) : tail])


def _note_size(
    equation: str, label: str, dim: int | None, sizes: dict[str, int | None]
) -> None:
    known = sizes.get(label)
    if known is not None and dim is not None and known != dim:
        raise ValueError(
            f"label {label!r} of the equation {equation!r} has the sizes {known} and "
            f"{dim}"
        )
    sizes[label] = known if dim is None else dim


def _einsum(xp: Any, *arrays: Array, equation: str) -> Any:
    terms, result = parse_equation(equation, len(arrays))
    # NumPy stretches a size of 1 where a label has another size elsewhere; we do not.
    _einsum_shape(equation, terms, result, [TensorShape(a.shape) for a in arrays])
    product = xp.einsum(equation, *map(widened, arrays), optimize=len(arrays) > 1)
    return xp.asarray(product).astype(arrays[0].dtype, copy=False)


# Properties of matrices.


def trace(
    x: Operand, *, offset: int = 0, axis1: int = -2, axis2: int = -1
) -> TensorSpec:
    """Infer the sum along a diagonal of the matrices in two axes."""
    dtype = require_kind(x, NUMERIC)
    shape = require_rank_at_least(x, 2)
    if shape.rank is None:
        return TensorSpec(unknown_shape(), dtype)
    axes = normalize_axis(axis1, shape.rank), normalize_axis(axis2, shape.rank)
    if axes[0] == axes[1]:
        raise ValueError(f"the axes {axis1} and {axis2} of {x.describe()} are one")
    rest = [dim for k, dim in enumerate(shape.as_tuple()) if k not in axes]
    return TensorSpec(TensorShape(rest), dtype)


def _trace(
    xp: Any, x: Array, *, offset: int = 0, axis1: int = -2, axis2: int = -1
) -> Any:
    wide = widened(x)
    return xp.trace(wide, offset, axis1, axis2, wide.dtype).astype(x.dtype, copy=False)


def orthonormal(x: Operand) -> TensorSpec:
    """Infer orthonormal columns of a matrix with no more columns than rows."""
    dtype = require_kind(x, FLOATING)
    rows, columns = require_rank(x, 2).as_tuple()
    if rows is not None and columns is not None and columns > rows:
        raise ValueError(f"{x.describe()} has more columns than rows")
    return TensorSpec([rows, columns], dtype)


def _orthonormal(x: Array) -> Array:
    """Return Q of the decomposition QR in which the diagonal of R is positive."""
    matrix, triangle = np.linalg.qr(widened(x))
    signs = np.where(np.diagonal(triangle) < 0, -1, 1).astype(matrix.dtype, copy=False)
    result: Array = (matrix * signs).astype(x.dtype, copy=False)
    return result


_op = partial(OpDef, gradient="products")

OPERATIONS: tuple[OpDef, ...] = (
    _op("MatMul", matmul, _matmul, batching=Batching(batched=True, product=True)),
    _op("Tensordot", tensordot, _tensordot),
    _op("Einsum", einsum, _einsum),
    _op("Trace", trace, _trace),
    _op("Orthonormal", orthonormal, compute=_orthonormal, xla="arrays"),
)
