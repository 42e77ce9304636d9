"""Clauses of the page of tf.compat.v1.tpu.replicate (r2.4)."""

import enum

import numpy as np

from ..clause import clause, expect_raises, same
from ..probes import fixed_system, padded_inputs, padded_shapes, recorded_xla_options
from . import replicate_checks as checks

SEED = "003_0632b6613bf28dbc.txt"

PARAMETERS = [
    "computation",
    "inputs",
    "infeed_queue",
    "device_assignment",
    "name",
    "maximum_shapes",
    "padding_spec",
    "xla_options",
]


def plus_one_mean(tf):
    """Return the computation of both printed examples."""

    def computation(x):
        x = x + 1
        return tf.math.reduce_mean(x)

    return computation


def basic_example(tf):
    """Build the printed example with static shapes."""
    x = tf.convert_to_tensor([1.0, 2.0, 3.0])
    y = tf.convert_to_tensor([4.0, 5.0, 6.0])
    return tf.compat.v1.tpu.replicate(plus_one_mean(tf), inputs=[[x], [y]])


def advanced_example(tf, inputs, policy="POWER_OF_TWO"):
    """Build the printed example with dynamic shapes."""
    return tf.compat.v1.tpu.replicate(
        plus_one_mean(tf),
        inputs=inputs,
        maximum_shapes=[tf.TensorShape([None, None])],
        padding_spec=getattr(tf.compat.v1.tpu.PaddingSpec, policy),
    )


def matrices(tf):
    """Return two float32 placeholders of shape [None, 2]."""
    return tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 2])


def rows(count, value):
    return np.full([count, 2], value, np.float32)


def padded_length(tf, first, second, padding_spec):
    """Return the padded length of an input with these sizes in two replicas.

    The computation must see the true elements whatever the padding.
    """
    with tf.Graph().as_default(), fixed_system(tf, 2) as sess:
        x, y = checks.vector(tf), checks.vector(tf)
        out = tf.compat.v1.tpu.replicate(
            tf.reduce_sum,
            [[x], [y]],
            maximum_shapes=[tf.TensorShape([None])],
            padding_spec=padding_spec,
        )
        fed = {x: checks.ones(first), y: checks.ones(second)}
        sums = [[float(first)], [float(second)]]
        same(sess.run(out, fed), sums, call="sum of each input")
        ((length,),) = padded_shapes(tf)
        return length


@clause(
    "tf.compat.v1.tpu.replicate/name/exists",
    seed=SEED,
    tier="surface",
    says="The function replicate is public under this name.",
    doubt=(
        "The two pages document the same function under two paths. Reading: one "
        "function object reachable as tf.tpu.replicate and "
        "tf.compat.v1.tpu.replicate."
    ),
)
def name_exists(tf):
    assert callable(tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/signature/parameter-order",
    seed=SEED,
    tier="surface",
    says=(
        "Its parameters are, in this order, computation, inputs, infeed_queue, "
        "device_assignment, name, maximum_shapes, padding_spec, xla_options."
    ),
)
def parameter_order(tf):
    checks.signature_parameter_order(tf, tf.compat.v1.tpu.replicate, PARAMETERS)


@clause(
    "tf.compat.v1.tpu.replicate/signature/default-inputs",
    seed=SEED,
    tier="surface",
    says="When inputs is left out it is None.",
)
def default_inputs(tf):
    replicate = tf.compat.v1.tpu.replicate
    checks.signature_default_is_none(tf, replicate, "inputs")


@clause(
    "tf.compat.v1.tpu.replicate/signature/default-infeed-queue",
    seed=SEED,
    tier="surface",
    says="When infeed_queue is left out it is None.",
)
def default_infeed_queue(tf):
    replicate = tf.compat.v1.tpu.replicate
    checks.signature_default_is_none(tf, replicate, "infeed_queue")


@clause(
    "tf.compat.v1.tpu.replicate/signature/default-device-assignment",
    seed=SEED,
    tier="surface",
    says="When device_assignment is left out it is None.",
)
def default_device_assignment(tf):
    replicate = tf.compat.v1.tpu.replicate
    checks.signature_default_is_none(tf, replicate, "device_assignment")


