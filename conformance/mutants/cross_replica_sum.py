"""Wrong sums over replicas."""

from .mutant import Mutant

_FILE = "tpu/collectives.py"
_LOCKSTEP = "runtime/lockstep.py"

MUTANTS = (
    Mutant(
        "groups-ignored",
        "the sum is over all replicas whatever the groups",
        "tf.tpu.cross_replica_sum/args:group_assignment/subgroups",
        _FILE,
        "    return tuple(tuple(int(i) for i in row) for row in ids)",
        "    return (tuple(range(replicas)),)",
    ),
    Mutant(
        "groups-transposed",
        "the columns of group_assignment are the groups",
        "tf.tpu.cross_replica_sum/args:group_assignment/row-lists-replica-ids",
        _FILE,
        "    return tuple(tuple(int(i) for i in row) for row in ids)",
        "    return tuple(tuple(int(i) for i in row) for row in ids.T)",
    ),
    Mutant(
        "default-groups-of-one",
        "without groups every replica keeps its own value",
        "tf.tpu.cross_replica_sum/behaviour/sums-all-replicas",
        _FILE,
        "        return (tuple(range(replicas)),)\n    ids",
        "        return tuple((r,) for r in range(replicas))\n    ids",
    ),
    Mutant(
        "stale-chunk",
        "the last replica of a group keeps its own value, as with a chunk left over",
        "tf.tpu.cross_replica_sum/behaviour/identical-on-replicas",
        _LOCKSTEP,
        "        results.update({r: [out] for r, out in zip(ordered, outputs, "
        "strict=True)})",
        "        results.update({r: [out] for r, out in zip(ordered, outputs, "
        "strict=True)})\n"
        "        results[ordered[-1]] = [operands[ordered[-1]][0]]",
    ),
    Mutant(
        "last-replica-left-out",
        "the sum leaves the last replica out",
        "tf.tpu.cross_replica_sum/behaviour/sums-all-replicas",
        _LOCKSTEP,
        "            [operands[r][0] for r in ordered], **instr.attrs",
        "            [operands[r][0] * (r != ordered[-1]) for r in ordered], "
        "**instr.attrs",
    ),
    Mutant(
        "any-rank-of-groups",
        "group_assignment may have any rank",
        "tf.tpu.cross_replica_sum/args:group_assignment/two-dimensional",
        _FILE,
        "    if ids.ndim != 2:\n        raise ValueError(",
        "    ids = ids.reshape(-1, ids.shape[-1] if ids.ndim else 1)\n"
        "    if False:\n        raise ValueError(",
    ),
    Mutant(
        "groups-of-any-type",
        "group_assignment may hold fractions",
        "tf.tpu.cross_replica_sum/args:group_assignment/int32",
        _FILE,
        '    if ids.size and ids.dtype.kind not in "iu":\n',
        "    if False:\n",
    ),
    Mutant(
        "duplicates-accepted",
        "a replica may be in several groups",
        "tf.tpu.cross_replica_sum/args:group_assignment/partition",
        _FILE,
        "        if ids.count(replica) > 1:\n",
        "        if False:\n",
    ),
    Mutant(
        "replicas-left-out-accepted",
        "a replica may be in no group",
        "tf.tpu.cross_replica_sum/args:group_assignment/partition",
        _FILE,
        "    if missing:\n        raise fault",
        "    if False:\n        raise fault",
    ),
    Mutant(
        "uneven-groups-type-error",
        "TypeError in the place of ValueError for uneven groups",
        "tf.tpu.cross_replica_sum/args:group_assignment/equal-group-sizes",
        _FILE,
        "        raise ValueError(\n"
        '            "tf.tpu.cross_replica_sum: the groups of',
        "        raise TypeError(\n"
        '            "tf.tpu.cross_replica_sum: the groups of',
    ),
    Mutant(
        "name-lost",
        "name does not name the operation",
        "tf.tpu.cross_replica_sum/args:name/names-the-op",
        _FILE,
        'apply("CrossReplicaSum", tensor, groups=groups, name=name)',
        'apply("CrossReplicaSum", tensor, groups=groups)',
    ),
    Mutant(
        "dictionary-summed-once",
        "every key of a dictionary gets the sum of the first",
        "tf.tpu.cross_replica_sum/args:x/overload-dictionary",
        _FILE,
        "            for key, value in x.items()\n",
        "            for key, value in dict.fromkeys(x, [*x.values()][0]).items()\n",
    ),
    Mutant(
        "per-replica-first",
        "every replica takes the first component of a PerReplica",
        "tf.tpu.cross_replica_sum/args:x/overload-per-replica",
        _FILE,
        'apply("GatherV2", stacked, apply("ReplicaId"), axis=0, batch_dims=0)',
        'apply("GatherV2", stacked, convert_to_tensor(0), axis=0, batch_dims=0)',
    ),
    Mutant(
        "outside-is-doubled",
        "outside of a replicated computation the value is doubled",
        "tf.tpu.cross_replica_sum/behaviour/outside-replicated-computation",
        _FILE,
        '    total: Tensor = apply("CrossReplicaSum"',
        "    if replicas is None:\n        tensor = tensor + tensor\n"
        '    total: Tensor = apply("CrossReplicaSum"',
    ),
    Mutant(
        "outside-is-an-error",
        "outside of a replicated computation there is no sum",
        "tf.tpu.cross_replica_sum/behaviour/outside-replicated-computation",
        _FILE,
        "    if replicas is None:\n        _log.warning(",
        "    if replicas is None:\n        raise ValueError('outside')\n"
        "        _log.warning(",
    ),
)
