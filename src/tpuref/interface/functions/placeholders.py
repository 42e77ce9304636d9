"""Placeholders, whose values come from ``feed_dict``."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype
from tpuref.base.shapes import as_shape
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Tensor


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """Return a tensor that gets its value from each ``Session.run``.

    The result is a tensor that must be a key of ``feed_dict`` if a run needs it.

    A `shape` of None, or None for a dimension of it, allows any.  It raises
    RuntimeError in eager mode, where nothing can be fed.

    Examples
    --------
    >>> x = tf.placeholder(tf.float32, [None])
    >>> tf.Session().run(x + 1.0, {x: [1.0, 2.0]}).tolist()
    [2.0, 3.0]
    """
    if executing_eagerly():
        raise codes.WRONG_MODE.runtime_error(
            "tf.placeholder: eager mode cannot feed values; pass the value itself, or "
            "build in tf.Graph().as_default()"
        )
    static = as_shape(shape)
    sizes = None if static.rank is None else static.as_tuple()
    return apply_one("Placeholder", dtype=as_dtype(dtype).name, shape=sizes, name=name)


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Return a tensor that ``Session.run`` may feed, and has a default otherwise.

    `input` is the default: a tensor, or a value that can become one.  `shape` is the
    static shape of the result; None, or None for a dimension, allows any.  It raises
    ValueError if the default cannot have that shape.

    Examples
    --------
    >>> keep = tf.placeholder_with_default(1.0, [])
    >>> sess = tf.Session()
    >>> float(sess.run(keep)), float(sess.run(keep, {keep: 0.5}))
    (1.0, 0.5)
    """
    value = convert_to_tensor(input)
    if executing_eagerly():
        return value
    static = as_shape(shape)
    sizes = None if static.rank is None else static.as_tuple()
    return apply_one("PlaceholderWithDefault", value, shape=sizes, name=name)
