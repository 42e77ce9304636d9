"""Functions that sort elements or search in sorted ones."""

from typing import Any, NamedTuple

import numpy as np

from tpuref.base.dtypes import as_dtype, float32, int32
from tpuref.engine.graph.build import apply, apply_all, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_integer


class TopKV2(NamedTuple):
    """The result of `top_k`."""

    values: Tensor
    indices: Tensor


def sort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None
) -> Tensor:
    """Return the elements of a tensor sorted along an axis.

    The result has the same shape and dtype.  `values` is a tensor of real numbers.
    `direction` is ``"ASCENDING"`` or ``"DESCENDING"``.  It raises ValueError if the
    direction is unknown, or the axis does not exist.

    Examples
    --------
    >>> tf.Session().run(tf.sort([3, 1, 2], direction="DESCENDING")).tolist()
    [3, 2, 1]
    """
    descending = _is_descending(direction, "tf.sort")
    along = static_integer(axis, "tf.sort: axis")
    return apply_one("Sort", values, axis=along, descending=descending, name=name)


def argsort(
    values: Any,
    axis: int = -1,
    direction: str = "ASCENDING",
    stable: bool = False,
    name: str | None = None,
) -> Tensor:
    """Return the indices that sort a tensor along an axis.

    Parameters, result and errors are those of `sort`.  The result is int32.  Equal
    values always keep their order, whatever `stable` says.

    Examples
    --------
    >>> tf.Session().run(tf.argsort([3, 1, 2])).tolist()
    [1, 2, 0]
    """
    descending = _is_descending(direction, "tf.argsort")
    along = static_integer(axis, "tf.argsort: axis")
    return apply_one("ArgSort", values, axis=along, descending=descending, name=name)


def _is_descending(direction: str, function: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"{function}: direction: expected 'ASCENDING' or 'DESCENDING', got "
            f"{direction!r}"
        )
    return direction == "DESCENDING"


def top_k(
    input: Any, k: Any = 1, sorted: bool = True, name: str | None = None
) -> TopKV2:
    """Return the k greatest elements along the last axis, and their indices.

    Equal elements are in the order of their index.  `input` is a tensor of real numbers
    of rank 1 or more.  `k` is the number of elements, at most the size of the last
    axis.  `sorted` is accepted for compatibility; the greatest is always first.  It
    raises ValueError if there are fewer than k elements.

    Examples
    --------
    >>> values, indices = tf.nn.top_k([1, 5, 2, 5], k=2)
    >>> [x.tolist() for x in tf.Session().run([values, indices])]
    [[5, 5], [1, 3]]
    """
    value = convert_to_tensor(input)
    values, indices = apply_all("TopKV2", value, convert_to_tensor(k), name=name)
    return TopKV2(values, indices)


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """Return whether each target is among the k classes with the highest predictions.

    The result is False for rows that are not finite and for targets that are not a
    class.  `predictions` are float32 of shape ``[batch, classes]``.  `targets` are
    int32 or int64 of shape ``[batch]``: a class for each row.  `k` is the number of
    classes; all classes that tie with the last one count too.  It raises ValueError if
    the numbers of rows differ.

    Examples
    --------
    >>> hit = tf.nn.in_top_k([[0.1, 0.6, 0.3], [0.9, 0.0, 0.1]], [2, 1], 2)
    >>> tf.Session().run(hit).tolist()
    [True, False]
    """
    wanted = float32 if isinstance(predictions, np.ndarray) else None
    scores, classes = convert_to_tensor(predictions, wanted), convert_to_tensor(targets)
    return apply_one("InTopKV2", scores, classes, convert_to_tensor(k), name=name)


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = int32,
    name: str | None = None,
) -> Tensor:
    """Return the indices at which to insert values to keep rows sorted.

    The results are indices, with the shape of `values`.  `sorted_sequence` are real
    numbers of shape ``[..., n]``, each row ascending.  `values` are numbers of the same
    dtype, of shape ``[..., m]``.  `side` is ``"left"`` to insert before equal elements,
    ``"right"`` after them.  `out_type` is int32 or int64.  It raises ValueError if
    `side` is unknown, or the leading axes differ.

    Examples
    --------
    >>> tf.Session().run(tf.searchsorted([1, 3, 5], [0, 3, 9])).tolist()
    [0, 1, 3]
    """
    if side not in ("left", "right"):
        raise ValueError(
            f"tf.searchsorted: side: expected 'left' or 'right', got {side!r}"
        )
    return apply_one(
        "SearchSorted",
        sorted_sequence,
        values,
        side=side,
        out_type=as_dtype(out_type).name,
        name=name,
    )


def in_top_k_v2(
    targets: Any, predictions: Any, k: Any, name: str | None = None
) -> Tensor:
    """Return `in_top_k`, with the order of TensorFlow 2: the targets come first."""
    return in_top_k(predictions, targets, k, name)


def top_k_v2(
    input: Any,
    k: Any = 1,
    sorted: bool = True,
    index_type: Any = int32,
    name: str | None = None,
) -> TopKV2:
    """Return `top_k`, with the parameters of TensorFlow 2.

    `input`, `k` and `sorted` are as for `top_k`.  `index_type` is the integer type of
    the indices.
    """
    values, indices = top_k(input, k, sorted, name)
    target = as_dtype(index_type)
    if target != indices.dtype:
        indices = apply("Cast", indices, dtype=target.name)
    return TopKV2(values, indices)
