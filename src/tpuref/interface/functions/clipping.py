"""Clipping by value and by norm."""

from collections.abc import Sequence
from typing import Any

from tpuref.base.arguments import listed, name_or
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import (
    add_n,
    maximum,
    multiply,
    square,
    truediv,
)
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.exponentials import sqrt
from tpuref.interface.functions.extents import size
from tpuref.interface.functions.reductions import reduce_euclidean_norm, reduce_sum
from tpuref.interface.functions.tensor_kinds import has_values


def clip_by_value(
    t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None
) -> Tensor:
    """Return `t` clipped to two bounds; the lower bound wins if they cross.

    The result has the shape and dtype of `t`.  `t` holds real numbers.
    `clip_value_min` and `clip_value_max` are the bounds, with the dtype of `t` and
    shapes that broadcast to its shape.  It raises ValueError if the bounds do not
    broadcast to the shape of `t`.

    Examples
    --------
    >>> tf.Session().run(tf.clip_by_value([-5, 0, 5], -1, 1))
    array([-1,  0,  1], dtype=int32)
    """
    t = convert_to_tensor(t)
    low = convert_to_tensor(clip_value_min, t.dtype)
    high = convert_to_tensor(clip_value_max, t.dtype)
    clipped = apply_one(
        "ClipByValue", t, low, high, name=name_or(name, "clip_by_value")
    )
    if not t.shape.is_compatible_with(clipped.shape):
        raise ValueError(
            f"tf.clip_by_value: the bounds {low.describe()} and {high.describe()} do "
            f"not broadcast to the shape of {t.describe()}"
        )
    return clipped


def clip_by_norm(
    t: Any, clip_norm: Any, axes: Any = None, name: str | None = None
) -> Tensor:
    """Return `t`, scaled down to the Euclidean norm `clip_norm` if it is longer.

    The result has the shape and dtype of `t`.  `t` holds floating-point numbers.
    `clip_norm` is the greatest norm, positive.  `axes` are the axes of the norm; all by
    default.

    Examples
    --------
    >>> tf.Session().run(tf.clip_by_norm([3., 4.], 1.))
    array([0.6, 0.8], dtype=float32)
    """
    t = convert_to_tensor(t)
    limit = convert_to_tensor(clip_norm, t.dtype)
    length = reduce_euclidean_norm(t, axes, keepdims=True)
    return truediv(
        multiply(t, limit), maximum(length, limit), name_or(name, "clip_by_norm")
    )


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """Return `t`, scaled down to a Euclidean norm per element.

    The result has the shape and dtype of `t`.  `t` holds floating-point numbers.
    `clip_norm` is the greatest norm divided by the number of elements, positive.
    """
    t = convert_to_tensor(t)
    limit = convert_to_tensor(clip_norm, t.dtype)
    average = reduce_euclidean_norm(t) / cast(size(t), t.dtype)
    return truediv(
        multiply(t, limit),
        maximum(average, limit),
        name_or(name, "clip_by_average_norm"),
    )


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """Return the Euclidean norm of all tensors of a list together.

    The result is a scalar of that dtype.  `t_list` holds tensors or `tf.IndexedSlices`
    of one floating-point dtype, of which the rows count; None entries are skipped.  It
    raises ValueError if the list contains no tensor.

    Examples
    --------
    >>> float(tf.Session().run(tf.global_norm([[3.], None, [4.]])))
    5.0
    """
    tensors = listed("tf.global_norm: t_list", t_list)
    present = [_elements(t) for t in tensors if t is not None]
    if not present:
        raise ValueError("tf.global_norm: t_list must contain at least one tensor")
    return sqrt(add_n([reduce_sum(square(t)) for t in present]), name)


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """Return the tensors, scaled down to the joint norm `clip_norm` if it is greater.

    Return also their norm before clipping.  If it is not finite, all tensors are NaN.
    `t_list` holds tensors or `tf.IndexedSlices` of one floating-point dtype; None
    entries stay None.  `clip_norm` is the greatest norm of all tensors together,
    positive.  `use_norm` is their norm, if you have it; otherwise `global_norm`
    computes it.

    Examples
    --------
    >>> clipped, length = tf.clip_by_global_norm([[3.], [4.]], 1.)
    >>> [x.tolist() for x in tf.Session().run([*clipped, length])]
    [[0.6000000238418579], [0.800000011920929], 5.0]
    """
    tensors = listed("tf.clip_by_global_norm: t_list", t_list)
    norm = global_norm(tensors) if use_norm is None else convert_to_tensor(use_norm)
    limit = convert_to_tensor(clip_norm, norm.dtype)
    # The difference is zero, or NaN: one infinite gradient must not pass for a step.
    scale = truediv(limit, maximum(norm, limit)) + (norm - norm)
    return [None if t is None else _scale(t, scale, name) for t in tensors], norm


def _elements(t: Any) -> Tensor:
    """Return a tensor, of slices the rows."""
    return t.values if has_values(t) else convert_to_tensor(t)


def _scale(t: Any, scale: Tensor, name: str | None) -> Any:
    scaled = multiply(_elements(t), scale, name)
    return t.with_values(scaled) if has_values(t) else scaled
