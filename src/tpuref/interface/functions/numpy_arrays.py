"""NumPy's functions on arrays, order and positions for tensors.

The operations are those of the tf functions, with NumPy's arguments and results.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base.dtypes import bool_, int64
from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_operands, convert_to_tensor
from tpuref.engine.graph.numpy_protocol import implements
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions import creation, reshaping
from tpuref.interface.functions.arguments import static_integer, static_integers
from tpuref.interface.functions.diagonals import matrix_diag, matrix_diag_part
from tpuref.interface.functions.extents import shape, size
from tpuref.interface.functions.identity import identity
from tpuref.interface.functions.indexing import gather
from tpuref.interface.functions.joining import concat, split, stack, unstack
from tpuref.interface.functions.repetition import meshgrid, pad, repeat, tile
from tpuref.interface.functions.selection import where, where_v2
from tpuref.interface.functions.sorting import argsort, searchsorted, sort


def _refuse(function: str, **arguments: Any) -> None:
    """Raise TypeError for arguments that make sense only for arrays in memory."""
    names = [name for name, value in arguments.items() if value is not None]
    if names:
        raise TypeError(
            f"{function}: {', '.join(names)} cannot be used with a tensor; omit it"
        )


def _unusual(value: Any, *usual: Any) -> Any:
    """Return None for values that have no effect on a tensor."""
    return None if value in usual else value


def _rank(function: str, x: Tensor) -> int:
    if x.shape.rank is None:
        raise ValueError(f"{function}: the rank of {x.describe()} is unknown")
    return x.shape.rank


def _axes(function: str, axis: Any, rank: int) -> tuple[int, ...]:
    """Return the axes counted from the front; None means all."""
    if axis is None:
        return tuple(np.arange(rank).tolist())
    axes = static_integers(axis, f"{function}: axis")
    wrong = [each for each in axes if not -rank <= each < rank]
    if wrong:
        raise ValueError(f"{function}: axis {wrong[0]} does not exist in rank {rank}")
    return tuple(each % rank for each in axes)


def truth(condition: Any) -> Tensor:
    """Return whether each element is not zero."""
    test = convert_to_tensor(condition)
    if test.dtype == bool_:
        return test
    return apply_one("NotEqual", test, np.zeros((), test.dtype.np))


# -- shapes ------------------------------------------------------------------------


@implements(np.shape)
def _shape(a: Any) -> tuple[Any, ...]:
    """Return the sizes, as integers if they are static, otherwise as scalar tensors."""
    x = convert_to_tensor(a)
    _rank("np.shape", x)
    return tuple(
        shape(x)[axis] if known is None else known
        for axis, known in enumerate(x.shape.as_tuple())
    )


@implements(np.ndim)
def _ndim(a: Any) -> int:
    return _rank("np.ndim", convert_to_tensor(a))


@implements(np.size)
def _size(a: Any, axis: Any = None) -> Any:
    x = convert_to_tensor(a)
    if axis is not None:
        sizes = _shape(x)
        chosen = [sizes[each] for each in _axes("np.size", axis, len(sizes))]
        return int(np.prod(chosen)) if len(chosen) != 1 else chosen[0]
    known = x.shape.num_elements()
    return size(x) if known is None else known


# -- creation ----------------------------------------------------------------------


@implements(np.zeros_like)
def _zeros_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    if shape is None:
        return creation.zeros_like(a, dtype)
    return creation.zeros(shape, dtype or convert_to_tensor(a).dtype)


@implements(np.ones_like)
def _ones_like(
    a: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    if shape is None:
        return creation.ones_like(a, dtype)
    return creation.ones(shape, dtype or convert_to_tensor(a).dtype)


@implements(np.full_like)
def _full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Tensor:
    x = convert_to_tensor(a)
    value = convert_to_tensor(fill_value, dtype or x.dtype)
    if shape is not None:
        return reshaping.broadcast_to(value, shape)
    return reshaping.broadcast_to(value, apply("Shape", x, out_type="int32"))


@implements(np.copy)
def _copy(a: Any, order: str = "K", subok: bool = False) -> Tensor:
    return identity(a)


@implements(np.meshgrid)
def _meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Tensor, ...]:
    _refuse("np.meshgrid", sparse=_unusual(sparse, False))
    return tuple(meshgrid(*convert_operands("np.meshgrid", xi), indexing=indexing))


# -- reshaping ---------------------------------------------------------------------


@implements(np.reshape)
def _reshape(
    a: Any,
    shape: Any = None,
    order: str = "C",
    *,
    newshape: Any = None,
    copy: Any = None,
) -> Tensor:
    _refuse("np.reshape", order=_unusual(order, "C"))
    sizes = newshape if shape is None else shape
    if isinstance(sizes, Tensor) and sizes.shape.rank == 0:
        sizes = [sizes]
    return reshaping.reshape(a, sizes)


@implements(np.ravel)
def _ravel(a: Any, order: str = "C") -> Tensor:
    _refuse("np.ravel", order=_unusual(order, "C"))
    return reshaping.reshape(a, [-1])


@implements(np.transpose)
def _transpose(a: Any, axes: Any = None) -> Tensor:
    x = convert_to_tensor(a)
    if axes is None:
        return reshaping.transpose(x)
    return reshaping.transpose(x, _axes("np.transpose", axes, _rank("np.transpose", x)))


@implements(np.swapaxes)
def _swapaxes(a: Any, axis1: int, axis2: int) -> Tensor:
    x = convert_to_tensor(a)
    rank = _rank("np.swapaxes", x)
    first, second = _axes("np.swapaxes", [axis1, axis2], rank)
    order = list(_axes("np.swapaxes", None, rank))
    order[first], order[second] = second, first
    return reshaping.transpose(x, order)


@implements(np.moveaxis)
def _moveaxis(a: Any, source: Any, destination: Any) -> Tensor:
    x = convert_to_tensor(a)
    rank = _rank("np.moveaxis", x)
    sources = _axes("np.moveaxis", source, rank)
    targets = _axes("np.moveaxis", destination, rank)
    if len(sources) != len(targets):
        raise ValueError(
            f"np.moveaxis: {len(sources)} axes cannot move to {len(targets)} positions"
        )
    order = [axis for axis in _axes("", None, rank) if axis not in sources]
    for target, moved in sorted(zip(targets, sources, strict=True)):
        order.insert(target, moved)
    return reshaping.transpose(x, order)


@implements(np.expand_dims)
def _expand_dims(a: Any, axis: Any) -> Tensor:
    x = convert_to_tensor(a)
    places = static_integers(axis, "np.expand_dims: axis")
    if len(places) == 1:
        return reshaping.expand_dims(x, places[0])
    rank = _rank("np.expand_dims", x) + len(places)
    for place in sorted(_axes("np.expand_dims", places, rank)):
        x = reshaping.expand_dims(x, place)
    return x


@implements(np.squeeze)
def _squeeze(a: Any, axis: Any = None) -> Tensor:
    return reshaping.squeeze(a, axis)


@implements(np.atleast_1d)
def _atleast_1d(*arys: Any) -> Any:
    return _all_or_one([_with_rank(x, 1) for x in arys])


@implements(np.atleast_2d)
def _atleast_2d(*arys: Any) -> Any:
    return _all_or_one([_with_rank(x, 2) for x in arys])


def _with_rank(a: Any, least: int) -> Tensor:
    """Return the tensor with leading axes of size 1 up to a rank."""
    x = convert_to_tensor(a)
    for _ in np.arange(_rank("np.atleast", x), least):
        x = reshaping.expand_dims(x, 0)
    return x


def _all_or_one(tensors: list[Tensor]) -> Any:
    return tensors[0] if len(tensors) == 1 else tuple(tensors)


@implements(np.flip)
def _flip(m: Any, axis: Any = None) -> Tensor:
    x = convert_to_tensor(m)
    return reshaping.reverse(x, _axes("np.flip", axis, _rank("np.flip", x)))


@implements(np.flipud)
def _flipud(m: Any) -> Tensor:
    return reshaping.reverse(m, [0])


@implements(np.fliplr)
def _fliplr(m: Any) -> Tensor:
    return reshaping.reverse(m, [1])


@implements(np.rot90)
def _rot90(m: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> Tensor:
    """Rotate k quarter turns from the first axis towards the second."""
    x = convert_to_tensor(m)
    first, second = _axes("np.rot90", list(axes), _rank("np.rot90", x))
    turns = k % 4
    if turns == 0:
        return identity(x)
    if turns == 2:
        return reshaping.reverse(x, [first, second])
    if turns == 1:
        return _swapaxes(reshaping.reverse(x, [second]), first, second)
    return reshaping.reverse(_swapaxes(x, first, second), [second])


@implements(np.roll)
def _roll(a: Any, shift: Any, axis: Any = None) -> Tensor:
    x = convert_to_tensor(a)
    if axis is None:
        return reshaping.reshape(
            reshaping.roll(reshaping.reshape(x, [-1]), shift, 0), shape(x)
        )
    axes = static_integers(axis, "np.roll: axis")
    places = convert_to_tensor(shift)
    return reshaping.roll(x, reshaping.broadcast_to(places, [len(axes)]), list(axes))


# -- joining and splitting ---------------------------------------------------------


@implements(np.concatenate)
def _concatenate(
    arrays: Sequence[Any],
    axis: int | None = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Tensor:
    _refuse("np.concatenate", out=out, dtype=dtype)
    tensors = convert_operands("np.concatenate", list(arrays))
    if axis is None:
        return concat([reshaping.reshape(tensor, [-1]) for tensor in tensors], 0)
    return concat(tensors, axis)


@implements(np.stack)
def _stack(
    arrays: Sequence[Any],
    axis: int = 0,
    out: Any = None,
    *,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Tensor:
    _refuse("np.stack", out=out, dtype=dtype)
    return stack(convert_operands("np.stack", list(arrays)), axis)


@implements(np.vstack)
def _vstack(
    tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind"
) -> Tensor:
    _refuse("np.vstack", dtype=dtype)
    tensors = convert_operands("np.vstack", list(tup))
    return concat([_with_rank(tensor, 2) for tensor in tensors], 0)


@implements(np.hstack)
def _hstack(
    tup: Sequence[Any], *, dtype: Any = None, casting: str = "same_kind"
) -> Tensor:
    _refuse("np.hstack", dtype=dtype)
    tensors = [_with_rank(x, 1) for x in convert_operands("np.hstack", list(tup))]
    return concat(tensors, 0 if tensors[0].shape.rank == 1 else 1)


@implements(np.split)
def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    x = convert_to_tensor(ary)
    if np.ndim(indices_or_sections) == 0:
        return split(x, indices_or_sections, axis)
    length = _static_length("np.split", x, axis)
    return split(x, _part_sizes(indices_or_sections, length), axis)


@implements(np.array_split)
def _array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    x = convert_to_tensor(ary)
    length = _static_length("np.array_split", x, axis)
    if np.ndim(indices_or_sections):
        return split(x, _part_sizes(indices_or_sections, length), axis)
    count = static_integer(indices_or_sections, "np.array_split: indices_or_sections")
    parts = np.array_split(np.arange(length), count)
    return split(x, [len(part) for part in parts], axis)


def _static_length(function: str, x: Tensor, axis: int) -> int:
    (along,) = _axes(function, axis, _rank(function, x))
    length = x.shape.as_tuple()[along]
    if length is None:
        raise ValueError(
            f"{function}: the size of axis {axis} of {x.describe()} is unknown; use "
            "tf.split"
        )
    return length


def _part_sizes(indices: Any, length: int) -> list[int]:
    """Return the sizes of the parts between the indices, which may be out of range."""
    return [len(part) for part in np.split(np.arange(length), indices)]


# -- repeating and padding ---------------------------------------------------------


@implements(np.tile)
def _tile(A: Any, reps: Any) -> Tensor:
    x = convert_to_tensor(A)
    counts = static_integers(reps, "np.tile: reps")
    x = _with_rank(x, len(counts))
    missing = _rank("np.tile", x) - len(counts)
    return tile(x, [1] * missing + list(counts))


@implements(np.repeat)
def _repeat(a: Any, repeats: Any, axis: int | None = None) -> Tensor:
    return repeat(a, repeats, axis)


@implements(np.broadcast_to)
def _broadcast_to(array: Any, shape: Any, subok: bool = False) -> Tensor:
    return reshaping.broadcast_to(array, shape)


@implements(np.pad)
def _pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Tensor:
    x = convert_to_tensor(array)
    value = kwargs.pop("constant_values", 0)
    _refuse(f"np.pad with mode {mode!r}", **kwargs)
    if mode not in ("constant", "reflect", "symmetric"):
        raise TypeError(
            f"np.pad: mode {mode!r} cannot be used with a tensor; expected 'constant', "
            "'reflect' or 'symmetric'"
        )
    widths = np.broadcast_to(np.asarray(pad_width), (_rank("np.pad", x), 2))
    return pad(x, widths.astype(np.int32), mode, constant_values=value)


# -- diagonals ---------------------------------------------------------------------


@implements(np.tril)
def _tril(m: Any, k: int = 0) -> Tensor:
    x = convert_to_tensor(m)
    return where_v2(apply("LessEqual", _distance(x), k), x, creation.zeros([], x.dtype))


@implements(np.triu)
def _triu(m: Any, k: int = 0) -> Tensor:
    x = convert_to_tensor(m)
    return where_v2(
        apply("GreaterEqual", _distance(x), k), x, creation.zeros([], x.dtype)
    )


def _distance(x: Tensor) -> Tensor:
    """Return the distance of each matrix element to the right of the diagonal."""
    sizes = shape(x)
    rows = reshaping.expand_dims(creation.range(sizes[-2]), 1)
    return apply_one("Sub", creation.range(sizes[-1]), rows)


@implements(np.diag)
def _diag(v: Any, k: int = 0) -> Tensor:
    x = convert_to_tensor(v)
    if _rank("np.diag", x) == 2:
        return _diagonal(x, k)
    if x.shape.rank != 1:
        raise ValueError(f"np.diag: expected rank 1 or 2, got {x.describe()}")
    above, below = max(k, 0), max(-k, 0)
    return pad(matrix_diag(x), [[below, above], [above, below]])


@implements(np.diagonal)
def _diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    x = _moveaxis(a, (axis1, axis2), (-2, -1))
    return matrix_diag_part(x[..., max(-offset, 0) :, max(offset, 0) :])


# -- selecting ---------------------------------------------------------------------


@implements(np.where)
def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return _nonzero(condition)
    return where_v2(truth(condition), x, y)


@implements(np.nonzero)
def _nonzero(a: Any) -> tuple[Tensor, ...]:
    x = convert_to_tensor(a)
    return tuple(unstack(where(x), _rank("np.nonzero", x), axis=1))


@implements(np.argwhere)
def _argwhere(a: Any) -> Tensor:
    return where(a)


@implements(np.take)
def _take(
    a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise"
) -> Tensor:
    _refuse("np.take", out=out, mode=_unusual(mode, "raise"))
    x = convert_to_tensor(a)
    if axis is None:
        x, axis = reshaping.reshape(x, [-1]), 0
    (along,) = _axes("np.take", axis, _rank("np.take", x))
    places = convert_to_tensor(indices)
    return gather(x, _from_front(places, shape(x)[along]), axis=along)


def _from_front(indices: Tensor, length: Tensor) -> Tensor:
    """Return indices counted from the front, resolving negative ones."""
    same: Tensor = apply("Cast", length, dtype=indices.dtype.name)
    negative = apply("Less", indices, np.zeros((), indices.dtype.np))
    return where_v2(negative, apply("AddV2", indices, same), indices)


@implements(np.take_along_axis)
def _take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Tensor:
    x = convert_to_tensor(arr)
    places = convert_to_tensor(indices)
    if axis is None:
        x, axis = reshaping.reshape(x, [-1]), 0
    along = static_integer(axis, "np.take_along_axis: axis")
    return apply_one("TakeAlongAxis", x, places, axis=along)


# -- order -------------------------------------------------------------------------


@implements(np.sort)
def _sort(
    a: Any,
    axis: int | None = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: Any = None,
) -> Tensor:
    _refuse("np.sort", order=order)
    return sort(reshaping.reshape(a, [-1]), 0) if axis is None else sort(a, axis)


@implements(np.argsort)
def _argsort(
    a: Any,
    axis: int | None = -1,
    kind: Any = None,
    order: Any = None,
    *,
    stable: Any = None,
) -> Tensor:
    _refuse("np.argsort", order=order)
    places = (
        argsort(reshaping.reshape(a, [-1]), 0) if axis is None else argsort(a, axis)
    )
    return apply_one("Cast", places, dtype=int64.name)


@implements(np.searchsorted)
def _searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Tensor:
    _refuse("np.searchsorted", sorter=sorter)
    ordered, wanted = convert_operands("np.searchsorted", [a, v])
    places = searchsorted(ordered, reshaping.reshape(wanted, [-1]), side, int64)
    return reshaping.reshape(places, shape(wanted))
