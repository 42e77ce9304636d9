"""Wrong strategies of TensorFlow 2, and functions that are traced."""

from .mutant import Mutant

_STRATEGY = "tf.distribute.Strategy"
_TOWERS = "tf.contrib.distribute.TPUStrategy.call_for_each_tower"

MUTANTS = (
    Mutant(
        "mean-over-replicas-not-rows",
        "a mean along an axis divides by the number of replicas",
        _STRATEGY + ".reduce/behaviour/uneven-rows",
        "replicas.reduction._one",
        "total / cast(count, total.dtype)",
        "total / float(towers.count)",
    ),
    Mutant(
        "shares-rounded-down",
        "the rows that do not divide evenly among the replicas are lost",
        _STRATEGY + ".experimental_distribute_dataset/behaviour/last-batch",
        "Shares.items",
        "-(-array.shape[0] // self._count)",
        "array.shape[0] // self._count",
    ),
    Mutant(
        "values-of-the-first-replica",
        "every replica's value is made for replica 0",
        _STRATEGY + ".experimental_distribute_values_from_function/behaviour/contexts",
        "experimental_distribute_values_from_function",
        "ValueContext(k, count)",
        "ValueContext(0, count)",
    ),
    Mutant(
        "all-reduce-always-sums",
        "all_reduce sums where a mean is asked for",
        "tf.distribute.ReplicaContext.all_reduce/behaviour/sum-and-mean",
        "ReplicaContext.all_reduce",
        "reduced(op, part, None, strategy.towers)",
        "reduced(reduce_op('', 'SUM'), part, None, strategy.towers)",
    ),
    Mutant(
        "traced-at-each-call",
        "a tf.function is traced at each call",
        "tf.function/behaviour/one-trace-for-equal-shapes",
        "Function._trace_for",
        "if _serves(trace.specs, specs):",
        "if False:",
    ),
    Mutant(
        "eager-towers-on-the-host",
        "in eager mode towers run in the program's process",
        _TOWERS + "/behaviour/eager-side-by-side",
        "_program",
        "if self.towers.system is None:",
        "if True:",
    ),
)
