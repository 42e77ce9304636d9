"""`tf.gradients`: gradients of tensors of a graph."""

from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import as_list, name_or
from tpuref.base.errors import coded
from tpuref.engine.differentiation.application import apply
from tpuref.engine.differentiation.blocks import gradients_of_block
from tpuref.engine.differentiation.indexed_slices import IndexedSlices
from tpuref.engine.differentiation.options import UnconnectedGradients
from tpuref.engine.differentiation.walk import Gradient, Walk, steps_before
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.engine.ops.derivatives.rule import Rows, shape_of, zeros_like


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str | None = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
) -> list[Tensor]:
    """Return the derivatives of the sum of `ys` by each of `xs`.

    Each has the shape and dtype of its x; it is `tf.IndexedSlices` for a table read by
    rows, or None (see `unconnected_gradients`).  For complex numbers the gradient is
    that of the conjugate, as in TensorFlow.  In a replicated computation it is that of
    one replica's result; `cross_replica_sum` adds the gradients of all replicas of a
    group.

    It raises LookupError, which names the operation, if one between them has no
    gradient, NotImplementedError if one is in `tf.tpu.outside_compilation`, TypeError
    if a y is complex and has no `grad_ys`, or a `grad_ys` has another dtype, ValueError
    if `grad_ys` has another length than `ys`, and RuntimeError in eager mode; use
    `tf.GradientTape` there.

    Parameters
    ----------
    ys
        A tensor or a list of tensors to differentiate.
    xs
        A tensor or variable, or a list of those, to differentiate by.
    grad_ys
        The initial gradient of each of `ys`, with its shape and dtype; None for ones.
    name
        The name scope of the operations that are added.
    colocate_gradients_with_ops
        Whether the gradient of an operation is placed on the device of the operation.
        On the cores of one replica it always is.
    gate_gradients, aggregation_method
        Accepted for compatibility; has no effect.
    stop_gradients
        Tensors to take as constants.
    unconnected_gradients
        The result for an x on which no y depends: None, or zeros.

    Examples
    --------
    >>> x = tf.constant([1.0, 2.0])
    >>> (gradient,) = tf.gradients(x**3, x)
    >>> tf.Session().run(gradient)
    array([ 3., 12.], dtype=float32)
    """
    if executing_eagerly():
        raise codes.WRONG_MODE.runtime_error(
            "tf.gradients is not supported in eager mode; use tf.GradientTape"
        )
    targets = [convert_to_tensor(y) for y in _listed(ys)]
    sources = _listed(xs)
    stops = {convert_to_tensor(t) for t in _listed(stop_gradients)}
    with get_default_graph().name_scope(name_or(name, "gradients")):
        seeds = seeds_of("tf.gradients", targets, _listed(grad_ys))
        walk = Walk("tf.gradients", gradients_of_block, colocate_gradients_with_ops)
        keys = [x.handle if isinstance(x, Variable) else _tensor(x) for x in sources]
        gradients = walk.backward(seeds, keys, steps_before(targets, stops), stops)
        return [
            finished(gradient, x, unconnected_gradients)
            for gradient, x in zip(gradients, sources, strict=True)
        ]


def _listed(values: Any) -> list[Any]:
    return [] if values is None else as_list(values)


def _tensor(x: Any) -> Tensor:
    element = get_default_graph().as_graph_element(x, allow_operation=False)
    assert isinstance(element, Tensor)
    return element


def seeds_of(
    function: str, ys: Sequence[Tensor], grad_ys: Sequence[Any]
) -> list[tuple[Tensor, Tensor]]:
    """Return each y with its initial gradient."""
    if grad_ys and len(grad_ys) != len(ys):
        raise codes.INVALID_ARGUMENT.value_error(
            f"{function}: expected one initial gradient for each of {len(ys)} tensors, "
            f"got {len(grad_ys)}; pass one for each, or None"
        )
    wanted = list(grad_ys) or [None] * len(ys)
    return [
        (y, _initial_gradient(function, y, g)) for y, g in zip(ys, wanted, strict=True)
    ]


def _initial_gradient(function: str, y: Tensor, grad_y: Any) -> Tensor:
    if grad_y is None and y.dtype.is_complex:
        raise codes.INVALID_ARGUMENT.type_error(
            f"{function}: the complex tensor {y.describe()} has no default initial "
            "gradient; pass one, or differentiate its real part"
        )
    if grad_y is None:
        ones: Tensor = apply("OnesLike", y)
        return ones
    seed = convert_to_tensor(grad_y, dtype_hint=y.dtype)
    if seed.dtype != y.dtype or not seed.shape.is_compatible_with(y.shape):
        raise coded(
            TypeError if seed.dtype != y.dtype else ValueError,
            f"{function}: the initial gradient must have the shape and dtype of "
            f"{y.describe()}, got {seed.describe()}",
            code=codes.INVALID_ARGUMENT,
        )
    return seed


def finished(gradient: Gradient | None, x: Any, missing: UnconnectedGradients) -> Any:
    """Convert a gradient for the user: slices for rows, zeros if asked for."""
    if isinstance(gradient, Rows):
        return IndexedSlices(gradient.values, gradient.indices, _shape_of(x))
    if gradient is None and UnconnectedGradients(missing) is UnconnectedGradients.ZERO:
        return zeros_like(apply, convert_to_tensor(x))
    return gradient


def _shape_of(x: Any) -> Any:
    if x.shape.is_fully_defined():
        return list(x.shape.as_tuple())
    return shape_of(apply, convert_to_tensor(x))


def gradients_v2(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str | None = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: UnconnectedGradients = UnconnectedGradients.NONE,
) -> list[Tensor]:
    """Return `gradients`, with the parameters of TensorFlow 2."""
    options = (False, gate_gradients, aggregation_method, stop_gradients)
    return gradients(ys, xs, grad_ys, name, *options, unconnected_gradients)