@clause(
    "tf.compat.v1.tpu.replicate/signature/default-name",
    seed=SEED,
    tier="surface",
    says="When name is left out it is None.",
)
def default_name(tf):
    replicate = tf.compat.v1.tpu.replicate
    checks.signature_default_is_none(tf, replicate, "name")


@clause(
    "tf.compat.v1.tpu.replicate/signature/default-maximum-shapes",
    seed=SEED,
    tier="surface",
    says="When maximum_shapes is left out it is None.",
)
def default_maximum_shapes(tf):
    replicate = tf.compat.v1.tpu.replicate
    checks.signature_default_is_none(tf, replicate, "maximum_shapes")


@clause(
    "tf.compat.v1.tpu.replicate/signature/default-padding-spec",
    seed=SEED,
    tier="surface",
    says="When padding_spec is left out it is None.",
)
def default_padding_spec(tf):
    replicate = tf.compat.v1.tpu.replicate
    checks.signature_default_is_none(tf, replicate, "padding_spec")


@clause(
    "tf.compat.v1.tpu.replicate/signature/default-xla-options",
    seed=SEED,
    tier="surface",
    says="When xla_options is left out it is None.",
)
def default_xla_options(tf):
    replicate = tf.compat.v1.tpu.replicate
    checks.signature_default_is_none(tf, replicate, "xla_options")


