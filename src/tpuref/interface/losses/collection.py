"""The losses of a graph, and their sum."""

from typing import Any

from tpuref.engine.graph.convert import constant
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arithmetic import add_n


def add_loss(loss: Any, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Add a loss to a collection, unless that is None."""
    if loss_collection and not executing_eagerly():
        get_default_graph().add_to_collection(loss_collection, loss)


def get_losses(
    scope: str | None = None, loss_collection: str = GraphKeys.LOSSES
) -> list[Any]:
    """Return the losses of a collection, those below `scope` if one is given."""
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Return the regularization losses, those below `scope` if one is given."""
    return get_losses(scope, GraphKeys.REGULARIZATION_LOSSES)


def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Tensor:
    """Return the sum of the regularization losses, 0 if there are none."""
    losses = get_regularization_losses(scope)
    return add_n(losses, name=name) if losses else constant(0.0)


def get_total_loss(
    add_regularization_losses: bool = True,
    name: str = "total_loss",
    scope: str | None = None,
) -> Tensor:
    """Return the sum of the losses; it raises ValueError if there are no losses.

    `add_regularization_losses` says whether the regularization losses belong to it.
    Only losses below `scope` count; None for all.

    Examples
    --------
    >>> first = tf.losses.mean_squared_error([1.0], [3.0])
    >>> second = tf.losses.absolute_difference([1.0], [3.0])
    >>> float(tf.Session().run(tf.losses.get_total_loss()))
    6.0
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    return add_n(losses, name=name)
