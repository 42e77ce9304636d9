"""Wrong inputs, arguments and placements of replicate and rewrite."""

from .mutant import Mutant

_INPUTS = "tpu/computation_inputs.py"
_REPLICATION = "tpu/replication.py"

MUTANTS = (
    Mutant(
        "none-is-no-replica",
        "inputs=None gives two replicas instead of one",
        "tf.tpu.replicate/args:inputs/none-is-one-empty-list",
        _INPUTS,
        "        return [[]]\n",
        "        return [[], []]\n",
    ),
    Mutant(
        "unequal-counts-type-error",
        "TypeError in the place of ValueError for unequal numbers of inputs",
        "tf.compat.v1.tpu.replicate/raises/unequal-input-count",
        _INPUTS,
        "            raise ValueError(\n"
        '                "tf.tpu.replicate: all replicas must have the same number',
        "            raise TypeError(\n"
        '                "tf.tpu.replicate: all replicas must have the same number',
    ),
    Mutant(
        "arity-type-error",
        "TypeError in the place of ValueError for a wrong number of arguments",
        "tf.compat.v1.tpu.replicate/raises/argument-count-mismatch",
        _INPUTS,
        "        raise ArgumentCountError(\n"
        '            f"tf.tpu.replicate: computation {_name(computation)}{signature}',
        "        raise TypeError(\n"
        '            f"tf.tpu.replicate: computation {_name(computation)}{signature}',
    ),
    Mutant(
        "arity-not-checked",
        "a computation with another number of parameters is not refused",
        "tf.tpu.rewrite/args:computation/as-many-inputs-as-parameters",
        _REPLICATION,
        "    check_arity(computation, len(replicas[0]), elements)\n",
        "",
    ),
    Mutant(
        "nested-lists-joined",
        "a nested list of numbers arrives as one tensor",
        "tf.tpu.replicate/args:inputs/nested-list-of-numbers-is-scalars",
        _INPUTS,
        "        return list(entry)\n    raise TypeError(",
        "        return [convert_to_tensor(e) if isinstance(e, list) else e "
        "for e in entry]\n    raise TypeError(",
    ),
    Mutant(
        "inputs-reversed",
        "the computation gets its inputs from the last to the first",
        "tf.tpu.rewrite/args:computation/applied-to-inputs",
        _REPLICATION,
        "nest.pack_sequence_as(replicas[0], region.parameters)\n",
        "nest.pack_sequence_as(replicas[0], region.parameters[::-1])\n",
    ),
    Mutant(
        "replicas-reversed",
        "replica r gets the inputs of the replica that is r from the end",
        "tf.tpu.replicate/args:inputs/indexed-replica-then-input",
        _REPLICATION,
        "for own in replicas for leaf in nest.flatten(own)]",
        "for own in replicas[::-1] for leaf in nest.flatten(own)]",
    ),
    Mutant(
        "first-replica-for-all",
        "every replica works on the inputs of replica 0",
        "tf.compat.v1.tpu.replicate/behaviour/runs-once-per-replica",
        _REPLICATION,
        "for own in replicas for leaf in nest.flatten(own)]",
        "for own in replicas for leaf in nest.flatten(replicas[0])]",
    ),
    Mutant(
        "computation-called-twice",
        "building calls the computation twice",
        "tf.tpu.replicate/args:computation/python-function",
        _REPLICATION,
        "        outputs = documented_outputs(computation(*arguments))\n",
        "        computation(*arguments)\n"
        "        outputs = documented_outputs(computation(*arguments))\n",
    ),
    Mutant(
        "name-has-an-effect",
        "name becomes the name of the cluster",
        "tf.tpu.replicate/args:name/no-effect",
        _REPLICATION,
        '    _check_not_nested("tf.tpu.replicate")\n',
        '    _check_not_nested("tf.tpu.replicate")\n'
        "    if name is not None:\n"
        "        get_default_graph().unique_name('cluster')\n",
    ),
    Mutant(
        "infeed-first",
        "what the infeed queue holds comes before the inputs",
        "tf.tpu.replicate/args:infeed_queue/appended-to-arguments",
        _REPLICATION,
        "[*arguments, *infeed_queue.generate_dequeue_op(0)]",
        "[*infeed_queue.generate_dequeue_op(0), *arguments]",
    ),
    Mutant(
        "infeed-dropped",
        "what the infeed queue holds is not passed on",
        "tf.tpu.rewrite/args:infeed_queue/appended-to-arguments",
        _REPLICATION,
        "[*arguments, *infeed_queue.generate_dequeue_op(0)]",
        "[*arguments]",
    ),
    Mutant(
        "assignment-ignored",
        "a device assignment changes nothing",
        "tf.tpu.replicate/args:device_assignment/maps-logical-to-physical",
        _REPLICATION,
        '"assignment": None if assignment is None else _coordinates(assignment)',
        '"assignment": None',
    ),
    Mutant(
        "rewrite-forgets-assignment",
        "rewrite does not pass its device assignment on",
        "tf.tpu.rewrite/args:device_assignment/used",
        _REPLICATION,
        "    return replicate(computation, [own], infeed_queue, device_assignment)[0]",
        "    return replicate(computation, [own], infeed_queue)[0]",
    ),
    Mutant(
        "assignment-of-any-type",
        "a device assignment may be anything",
        "tf.tpu.replicate/args:device_assignment/overload-type",
        _REPLICATION,
        "    _check_types(infeed_queue, device_assignment)\n",
        "",
    ),
    Mutant(
        "default-core-is-one",
        "without an assignment replica r runs on core r + 1",
        "tf.tpu.rewrite/args:device_assignment/default-is-task-0-device-0",
        "runtime/replication.py",
        "tuple((replica,) for replica in range(replicas)))",
        "tuple((replica + 1,) for replica in range(replicas)))",
    ),
    Mutant(
        "fewer-replicas-without-assignment",
        "any number of replicas is accepted without an assignment",
        "tf.tpu.replicate/args:device_assignment/needed-otherwise",
        "runtime/replication.py",
        "        if fixed and replicas not in (1, topology.num_cores):",
        "        if fixed and replicas > topology.num_cores:",
    ),
    Mutant(
        "as-many-replicas-as-cores-refused",
        "without an assignment there may be one replica only",
        "tf.tpu.replicate/args:device_assignment/omit-replicas-equal-cores",
        "runtime/replication.py",
        "        if fixed and replicas not in (1, topology.num_cores):",
        "        if fixed and replicas != 1:",
    ),
    Mutant(
        "several-cores-without-assignment",
        "a computation over several logical cores needs no assignment",
        "tf.tpu.replicate/args:device_assignment/needed-for-several-cores",
        "runtime/replication.py",
        "        if needed > 1:\n",
        "        if needed > 100:\n",
    ),
    Mutant(
        "rewrite-refuses-tuples",
        "rewrite takes lists only",
        "tf.tpu.rewrite/args:inputs/overload-tuple-or-none",
        _INPUTS,
        "    if not isinstance(inputs, (list, tuple)):\n        raise TypeError(\n"
        '            f"{function}',
        "    if not isinstance(inputs, list):\n        raise TypeError(\n"
        '            f"{function}',
    ),
    Mutant(
        "rewrite-takes-anything",
        "rewrite takes a bare tensor for a list of one",
        "tf.tpu.rewrite/args:inputs/overload-tuple-or-none",
        _INPUTS,
        "    if not isinstance(inputs, (list, tuple)):\n        raise TypeError(\n"
        '            f"{function}',
        "    if not isinstance(inputs, (list, tuple)):\n        return [inputs]\n"
        "        raise TypeError(\n"
        '            f"{function}',
    ),
    Mutant(
        "bare-tensors-refused",
        "the printed example with one tensor per replica is refused",
        "tf.compat.v1.tpu.replicate/example/advanced-builds-as-written",
        _INPUTS,
        "    if isinstance(entry, (Tensor, Variable)):\n        return [entry]\n",
        "",
    ),
    Mutant(
        "parameters-swapped",
        "device_assignment stands before infeed_queue",
        "tf.tpu.rewrite/signature/parameter-order",
        _REPLICATION,
        "def rewrite(\n"
        "    computation: Callable[..., Any],\n"
        "    inputs: Any = None,\n"
        "    infeed_queue: InfeedQueue | None = None,\n"
        "    device_assignment: DeviceAssignment | None = None,\n",
        "def rewrite(\n"
        "    computation: Callable[..., Any],\n"
        "    inputs: Any = None,\n"
        "    device_assignment: DeviceAssignment | None = None,\n"
        "    infeed_queue: InfeedQueue | None = None,\n",
    ),
    Mutant(
        "padding-spec-has-a-default",
        "padding_spec is AUTO when it is left out",
        "tf.compat.v1.tpu.replicate/signature/default-padding-spec",
        _REPLICATION,
        "    padding_spec: Any = None,\n",
        "    padding_spec: Any = 0,\n",
    ),
    Mutant(
        "twin-missing",
        "there is no rewrite_dyn",
        "tf.tpu.rewrite_dyn/name/exists",
        "tpu/__init__.py",
        "from tpuref.tpu.replication import replicate, replicate_dyn, rewrite, "
        "rewrite_dyn\n",
        "from tpuref.tpu.replication import replicate, replicate_dyn, rewrite\n",
    ),
    Mutant(
        "twin-differs",
        "replicate_dyn forgets maximum_shapes",
        "tf.tpu.replicate_dyn/args:maximum_shapes/any-accepted-type",
        _REPLICATION,
        "replicate_dyn = replicate\n",
        "def replicate_dyn(computation, inputs=None, infeed_queue=None,\n"
        "        device_assignment=None, name=None, maximum_shapes=None,\n"
        "        padding_spec=None, xla_options=None):\n"
        "    return replicate(computation, inputs, infeed_queue, device_assignment)\n",
    ),
)