@clause(
    "tf.compat.v1.tpu.replicate/behaviour/builds-graph-operator",
    seed=SEED,
    tier="build",
    says="A call only adds to the graph; nothing is executed by it.",
)
def behaviour_builds_graph_operator(tf):
    checks.behaviour_builds_graph_operator(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/behaviour/runs-once-per-replica",
    seed=SEED,
    tier="run",
    says="Evaluation performs the computation once for every replica.",
)
def behaviour_runs_once_per_replica(tf):
    checks.behaviour_runs_once_per_replica(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:computation/python-function",
    seed=SEED,
    tier="build",
    says="computation is a Python callable that constructs what each replica does.",
    doubt=(
        "How often it is called is not said. Reading: exactly once per replicate "
        "call, as observed; per-replica values are symbolic."
    ),
)
def computation_python_function(tf):
    checks.computation_python_function(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:inputs/indexed-replica-then-input",
    seed=SEED,
    tier="run",
    says=(
        "inputs is a list of lists whose first index is the replica and second the "
        "input number."
    ),
    doubt=(
        "An empty outer list is not discussed (releases: IndexError). Reading: "
        "ValueError, there is no replica to run."
    ),
)
def inputs_indexed_replica_then_input(tf):
    checks.inputs_indexed_replica_then_input(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:inputs/none-is-one-empty-list",
    seed=SEED,
    tier="run",
    says="inputs None stands for one replica without inputs.",
)
def inputs_none_is_one_empty_list(tf):
    checks.inputs_none_is_one_empty_list(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:inputs/equal-number",
    seed=SEED,
    tier="build",
    says="All replicas have to bring the same number of inputs.",
)
def inputs_equal_number(tf):
    checks.inputs_equal_number(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:inputs/nested-structure",
    seed=SEED,
    tier="run",
    says=(
        "An input can be a nest of lists, tuples and dictionaries, and the "
        "computation receives the same nest."
    ),
    doubt=(
        "Must the nests of all replicas agree? Only counts are mentioned. Reading: "
        "same structure and leaf dtypes for all replicas, otherwise ValueError "
        "(releases: ValueError or TypeError)."
    ),
)
def inputs_nested_structure(tf):
    checks.inputs_nested_structure(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:inputs/leaves-convert",
    seed=SEED,
    tier="run",
    says="The leaves of an input may be any values convertible to tensors.",
)
def inputs_leaves_convert(tf):
    checks.inputs_leaves_convert(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:inputs/nested-list-of-numbers-is-scalars",
    seed=SEED,
    tier="build",
    says=(
        "An n-dimensional Python list arrives as an n-dimensional list of scalar "
        "tensors, not as one tensor of rank n."
    ),
)
def inputs_nested_list_of_numbers_is_scalars(tf):
    checks.inputs_nested_list_of_numbers_is_scalars(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:inputs/convert-to-tensor-keeps-rank",
    seed=SEED,
    tier="build",
    says="A list converted with tf.convert_to_tensor beforehand stays one tensor.",
)
def inputs_convert_to_tensor_keeps_rank(tf):
    checks.inputs_convert_to_tensor_keeps_rank(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:infeed_queue/appended-to-arguments",
    seed=SEED,
    tier="run",
    says=(
        "The tuple elements of a given infeed_queue are appended to the inputs as "
        "further arguments."
    ),
    doubt=(
        "The page does not document the queue class. Reading: provide "
        "tf.contrib.tpu.InfeedQueue with the 1.x constructor "
        "(number_of_tuple_elements, tuple_types, tuple_shapes, shard_dimensions, "
        "name); declared shapes are global and each replica receives its slice along "
        "dimension 0."
    ),
)
def infeed_queue_appended_to_arguments(tf):
    checks.infeed_queue_appended_to_arguments(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:device_assignment/maps-logical-to-physical",
    seed=SEED,
    tier="run",
    says=(
        "A given DeviceAssignment maps the logical cores of the computation onto "
        "physical cores of the topology."
    ),
    doubt=(
        "Which core did the work is not observable through documented calls, and the "
        "seeds do not document the class. Reading: use a per-core trace, report "
        "unavailable without one; see the name clause of DeviceAssignment."
    ),
)
def device_assignment_maps_logical_to_physical(tf):
    checks.device_assignment_maps_logical_to_physical(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:device_assignment/default",
    seed=SEED,
    tier="run",
    says="device_assignment None selects a default assignment.",
)
def device_assignment_default(tf):
    checks.device_assignment_default(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:device_assignment/omit-one-replica",
    seed=SEED,
    tier="run",
    says="device_assignment is not needed for a single replica that uses one core.",
)
def device_assignment_omit_one_replica(tf):
    checks.device_assignment_omit_one_replica(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:device_assignment/omit-replicas-equal-cores",
    seed=SEED,
    tier="run",
    says=(
        "device_assignment is not needed when there are as many one-core replicas as "
        "cores in the system."
    ),
    doubt=(
        "The rule speaks of a count equal to the system's cores, yet 003's printed "
        "examples run two replicas without an assignment and never say how many cores "
        "exist. Reading: while the user has not fixed a core count, the default "
        "system has as many cores as the call asks for; once it is fixed, the rule is "
        "enforced. Otherwise the examples could not run on an eight-core default."
    ),
)
def device_assignment_omit_replicas_equal_cores(tf):
    checks.device_assignment_omit_replicas_equal_cores(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:device_assignment/needed-otherwise",
    seed=SEED,
    tier="run",
    says="Other replica counts need a device_assignment.",
    doubt=(
        "The page says when the argument may be left out, not what happens otherwise. "
        "Reading: building succeeds (as in every release tried) and evaluation raises "
        "tf.errors.InvalidArgumentError that names both counts, because only the "
        "running system knows its cores."
    ),
)
def device_assignment_needed_otherwise(tf):
    checks.device_assignment_needed_otherwise(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:device_assignment/needed-for-several-cores",
    seed=SEED,
    tier="run",
    says="A replica that uses more than one core needs a device_assignment.",
    doubt=(
        "The page says when the argument may be left out, not what happens otherwise. "
        "Reading: building succeeds (as in every release tried) and evaluation raises "
        "tf.errors.InvalidArgumentError that names both counts, because only the "
        "running system knows its cores."
    ),
)
def device_assignment_needed_for_several_cores(tf):
    checks.device_assignment_needed_for_several_cores(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:name/no-effect",
    seed=SEED,
    tier="build",
    says="name is deprecated and changes nothing.",
)
def name_no_effect(tf):
    checks.name_no_effect(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:maximum_shapes/pads-each-component",
    seed=SEED,
    tier="run",
    says=(
        "Each component of each input is padded, in every replica, to the shape given "
        "for it."
    ),
    doubt=(
        "The pages say inputs are padded, but neither the fill value nor whether the "
        "computation sees the padding. The releases' graph shows zero fill plus a "
        "hidden true-size operand per padded dimension, from which a real TPU's "
        "compiler masks the fill; 003 recommends POWER_OF_TWO only to save "
        "recompilation, so bucketing must not change results. Reading: the buffer is "
        "padded with zeros to the documented shape (seen through the padding probe), "
        "the computation works on the true sizes (shape, reductions, outputs come out "
        "unpadded). tpuref.config.padding_visible = True shows the padded tensor "
        "itself, for study."
    ),
)
def maximum_shapes_pads_each_component(tf):
    checks.maximum_shapes_pads_each_component(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:maximum_shapes/nested-structure",
    seed=SEED,
    tier="run",
    says="maximum_shapes can be a nest of shapes for nested inputs.",
)
def maximum_shapes_nested_structure(tf):
    checks.maximum_shapes_nested_structure(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:maximum_shapes/unknown-dimension-is-replica-maximum",
    seed=SEED,
    tier="run",
    says=(
        "A dimension left unknown in the shape is padded to the largest size that "
        "dimension has in any replica."
    ),
    doubt=(
        "The pages say inputs are padded, but neither the fill value nor whether the "
        "computation sees the padding. The releases' graph shows zero fill plus a "
        "hidden true-size operand per padded dimension, from which a real TPU's "
        "compiler masks the fill; 003 recommends POWER_OF_TWO only to save "
        "recompilation, so bucketing must not change results. Reading: the buffer is "
        "padded with zeros to the documented shape (seen through the padding probe), "
        "the computation works on the true sizes (shape, reductions, outputs come out "
        "unpadded). tpuref.config.padding_visible = True shows the padded tensor "
        "itself, for study."
    ),
)
def maximum_shapes_unknown_dimension_is_replica_maximum(tf):
    checks.maximum_shapes_unknown_dimension_is_replica_maximum(
        tf, tf.compat.v1.tpu.replicate
    )


