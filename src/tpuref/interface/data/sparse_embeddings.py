"""Rows of tables looked up by sparse tensors of row numbers, and combined."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of
from tpuref.base.dtypes import int64
from tpuref.base.errors import coded
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.data.sparse import SparseTensor
from tpuref.interface.data.sparse_arithmetic import reorder, retain
from tpuref.interface.functions.arithmetic import div_no_nan
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import fill, ones_like, zeros_like
from tpuref.interface.functions.extents import shape as shape_of
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.joining import concat, stack
from tpuref.interface.functions.reductions import reduce_prod
from tpuref.interface.functions.reshaping import expand_dims, reshape
from tpuref.interface.functions.segments import unsorted_segment_sum
from tpuref.interface.functions.selection import where, where_v2


def fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """Return a sparse matrix with a value in each row, and which rows had none.

    Rows without a value get `default_value` in their first column.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     x = tf.SparseTensor([[0, 1]], [5], [2, 3])
    ...     filled, empty = tf.sparse.fill_empty_rows(x, 7)
    ...     filled.values.numpy().tolist(), empty.numpy().tolist()
    ([5, 7], [False, True])
    """
    argument = "tf.sparse.fill_empty_rows: sp_input"
    x = instance_of(SparseTensor, argument, "a tf.SparseTensor", sp_input)
    rows = cast(x.indices[:, 0], int64)
    counts = unsorted_segment_sum(ones_like(rows), rows, x.dense_shape[0])
    empty = counts < 1
    missing = where(empty)
    places = concat([missing, zeros_like(missing)], 1)
    more = fill(shape_of(missing)[:1], convert_to_tensor(default_value, x.dtype))
    indices = concat([cast(x.indices, int64), places], 0)
    filled = SparseTensor(indices, concat([x.values, more], 0), x.dense_shape)
    filled.set_shape(x.shape)
    return reorder(filled), empty


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Return the combined rows of a table, for each row of a sparse matrix of ids.

    `params` is the table.  `sp_ids` is a sparse matrix of integers; each row has at
    least one.  `sp_weights` are their weights, a sparse matrix with the same indices,
    or None for 1.  `combiner` is ``"sum"``, ``"mean"``, which is the default, or
    ``"sqrtn"``.  `max_norm` is not supported.
    """
    argument = "tf.nn.embedding_lookup_sparse: sp_ids"
    ids = instance_of(SparseTensor, argument, "a tf.SparseTensor", sp_ids)
    way = combiner or "mean"
    if way not in ("sum", "mean", "sqrtn") or max_norm is not None:
        raise coded(
            ValueError,
            "tf.nn.embedding_lookup_sparse: combiner must be 'sum', 'mean' or 'sqrtn', "
            f"and max_norm None, got {combiner!r} and {max_norm!r}",
            code=codes.INVALID_ARGUMENT,
        )
    table = convert_to_tensor(params)
    row, count = cast(ids.indices[:, 0], int64), ids.dense_shape[0]
    embeddings = gather(table, ids.values)
    weights = None
    if sp_weights is not None:
        weights = expand_dims(cast(sp_weights.values, table.dtype), 1)
        embeddings = embeddings * weights
    total = unsorted_segment_sum(embeddings, row, count)
    if way == "sum":
        return total
    each = ones_like(embeddings[:, :1]) if weights is None else weights
    size = unsorted_segment_sum(each * each if way == "sqrtn" else each, row, count)
    return div_no_nan(total, size**0.5 if way == "sqrtn" else size)


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    max_norm: float | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Return `embedding_lookup_sparse` of a sparse tensor that may have empty rows.

    Negative ids, and weights that are not positive, are left out.  A row without ids
    has the row `default_id` of the table, or zeros if that is None.
    """
    argument = "tf.nn.safe_embedding_lookup_sparse: sparse_ids"
    ids = instance_of(SparseTensor, argument, "a tf.SparseTensor", sparse_ids)
    outer = ids.dense_shape[:-1]
    flat = _as_matrix(ids, outer, ids.dense_shape[-1])
    valid = flat.values >= 0
    weights = None
    if sparse_weights is not None:
        weights = flat.with_values(sparse_weights.values)
        if combiner != "sum":
            valid = valid & (weights.values > 0)
        weights, _ = fill_empty_rows(retain(weights, valid), 1)
    filled, empty = fill_empty_rows(retain(flat, valid), default_id or 0)
    combined = embedding_lookup_sparse(
        embedding_weights, filled, weights, combiner, max_norm
    )
    if default_id is None:
        combined = where_v2(expand_dims(empty, 1), zeros_like(combined), combined)
    return reshape(combined, concat([outer, cast(shape_of(combined)[1:], int64)], 0))


def _as_matrix(ids: SparseTensor, outer: Tensor, width: Tensor) -> SparseTensor:
    """Return a sparse tensor with one axis for all but the last."""
    strides = [reduce_prod(outer[k + 1 :]) for k in range(len(ids.shape) - 1)]
    rows = ids.indices[:, 0] * strides[0]
    for axis, stride in enumerate(strides[1:], 1):
        rows = rows + ids.indices[:, axis] * stride
    shape = stack([reduce_prod(outer), width])
    return SparseTensor(stack([rows, ids.indices[:, -1]], 1), ids.values, shape)
