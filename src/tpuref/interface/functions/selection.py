"""Elements selected by conditions."""

from typing import Any

from tpuref.base.dtypes import bool_
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_operands, convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import static_integer
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.joining import concat
from tpuref.interface.functions.reshaping import reshape, squeeze


def where(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Tensor:
    """Select from `x` where a condition is true and from `y` elsewhere.

    The result is the selected elements, or positions as int64 of shape
    ``[found, rank]``.  `condition` is a bool tensor: with the shape of `x`, a scalar,
    or a vector that selects whole rows of `x`.  `x` and `y` are tensors of one dtype
    and shape; `where_v2` broadcasts.  Without them, the result is the true positions.
    It raises ValueError if only one of `x` and `y` is given, or shapes do not fit.

    Examples
    --------
    >>> tf.Session().run(tf.where([True, False], [1, 2], [3, 4])).tolist()
    [1, 4]
    >>> tf.Session().run(tf.where([True, False, True])).tolist()
    [[0], [2]]
    """
    test, x, y = _where_operands("tf.where", condition, x, y)
    if x is None or y is None:
        return _positions(test, name)
    same = x.shape.is_fully_defined() and x.shape == y.shape
    elementwise = same and (test.shape.rank == 0 or test.shape == x.shape)
    operation = "SelectV2" if elementwise else "Select"  # elementwise ones are fused
    return apply_one(operation, test, x, y, name=name or "Select")


def where_v2(
    condition: Any, x: Any = None, y: Any = None, name: str | None = None
) -> Tensor:
    """Select as `where` does; all three arguments always broadcast.

    Examples
    --------
    >>> tf.Session().run(tf.where_v2([[True], [False]], [1, 2], 0)).tolist()
    [[1, 2], [0, 0]]
    """
    test, x, y = _where_operands("tf.where_v2", condition, x, y)
    if x is None or y is None:
        return _positions(test, name)
    return apply_one("SelectV2", test, x, y, name=name)


def _where_operands(
    function: str, condition: Any, x: Any, y: Any
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    if (x is None) != (y is None):
        missing = "x" if x is None else "y"
        raise ValueError(f"{function}: {missing} is missing; give both x and y or none")
    if x is None:
        return convert_to_tensor(condition), None, None
    first, second = convert_operands(function, [x, y])
    return convert_to_tensor(condition, dtype_hint=bool_), first, second


def _positions(condition: Tensor, name: str | None) -> Tensor:
    return apply_one("Where", condition, name=name)


def boolean_mask(
    tensor: Any, mask: Any, name: str | None = "boolean_mask", axis: Any = None
) -> Tensor:
    """Return the parts of a tensor where a mask is true.

    The result is the selected parts; one axis of unknown size replaces the axes of the
    mask.  `mask` is a bool tensor of known rank, whose shape is a part of that of
    `tensor`; numbers other than 0 are true.  `axis` is the axis of `tensor` at which
    the mask begins, 0 by default.
    It raises ValueError if the mask is a scalar, of unknown rank, or does not fit.

    Examples
    --------
    >>> tf.Session().run(tf.boolean_mask([5, 6, 7], [True, False, True])).tolist()
    [5, 7]
    """
    value, chosen = convert_to_tensor(tensor), convert_to_tensor(mask)
    begin = 0 if axis is None else static_integer(axis, "tf.boolean_mask: axis")
    depth, outer = chosen.shape.rank, value.shape.rank
    if not depth or (outer is None and begin < 0):
        raise ValueError(
            "tf.boolean_mask: expected a mask of known rank of at least 1, and for a "
            f"negative axis a tensor of known rank, got {value.describe()} and "
            f"{chosen.describe()}"
        )
    begin = begin + (outer or 0) if begin < 0 else begin
    masked = value.shape[begin : begin + depth]
    if not masked.is_compatible_with(chosen.shape):
        raise ValueError(
            f"tf.boolean_mask: the mask {chosen.describe()} does not fit the axes from "
            f"{begin} on of {value.describe()}"
        )
    if depth > 1:
        sizes = shape(value)
        value = reshape(value, concat([sizes[:begin], [-1], sizes[begin + depth :]], 0))
    places = squeeze(where(reshape(chosen, [-1])), [1])
    return apply_one("GatherV2", value, places, axis=begin, batch_dims=0, name=name)


def boolean_mask_v2(
    tensor: Any, mask: Any, axis: Any = None, name: str | None = "boolean_mask"
) -> Tensor:
    """Return `boolean_mask`, with the parameters of TensorFlow 2."""
    return boolean_mask(tensor, mask, name, axis)