@clause(
    "tf.compat.v1.tpu.replicate/args:maximum_shapes/minus-one-is-unknown",
    seed=SEED,
    tier="run",
    says="In a tensor-like shape -1 marks an unknown dimension.",
    doubt=(
        "Releases reject -1 (ValueError, dimension must be non-negative) and reject "
        "tensors as shapes. Reading: do what the page says for NumPy arrays and "
        "tf.constant([-1]); list the releases as deviating."
    ),
)
def maximum_shapes_minus_one_is_unknown(tf):
    checks.maximum_shapes_minus_one_is_unknown(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/args:maximum_shapes/structure-equals-first-replica",
    seed=SEED,
    tier="build",
    says=(
        "The structure of maximum_shapes has to equal that of the first replica's "
        "inputs."
    ),
)
def maximum_shapes_structure_equals_first_replica(tf):
    checks.maximum_shapes_structure_equals_first_replica(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/returns/list-by-replica",
    seed=SEED,
    tier="build",
    says="The result is a list that holds one entry for each replica.",
)
def returns_list_by_replica(tf):
    checks.returns_list_by_replica(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/returns/same-structure",
    seed=SEED,
    tier="build",
    says=(
        "Each entry has the structure that the computation returned, with its own "
        "tensors."
    ),
    doubt=(
        "Releases turn a flat tuple (or namedtuple) result into a list and keep "
        "containers only in deeper nests. Reading: follow the text and return the "
        "containers the computation returned."
    ),
)
def returns_same_structure(tf):
    checks.returns_same_structure(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/returns/none-gives-noop",
    seed=SEED,
    tier="build",
    says=(
        "Special case 1: a computation that returns None yields an operation of type "
        "NoOp."
    ),
)
def returns_none_gives_noop(tf):
    checks.returns_none_gives_noop(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/returns/none-noop-depends-on-computation",
    seed=SEED,
    tier="run",
    says="The NoOp that stands for None has a control dependency on the computation.",
    doubt=(
        "Which replicas run when only out[0] is fetched? Reading: all of them, "
        "because the operator is one replicated operator."
    ),
)
def returns_none_noop_depends_on_computation(tf):
    checks.returns_none_noop_depends_on_computation(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/returns/single-value-is-tuple",
    seed=SEED,
    tier="build",
    says="Special case 2: a single returned value comes back in a tuple.",
    doubt=(
        "Every release returns a one-element list here, the page says tuple. Reading: "
        "a real tuple, as written; indexing with [0] works either way. List the "
        "releases' list as a known deviation."
    ),
)
def returns_single_value_is_tuple(tf):
    checks.returns_single_value_is_tuple(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/returns/operations-only-give-noop",
    seed=SEED,
    tier="build",
    says="Special case 3: a computation that returns only operations yields a NoOp.",
    doubt=(
        "Which results count as operations only is not spelled out. Reading: flat "
        "ones, an empty list or tuple included (observed); an operation inside a "
        "nested structure or before a tensor raises ValueError."
    ),
)
def returns_operations_only_give_noop(tf):
    checks.returns_operations_only_give_noop(tf, tf.compat.v1.tpu.replicate)


