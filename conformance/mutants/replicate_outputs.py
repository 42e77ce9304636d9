"""Wrong results of replicate and rewrite."""

from .mutant import Mutant

_OUTPUTS = "tpu/computation_outputs.py"
_REPLICATION = "tpu/replication.py"

MUTANTS = (
    Mutant(
        "single-value-in-a-list",
        "a single value comes back in a list",
        "tf.tpu.replicate/returns/single-value-is-tuple",
        _OUTPUTS,
        "        return Outputs((0,), (_tensor",
        "        return Outputs([0], (_tensor",
    ),
    Mutant(
        "single-value-bare",
        "rewrite gives a single value back without a tuple",
        "tf.tpu.rewrite/returns/single-value-is-tuple",
        _OUTPUTS,
        "        return Outputs((0,), (_tensor",
        "        return Outputs(0, (_tensor",
    ),
    Mutant(
        "tuples-become-lists",
        "a flat tuple comes back as a list",
        "tf.tpu.replicate/returns/same-structure",
        _OUTPUTS,
        "    if count == len(returned):\n        return returned\n",
        "    if count == len(returned):\n        return list(returned)\n",
    ),
    Mutant(
        "structure-flattened",
        "a nested result comes back as a flat list",
        "tf.tpu.rewrite/returns/same-structure-as-direct-call",
        _OUTPUTS,
        "    return Outputs(returned, tensors) if tensors else NO_OUTPUTS",
        "    return Outputs(list(tensors), tensors) if tensors else NO_OUTPUTS",
    ),
    Mutant(
        "outer-tuple",
        "the outer container is a tuple",
        "tf.tpu.replicate/returns/list-by-replica",
        _REPLICATION,
        "    return _results(graph, operation, outputs, len(replicas))",
        "    return tuple(_results(graph, operation, outputs, len(replicas)))",
    ),
    Mutant(
        "results-of-replica-zero",
        "every replica's entry is that of replica 0",
        "tf.tpu.replicate/args:inputs/indexed-replica-then-input",
        _REPLICATION,
        "_named(operation.outputs[r * count : (r + 1) * count], r)",
        "_named(operation.outputs[:count], r)",
    ),
    Mutant(
        "noop-depends-on-nothing",
        "the NoOp for None does not run the computation",
        "tf.tpu.replicate/returns/none-noop-depends-on-computation",
        _REPLICATION,
        "    with graph.control_dependencies([operation]):\n"
        '        return apply_operation("NoOp"',
        "    with graph.control_dependencies([]):\n"
        '        return apply_operation("NoOp"',
    ),
    Mutant(
        "operations-noop-depends-on-nothing",
        "the NoOp for operations does not run the computation",
        "tf.tpu.rewrite/returns/operations-noop-depends-on-computation",
        _REPLICATION,
        "    with graph.control_dependencies([operation]):\n"
        '        return apply_operation("NoOp"',
        "    with graph.control_dependencies([]):\n"
        '        return apply_operation("NoOp"',
    ),
    Mutant(
        "none-stays-none",
        "a computation that returns None gives None",
        "tf.tpu.rewrite/returns/none-gives-noop",
        _REPLICATION,
        "        return [_no_op(graph, operation, replica) for replica in",
        "        return [None for replica in",
    ),
    Mutant(
        "one-noop-for-all",
        "a NoOp is made for the first replica only",
        "tf.tpu.replicate/returns/none-gives-noop",
        _REPLICATION,
        "_no_op(graph, operation, replica) for replica in range(replicas)]",
        "_no_op(graph, operation, replica) for replica in range(1)]",
    ),
    Mutant(
        "operations-kept",
        "operations stay in the returned list",
        "tf.tpu.rewrite/returns/list-of-tensors-only",
        _OUTPUTS,
        "    return Outputs(_shortened(returned, count), tensors) if tensors",
        "    padded = (*tensors, *tensors)[: len(returned)]\n"
        "    return Outputs(returned, padded) if tensors",
    ),
    Mutant(
        "operations-anywhere",
        "operations may precede tensors",
        "tf.tpu.rewrite/args:computation/tensors-first",
        _OUTPUTS,
        "        if not isinstance(value, Operation):\n            raise ValueError(",
        "        if False:\n            raise ValueError(",
    ),
    Mutant(
        "operations-in-nests",
        "an operation within a nest is left out silently",
        "tf.tpu.rewrite/returns/operations-only-give-noop",
        _OUTPUTS,
        "    leaves = nest.flatten_with_paths(returned)\n"
        "    for path, leaf in leaves:\n",
        "    leaves = [(p, v) for p, v in nest.flatten_with_paths(returned)\n"
        "        if not isinstance(v, Operation)]\n"
        "    for path, leaf in leaves:\n",
    ),
    Mutant(
        "mixed-results-refused",
        "a list of tensors and operations is refused",
        "tf.tpu.rewrite/args:computation/may-return-operations-and-tensors",
        _OUTPUTS,
        '    tensors = tuple(_tensor(f"[{k}]", v) for k, v in '
        "enumerate(returned[:count]))\n",
        "    if 0 < count < len(returned):\n"
        "        raise ValueError('mixed')\n"
        '    tensors = tuple(_tensor(f"[{k}]", v) for k, v in '
        "enumerate(returned[:count]))\n",
    ),
    Mutant(
        "unreturned-operations-dropped",
        "operations that no output needs do not run",
        "tf.tpu.rewrite/behaviour/all-operations-executed",
        "runtime/lockstep.py",
        '    for instr in program.instrs:\n        if instr.op == "TowerCopy":',
        "    needed = set(program.results)\n"
        "    for one in reversed(program.instrs):\n"
        "        if needed & set(one.outputs):\n"
        "            needed |= set(one.inputs)\n"
        "    for instr in program.instrs:\n"
        "        if run.host is None and instr.op != 'ReadVariableOp' "
        "and not needed & set(instr.outputs):\n"
        "            continue\n"
        '        if instr.op == "TowerCopy":',
    ),
    Mutant(
        "runs-twice",
        "every replica runs its program twice",
        "tf.tpu.rewrite/behaviour/all-operations-executed",
        "runtime/replication.py",
        "    results = executor.run(instr.blocks[0], given, inner)\n",
        "    executor.run(instr.blocks[0], given, inner)\n"
        "    results = executor.run(instr.blocks[0], given, inner)\n",
    ),
    Mutant(
        "captured-tensor-of-first-replica",
        "rewrite is a replicated computation of two replicas",
        "tf.tpu.rewrite/behaviour/runs-on-one-core",
        _REPLICATION,
        "    return replicate(computation, [own], infeed_queue, device_assignment)[0]",
        "    return replicate(computation, [own] * 4, infeed_queue, "
        "device_assignment)[0]",
    ),
)
