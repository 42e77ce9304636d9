"""Reductions over axes."""

from typing import Any

from tpuref.base.dtypes import as_dtype, int64
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.recognition import KnownRaggedTensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import one_of, static_axes


def reduce_sum(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return the sum along the axes.

    Integers wrap around; float16 and bfloat16 are summed in float32 and rounded once.
    `input_tensor` are numbers.  `axis` is the axis or axes to sum along, negative ones
    counted from the end; all by default.  `keepdims` says whether to keep those axes,
    with size 1.  `reduction_indices` and `keep_dims` are former names of `axis` and
    `keepdims`.  It raises ValueError if an axis does not exist or is given twice, or
    both names of an argument are given.

    Examples
    --------
    >>> x = tf.constant([[1, 2, 3], [4, 5, 6]])
    >>> tf.Session().run(tf.reduce_sum(x, axis=0))
    array([5, 7, 9], dtype=int32)
    """
    former = reduction_indices, keep_dims
    return _reduce("Sum", "tf.reduce_sum", input_tensor, axis, keepdims, name, *former)


def reduce_mean(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return the arithmetic mean along the axes.

    Parameters, result and errors are those of `reduce_sum`.  The mean of integers is an
    integer without its fraction; ``np.mean`` of the same tensor is a float64.
    003_0632b6613bf28dbc.txt averages losses with it.

    Examples
    --------
    >>> tf.Session().run(tf.reduce_mean([[1., 2.], [3., 6.]], axis=1))
    array([1.5, 4.5], dtype=float32)
    >>> int(tf.Session().run(tf.reduce_mean([1, 0, 1, 0])))
    0
    """
    former = reduction_indices, keep_dims
    return _reduce(
        "Mean", "tf.reduce_mean", input_tensor, axis, keepdims, name, *former
    )


def reduce_prod(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return the product along the axes; see `reduce_sum`."""
    former = reduction_indices, keep_dims
    return _reduce(
        "Prod", "tf.reduce_prod", input_tensor, axis, keepdims, name, *former
    )


def reduce_max(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return the greatest element along the axes.

    Parameters, result and errors are those of `reduce_sum`.  Numbers are real.  Without
    elements it is -inf or the least integer.
    """
    former = reduction_indices, keep_dims
    return _reduce("Max", "tf.reduce_max", input_tensor, axis, keepdims, name, *former)


def reduce_min(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return the least element along the axes.

    Parameters, result and errors are those of `reduce_max`.  Without elements it is inf
    or the greatest integer.
    """
    former = reduction_indices, keep_dims
    return _reduce("Min", "tf.reduce_min", input_tensor, axis, keepdims, name, *former)


def reduce_any(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return whether any boolean along the axes is true; see `reduce_sum`."""
    former = reduction_indices, keep_dims
    return _reduce("Any", "tf.reduce_any", input_tensor, axis, keepdims, name, *former)


def reduce_all(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return whether all elements along the axes are true; see `reduce_any`."""
    former = reduction_indices, keep_dims
    return _reduce("All", "tf.reduce_all", input_tensor, axis, keepdims, name, *former)


def reduce_logsumexp(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Return ``log(sum(exp(x)))`` without intermediate overflow; see `reduce_sum`."""
    function = "tf.reduce_logsumexp"
    former = reduction_indices, keep_dims
    return _reduce("LogSumExp", function, input_tensor, axis, keepdims, name, *former)


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Return the Euclidean norm of floating-point numbers; see `reduce_sum`."""
    function = "tf.math.reduce_euclidean_norm"
    return _reduce("EuclideanNorm", function, input_tensor, axis, keepdims, name)


def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Return the variance along the axes.

    Parameters, result and errors are those of `reduce_sum`.  The numbers are
    floating-point or complex; the variance of complex numbers is real.  Integers raise
    a TypeError.
    """
    function = "tf.math.reduce_variance"
    return _reduce("Variance", function, input_tensor, axis, keepdims, name, ddof=0)


def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Return the square root of the variance along the axes; see `reduce_variance`."""
    function = "tf.math.reduce_std"
    return _reduce("Std", function, input_tensor, axis, keepdims, name, ddof=0)


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: Any = None,
) -> Tensor:
    """Return the number of nonzero elements along the axes.

    Parameters, result and errors are those of `reduce_sum`.  It takes booleans too.
    `dtype` is the integer type of the count, and `input` a former name of
    `input_tensor`.

    Examples
    --------
    >>> tf.Session().run(tf.count_nonzero([[0, 1, 0], [1, 1, 0]], axis=1))
    array([1, 2])
    """
    function = "tf.count_nonzero"
    x = one_of(function, input_tensor=input_tensor, input=input)
    former, counted = (reduction_indices, keep_dims), as_dtype(dtype).name
    return _reduce(
        "CountNonzero", function, x, axis, keepdims, name, *former, dtype=counted
    )


def _reduce(
    op: str,
    function: str,
    input_tensor: Any,
    axis: Any,
    keepdims: bool | None,
    name: str | None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    **attrs: Any,
) -> Tensor:
    axis = one_of(function, axis=axis, reduction_indices=reduction_indices)
    keep = one_of(function, keepdims=keepdims, keep_dims=keep_dims)
    if axis is None and not keep and isinstance(input_tensor, KnownRaggedTensor):
        input_tensor = input_tensor.values  # all elements of a ragged tensor
    x = convert_to_tensor(input_tensor)
    axes = static_axes(function, axis, x)
    return apply_one(op, x, name=name, axis=axes, keepdims=bool(keep), **attrs)


def reduce_sum_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Return `reduce_sum`, with the parameters of TensorFlow 2."""
    return reduce_sum(input_tensor, axis, keepdims, name)


def reduce_mean_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Return `reduce_mean`, with the parameters of TensorFlow 2."""
    return reduce_mean(input_tensor, axis, keepdims, name)


def reduce_prod_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Return `reduce_prod`, with the parameters of TensorFlow 2."""
    return reduce_prod(input_tensor, axis, keepdims, name)


def reduce_max_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Return `reduce_max`, with the parameters of TensorFlow 2."""
    return reduce_max(input_tensor, axis, keepdims, name)


def reduce_min_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Return `reduce_min`, with the parameters of TensorFlow 2."""
    return reduce_min(input_tensor, axis, keepdims, name)


def reduce_any_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Return `reduce_any`, with the parameters of TensorFlow 2."""
    return reduce_any(input_tensor, axis, keepdims, name)


def reduce_all_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Return `reduce_all`, with the parameters of TensorFlow 2."""
    return reduce_all(input_tensor, axis, keepdims, name)


def reduce_logsumexp_v2(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Return `reduce_logsumexp`, with the parameters of TensorFlow 2."""
    return reduce_logsumexp(input_tensor, axis, keepdims, name)


def count_nonzero_v2(
    input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = int64,
    name: str | None = None,
) -> Tensor:
    """Return `count_nonzero`, with the parameters of TensorFlow 2."""
    return count_nonzero(input, axis, keepdims, dtype, name)
