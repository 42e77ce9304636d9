"""Losses with weights, summed up."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import float32
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import div_no_nan, multiply
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.creation import ones_like
from tpuref.interface.functions.extents import size
from tpuref.interface.functions.reductions import count_nonzero, reduce_sum
from tpuref.interface.functions.scopes import name_scope
from tpuref.interface.losses.collection import add_loss
from tpuref.interface.losses.reduction import Reduction


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Return losses times weights, reduced, and add the result to a collection.

    `losses` is a tensor of numbers.  `weights` is a number, or a tensor with as many
    axes as the losses, each of the same size or of size 1.  `loss_collection` is the
    collection to add the result to; None for none.  `reduction` is one of
    `tf.losses.Reduction`.  It raises ValueError if the weights do not fit the losses,
    or the reduction is unknown.

    Examples
    --------
    >>> loss = tf.losses.compute_weighted_loss([1.0, 2.0, 3.0], [1.0, 0.0, 1.0])
    >>> float(tf.Session().run(loss))
    2.0
    """
    Reduction.validate(reduction)
    # In towers an optimizer divides a mean by their number, and leaves a sum alone.
    get_default_graph().last_loss_reduction = reduction
    with name_scope(scope, "weighted_loss"):
        values = convert_to_tensor(losses)
        each, factors = cast(values, float32), cast(convert_to_tensor(weights), float32)
        _check_weights(each, factors)
        loss = cast(_reduce(multiply(each, factors), factors, reduction), values.dtype)
        add_loss(loss, loss_collection)
    return loss


def _reduce(weighted: Tensor, weights: Tensor, reduction: str) -> Tensor:
    if reduction == Reduction.NONE:
        return weighted
    total = reduce_sum(weighted)
    if reduction == Reduction.SUM:
        return total
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return _mean(total, size(weighted))
    everywhere = ones_like(weighted) * weights
    if reduction == Reduction.MEAN:
        return _mean(total, reduce_sum(everywhere))
    return _mean(total, count_nonzero(everywhere))


def _mean(total: Tensor, count: Tensor) -> Tensor:
    """Return the quotient, 0 if the count is 0."""
    return div_no_nan(total, cast(count, total.dtype), name="value")


def _check_weights(losses: Tensor, weights: Tensor) -> None:
    own, wanted = weights.shape, losses.shape
    if own.rank in (None, 0) or wanted.rank is None:
        return
    fits = own.rank == wanted.rank and all(
        one in (1, None) or other is None or one == other
        for one, other in zip(own.as_list(), wanted.as_list(), strict=True)
    )
    if not fits:
        raise codes.WRONG_ARGUMENT_TYPE.value_error(
            f"tf.losses.compute_weighted_loss: weights of shape {own} do not fit "
            f"losses of shape {wanted}; give a number, or a tensor with as many axes, "
            "each of the same size or of size 1"
        )
