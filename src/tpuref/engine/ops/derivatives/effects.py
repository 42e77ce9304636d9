"""Gradients of operations with effects, and of those between replicas."""

from typing import Any

import numpy as np

from tpuref.engine.ops.derivatives import rule


def _print(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    return dy, *[None] * (len(op.inputs) - 1)


def _cross_replica_sum(
    apply: rule.Apply, op: rule.Applied, dy: rule.Tensor
) -> rule.Tensor:
    """Return the sum of gradients: each contribution is in every replica's result."""
    return apply("CrossReplicaSum", dy, groups=op.attrs["groups"])


def _tower_sum(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> Any:
    return (dy,) * len(op.inputs)


def _tower_copy(apply: rule.Apply, op: rule.Applied, dy: rule.Tensor) -> rule.Tensor:
    """Return the sum of gradients on the replica whose value all others got."""
    everyone = tuple(sorted((op.attrs["source"], *op.attrs["targets"])))
    total = apply("CrossReplicaSum", dy, groups=(everyone,))
    is_source = apply("Equal", apply("ReplicaId"), np.int32(op.attrs["source"]))
    return rule.where(apply, is_source, total)


# RandomShuffle has no rule: it does not return the permutation.  TowerOwn has none: the
# tower that runs it selects the input.
RULES: dict[str, rule.Rule] = {
    **dict.fromkeys(
        (
            *("VariableV2", "ReadVariableOp", "IsVariableInitialized"),
            *("Assign", "AssignAdd", "AssignSub"),
            *("RandomUniform", "RandomStandardNormal", "TruncatedNormal"),
            *("RandomUniformInt", "Multinomial", "PyFunc", "Assert"),
            *("StatelessRandomUniform", "StatelessRandomNormal"),
            *("StatelessTruncatedNormal", "StatelessRandomUniformInt"),
            *("StatelessRandomFullInt", "StatelessMultinomial", "StatelessShuffle"),
            *("Bitcast", "StatelessRandomGammaV3", "StatelessRandomBinomial"),
            *("ConfigureDistributedTPU", "ShutdownDistributedTPU", "ReplicaId"),
            *("TPUReplicatedInput", "InfeedEnqueueTuple", "InfeedDequeueTuple"),
            *("InfeedClose", "CoreInfeedEnqueue", "CoreInfeedDequeue"),
            *("OutfeedEnqueue", "OutfeedDequeue", "MakeIterator", "IteratorGetNext"),
            *("IteratorGetNextAsOptional", "FeedBegin", "FeedDequeue"),
        ),
        rule.not_differentiable,
    ),
    "Print": _print,
    "CrossReplicaSum": _cross_replica_sum,
    "TowerSum": _tower_sum,
    "TowerCopy": _tower_copy,
}
