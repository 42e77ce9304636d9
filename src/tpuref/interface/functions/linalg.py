"""Functions of vectors and matrices: products, traces and norms."""

from typing import Any

import numpy as np

from tpuref.base.dtypes import as_dtype
from tpuref.base.limits import MAX_AXES
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_operands, convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_axes, static_integers
from tpuref.interface.functions.arithmetic import abs as absolute
from tpuref.interface.functions.arithmetic import pow, square
from tpuref.interface.functions.complex_numbers import conj
from tpuref.interface.functions.exponentials import sqrt
from tpuref.interface.functions.joining import stack, unstack
from tpuref.interface.functions.reductions import reduce_max, reduce_sum


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the product of matrices, batched over all but the last two axes.

    float16 and bfloat16 are summed in float32 and rounded once.  `a` and `b` are
    numbers of one dtype, of shapes [..., m, k] and [..., k, n]; the leading axes
    broadcast.  `transpose_a` and `transpose_b` say whether to exchange the last two
    axes first.  `adjoint_a` and `adjoint_b` are the same, with complex conjugation.
    `a_is_sparse` and `b_is_sparse` are hints that do not change the result.  It raises
    ValueError if a rank is less than 2, the inner dimensions differ, or both transpose
    and adjoint are requested for a matrix, and TypeError if the dtypes differ or are
    not numeric.

    Examples
    --------
    >>> a = tf.constant([[1, 2], [3, 4]])
    >>> tf.Session().run(tf.matmul(a, [[1], [10]]))
    array([[21],
           [43]], dtype=int32)
    """
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        raise ValueError(
            "tf.matmul: a matrix cannot be both transposed and adjoint; the "
            "adjoint is the conjugate transpose"
        )
    a, b = convert_operands("tf.matmul", (a, b))
    for label, matrix in (("a", a), ("b", b)):
        if matrix.shape.rank is not None and matrix.shape.rank < 2:
            raise ValueError(
                f"tf.matmul: {label} must have at least rank 2, got "
                f"{matrix.describe()}; use tf.linalg.matvec or tf.tensordot for vectors"
            )
    return apply_one(
        "MatMul",
        a,
        b,
        name=name,
        transpose_a=bool(transpose_a),
        transpose_b=bool(transpose_b),
        adjoint_a=bool(adjoint_a),
        adjoint_b=bool(adjoint_b),
    )


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the product of matrices and vectors, batched over the leading axes.

    `a` and `b` are numbers of one dtype, of shapes [..., m, k] and [..., k]; the
    leading axes broadcast.  `transpose_a` says whether to exchange the last two axes of
    `a` first.  `adjoint_a` is the same, with complex conjugation.  `a_is_sparse` and
    `b_is_sparse` are hints that do not change the result.  It raises ValueError if the
    inner dimensions differ, or both `transpose_a` and `adjoint_a` are true.

    Examples
    --------
    >>> tf.Session().run(tf.linalg.matvec([[1, 2], [3, 4]], [1, 10]))
    array([21, 43], dtype=int32)
    """
    if transpose_a and adjoint_a:
        raise ValueError(
            "tf.linalg.matvec: a cannot be both transposed and adjoint; the "
            "adjoint is the conjugate transpose"
        )
    a, b = convert_operands("tf.linalg.matvec", (a, b))
    if adjoint_a:
        a = conj(a)
    turned = transpose_a or adjoint_a
    equation = "...ji,...j->...i" if turned else "...ij,...j->...i"
    return apply_one("Einsum", a, b, name=name, equation=equation)


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """Return the sum of products of `a` and `b` over pairs of axes.

    The result has the remaining axes of `a`, then those of `b`.  `a` and `b` are
    numbers of one dtype.  `axes` is the number of axes, the last of `a` and the first
    of `b`; or the axes of `a` and the axes of `b`, as two integers or two sequences of
    equal length.  It raises ValueError if `axes` is malformed, an axis does not exist,
    or paired sizes differ.

    Examples
    --------
    >>> a = tf.constant([[1, 2], [3, 4]])
    >>> tf.Session().run(tf.tensordot(a, a, axes=1))
    array([[ 7, 10],
           [15, 22]], dtype=int32)
    >>> int(tf.Session().run(tf.tensordot(a, a, axes=[[0, 1], [0, 1]])))
    30
    """
    axes_a, axes_b = _pairs_of_axes(axes)
    return apply_one("Tensordot", a, b, name=name, axes_a=axes_a, axes_b=axes_b)


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Return a sum of products, written in index notation.

    It sums over every label that is not in the result.  `equation` has the labels of
    the axes of each input, one letter per axis, with commas between inputs, and after
    ``->`` the labels of the result; ``...`` stands for further axes, which broadcast.
    Without ``->`` the result has the labels that occur once, in alphabetical order.
    `*inputs` are numbers of one dtype, one tensor for each input of the equation.  It
    raises ValueError if the equation is malformed or does not fit the shapes, and
    TypeError if the dtypes differ, or an unknown keyword is given.

    Examples
    --------
    >>> tf.Session().run(tf.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 10]))
    array([21, 43], dtype=int32)
    """
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)  # the order of products is the executor's own choice
    if kwargs:
        raise TypeError(
            f"tf.einsum: unknown keywords {sorted(kwargs)}; expected only name "
            "and optimize"
        )
    if not inputs:
        raise ValueError(f"tf.einsum: the equation {equation!r} has no inputs")
    return apply_one("Einsum", *inputs, name=name, equation=str(equation))


def trace(x: Any, name: str | None = None) -> Tensor:
    """Return the sum of the main diagonal of the matrices in the last two axes.

    The result has the shape of `x` without the last two axes.  It raises ValueError if
    the rank is less than 2.

    Examples
    --------
    >>> int(tf.Session().run(tf.trace([[1, 2], [3, 4]])))
    5
    """
    return apply_one("Trace", x, name=name, offset=0, axis1=-2, axis2=-1)


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return the norm of vectors or matrices.

    The norm has the dtype of `tensor`, but is real for complex numbers.  `tensor` holds
    floating-point or complex numbers.  `ord` is ``"euclidean"``; a positive number p
    for the p-norm; or infinity for the maximum norm; for matrices ``"fro"`` (the same
    as euclidean), 1 or infinity.  `axis` is one axis for norms of vectors, two for
    norms of matrices; None treats the whole tensor as one vector.  `keepdims`, formerly
    `keep_dims`, says whether to keep those axes, with size 1.  It raises ValueError if
    `ord` or the number of axes is invalid, or both names of `keepdims` are given.

    Examples
    --------
    >>> tf.Session().run(tf.norm([[3., 4.], [6., 8.]], axis=1))
    array([ 5., 10.], dtype=float32)
    """
    if keepdims is not None and keep_dims is not None:
        raise ValueError(
            "tf.norm: keepdims and keep_dims are the same argument; give only keepdims"
        )
    x = convert_to_tensor(tensor)
    axes = None if axis is None else _norm_axes(axis, x)
    keep = bool(keep_dims if keepdims is None else keepdims)
    if axes is not None and len(axes) == 2:
        return _matrix_norm(x, ord, axes, keep, name)
    return _vector_norm(x, ord, axes, keep, name)