@clause(
    "tf.compat.v1.tpu.replicate/returns/operations-noop-depends-on-computation",
    seed=SEED,
    tier="run",
    says=(
        "The NoOp that stands for operations has a control dependency on the "
        "computation."
    ),
)
def returns_operations_noop_depends_on_computation(tf):
    checks.returns_operations_noop_depends_on_computation(
        tf, tf.compat.v1.tpu.replicate
    )


@clause(
    "tf.compat.v1.tpu.replicate/example/basic-builds",
    seed=SEED,
    tier="build",
    says=(
        "The static-shape example builds: two replicas with one float32[3] tensor each."
    ),
)
def example_basic_builds(tf):
    out = basic_example(tf)
    assert isinstance(out, list), f"expected a list, got {out!r}"
    same([len(entry) for entry in out], [1, 1], call="values in each entry")
    for (tensor,) in out:
        same(tensor.shape.as_list(), [])
        same(tensor.dtype.name, "float32")


@clause(
    "tf.compat.v1.tpu.replicate/example/basic-values",
    seed=SEED,
    tier="run",
    says=(
        "Evaluated, the static-shape example yields the mean of each replica's input "
        "plus one."
    ),
    doubt=(
        "The example never initialises a system and uses two replicas; see "
        "device_assignment/omit-replicas-equal-cores for the reading."
    ),
)
def example_basic_values(tf):
    with fixed_system(tf, 2) as sess:
        same(sess.run(basic_example(tf)), [[3.0], [6.0]])


@clause(
    "tf.compat.v1.tpu.replicate/example/advanced-builds-as-written",
    seed=SEED,
    tier="build",
    says=(
        "The dynamic-shape example builds exactly as printed, with one tensor per "
        "replica instead of a list."
    ),
    doubt=(
        "The argument table asks for a list of lists, but this example passes the "
        "tensors themselves; every release raises TypeError for it. The page is to "
        "run as written. Reading: an element of inputs that is a tensor counts as a "
        "one-element list; bare numbers, strings and dicts still raise TypeError."
    ),
)
def example_advanced_builds_as_written(tf):
    x, y = matrices(tf)
    same(len(advanced_example(tf, [x, y])), 2, call="entries of the result")


@clause(
    "tf.compat.v1.tpu.replicate/example/advanced-same-as-wrapped",
    seed=SEED,
    tier="run",
    says=(
        "The printed form of the dynamic-shape example means the same as wrapping "
        "each tensor in a list."
    ),
    doubt=(
        "The argument table asks for a list of lists, but this example passes the "
        "tensors themselves; every release raises TypeError for it. The page is to "
        "run as written. Reading: an element of inputs that is a tensor counts as a "
        "one-element list; bare numbers, strings and dicts still raise TypeError."
    ),
)
def example_advanced_same_as_wrapped(tf):
    with fixed_system(tf, 2) as sess:
        x, y = matrices(tf)
        fed = {x: rows(3, 1.0), y: rows(5, 3.0)}
        as_written = sess.run(advanced_example(tf, [x, y]), fed)
        wrapped = sess.run(advanced_example(tf, [[x], [y]]), fed)
        same(as_written, wrapped, call="inputs=[x, y], as with inputs=[[x], [y]]")


