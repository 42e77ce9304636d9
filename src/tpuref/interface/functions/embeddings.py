"""Embedding lookup."""

from __future__ import annotations

from typing import Any

from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.indexing import gather


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """Return the rows of a table with the given ids.

    The result is a tensor of shape ``ids.shape + params.shape[1:]``.  It raises
    ValueError if there are several tables, and at run time
    `tf.errors.InvalidArgumentError` if an id is out of range.

    Parameters
    ----------
    params
        The table, or a list with one table.
    ids
        int32 or int64 of any shape.
    partition_strategy
        ``"mod"`` or ``"div"``; it makes no difference for one table.
    validate_indices
        Accepted for compatibility; ids are always checked.
    max_norm
        The greatest Euclidean norm of a row; longer rows are scaled down.

    Examples
    --------
    >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.Session().run(tf.nn.embedding_lookup(table, [1, 0, 1])).tolist()
    [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]
    """
    if isinstance(params, (list, tuple)):
        if len(params) != 1:
            raise ValueError(
                "tf.nn.embedding_lookup: params: expected one table, got "
                f"{len(params)}; join them with tf.concat"
            )
        params = params[0]
    if partition_strategy not in ("mod", "div"):
        raise ValueError(
            "tf.nn.embedding_lookup: partition_strategy: expected 'mod' or 'div', got "
            f"{partition_strategy!r}"
        )
    places = convert_to_tensor(ids)
    if max_norm is None:
        return gather(params, places, name=name)
    return _within_norm(gather(params, places), places, max_norm, name)


def _within_norm(
    rows: Tensor, ids: Tensor, max_norm: float, name: str | None
) -> Tensor:
    if ids.shape.rank is None or rows.shape.rank is None:
        raise ValueError(
            "tf.nn.embedding_lookup: max_norm needs ids and a table of known rank, got "
            f"{ids.describe()} and {rows.describe()}"
        )
    own = tuple(range(ids.shape.rank, rows.shape.rank))
    length = apply("EuclideanNorm", rows, axis=own, keepdims=True)
    limit = convert_to_tensor(max_norm, rows.dtype)
    factor = apply("RealDiv", limit, apply("Maximum", length, limit))
    return apply_one("Mul", rows, factor, name=name)


def embedding_lookup_v2(
    params: Any, ids: Any, max_norm: float | None = None, name: str | None = None
) -> Tensor:
    """Return `embedding_lookup`, with the parameters of TensorFlow 2."""
    return embedding_lookup(params, ids, "div", name, max_norm=max_norm)