def _norm_axes(axis: Any, x: Tensor) -> tuple[int, ...]:
    axes = static_integers(axis, "tf.norm: axis")
    if len(axes) not in (1, 2):
        raise ValueError(f"tf.norm: axis must be one or two axes, got {axis!r}")
    # The order of the axes says which one has the rows, so they are not sorted.
    singles = [static_axes("tf.norm", each, x) for each in axes]
    return tuple(s[0] for s in singles if isinstance(s, tuple))


def _vector_norm(
    x: Tensor, ord: Any, axes: tuple[int, ...] | None, keep: bool, name: str | None
) -> Tensor:
    sizes = absolute(x)
    if ord in ("euclidean", 2):
        return sqrt(reduce_sum(square(sizes), axes, keep), name)
    if ord in (1, np.inf):
        fold = reduce_sum if ord == 1 else reduce_max
        return fold(sizes, axes, keep, name)
    if not isinstance(ord, (int, float)) or ord <= 0:
        raise ValueError(
            f"tf.norm: ord must be 'euclidean', a positive number or infinity for "
            f"vectors, got {ord!r}"
        )
    return pow(reduce_sum(pow(sizes, float(ord)), axes, keep), 1.0 / ord, name)


def _matrix_norm(
    x: Tensor, ord: Any, axes: tuple[int, ...], keep: bool, name: str | None
) -> Tensor:
    sizes = absolute(x)
    if ord in ("euclidean", "fro"):
        return sqrt(reduce_sum(square(sizes), axes, keep), name)
    if ord not in (1, np.inf):
        raise ValueError(
            "tf.norm: ord must be 'euclidean', 'fro', 1 or infinity for matrices, got "
            f"{ord!r}"
        )
    summed = axes[0] if ord == 1 else axes[1]
    return reduce_max(reduce_sum(sizes, summed, keepdims=True), axes, keep, name)


