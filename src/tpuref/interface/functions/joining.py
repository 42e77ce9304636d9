"""Joining and splitting tensors."""

from typing import Any

import numpy as np

from tpuref.base import nest
from tpuref.base.arguments import listed
from tpuref.engine.graph.build import apply_all, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_integer, static_integers


def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Tensor:
    """Join tensors of one shape along a new axis.

    The result is a tensor with one more axis.  `values` is a list of tensors of equal
    shape and dtype.  `axis` is the position of the new axis.  It raises ValueError if
    shapes differ, and TypeError if dtypes differ.

    Examples
    --------
    >>> tf.Session().run(tf.stack([[1, 4], [2, 5]], axis=1)).tolist()
    [[1, 2], [4, 5]]
    """
    place = static_integer(axis, "tf.stack: axis")
    if place == 0 and _plain(values):
        return convert_to_tensor(values, name=name)
    return apply_one("Pack", *listed("tf.stack: values", values), axis=place, name=name)


def _plain(value: Any) -> bool:
    """Whether a list holds only Python values, so that it has one dtype."""
    return all(
        isinstance(leaf, (bool, int, float, complex, str, bytes))
        for leaf in nest.flatten(value)
    )


def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str | None = "unstack"
) -> list[Tensor]:
    """Return the slices of a tensor along an axis, without that axis.

    `value` is a tensor of rank 1 or more.  `num` is the size of the axis; required if
    it is not static.  It raises ValueError if the size is unknown or differs from
    `num`.

    Examples
    --------
    >>> rows = tf.unstack([[1, 2], [3, 4]])
    >>> [row.tolist() for row in tf.Session().run(rows)]
    [[1, 2], [3, 4]]
    """
    tensor = convert_to_tensor(value)
    place = static_integer(axis, "tf.unstack: axis")
    if num is None:
        num = _static_size(tensor, place, "tf.unstack", "give num")
    return apply_all("Unpack", tensor, axis=place, num=num, name=name)


def _static_size(tensor: Tensor, axis: int, function: str, way_out: str) -> int:
    rank = tensor.shape.rank
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(f"{function}: {tensor.describe()} has no axis {axis}")
    length = None if rank is None else tensor.shape.as_tuple()[axis]
    if length is None:
        raise ValueError(
            f"{function}: the size of axis {axis} of {tensor.describe()} is unknown; "
            + way_out
        )
    return length


def concat(values: Any, axis: Any, name: str | None = "concat") -> Tensor:
    """Join tensors along an existing axis.

    Parameters, result and errors are those of `stack`, but the sizes along the axis may
    differ, and the result has the rank of the tensors.  No tensors are a ValueError.

    Examples
    --------
    >>> tf.Session().run(tf.concat([[[1, 2]], [[3, 4]]], 0)).tolist()
    [[1, 2], [3, 4]]
    """
    if isinstance(values, Tensor):
        values = [values]
    place = static_integer(axis, "tf.concat: axis")
    return apply_one(
        "ConcatV2", *listed("tf.concat: values", values), axis=place, name=name
    )


def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str | None = "split",
) -> list[Tensor]:
    """Split a tensor along an axis.

    `num_or_size_splits` is the number of equal parts, or a list with the size of each
    part; one of them may be -1, which means the remainder.  `num` is the number of
    parts, if their sizes are given by a tensor.  Other parameters are those of
    `unstack`.  It raises ValueError if the parts do not make up the axis.

    Examples
    --------
    >>> parts = tf.split([1, 2, 3, 4, 5], [2, 3])
    >>> [part.tolist() for part in tf.Session().run(parts)]
    [[1, 2], [3, 4, 5]]
    """
    tensor = convert_to_tensor(value)
    place = static_integer(axis, "tf.split: axis")
    sizes = _split_sizes(num_or_size_splits)
    if num is not None and num != len(sizes):
        raise ValueError(f"tf.split: num is {num}, but there are {len(sizes)} sizes")
    return apply_all("Split", tensor, axis=place, sizes=sizes, name=name)


_MAX_PARTS = 1 << 20
"""The most outputs of one operation."""


def _split_sizes(wanted: Any) -> tuple[int | None, ...]:
    what = "tf.split: num_or_size_splits"
    if _is_scalar(wanted):
        count = static_integer(wanted, what)
        if not 1 <= count <= _MAX_PARTS:
            raise ValueError(f"{what}: expected 1 to {_MAX_PARTS} parts, got {count}")
        return (None,) * count
    sizes = static_integers(wanted, what)
    if min(sizes, default=-2) < -1 or sizes.count(-1) > 1:
        raise ValueError(
            f"{what}: expected sizes of at least 0, one of which may be -1, got "
            f"{list(sizes)}"
        )
    return tuple(None if size == -1 else size for size in sizes)


def _is_scalar(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.shape.rank == 0
    return not isinstance(value, (list, tuple)) and np.ndim(value) == 0
