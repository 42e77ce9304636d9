"""Variants that were written without a look at the suite, and that it missed at first.

Most are right in the smallest case, as those in ``families/`` are.
"""

from .mutant import Mutant

_V1 = "tf.compat.v1.tpu.replicate"
_S = "tf.contrib.distribute.TPUStrategy"
_C = "tf.contrib.cluster_resolver.TPUClusterResolver"

MUTANTS = (
    Mutant(
        "shutdown-of-first-job",
        "The system of the first job is stopped, whichever was named.",
        "tf.tpu.shutdown_system/args:job/none-several-jobs-error",
        "Cluster.shutdown",
        'self._named(instr, "tf.tpu.shutdown_system").shutdown(instr.site)',
        'self._named(instr, "tf.tpu.shutdown_system")\n'
        "        next(iter(self._systems.values())).shutdown(instr.site)",
    ),
    Mutant(
        "unsorted-keys-mixed-up",
        "Leaves in the order of sorted keys are given to the keys in their own order.",
        "tf.tpu.replicate/args:inputs/nested-structure",
        "nest._built_mapping",
        "zip(sorted_keys(node), parts, strict=True)",
        "zip(node, parts, strict=True)",
    ),
    Mutant(
        "third-replica-not-measured",
        "An unknown dimension is padded to the larger of the first two replicas.",
        "tf.tpu.replicate/args:maximum_shapes/unknown-dimension-is-replica-maximum",
        "runtime.padding._largest",
        "largest = max(sizes)",
        "largest = max(sizes[:2])",
    ),
    Mutant(
        "ordered-dict-becomes-dict",
        "Mappings of other types come back as plain dictionaries.",
        f"{_V1}/returns/same-structure",
        "nest._built_mapping",
        "return type(node)(in_own_order)",
        "return in_own_order",
    ),
    Mutant(
        "noop-of-later-replicas",
        "The NoOps of the replicas from the second on depend on nothing.",
        f"{_V1}/returns/operations-noop-depends-on-computation",
        "replication._no_op",
        "graph.control_dependencies([operation])",
        "graph.control_dependencies([operation] if replica == 0 else [])",
    ),
    Mutant(
        "third-replica-of-other-structure",
        "Only the structures of the first two replicas are compared.",
        "tf.tpu.replicate/args:inputs/nested-structure",
        "computation_inputs._check_alike",
        "enumerate(replicas[1:], start=1)",
        "enumerate(replicas[1:2], start=1)",
    ),
    Mutant(
        "shapes-in-order-of-keys-given",
        "maximum_shapes of a dictionary are taken in the order of its keys as given.",
        "tf.tpu.replicate/args:maximum_shapes/nested-structure",
        "tpu.padding._matched",
        "shapes[k]) for k in sorted(inputs)]",
        "shapes[k]) for k in inputs]",
    ),
    Mutant(
        "doubles-summed-as-single",
        "float64 is added up as float32.",
        "tf.tpu.cross_replica_sum/returns/dtype-and-shape-kept",
        "collectives.cross_replica_sum",
        'total: Tensor = apply("CrossReplicaSum", tensor, groups=groups, name=name)',
        'if tensor.dtype.name == "float64":\n'
        "        from tpuref.functions.conversion import cast\n\n"
        '        narrow = cast(tensor, "float32")\n'
        '        narrow = apply("CrossReplicaSum", narrow, groups=groups)\n'
        "        return cast(narrow, tensor.dtype, name=name)\n"
        '    total: Tensor = apply("CrossReplicaSum", tensor, groups=groups)',
    ),
    Mutant(
        "towers-ignore-groups",
        "In towers every group gets the sum over all towers.",
        "tf.tpu.cross_replica_sum/args:group_assignment/subgroups",
        "CrossTowerSum._totals",
        "self._part(value, tower) for tower in towers]",
        "self._part(value, tower) for tower in range(self.towers.count)]",
    ),
    Mutant(
        "host-part-loses-keys",
        "A dictionary that the host's part returns comes back as a list.",
        "tf.tpu.outside_compilation/returns/structure-kept",
        "host_calls.outside_compilation",
        "with graph.on_host(label): return computation(*args, **kwargs)",
        "with graph.on_host(label):\n"
        "        found = computation(*args, **kwargs)\n"
        "    return list(found.values()) if isinstance(found, dict) else found",
    ),
    Mutant(
        "cores-numbered-over-hosts",
        "Device names number the cores of all hosts together.",
        f"{_S}.worker_devices/property/list",
        "SystemDescription.core_device",
        "/device:TPU:{ordinal}",
        "/device:TPU:{core}",
    ),
    Mutant(
        "coordinator-counts-as-host",
        "The tasks of all jobs of the cluster count as hosts.",
        f"{_S}/args:num_cores/none-detects-topology",
        "system_description._tasks",
        "return list(jobs.get(job) or next(iter(jobs.values()), []))",
        "return [task for tasks in jobs.values() for task in tasks]",
    ),
    Mutant(
        "tower-sum-of-floats",
        "Whole numbers of towers are added up as float32, exact up to 2^24 only.",
        f"{_S}.reduce/args:aggregation/sum",
        "reduction.gathered",
        'total: Tensor = apply("TowerSum", *tensors)',
        'total: Tensor = apply("TowerSum", *[cast(t, "float32") for t in tensors])\n'
        "    total = cast(total, tensors[0].dtype)",
    ),
    Mutant(
        "batch-results-by-dtype",
        "The results of batch_reduce come sorted by element type.",
        f"{_S}.batch_reduce/returns/one-mirrored-value-per-pair",
        "Batch.reduced",
        "self._mirrored(request, totals[number])"
        "for number, request in enumerate(requests)",
        "self._mirrored(requests[number], total) for number, total in totals.items()",
    ),
    Mutant(
        "batch-pieces-after-matrix",
        "After a matrix the pieces of a joint sum are cut at the wrong place.",
        f"{_S}.batch_reduce/behaviour/same-as-single-reduces",
        "Batch._pieces",
        "begin += request.size",
        "begin += shape[0] if shape else 1",
    ),
    Mutant(
        "no-aggregation-is-sum",
        "VariableAggregation.NONE is taken like SUM.",
        f"{_S}.batch_reduce/args:aggregation/accepted-values",
        "reduction.ACCEPTED",
        "VariableAggregation.ONLY_FIRST_TOWER,",
        "VariableAggregation.ONLY_FIRST_TOWER,\n    VariableAggregation.NONE,",
    ),
    Mutant(
        "components-start-apart",
        "Each component of a mirrored variable draws its own initial value.",
        f"{_S}.update/behaviour/mirrored-variable",
        "variable_creation._component",
        'own["initial_value"] = _same_start(before[0])',
        "pass",
    ),
    Mutant(
        "scope-outlives-exception",
        "After an exception in its block a strategy stays current.",
        f"{_S}.scope/behaviour/selects-strategy",
        "tower_context._at",
        "try: yield finally: _places.stack.pop()",
        "yield\n    _places.stack.pop()",
    ),
    Mutant(
        "non-slot-update-everywhere",
        "update_non_slot runs on all devices, whichever it is given.",
        f"{_S}.update_non_slot/behaviour/runs-on-devices",
        "DistributionStrategy.update_non_slot",
        "return update_non_slot(devices, fn,",
        "return update_non_slot(self.towers.names, fn,",
    ),
    Mutant(
        "tower-local-last-component",
        "A tower-local variable for the first tower reads as the last component.",
        f"{_S}.read_var/behaviour/aggregates-tower-local",
        "reduction.gathered",
        "return tensors[0]",
        "return tensors[-1]",
    ),
    Mutant(
        "dataset-same-for-all",
        "In eager mode all towers get the first element of a round.",
        f"{_S}.distribute_dataset/behaviour/split-across-towers",
        "PerDeviceIterator.__next__",
        "return merged(next(self.rounds), self._devices)",
        "rounds = next(self.rounds)\n"
        "        return merged([rounds[0]] * len(rounds), self._devices)",
    ),
    Mutant(
        "first-step-output-kept",
        "In eager mode last_step_outputs are those of the first step.",
        f"{_S}.run_steps_on_dataset/returns/last-step-outputs",
        "MultiStepContext.set_last_step_output",
        "self.set_in_step[name] = nest.map_structure(combined, output)",
        "self.set_in_step.setdefault(name, nest.map_structure(combined, output))",
    ),
    Mutant(
        "first-non-tensor-output-kept",
        "A non-tensor output that is set again keeps its first value.",
        f"{_S}.run_steps_on_dataset/returns/non-tensor-outputs",
        "MultiStepContext.set_non_tensor_output",
        "self.non_tensor_outputs[name] = output",
        "self.non_tensor_outputs.setdefault(name, output)",
    ),
    Mutant(
        "eager-steps-one-short",
        "In eager mode a call for several steps runs one fewer.",
        f"{_S}.run_steps_on_dataset/behaviour/runs-fn-iterations-times",
        "steps._run_now",
        "for step in range(iterations):",
        "for step in range(max(1, iterations - 1)):",
    ),
    Mutant(
        "group-without-last",
        "group leaves the last component out.",
        f"{_S}.group/behaviour/groups-unwrapped-values",
        "DistributionStrategy.group",
        "return group(*parts, name=name)",
        "return group(*(parts[:-1] or parts), name=name)",
    ),
    Mutant(
        "third-name-forgotten",
        "Only the first two of several TPUs are asked for.",
        f"{_C}/args:tpu/list-of-strings",
        "CloudTPUs._addresses",
        "for name in self._source.names:",
        "for name in self._source.names[:2]:",
    ),
    Mutant(
        "grpc-without-colon",
        "Every name that begins with 'grpc' is passed through.",
        f"{_C}/args:tpu/grpc-prefix",
        "contrib.TPUClusterResolver._prefixes",
        '(GRPC, "/bns")',
        '("grpc", "/bns")',
    ),
    Mutant(
        "tenth-task-before-second",
        "With more than ten hosts the tasks are sorted as text.",
        f"{_C}.cluster_spec/returns/cluster-spec",
        "ClusterSpec.as_dict",
        "[tasks[i] for i in sorted(tasks)]",
        "[tasks[i] for i in sorted(tasks, key=str)]",
    ),
)
