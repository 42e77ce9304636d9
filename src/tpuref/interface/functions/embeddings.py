"""Embedding lookup."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import constant, convert_to_tensor
from tpuref.engine.graph.recognition import KnownRaggedTensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.along_axis import cumsum
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.joining import concat, stack
from tpuref.interface.functions.selection import where_v2


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """Return the rows of a table with the given ids.

    The result is a tensor of shape ``ids.shape + params.shape[1:]``.  `params` is the
    table, or a list of tables, which hold the rows of one.  `ids` is int32 or int64 of
    any shape.  `partition_strategy` is ``"mod"``: rows are dealt to the tables in turn,
    so that id i is row ``i // tables`` of table ``i % tables``; ``"div"``: each has
    consecutive rows.  `validate_indices` is accepted for compatibility; ids are always
    checked.  `max_norm` is the greatest Euclidean norm of a row; longer rows are scaled
    down.  It raises ValueError if the sizes of several tables are not as even as
    possible, and at run time `tf.errors.InvalidArgumentError` if an id is out of range.

    Examples
    --------
    >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.Session().run(tf.nn.embedding_lookup(table, [1, 0, 1])).tolist()
    [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]
    """
    if isinstance(ids, KnownRaggedTensor):
        rows = embedding_lookup(
            params, ids.values, partition_strategy, name, max_norm=max_norm
        )
        ragged: Tensor = ids.with_values(rows)
        return ragged
    places = convert_to_tensor(ids)
    if partition_strategy not in ("mod", "div"):
        raise ValueError(
            "tf.nn.embedding_lookup: partition_strategy: expected 'mod' or 'div', got "
            f"{partition_strategy!r}"
        )
    if isinstance(params, (list, tuple)):
        params, places = _whole_table(list(params), places, partition_strategy)
    if max_norm is None:
        return gather(params, places, name=name)
    return _within_norm(gather(params, places), places, max_norm, name)


def _whole_table(
    tables: list[Any], ids: Tensor, strategy: str
) -> tuple[Tensor, Tensor]:
    """Return one table of all rows, and where in it those with the given ids are."""
    parts, count = [convert_to_tensor(table) for table in tables], len(tables)
    if count == 1:
        return parts[0], ids
    sizes = [part.shape.as_list()[0] if part.shape.rank else None for part in parts]
    known = [size for size in sizes if size is not None]
    total = sum(known)
    even = [total // count + (k < total % count) for k in range(count)]
    if len(known) == count and sizes != even:
        raise codes.WRONG_SHAPE.value_error(
            f"tf.nn.embedding_lookup: params: expected tables with {even} rows, as "
            f"even as possible, got {sizes}"
        )
    if strategy == "div":
        return concat(parts, 0), ids
    rows = [
        shape(part)[0] if size is None else constant(size)
        for part, size in zip(parts, sizes, strict=True)
    ]
    ends = cast(cumsum(stack(rows)), ids.dtype)
    number = constant(count, ids.dtype)
    table = apply("FloorMod", ids, number)
    own = gather(concat([[0], ends[:-1]], 0), table) + apply("FloorDiv", ids, number)
    # A row after the last one of its table would be found in the next table.
    inside = apply("LogicalAnd", ids >= 0, own < gather(ends, table))
    return concat(parts, 0), where_v2(inside, own, ends[-1])


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
