"""Functions of sparse tensors."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tpuref.base.arguments import instance_of
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.data.sparse import SparseTensor, to_dense
from tpuref.interface.functions.arithmetic import abs as absolute
from tpuref.interface.functions.arithmetic import add as plus
from tpuref.interface.functions.arithmetic import maximum as larger
from tpuref.interface.functions.arithmetic import minimum as smaller
from tpuref.interface.functions.comparison import equal, not_equal
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import zeros
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.indexing import (
    gather,
    gather_nd,
    scatter_nd_v2,
    tensor_scatter_nd_add,
)
from tpuref.interface.functions.joining import concat as joined
from tpuref.interface.functions.joining import stack
from tpuref.interface.functions.linalg import matmul
from tpuref.interface.functions.reductions import reduce_max as dense_max
from tpuref.interface.functions.reductions import reduce_prod_v2
from tpuref.interface.functions.reductions import reduce_sum as dense_sum
from tpuref.interface.functions.reshaping import reshape as dense_reshape
from tpuref.interface.functions.segments import unique
from tpuref.interface.functions.selection import boolean_mask_v2, where, where_v2
from tpuref.interface.functions.sorting import argsort, searchsorted, sort


def _sparse(function: str, value: Any) -> SparseTensor:
    return instance_of(
        SparseTensor, f"tf.sparse.{function}", "a tf.SparseTensor", value
    )


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Return the elements of a tensor that are not 0.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.sparse.from_dense([[0, 7]]).indices.numpy().tolist()
    [[0, 1]]
    """
    dense = convert_to_tensor(tensor)
    empty = "" if dense.dtype.name == "string" else 0
    places = where(not_equal(dense, convert_to_tensor(empty, dense.dtype)))
    sizes = dense.shape.as_list() if dense.shape.is_fully_defined() else None
    if sizes is None:
        from_shape: Any = _sizes(dense)
        return SparseTensor(places, gather_nd(dense, places), from_shape)
    return SparseTensor(places, gather_nd(dense, places), np.array(sizes, np.int64))


def _sizes(dense: Tensor) -> Tensor:
    return cast(shape_of(dense), "int64")


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """Return the result of a function of the stored elements alone.

    All sparse arguments must store the same indices.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     x = tf.SparseTensor([[0, 1]], [7], [1, 3])
    ...     tf.sparse.map_values(tf.negative, x).values.numpy().tolist()
    [-7]
    """
    first = next(x for x in [*args, *kwargs.values()] if isinstance(x, SparseTensor))
    plain = [x.values if isinstance(x, SparseTensor) else x for x in args]
    named = {
        k: x.values if isinstance(x, SparseTensor) else x for k, x in kwargs.items()
    }
    return _with_shape(first, first.indices, op(*plain, **named))


def _with_shape(like: SparseTensor, indices: Any, values: Any) -> SparseTensor:
    result = SparseTensor(indices, values, like.dense_shape)
    result.set_shape(like.shape)
    return result


def _strides(sizes: Tensor) -> Tensor:
    """Return how far apart neighbours along each axis are in the flat tensor."""
    rank = sizes.shape.as_tuple()[0] or 0
    parts = [reduce_prod_v2(sizes[k + 1 :]) for k in range(rank)]
    return stack(parts) if parts else zeros([0], "int64")


def _flat(x: SparseTensor, sizes: Tensor | None = None) -> Tensor:
    """Return the positions of the elements in the flat tensor."""
    sizes = x.dense_shape if sizes is None else sizes
    return dense_sum(x.indices * _strides(sizes), axis=1)


def _indices(flat: Tensor, sizes: Tensor) -> Tensor:
    return dense_reshape(flat, [-1, 1]) // _strides(sizes) % sizes


def _union(
    a: SparseTensor, b: SparseTensor, combine: Callable[..., Tensor]
) -> SparseTensor:
    """Return a combination of two tensors, 0 where only the other stores an element."""
    first, second = _flat(a), _flat(b)
    places = sort(unique(joined([first, second], 0)).y)
    count = dense_reshape(shape_of(places), [1])
    own = [
        scatter_nd_v2(
            dense_reshape(searchsorted(places, flat), [-1, 1]), x.values, count
        )
        for flat, x in ((first, a), (second, b))
    ]
    return _with_shape(a, _indices(places, a.dense_shape), combine(*own))


def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """Return the sum of two tensors, sparse if both are.

    `a` and `b` are tensors of equal shape, one of them sparse at least.  Sums of two
    sparse tensors that are smaller in size than `threshold` are left out.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     x = tf.SparseTensor([[0, 1]], [7], [1, 3])
    ...     tf.sparse.add(x, x).values.numpy().tolist()
    [14]
    """
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        total = _union(a, b, plus)
        if isinstance(threshold, (int, float)) and not threshold:
            return total
        return retain(total, absolute(total.values) >= threshold)
    sparse, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
    whole = convert_to_tensor(dense)
    return tensor_scatter_nd_add(whole, _sparse("add", sparse).indices, sparse.values)


