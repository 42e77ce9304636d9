"""Compute losses of replicas that add up to the mean over the global batch."""

from typing import Any

from tpuref.base.dtypes import int32
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.functions.arguments import check_rank_at_least
from tpuref.interface.functions.conversion import cast
from tpuref.interface.functions.extents import shape
from tpuref.interface.functions.reductions import reduce_sum
from tpuref.interface.training.distribution import current_strategy


def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Tensor:
    """Return a replica's part of the mean loss over the global batch.

    `per_example_loss` is a floating-point tensor with the loss of each example.
    `sample_weight` holds factors that broadcast to the losses; None for 1.
    `global_batch_size` is the number of examples of all replicas; by default the size
    of the losses' first dimension times the number of replicas.  It raises ValueError
    if the losses are a scalar and `global_batch_size` is None.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     print(float(tf.nn.compute_average_loss([1.0, 3.0], global_batch_size=4)))
    1.0
    """
    losses = convert_to_tensor(per_example_loss)
    if sample_weight is not None:
        losses = losses * cast(convert_to_tensor(sample_weight), losses.dtype)
    if global_batch_size is None:
        check_rank_at_least(1, losses, "tf.nn.compute_average_loss: per_example_loss")
        global_batch_size = shape(losses)[0] * _replicas()
    count = cast(convert_to_tensor(global_batch_size, dtype_hint=int32), losses.dtype)
    return reduce_sum(losses) / count


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """Return the sum of a shared loss, divided by the number of replicas.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     print(float(tf.nn.scale_regularization_loss([1.0, 2.0])))
    3.0
    """
    return reduce_sum(convert_to_tensor(regularization_loss)) / _replicas()


def _replicas() -> int:
    strategy = current_strategy()
    return 1 if strategy is None else strategy.num_replicas_in_sync