def _pairs_of_axes(axes: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(axes, (int, np.integer)):
        count = int(axes)
        if count < 0:
            raise ValueError(f"tf.tensordot: axes must not be negative, got {count}")
        if count > MAX_AXES:
            raise ValueError(
                f"tf.tensordot: axes must be at most {MAX_AXES}, the most axes of a "
                f"tensor, got {count}"
            )
        return tuple(range(-count, 0)), tuple(range(count))
    if isinstance(axes, Tensor) and axes.operand().value is not None:
        axes = axes.operand().value
    parts = axes.tolist() if isinstance(axes, np.ndarray) else axes
    if not isinstance(parts, (list, tuple)) or len(parts) != 2:
        raise ValueError(
            "tf.tensordot: axes must be an integer or two integers or sequences of "
            f"integers, got {axes!r}"
        )
    first, second = (static_integers(part, "tf.tensordot: axes") for part in parts)
    return first, second


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """Return the cross products of vectors of three numbers, in the last axis.

    Examples
    --------
    >>> tf.Session().run(tf.linalg.cross([1, 0, 0], [0, 1, 0])).tolist()
    [0, 0, 1]
    """
    first, second = convert_operands("tf.linalg.cross", [a, b])
    if first.shape.rank and first.shape.as_list()[-1] not in (None, 3):
        raise ValueError(
            f"tf.linalg.cross: the last axis has 3 numbers, got {first.describe()}"
        )
    (x, y, z), (u, v, w) = (unstack(t, 3, -1) for t in (first, second))
    return stack([y * w - z * v, z * u - x * w, x * v - y * u], -1, name or "Cross")


def norm_v2(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """Return `norm`, with the parameters of TensorFlow 2."""
    return norm(tensor, ord, axis, keepdims, name)


def matmul_v2(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return `matmul`, with the parameters of TensorFlow 2.

    `a`, `b`, `transpose_a`, `transpose_b`, `adjoint_a`, `adjoint_b`, `a_is_sparse` and
    `b_is_sparse` are as for `matmul`.  `output_type` is the type to compute with and to
    return, such as int32 for int8.  `grad_a` and `grad_b` are hints for TensorFlow's
    kernels, without a meaning here.

    Examples
    --------
    >>> a = tf.constant([[100]], tf.int8)
    >>> tf.Session().run(matmul_v2(a, a, output_type=tf.int32)).tolist()
    [[10000]]
    """
    if output_type is not None:
        wide = as_dtype(output_type).name
        a, b = apply("Cast", a, dtype=wide), apply("Cast", b, dtype=wide)
    flags = (transpose_a, transpose_b, adjoint_a, adjoint_b, a_is_sparse, b_is_sparse)
    return matmul(a, b, *flags, name=name)