@clause(
    "tf.compat.v1.tpu.replicate/example/advanced-values",
    seed=SEED,
    tier="run",
    says=(
        "Evaluated, the dynamic example gives, per replica, the mean of its own input "
        "plus one, whatever the bucket."
    ),
    doubt=(
        "The pages say inputs are padded, but neither the fill value nor whether the "
        "computation sees the padding. The releases' graph shows zero fill plus a "
        "hidden true-size operand per padded dimension, from which a real TPU's "
        "compiler masks the fill; 003 recommends POWER_OF_TWO only to save "
        "recompilation, so bucketing must not change results. Reading: the buffer is "
        "padded with zeros to the documented shape (seen through the padding probe), "
        "the computation works on the true sizes (shape, reductions, outputs come out "
        "unpadded). tpuref.config.padding_visible = True shows the padded tensor "
        "itself, for study."
    ),
)
def example_advanced_values(tf):
    with fixed_system(tf, 2) as sess:
        x, y = matrices(tf)
        fed = {x: rows(3, 1.0), y: rows(5, 3.0)}
        means = [[2.0], [4.0]]
        same(sess.run(advanced_example(tf, [x, y]), fed), means)
        same(padded_shapes(tf)[-1], (8, 2), call="padded shape under POWER_OF_TWO")
        same(sess.run(advanced_example(tf, [x, y], "AUTO"), fed), means)
        same(padded_shapes(tf)[-1], (5, 2), call="padded shape under AUTO")


@clause(
    "tf.compat.v1.tpu.replicate/behaviour/buckets-avoid-recompilation",
    seed=SEED,
    tier="run",
    says=(
        "With bucketised inputs, sizes that fall into the same bucket need no new "
        "compilation."
    ),
    doubt=(
        "A CPU reference has no XLA compiler. Reading: expose the number of distinct "
        "per-core input shapes seen; subjects without such a counter report the "
        "clause as unavailable."
    ),
)
def behaviour_buckets_avoid_recompilation(tf):
    with fixed_system(tf, 2) as sess:
        x, y = matrices(tf)
        out = advanced_example(tf, [[x], [y]])
        compilations = []
        for size in (5, 7, 9):
            sess.run(out, {x: rows(3, 1.0), y: rows(size, 3.0)})
            compilations.append(padded_inputs(tf)[-1].compilations)
        five, seven, nine = compilations
        same(seven, five, call="compilations after 7 rows, as after 5")
        same(nine, five + 1, call="compilations after 9 rows, one more than after 5")


@clause(
    "tf.compat.v1.tpu.replicate/args:padding_spec/enum-member",
    seed=SEED,
    tier="build",
    says="padding_spec is a member of the PaddingSpec enumeration.",
    doubt=(
        "Releases silently treat unknown values as the default. Reading: refuse what "
        "is not a member or its integer value."
    ),
)
def padding_spec_enum_member(tf):
    def build(padding_spec):
        return tf.compat.v1.tpu.replicate(
            tf.reduce_sum,
            [[checks.vector(tf)], [checks.vector(tf)]],
            maximum_shapes=[tf.TensorShape([None])],
            padding_spec=padding_spec,
        )

    same(len(build(tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO)), 2)
    expect_raises((TypeError, ValueError), build, "POWER_OF_TWO")


@clause(
    "tf.compat.v1.tpu.replicate/args:padding_spec/applies-to-dynamic-inputs",
    seed=SEED,
    tier="run",
    says=(
        "padding_spec governs how inputs whose size is only known at run time are "
        "padded."
    ),
    doubt=(
        "Without maximum_shapes nothing is padded in any release. Reading: the policy "
        "only acts together with maximum_shapes. Known sizes in maximum_shapes win "
        "over the bucket (observed: [5] gives 5)."
    ),
)
def padding_spec_applies_to_dynamic_inputs(tf):
    power_of_two = tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO
    same(padded_length(tf, 3, 5, power_of_two), 8)
    same(padded_length(tf, 3, 5, None), 5)
    with tf.Graph().as_default(), fixed_system(tf, 2) as sess:
        static = [[tf.zeros([3])], [tf.zeros([3])]]
        unknown = [tf.TensorShape([None])]
        out = tf.compat.v1.tpu.replicate(
            tf.reduce_sum, static, maximum_shapes=unknown, padding_spec=power_of_two
        )
        sess.run(out)
        same(padded_shapes(tf), [(3,)], call="padded shape of equal static sizes")


