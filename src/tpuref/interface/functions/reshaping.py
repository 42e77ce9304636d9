"""Changing the shape or the order of elements."""

from typing import Any

from tpuref.engine.graph.build import apply, apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions import arguments


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return the elements of a tensor, in the same order, with a new shape.

    The result has the same dtype.  One size may be -1, which means the remainder.  It
    raises ValueError if the number of elements differs.

    Examples
    --------
    >>> tf.Session().run(tf.reshape([1, 2, 3, 4], [2, -1])).tolist()
    [[1, 2], [3, 4]]
    """
    value = convert_to_tensor(tensor)
    sizes = arguments.shape_tensor(shape)
    result: Tensor = apply("Reshape", value, sizes, name=name)
    return arguments.refine_shape(result, sizes)


def expand_dims(
    input: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """Return a tensor with an axis of size 1 inserted.

    The result is a tensor with one more axis.  `axis` is the position of the new axis;
    negative counts from the end.  `dim` is the former name of `axis`.  It raises
    ValueError if `axis` is missing, given twice, or out of range.

    Examples
    --------
    >>> tf.expand_dims([1, 2], -1).shape.as_list()
    [2, 1]
    """
    axis = arguments.one_of("tf.expand_dims", axis=axis, dim=dim)
    if axis is None:
        raise ValueError("tf.expand_dims: axis is missing; expected an integer")
    if isinstance(axis, (list, tuple)) and len(axis) == 1:
        (axis,) = axis  # as programs write it
    place = arguments.static_integer(axis, "tf.expand_dims: axis")
    return apply_one("ExpandDims", input, axis=place, name=name)


def squeeze(
    input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Tensor:
    """Return a tensor without axes of size 1.

    The result is a tensor of lower rank with the same elements.  `axis` is one or
    several axes of size 1; by default all of them.  `squeeze_dims` is the former name
    of `axis`.  It raises ValueError if an axis does not have size 1.

    Examples
    --------
    >>> tf.squeeze([[[1], [2]]], axis=0).shape.as_list()
    [2, 1]
    """
    axis = arguments.one_of("tf.squeeze", axis=axis, squeeze_dims=squeeze_dims)
    axes = () if axis is None else arguments.static_integers(axis, "tf.squeeze: axis")
    return apply_one("Squeeze", input, axes=axes, name=name)


def transpose(
    a: Any, perm: Any = None, name: str | None = "transpose", conjugate: bool = False
) -> Tensor:
    """Return a tensor with its axes permuted.

    The result has the same dtype.  `perm` is the axis of `a` for each axis of the
    result; by default the reverse order.  `conjugate` says whether to take the complex
    conjugate as well.  It raises ValueError if `perm` is not a permutation of the axes.

    Examples
    --------
    >>> tf.Session().run(tf.transpose([[1, 2], [3, 4]])).tolist()
    [[1, 3], [2, 4]]
    """
    value = convert_to_tensor(a)
    order = (
        None if perm is None else arguments.static_integers(perm, "tf.transpose: perm")
    )
    if conjugate and value.dtype.is_complex:
        value = apply("Conj", value)
    return apply_one("Transpose", value, perm=order, name=name)


def matrix_transpose(
    a: Any, name: str | None = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """Return a tensor with its last two axes exchanged.

    The result has the same dtype.  `a` is a tensor of known rank, at least 2.
    `conjugate` says whether to take the complex conjugate as well.  It raises
    ValueError if the rank is less than 2 or unknown.

    Examples
    --------
    >>> tf.matrix_transpose([[[1, 2, 3]]]).shape.as_list()
    [1, 3, 1]
    """
    value = convert_to_tensor(a)
    if value.shape.rank is None or value.shape.rank < 2:
        raise ValueError(
            "tf.matrix_transpose: expected a known rank of at least 2, got "
            f"{value.describe()}"
        )
    axes = list(range(value.shape.rank))
    return transpose(value, [*axes[:-2], axes[-1], axes[-2]], name, conjugate)


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """Return a tensor reversed along some axes.

    The result has the same shape and dtype.  It raises ValueError if the axis does not
    exist, or one is given twice.

    Examples
    --------
    >>> tf.Session().run(tf.reverse([[1, 2], [3, 4]], [0])).tolist()
    [[3, 4], [1, 2]]
    """
    axes = arguments.static_integers(axis, "tf.reverse: axis")
    return apply_one("ReverseV2", tensor, axes=axes, name=name)


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Return a tensor shifted along some axes; elements wrap around.

    The result has the same shape and dtype.  `shift` is the number of positions, one
    for each axis.  `axis` is one or several axes.

    Examples
    --------
    >>> tf.Session().run(tf.roll([0, 1, 2, 3, 4], 2, 0)).tolist()
    [3, 4, 0, 1, 2]
    """
    axes = arguments.static_integers(axis, "tf.roll: axis")
    places = convert_to_tensor(shift)
    if places.shape.rank == 0:
        places = expand_dims(places, 0)
    return apply_one("Roll", convert_to_tensor(input), places, axes=axes, name=name)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return a tensor broadcast to a shape by NumPy's rules.

    The dtype stays.  It raises ValueError if the tensor does not broadcast to that
    shape.

    Examples
    --------
    >>> tf.Session().run(tf.broadcast_to([1, 2], [2, 2])).tolist()
    [[1, 2], [1, 2]]
    """
    value = convert_to_tensor(input)
    sizes = arguments.shape_tensor(shape)
    result: Tensor = apply("BroadcastTo", value, sizes, name=name)
    return arguments.refine_shape(result, sizes)


def expand_dims_v2(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """Return `expand_dims`, with the parameters of TensorFlow 2."""
    return expand_dims(input, axis, name)


def squeeze_v2(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Return `squeeze`, with the parameters of TensorFlow 2."""
    return squeeze(input, axis, name)


def transpose_v2(
    a: Any, perm: Any = None, conjugate: bool = False, name: str | None = "transpose"
) -> Tensor:
    """Return `transpose`, with the parameters of TensorFlow 2."""
    return transpose(a, perm, name, conjugate)
