"""Wrong splitting and joining in shard and batch_parallel."""

from .mutant import Mutant

_FILE = "tpu/sharding.py"
_INPUT_AXES = (
    '    axes = _axes("input_shard_axes", input_shard_axes, len(tensors), "input")\n'
)

MUTANTS = (
    Mutant(
        "splits-along-first-axis",
        "input_shard_axes is ignored",
        "tf.tpu.shard/name/splits-along-axes",
        _FILE,
        _INPUT_AXES,
        "    axes = [0] * len(tensors)\n",
    ),
    Mutant(
        "default-axis-is-last",
        "without axes the last dimension is split",
        "tf.tpu.shard/name/input-axes-default-zero",
        _FILE,
        _INPUT_AXES,
        _INPUT_AXES
        + "    if input_shard_axes is None:\n        axes = [-1] * len(tensors)\n",
    ),
    Mutant(
        "joined-along-first-axis",
        "output_shard_axes is ignored",
        "tf.tpu.shard/name/splits-along-axes",
        _FILE,
        "    return concat(tensors, axis=axis)",
        "    return concat(tensors, axis=0)",
    ),
    Mutant(
        "default-output-axis-is-one",
        "without output_shard_axes outputs are joined along dimension 1",
        "tf.tpu.shard/name/output-axes-default-zero",
        _FILE,
        '    axes = _axes("output_shard_axes", output_axes, count, "output")\n',
        '    axes = _axes("output_shard_axes", output_axes, count, "output")\n'
        "    if output_axes is None:\n"
        "        axes = [min(1, t.shape.ndims - 1) for t in results[0]]\n",
    ),
    Mutant(
        "shards-reversed",
        "the last piece goes to shard 0",
        "tf.tpu.shard/name/splits-along-axes",
        _FILE,
        "    by_shard = [[piece[s] for piece in pieces] for s in range(count)]\n",
        "    by_shard = [[piece[-1 - s] for piece in pieces] for s in range(count)]\n",
    ),
    Mutant(
        "joined-backwards",
        "outputs are joined from the last shard to the first",
        "tf.tpu.shard/name/outputs-from-all-shards-true",
        _FILE,
        "        _join([result[k] for result in results], axes[k])\n",
        "        _join([result[k] for result in results[::-1]], axes[k])\n",
    ),
    Mutant(
        "always-from-all-shards",
        "outputs_from_all_shards=False changes nothing",
        "tf.tpu.shard/name/outputs-from-all-shards-false",
        _FILE,
        "        return [from_all] * count\n",
        "        return [True] * count\n",
    ),
    Mutant(
        "one-choice-for-all",
        "only the first entry of outputs_from_all_shards counts",
        "tf.tpu.shard/name/outputs-from-all-shards-list",
        _FILE,
        "    return [bool(choice) for choice in from_all]",
        "    return [bool(from_all[0])] * count",
    ),
    Mutant(
        "zero-shards-accepted",
        "num_shards below 1 is taken for 1",
        "tf.tpu.shard/name/raises-num-shards",
        _FILE,
        "    if count < 1:\n        raise ValueError",
        "    count = max(count, 1)\n    if False:\n        raise ValueError",
    ),
    Mutant(
        "shards-ignored",
        "there is always one shard",
        "tf.tpu.shard/name/num-shards-count",
        _FILE,
        "    count = _shard_count(num_shards)\n",
        "    count = min(_shard_count(num_shards), 1)\n",
    ),
    Mutant(
        "indivisible-type-error",
        "TypeError in the place of ValueError for a size that cannot be divided",
        "tf.tpu.shard/name/input-axis-divisible",
        _FILE,
        "        raise ValueError(\n"
        '            f"tf.tpu.shard: inputs[{position}] {tensor.describe()} has size',
        "        raise TypeError(\n"
        '            f"tf.tpu.shard: inputs[{position}] {tensor.describe()} has size',
    ),
    Mutant(
        "axes-of-any-length",
        "a list of axes may have any length",
        "tf.tpu.shard/name/raises-input-axes-length",
        _FILE,
        "    if len(axes) != count:\n        raise ValueError",
        "    axes = (list(axes) + [0] * count)[:count]\n"
        "    if False:\n        raise ValueError",
    ),
    Mutant(
        "output-axes-of-any-length",
        "output_shard_axes may have any length",
        "tf.tpu.shard/name/raises-output-axes-length",
        _FILE,
        '    axes = _axes("output_shard_axes", output_axes, count, "output")\n',
        "    axes = [*(output_axes or ()), *([0] * count)][:count]\n",
    ),
    Mutant(
        "shard-gives-a-tuple",
        "shard returns a tuple",
        "tf.tpu.shard/name/returns-list",
        _FILE,
        "    return _join_all(results, outputs_from_all_shards, output_shard_axes)",
        "    return tuple(_join_all(results, outputs_from_all_shards, "
        "output_shard_axes))",
    ),
    Mutant(
        "batch-parallel-forgets-shards",
        "batch_parallel uses one shard",
        "tf.tpu.batch_parallel_dyn/args:num_shards/dynamic-type",
        _FILE,
        "        inputs,\n        num_shards,\n        infeed_queue=infeed_queue,",
        "        inputs,\n        1,\n        infeed_queue=infeed_queue,",
    ),
    Mutant(
        "batch-parallel-no-default",
        "num_shards has to be given",
        "tf.tpu.batch_parallel_dyn/signature/num-shards-has-default",
        _FILE,
        "    num_shards: int = 1,\n    infeed_queue: InfeedQueue | None = None,\n",
        "    num_shards: int = 8,\n    infeed_queue: InfeedQueue | None = None,\n",
    ),
    Mutant(
        "captured-tensors-split",
        "scalars from all shards are not stacked",
        "tf.tpu.batch_parallel_dyn/example/captured-constant",
        _FILE,
        "        return stack(tensors, axis=0)\n",
        "        return tensors[0]\n",
    ),
)
