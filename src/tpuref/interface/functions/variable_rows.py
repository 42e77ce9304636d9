"""Changes of some rows of a variable."""

from typing import Any

from tpuref.base.arguments import instance_of
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.variables import Variable
from tpuref.interface.functions.arithmetic import realdiv
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.products import truncatediv
from tpuref.interface.functions.reshaping import expand_dims
from tpuref.interface.functions.segment_reductions import unsorted_segment_prod


def scatter_update(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Replace rows of a variable.

    The result is the new value of the whole variable.  `indices` are the rows to
    change, int32 or int64 of any shape.  `updates` are their values, of shape
    ``indices.shape + ref.shape[1:]``; the last of them counts where an index is
    repeated.  It raises ValueError if the shapes do not go together, and at run time
    `tf.errors.InvalidArgumentError` if a row does not exist.

    Examples
    --------
    >>> v = tf.Variable([1.0, 2.0, 3.0])
    >>> with tf.Session() as sess:
    ...     sess.run(v.initializer)
    ...     sess.run(tf.scatter_update(v, [2, 0], [7.0, 8.0])).tolist()
    [8.0, 2.0, 7.0]
    """
    places, rows = _rows("tf.scatter_update", ref, indices, updates)
    return ref.scatter_nd_update(places, rows, name)


def scatter_add(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Add to rows of a variable, also several times to one; see `scatter_update`."""
    places, rows = _rows("tf.scatter_add", ref, indices, updates)
    return ref.scatter_nd_add(places, rows, name)


def scatter_sub(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Subtract from rows of a variable, also several times; see `scatter_update`."""
    places, rows = _rows("tf.scatter_sub", ref, indices, updates)
    return ref.scatter_nd_sub(places, rows, name)


def scatter_max(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Replace elements of rows of a variable by updates that are greater.

    Parameters and result are those of `scatter_update`.
    """
    places, rows = _rows("tf.scatter_max", ref, indices, updates)
    return ref.scatter_nd_max(places, rows, name)


def scatter_min(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Replace elements of rows of a variable by smaller updates; see `scatter_max`."""
    places, rows = _rows("tf.scatter_min", ref, indices, updates)
    return ref.scatter_nd_min(places, rows, name)


def scatter_mul(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Multiply rows of a variable, also several times; see `scatter_update`."""
    _, rows = _rows("tf.scatter_mul", ref, indices, updates)
    factors = unsorted_segment_prod(rows, indices, shape(ref.value())[0])
    return ref.assign(ref.value() * factors, name=name)


def scatter_div(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Divide rows of a variable, also several times; see `scatter_update`."""
    _, rows = _rows("tf.scatter_div", ref, indices, updates)
    divisors = unsorted_segment_prod(rows, indices, shape(ref.value())[0])
    divide = truncatediv if ref.dtype.is_integer else realdiv
    return ref.assign(divide(ref.value(), divisors), name=name)


def scatter_nd_update(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = True,
    name: str | None = None,
) -> Any:
    """Replace elements or slices of a variable; the result is its new value.

    `indices` and `updates` are those of `tf.tensor_scatter_nd_update`.

    Examples
    --------
    >>> v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    >>> with tf.Session() as sess:
    ...     sess.run(v.initializer)
    ...     sess.run(tf.scatter_nd_update(v, [[0, 1]], [9.0])).tolist()
    [[1.0, 9.0], [3.0, 4.0]]
    """
    _check("tf.scatter_nd_update", ref)
    return ref.scatter_nd_update(indices, updates, name)


def scatter_nd_add(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Add to elements or slices of a variable; see `scatter_nd_update`."""
    _check("tf.scatter_nd_add", ref)
    return ref.scatter_nd_add(indices, updates, name)


def scatter_nd_sub(
    ref: Variable,
    indices: Any,
    updates: Any,
    use_locking: bool = False,
    name: str | None = None,
) -> Any:
    """Subtract from elements or slices of a variable; see `scatter_nd_update`."""
    _check("tf.scatter_nd_sub", ref)
    return ref.scatter_nd_sub(indices, updates, name)


def _check(function: str, ref: Variable) -> None:
    instance_of(Variable, f"{function}: ref", "a variable", ref)


def _rows(function: str, ref: Variable, indices: Any, updates: Any) -> tuple[Any, Any]:
    _check(function, ref)
    return expand_dims(indices, -1), convert_to_tensor(updates, dtype_hint=ref.dtype)