@clause(
    "tf.compat.v1.tpu.replicate/args:padding_spec/power-of-two-buckets",
    seed=SEED,
    tier="run",
    says=(
        "POWER_OF_TWO makes buckets automatically, each dimension going up to a power "
        "of two."
    ),
    doubt=(
        "The rule for 0 and 1 is not given; releases use 2. Does a dimension of equal "
        "known size in all replicas get rounded? Releases do not. Reading: follow "
        "both."
    ),
)
def padding_spec_power_of_two_buckets(tf):
    power_of_two = tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO
    buckets = {2: 2, 3: 4, 4: 4, 5: 8, 8: 8, 9: 16, 17: 32}
    for largest, bucket in sorted(buckets.items()):
        length = padded_length(tf, 1, largest, power_of_two)
        same(length, bucket, call=f"bucket of the largest size {largest}")


@clause(
    "tf.compat.v1.tpu.replicate/args:padding_spec/none-is-auto",
    seed=SEED,
    tier="run",
    says="Without padding_spec, padding goes just to the required size.",
    doubt=(
        "The page gives None as default without a meaning. Reading: same as "
        "PaddingSpec.AUTO."
    ),
)
def padding_spec_none_is_auto(tf):
    same(padded_length(tf, 3, 5, None), 5)
    same(padded_length(tf, 3, 5, tf.compat.v1.tpu.PaddingSpec.AUTO), 5)


@clause(
    "tf.compat.v1.tpu.replicate/args:xla_options/instance",
    seed=SEED,
    tier="build",
    says="xla_options is an instance of XLAOptions carrying compiler options.",
    doubt=(
        "There is no XLA here. Reading: accept, validate and record; no effect on "
        "values."
    ),
)
def xla_options_instance(tf):
    def build(xla_options):
        return tf.compat.v1.tpu.replicate(
            lambda x: x + 1, [[1.0]], xla_options=xla_options
        )

    same(len(build(tf.compat.v1.tpu.XLAOptions())), 1)
    expect_raises(TypeError, build, {"use_spmd_for_xla_partitioning": True})
    expect_raises(TypeError, build, "use_spmd_for_xla_partitioning")


@clause(
    "tf.compat.v1.tpu.replicate/args:xla_options/none-default-options",
    seed=SEED,
    tier="build",
    says="xla_options None means default options.",
)
def xla_options_none_default_options(tf):
    def recorded(xla_options):
        with tf.Graph().as_default():
            tf.compat.v1.tpu.replicate(
                lambda x: x + 1, [[1.0]], xla_options=xla_options
            )
            return recorded_xla_options(tf)

    same(recorded(None), recorded(tf.compat.v1.tpu.XLAOptions()))


@clause(
    "tf.compat.v1.tpu.replicate/raises/unequal-input-count",
    seed=SEED,
    tier="build",
    says="Replicas with different numbers of input tensors cause ValueError.",
    doubt=(
        "Does the count refer to inputs or to leaves? Reading: both; differing leaf "
        "counts in nests raise ValueError as well."
    ),
)
def raises_unequal_input_count(tf):
    a, b, c = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
    replicate = tf.compat.v1.tpu.replicate
    for inputs in ([[a], [b, c]], [[a, b], [c]], [[], [a]]):
        expect_raises(ValueError, replicate, lambda *arguments: a, inputs)


@clause(
    "tf.compat.v1.tpu.replicate/raises/argument-count-mismatch",
    seed=SEED,
    tier="build",
    says=(
        "A per-replica input count that does not fit the parameters of the "
        "computation causes ValueError."
    ),
    doubt=(
        "Every release raises TypeError. Reading: ValueError as written; an exception "
        "class deriving from both keeps old handlers working. Infeed elements count "
        "as inputs."
    ),
)
def raises_argument_count_mismatch(tf):
    a, b = tf.constant(1.0), tf.constant(2.0)
    replicate = tf.compat.v1.tpu.replicate
    expect_raises(ValueError, replicate, lambda x, y: x, [[a]])
    expect_raises(ValueError, replicate, lambda x: x, [[a, b]])
    expect_raises(ValueError, replicate, lambda: b, [[a]])
    same(len(replicate(lambda x, y=1: x, [[a]])), 1)
    same(len(replicate(lambda *arguments: arguments[0], [[a, b]])), 1)


