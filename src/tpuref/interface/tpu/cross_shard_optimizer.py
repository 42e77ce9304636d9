"""Define an optimizer that sums gradients over the replicas of a computation."""

from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.callsite import user_site
from tpuref.engine.runtime.log import advice
from tpuref.interface.losses.reduction import Reduction
from tpuref.interface.tpu.collectives import cross_replica_sum
from tpuref.interface.tpu.peers import current_peers, replicated_region
from tpuref.interface.training.optimizer import Optimizer, pairs_of
from tpuref.interface.training.wrapping import WrappingOptimizer

_log = advice()


class CrossShardOptimizer(WrappingOptimizer):
    """Sums the gradients of all replicas, and applies them with another optimizer.

    See 000_04abb9e9288042d8.txt, Classes: CrossShardOptimizer.  It raises ValueError if
    `reduction` is unknown.  `compute_gradients` returns the gradients of one replica,
    which can be clipped before `apply_gradients` sums them. Sparse gradients are summed
    as dense tensors.  Outside of a replicated computation a warning is logged, and
    there is one replica.

    `opt` is the wrapped optimizer, which changes the variables.  `reduction` is
    ``tf.losses.Reduction.MEAN`` if the loss of a replica is a mean over its part of the
    batch, to be divided by the number of replicas, or ``tf.losses.Reduction.SUM``.
    `group_assignment` has the replica ids of each group, ``[num_groups,
    replicas_per_group]``; gradients are summed within a group.  None is one group of
    all.

    Examples
    --------
    >>> w = tf.get_variable("w", initializer=1.0)
    >>> def step(x):
    ...     optimizer = tf.train.GradientDescentOptimizer(0.1)
    ...     return tf.tpu.CrossShardOptimizer(optimizer).minimize(w * x)
    >>> with tf.config.override(cores=2), tf.Session() as sess:
    ...     train_op = tf.tpu.replicate(step, [[2.0], [4.0]])
    ...     sess.run(tf.global_variables_initializer())
    ...     sess.run(train_op)
    ...     round(float(sess.run(w)), 6)
    [None, None]
    0.7
    """

    def __init__(
        self,
        opt: Optimizer,
        reduction: str = Reduction.MEAN,
        name: str = "CrossShardOptimizer",
        group_assignment: list[list[int]] | None = None,
    ) -> None:
        if reduction not in (Reduction.SUM, Reduction.MEAN):
            raise codes.INVALID_ARGUMENT.value_error(
                "tf.tpu.CrossShardOptimizer: reduction must be "
                f"tf.losses.Reduction.MEAN or SUM, got {reduction!r}"
            )
        if not isinstance(opt, Optimizer):
            raise codes.INVALID_ARGUMENT.type_error(
                "tf.tpu.CrossShardOptimizer: opt must be a tf.train.Optimizer, got "
                f"{opt!r}"
            )
        super().__init__(opt, name)
        self._reduction = reduction
        self._group_assignment = group_assignment

    def compute_gradients(
        self, loss: Any, var_list: Any = None, *args: Any, **kwargs: Any
    ) -> list[tuple[Any, Any]]:
        """Return this replica's gradients, which are not summed over the replicas.

        It raises ValueError if `group_assignment` is not a partition of the replicas
        into groups of equal size.
        """
        replicas = _replicas()
        summands = self._summands(replicas)
        if replicas > 1 and self._reduction == Reduction.MEAN:
            loss = _divide(loss, summands)
        return self._opt.compute_gradients(loss, var_list, *args, **kwargs)

    def _summands(self, replicas: int) -> int:
        """Return the number of replicas in a gradient's sum."""
        groups = self._group_assignment
        if not groups:
            return replicas
        if not isinstance(groups, list) or not all(isinstance(g, list) for g in groups):
            raise self._invalid("must be a list of lists of replica ids")
        if {replica for group in groups for replica in group} != set(range(replicas)):
            raise self._invalid(
                f"must contain each of the replicas 0 to {replicas - 1} once"
            )
        if len({len(group) for group in groups}) > 1:
            raise self._invalid("must have groups of equal size")
        return len(groups[0])

    def _invalid(self, rule: str) -> ValueError:
        return codes.INVALID_ARGUMENT.value_error(
            f"tf.tpu.CrossShardOptimizer: group_assignment {rule}, got "
            f"{self._group_assignment!r}"
        )

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Any = None, name: str | None = None
    ) -> Any:
        """Sum the gradients over the replicas, and apply them."""
        sums = [
            (None if g is None else cross_replica_sum(g, self._group_assignment), v)
            for g, v in pairs_of("CrossShardOptimizer.apply_gradients", grads_and_vars)
        ]
        return self._opt.apply_gradients(sums, global_step, name)


def _replicas() -> int:
    """Return the number of replicas of the current computation, 1 outside of one."""
    peers, region = current_peers(), replicated_region()
    if peers is not None:
        return peers.count
    if region is not None and region.replicas is not None:
        return region.replicas
    _log.warning(
        "tf.tpu.CrossShardOptimizer is outside a replicated computation, so there is "
        "one replica and gradients stay as they are [%s]; built at %s",
        codes.OUTSIDE_OF_REPLICAS,
        user_site(),
    )
    return 1


def _divide(loss: Any, by: int) -> Any:
    if callable(loss):
        return lambda: loss() * (1.0 / by)
    return loss * (1.0 / by)
