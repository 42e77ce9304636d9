"""Repeating and padding tensors."""

from typing import Any

from tpuref.base.arguments import instance_of
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import shape_tensor, static_integer
from tpuref.interface.functions.creation import zeros
from tpuref.interface.functions.extents import size
from tpuref.interface.functions.joining import stack
from tpuref.interface.functions.reshaping import broadcast_to, reshape


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Return a whole tensor repeated along its axes.

    The result has the same rank and dtype.  `multiples` has the number of repetitions
    for each axis.  It raises ValueError if the number of `multiples` differs from the
    rank.

    Examples
    --------
    >>> tf.Session().run(tf.tile([[1, 2]], [2, 2])).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    value = convert_to_tensor(input)
    return apply_one("Tile", value, shape_tensor(multiples), name=name)


def repeat(
    input: Any, repeats: Any, axis: int | None = None, name: str | None = None
) -> Tensor:
    """Return a tensor with each element along an axis repeated.

    The result is a tensor of the same rank and dtype, or a vector.  `repeats` is the
    number of repetitions: one for all, or one for each element of the axis.  Without
    `axis`, the tensor is flattened first.  It raises ValueError if the number of
    `repeats` is neither 1 nor the size of the axis.

    Examples
    --------
    >>> tf.Session().run(tf.repeat([3, 0, 2], [2, 0, 1])).tolist()
    [3, 3, 2]
    """
    value = convert_to_tensor(input)
    if axis is None:
        value, axis = reshape(value, [-1]), 0
    place = static_integer(axis, "tf.repeat: axis")
    return apply_one("Repeat", value, convert_to_tensor(repeats), axis=place, name=name)


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Tensor:
    """Return a tensor with elements added before and after each axis.

    The result has the same rank and dtype.  `paddings` is a pair for each axis: how
    many elements before and after.  `mode` is ``"CONSTANT"``; ``"REFLECT"``, which
    mirrors without the edge element; or ``"SYMMETRIC"``, which mirrors with it.  Case
    does not matter.  `constant_values` is the scalar that ``"CONSTANT"`` adds.  It
    raises ValueError if the mode is unknown, or `paddings` lacks a pair for an axis or
    exceeds what can be mirrored.

    Examples
    --------
    >>> tf.Session().run(tf.pad([1, 2, 3], [[1, 2]])).tolist()
    [0, 1, 2, 3, 0, 0]
    >>> tf.Session().run(tf.pad([1, 2, 3], [[1, 2]], "REFLECT")).tolist()
    [2, 1, 2, 3, 2, 1]
    """
    value = convert_to_tensor(tensor)
    pairs = convert_to_tensor(paddings)
    kind = instance_of(str, "tf.pad: mode", "a string", mode).upper()
    if kind not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(
            f"tf.pad: mode: expected 'CONSTANT', 'REFLECT' or 'SYMMETRIC', got {mode!r}"
        )
    if kind == "CONSTANT":
        result: Tensor = apply(
            "PadV2", value, pairs, _filler(constant_values, value), name=name or "Pad"
        )
    else:
        result = apply("MirrorPad", value, pairs, mode=kind, name=name)
    return result


def _filler(constant_values: Any, value: Tensor) -> Tensor:
    if isinstance(constant_values, (int, float)) and constant_values == 0:
        return zeros([], value.dtype)
    return convert_to_tensor(constant_values, dtype_hint=value.dtype)


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Return the coordinates of a grid, one tensor per axis.

    `args` are vectors or scalars of one dtype.  `kwargs` is ``indexing``: with
    ``"xy"``, the default, the second vector runs along axis 0, with ``"ij"`` the first.
    ``name`` is accepted too.  It raises ValueError if ``indexing`` is unknown, and
    TypeError for another keyword.

    Examples
    --------
    >>> x, y = tf.Session().run(tf.meshgrid([1, 2], [3, 4]))
    >>> x.tolist(), y.tolist()
    ([[1, 2], [1, 2]], [[3, 3], [4, 4]])
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"tf.meshgrid: unexpected keywords {sorted(kwargs)}")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"tf.meshgrid: indexing: expected 'xy' or 'ij', got {indexing!r}"
        )
    vectors = [reshape(vector, [-1]) for vector in args]
    order = list(range(len(vectors)))
    if indexing == "xy":
        order[:2] = order[1::-1]
    grid = stack([size(vectors[axis]) for axis in order]) if vectors else None
    return [
        broadcast_to(_along(vector, order.index(k), len(order)), grid)
        for k, vector in enumerate(vectors)
    ]


def _along(vector: Tensor, axis: int, rank: int) -> Tensor:
    return reshape(vector, [1] * axis + [-1] + [1] * (rank - axis - 1))


def pad_v2(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:
    """Return `pad`, with the parameters of TensorFlow 2."""
    return pad(tensor, paddings, mode, name, constant_values)