def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Return the larger elements of two sparse tensors."""
    return _union(_sparse("maximum", sp_a), _sparse("maximum", sp_b), larger)


def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Return the smaller elements of two sparse tensors."""
    return _union(_sparse("minimum", sp_a), _sparse("minimum", sp_b), smaller)


def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Return a sparse tensor with its elements in the order of their indices."""
    x = _sparse("reorder", sp_input)
    order = argsort(_flat(x), stable=True)
    return _with_shape(x, gather(x.indices, order), gather(x.values, order))


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Return a sparse tensor with another shape; one size may be -1."""
    x = _sparse("reshape", sp_input)
    sizes = cast(convert_to_tensor(shape), "int64")
    count = reduce_prod_v2(x.dense_shape)
    known = -reduce_prod_v2(sizes)
    free = count // larger(known, 1)
    sizes = where_v2(sizes < 0, free, sizes)
    result = SparseTensor(_indices(_flat(x), sizes), x.values, sizes)
    if isinstance(shape, (list, tuple)) and all(isinstance(n, int) for n in shape):
        result.set_shape([None if n < 0 else n for n in shape])
    return result


def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Return a sparse tensor with its axes in another order, by default reversed."""
    x = _sparse("transpose", sp_input)
    rank = x.dense_shape.shape.as_tuple()[0] or 0
    order = list(range(rank))[::-1] if perm is None else [int(k) for k in perm]
    sizes = gather(x.dense_shape, order)
    turned = SparseTensor(gather(x.indices, order, axis=1), x.values, sizes)
    turned.set_shape([x.shape.as_list()[k] for k in order])
    return reorder(turned)


def expand_dims(
    sp_input: Any, axis: int | None = None, name: str | None = None
) -> SparseTensor:
    """Return a sparse tensor with a new axis of size 1, by default the last."""
    x = _sparse("expand_dims", sp_input)
    rank = x.dense_shape.shape.as_tuple()[0] or 0
    at = rank if axis is None else int(axis) % (rank + 1)
    indices = joined([x.indices[:, :at], x.indices[:, :1] * 0, x.indices[:, at:]], 1)
    sizes = joined([x.dense_shape[:at], np.ones(1, np.int64), x.dense_shape[at:]], 0)
    result = SparseTensor(indices, x.values, sizes)
    known = x.shape.as_list()
    result.set_shape([*known[:at], 1, *known[at:]])
    return result


def concat(
    axis: int, sp_inputs: Sequence[Any], name: str | None = None
) -> SparseTensor:
    """Return sparse tensors joined along an axis."""
    parts = [_sparse("concat", x) for x in sp_inputs]
    rank = parts[0].dense_shape.shape.as_tuple()[0] or 0
    axis %= rank
    along = np.arange(rank) == axis
    start: Any = np.int64(0)
    indices = []
    for part in parts:
        indices.append(part.indices + start * along.astype(np.int64))
        start = start + part.dense_shape[axis]
    sizes = where_v2(convert_to_tensor(along), start, parts[0].dense_shape)
    values = joined([part.values for part in parts], 0)
    result = SparseTensor(joined(indices, 0), values, sizes)
    lengths = [part.shape.as_list()[axis] for part in parts]
    known: list[int | None] = list(parts[0].shape.as_list())
    known[axis] = None if None in lengths else sum(n for n in lengths if n is not None)
    result.set_shape(known)
    return reorder(result)


def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Return a sparse tensor with some of its elements."""
    x = _sparse("retain", sp_input)
    mask = convert_to_tensor(to_retain)
    return _with_shape(
        x, boolean_mask_v2(x.indices, mask), boolean_mask_v2(x.values, mask)
    )


def reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Return the sum over axes, by default all: a dense tensor, or a sparse one."""
    total = dense_sum(to_dense(_sparse("reduce_sum", sp_input)), axis, keepdims)
    return from_dense(total) if output_is_sparse else total


def reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Return the largest stored element over axes; 0 where none is stored."""
    x = _sparse("reduce_max", sp_input)
    lowest = convert_to_tensor(np.array(x.dtype.min, x.dtype.as_numpy_dtype))
    greatest = dense_max(to_dense(x, lowest), axis, keepdims)
    result = where_v2(equal(greatest, lowest), greatest * 0, greatest)
    return from_dense(result) if output_is_sparse else result


def sparse_dense_matmul(
    sp_a: Any,
    b: Any,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the product of two matrices, one of them sparse, as a dense tensor."""
    first, second = (
        to_dense(x) if isinstance(x, SparseTensor) else x for x in (sp_a, b)
    )
    return matmul(first, second, adjoint_a=adjoint_a, adjoint_b=adjoint_b)
