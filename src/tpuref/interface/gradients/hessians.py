"""Second derivatives."""

from __future__ import annotations

from typing import Any

from tpuref.engine.differentiation.gradients import gradients
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.gradients.jacobians import jacobians


def hessians(
    ys: Any,
    xs: Any,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list[Tensor | None]:
    """Return the second derivatives of the sum of `ys` by each of `xs`.

    Parameters are those of `gradients`.  For each x, the result has the shape ``x.shape
    + x.shape``.

    Examples
    --------
    >>> x = tf.constant([1.0, 2.0])
    >>> (curvature,) = tf.hessians(x[0] * x[0] * x[1], x)
    >>> tf.Session().run(curvature).tolist()
    [[4.0, 2.0], [2.0, 0.0]]
    """
    sources = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    with get_default_graph().name_scope(name):
        firsts = gradients(ys, sources, None, "", colocate_gradients_with_ops)
        return [_hessian(first, x) for first, x in zip(firsts, sources, strict=True)]


def _hessian(first: Any, x: Any) -> Tensor | None:
    if first is None:
        return None
    target = convert_to_tensor(first)

    def pullback(seed: Tensor) -> list[Tensor | None]:
        (row,) = gradients([target], [x], [seed], "")
        return [None if row is None else convert_to_tensor(row)]

    (matrix,) = jacobians(pullback, target, [x])
    return matrix


def hessians_v2(
    ys: Any,
    xs: Any,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Any]:
    """Return `hessians`, with the parameters of TensorFlow 2."""
    return hessians(ys, xs, name, False, gate_gradients, aggregation_method)