@clause(
    "tf.compat.v1.tpu.replicate/raises/static-shape-mismatch",
    seed=SEED,
    tier="build",
    says="Known input dimensions that do not fit maximum_shapes cause ValueError.",
    doubt=(
        "Literally any difference would be an error, which contradicts padding up to "
        "the shape. Reading: larger than the given size, or another rank, is an "
        "error; smaller is padded. Releases miss some cases (no check when all "
        "replicas agree)."
    ),
)
def raises_static_shape_mismatch(tf):
    def build(first, second, maximum_shape):
        inputs = [[tf.zeros(first)], [tf.zeros(second)]]
        return tf.compat.v1.tpu.replicate(
            tf.reduce_sum, inputs, maximum_shapes=[tf.TensorShape(maximum_shape)]
        )

    expect_raises(ValueError, build, [3], [5], [4])
    expect_raises(ValueError, build, [2, 3], [2, 5], [None, 4])
    expect_raises(ValueError, build, [5], [5], [4])
    expect_raises(ValueError, build, [2, 2], [2, 2], [2])


@clause(
    "tf.compat.v1.tpu.replicate/raises/structure-mismatch",
    seed=SEED,
    tier="build",
    says="Inputs whose nest differs from that of maximum_shapes cause ValueError.",
    doubt="Releases overlook differing dictionary keys. Reading: keys matter.",
)
def raises_structure_mismatch(tf):
    def build(value, maximum_shapes):
        return tf.compat.v1.tpu.replicate(
            lambda x: tf.constant(0.0),
            [[value], [value]],
            maximum_shapes=maximum_shapes,
        )

    tensor, shape = checks.vector(tf), tf.TensorShape([4])
    same(len(build(tensor, [shape])), 2)
    same(len(build({"a": tensor}, [{"a": shape}])), 2)
    expect_raises(ValueError, build, tensor, [shape, shape])
    expect_raises(ValueError, build, tensor, [{"a": shape}])
    expect_raises(ValueError, build, {"a": tensor}, [shape])
    expect_raises(ValueError, build, {"a": tensor}, [{"b": shape}])


@clause(
    "tf.compat.v1.tpu.PaddingSpec/name/exists",
    seed=SEED,
    tier="surface",
    says="The enumeration PaddingSpec lives next to replicate.",
)
def padding_spec_exists(tf):
    assert issubclass(tf.compat.v1.tpu.PaddingSpec, enum.Enum)


@clause(
    "tf.compat.v1.tpu.PaddingSpec/property/power-of-two",
    seed=SEED,
    tier="surface",
    says="It has a member POWER_OF_TWO.",
)
def padding_spec_has_power_of_two(tf):
    same(tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO.name, "POWER_OF_TWO")


@clause(
    "tf.compat.v1.tpu.PaddingSpec/property/auto",
    seed=SEED,
    tier="surface",
    says="It has a member for plain padding.",
    doubt=(
        "Only POWER_OF_TWO is printed. Releases define AUTO=0 and POWER_OF_TWO=1 as "
        "an IntEnum. Reading: the same."
    ),
)
def padding_spec_has_auto(tf):
    same(tf.compat.v1.tpu.PaddingSpec.AUTO.value, 0)
    same(tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO.value, 1)


@clause(
    "tf.compat.v1.tpu.XLAOptions/name/exists",
    seed=SEED,
    tier="build",
    says="The class XLAOptions lives next to replicate.",
    doubt=(
        "Fields are not documented here. Reading: the 2.4 field "
        "use_spmd_for_xla_partitioning=True in an immutable record."
    ),
)
def xla_options_exists(tf):
    options = tf.compat.v1.tpu.XLAOptions()
    assert isinstance(options, tf.compat.v1.tpu.XLAOptions)


@clause(
    "tf.math.reduce_mean/name/exists",
    seed=SEED,
    tier="host",
    says="The name tf.math.reduce_mean, used in both examples, is public.",
    doubt="Used only, not described. Reading: mean over all elements, dtype kept.",
)
def reduce_mean_exists(tf):
    mean = tf.math.reduce_mean(tf.constant([1.0, 2.0, 3.0]))
    with tf.Session() as sess:
        same(sess.run(mean), 2.0)
