"""Checks of tf.tpu.replicate and tf.tpu.replicate_dyn."""

import collections
import inspect

from ..clause import clause, expect_raises, same
from ..probes import fixed_system, padded_shapes
from . import replicate_checks as checks
from .tf_tpu_page import SEED, function_clause, run_every_check

PARAMETERS = [
    "computation",
    "inputs",
    "infeed_queue",
    "device_assignment",
    "name",
    "maximum_shapes",
]

Pair = collections.namedtuple("Pair", ["left", "right"])


@function_clause(
    "tf.tpu.replicate/name/exists",
    tier="surface",
    says="The function replicate is public under this name.",
)
def exists(tf, replicate):
    assert callable(replicate)


@function_clause(
    "tf.tpu.replicate/signature/parameter-order",
    tier="surface",
    says=(
        "Its parameters are, in this order, computation, inputs, infeed_queue, "
        "device_assignment, name, maximum_shapes."
    ),
    doubt="The later page adds two parameters at the end: these six come first.",
)
def parameter_order(tf, replicate):
    checks.signature_parameter_order(tf, replicate, PARAMETERS)


@function_clause(
    "tf.tpu.replicate/signature/default-inputs",
    tier="surface",
    says="When inputs is left out it is None.",
    doubt="The page prints no defaults: those of release 1.15.",
)
def default_inputs(tf, replicate):
    checks.signature_default_is_none(tf, replicate, "inputs")


@function_clause(
    "tf.tpu.replicate/signature/default-infeed-queue",
    tier="surface",
    says="When infeed_queue is left out it is None.",
    doubt="The page prints no defaults: those of release 1.15.",
)
def default_infeed_queue(tf, replicate):
    checks.signature_default_is_none(tf, replicate, "infeed_queue")


@function_clause(
    "tf.tpu.replicate/signature/default-device-assignment",
    tier="surface",
    says="When device_assignment is left out it is None.",
    doubt="The page prints no defaults: those of release 1.15.",
)
def default_device_assignment(tf, replicate):
    checks.signature_default_is_none(tf, replicate, "device_assignment")


@function_clause(
    "tf.tpu.replicate/signature/default-name",
    tier="surface",
    says="When name is left out it is None.",
    doubt="The page prints no defaults: those of release 1.15.",
)
def default_name(tf, replicate):
    checks.signature_default_is_none(tf, replicate, "name")


@function_clause(
    "tf.tpu.replicate/signature/default-maximum-shapes",
    tier="surface",
    says="When maximum_shapes is left out it is None.",
    doubt="The page prints no defaults: those of release 1.15.",
)
def default_maximum_shapes(tf, replicate):
    checks.signature_default_is_none(tf, replicate, "maximum_shapes")


@function_clause(
    "tf.tpu.replicate/behaviour/builds-graph-operator",
    tier="build",
    says="A call only adds to the graph; nothing is executed by it.",
)
def builds_graph_operator(tf, replicate):
    checks.behaviour_builds_graph_operator(tf, replicate)


@function_clause(
    "tf.tpu.replicate/behaviour/runs-once-per-replica",
    tier="run",
    says="Evaluation performs the computation once for every replica.",
)
def runs_once_per_replica(tf, replicate):
    checks.behaviour_runs_once_per_replica(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:computation/python-function",
    tier="build",
    says="computation is a Python callable that constructs what each replica does.",
    doubt=(
        "How often it is called is not said: once per call of replicate, with "
        "symbolic values."
    ),
)
def computation_python_function(tf, replicate):
    checks.computation_python_function(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:inputs/indexed-replica-then-input",
    tier="run",
    says=(
        "inputs is a list of lists whose first index is the replica and second the "
        "input number."
    ),
    doubt=(
        "An empty outer list is not discussed: ValueError, as there is no replica to "
        "run."
    ),
)
def inputs_indexed_replica_then_input(tf, replicate):
    checks.inputs_indexed_replica_then_input(tf, replicate)
    expect_raises(ValueError, replicate, lambda: tf.constant(1.0), [])


@function_clause(
    "tf.tpu.replicate/args:inputs/none-is-one-empty-list",
    tier="run",
    says="inputs None stands for one replica without inputs.",
)
def inputs_none_is_one_empty_list(tf, replicate):
    checks.inputs_none_is_one_empty_list(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:inputs/equal-number",
    tier="build",
    says="All replicas have to bring the same number of inputs.",
    doubt="This page names no exception: the ValueError of the later page.",
)
def inputs_equal_number(tf, replicate):
    checks.inputs_equal_number(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:inputs/nested-structure",
    tier="run",
    says=(
        "An input can be a nest of lists, tuples and dictionaries, and the "
        "computation receives the same nest."
    ),
    doubt=(
        "Whether nests must agree is not said: another structure or dtype in a later "
        "replica is ValueError."
    ),
)
def inputs_nested_structure(tf, replicate):
    checks.inputs_nested_structure(tf, replicate)
    for first, second in (({"a": 1.0}, {"b": 1.0}), ([1.0], [1.0, 2.0]), (1.0, 2)):
        expect_raises(
            ValueError, replicate, lambda x: tf.constant(1.0), [[first], [second]]
        )


@function_clause(
    "tf.tpu.replicate/args:inputs/leaves-convert",
    tier="run",
    says="The leaves of an input may be any values convertible to tensors.",
)
def inputs_leaves_convert(tf, replicate):
    checks.inputs_leaves_convert(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:inputs/nested-list-of-numbers-is-scalars",
    tier="build",
    says=(
        "An n-dimensional Python list arrives as an n-dimensional list of scalar "
        "tensors, not as one tensor of rank n."
    ),
)
def inputs_nested_list_of_numbers_is_scalars(tf, replicate):
    checks.inputs_nested_list_of_numbers_is_scalars(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:inputs/convert-to-tensor-keeps-rank",
    tier="build",
    says="A list converted with tf.convert_to_tensor beforehand stays one tensor.",
)
def inputs_convert_to_tensor_keeps_rank(tf, replicate):
    checks.inputs_convert_to_tensor_keeps_rank(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:infeed_queue/appended-to-arguments",
    tier="run",
    says=(
        "The tuple elements of a given infeed_queue are appended to the inputs as "
        "further arguments."
    ),
    doubt=(
        "The class is not described: as in release 1.x, each replica receiving its "
        "slice along dimension 0."
    ),
)
def infeed_queue_appended_to_arguments(tf, replicate):
    checks.infeed_queue_appended_to_arguments(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:device_assignment/maps-logical-to-physical",
    tier="run",
    says=(
        "A given DeviceAssignment maps the logical cores of the computation onto "
        "physical cores of the topology."
    ),
    doubt="No documented call tells which core did the work: the per-core trace does.",
)
def device_assignment_maps_logical_to_physical(tf, replicate):
    checks.device_assignment_maps_logical_to_physical(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:device_assignment/default",
    tier="run",
    says="device_assignment None selects a default assignment.",
)
def device_assignment_default(tf, replicate):
    checks.device_assignment_default(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:device_assignment/omit-one-replica",
    tier="run",
    says="device_assignment is not needed for a single replica that uses one core.",
)
def device_assignment_omit_one_replica(tf, replicate):
    checks.device_assignment_omit_one_replica(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:device_assignment/omit-replicas-equal-cores",
    tier="run",
    says=(
        "device_assignment is not needed when there are as many one-core replicas as "
        "cores in the system."
    ),
    doubt=(
        "The rule holds once a core count is fixed; before that the default system "
        "grows with the call."
    ),
)
def device_assignment_omit_replicas_equal_cores(tf, replicate):
    checks.device_assignment_omit_replicas_equal_cores(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:device_assignment/needed-otherwise",
    tier="run",
    says="Other replica counts need a device_assignment.",
    doubt=(
        "Only the running system knows its cores: InvalidArgumentError at evaluation, "
        "naming both counts."
    ),
)
def device_assignment_needed_otherwise(tf, replicate):
    checks.device_assignment_needed_otherwise(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:device_assignment/needed-for-several-cores",
    tier="run",
    says="A replica that uses more than one core needs a device_assignment.",
    doubt=(
        "Only the running system knows its cores: InvalidArgumentError at evaluation."
    ),
)
def device_assignment_needed_for_several_cores(tf, replicate):
    checks.device_assignment_needed_for_several_cores(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:name/no-effect",
    tier="build",
    says="name is deprecated and changes nothing.",
)
def name_no_effect(tf, replicate):
    checks.name_no_effect(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:maximum_shapes/pads-each-component",
    tier="run",
    says=(
        "Each component of each input is padded, in every replica, to the shape given "
        "for it."
    ),
    doubt=(
        "What the computation sees is not said: the buffer is padded with zeros, the "
        "computation works on the true sizes."
    ),
)
def maximum_shapes_pads_each_component(tf, replicate):
    checks.maximum_shapes_pads_each_component(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:maximum_shapes/nested-structure",
    tier="run",
    says="maximum_shapes can be a nest of shapes for nested inputs.",
)
def maximum_shapes_nested_structure(tf, replicate):
    checks.maximum_shapes_nested_structure(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:maximum_shapes/unknown-dimension-is-replica-maximum",
    tier="run",
    says=(
        "A dimension left unknown in the shape is padded to the largest size that "
        "dimension has in any replica."
    ),
    doubt=(
        "What the computation sees is not said: the buffer is padded, the computation "
        "works on the true sizes."
    ),
)
def maximum_shapes_unknown_dimension_is_replica_maximum(tf, replicate):
    checks.maximum_shapes_unknown_dimension_is_replica_maximum(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:maximum_shapes/minus-one-is-unknown",
    tier="run",
    says="In a tensor-like shape -1 marks an unknown dimension.",
    doubt="The page lost its hyphens and prints 1: -1, as on the later page.",
)
def maximum_shapes_minus_one_is_unknown(tf, replicate):
    checks.maximum_shapes_minus_one_is_unknown(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:maximum_shapes/structure-equals-first-replica",
    tier="build",
    says=(
        "The structure of maximum_shapes has to equal that of the first replica's "
        "inputs."
    ),
    doubt="This page names no exception: the ValueError of the later page.",
)
def maximum_shapes_structure_equals_first_replica(tf, replicate):
    checks.maximum_shapes_structure_equals_first_replica(tf, replicate)
    x, y, shape = checks.vector(tf), checks.vector(tf), tf.TensorShape([4])
    for shapes in ([shape, shape], [shape], [[shape, shape]]):
        expect_raises(
            ValueError,
            replicate,
            lambda nest: tf.constant(1.0),
            [[[x]], [[y]]],
            maximum_shapes=shapes,
        )


@function_clause(
    "tf.tpu.replicate/returns/list-by-replica",
    tier="build",
    says="The result is a list that holds one entry for each replica.",
)
def returns_list_by_replica(tf, replicate):
    checks.returns_list_by_replica(tf, replicate)


@function_clause(
    "tf.tpu.replicate/returns/same-structure",
    tier="build",
    says=(
        "Each entry has the structure that the computation returned, with its own "
        "tensors."
    ),
    doubt="Every container is kept, a flat tuple included.",
)
def returns_same_structure(tf, replicate):
    checks.returns_same_structure(tf, replicate)
    for entry in replicate(lambda x: (x, x + 1.0), [[1.0], [2.0]]):
        assert isinstance(entry, tuple), repr(entry)
    for entry in replicate(lambda x: Pair(x, x + 1.0), [[1.0], [2.0]]):
        assert isinstance(entry, Pair), repr(entry)


@function_clause(
    "tf.tpu.replicate/returns/none-gives-noop",
    tier="build",
    says=(
        "Special case 1: a computation that returns None yields an operation of type "
        "NoOp."
    ),
)
def returns_none_gives_noop(tf, replicate):
    checks.returns_none_gives_noop(tf, replicate)


@function_clause(
    "tf.tpu.replicate/returns/none-noop-depends-on-computation",
    tier="run",
    says="The NoOp that stands for None has a control dependency on the computation.",
    doubt=(
        "Which replicas run for one entry is not said: all, it is one replicated "
        "operator."
    ),
)
def returns_none_noop_depends_on_computation(tf, replicate):
    checks.returns_none_noop_depends_on_computation(tf, replicate)


@function_clause(
    "tf.tpu.replicate/returns/single-value-is-tuple",
    tier="build",
    says="Special case 2: a single returned value comes back in a tuple.",
    doubt="Releases return a list, the page says tuple: a real tuple.",
)
def returns_single_value_is_tuple(tf, replicate):
    checks.returns_single_value_is_tuple(tf, replicate)


@function_clause(
    "tf.tpu.replicate/returns/operations-only-give-noop",
    tier="build",
    says="Special case 3: a computation that returns only operations yields a NoOp.",
    doubt=(
        "Flat results only, an empty one included; an operation inside a nest or "
        "before a tensor is ValueError."
    ),
)
def returns_operations_only_give_noop(tf, replicate):
    checks.returns_operations_only_give_noop(tf, replicate)
    for no_values in (lambda: [tf.no_op(), tf.no_op()], lambda: ()):
        (entry,) = replicate(no_values)
        assert checks.is_noop(tf, entry), repr(entry)
    for misplaced in (
        lambda: {"a": tf.no_op()},
        lambda: [[tf.constant(1.0)], tf.no_op()],
        lambda: [tf.no_op(), tf.constant(1.0)],
    ):
        expect_raises(ValueError, replicate, misplaced)


@function_clause(
    "tf.tpu.replicate/returns/operations-noop-depends-on-computation",
    tier="run",
    says=(
        "The NoOp that stands for operations has a control dependency on the "
        "computation."
    ),
)
def returns_operations_noop_depends_on_computation(tf, replicate):
    checks.returns_operations_noop_depends_on_computation(tf, replicate)


@function_clause(
    "tf.tpu.replicate/args:maximum_shapes/overload-structure-object",
    tier="run",
    says=(
        "maximum_shapes may be a Python container object that carries the nest of "
        "shapes."
    ),
    doubt=(
        "The binding's box of Python objects: any nest that matches inputs[0]; a "
        "class used as a shape is TypeError."
    ),
)
def maximum_shapes_structure_object(tf, replicate):
    shape = tf.TensorShape([4])
    for make_input, shapes in (
        (lambda x: {"a": x}, [{"a": shape}]),
        (lambda x: [x], [[shape]]),
        (lambda x: (x,), [(shape,)]),
        (lambda x: Pair(x, x), [Pair(shape, shape)]),
    ):
        with tf.Graph().as_default(), fixed_system(tf, cores=2) as session:
            x, y = checks.vector(tf), checks.vector(tf)
            out = replicate(
                lambda nest: nest,
                [[make_input(x)], [make_input(y)]],
                maximum_shapes=shapes,
            )
            session.run(out, {x: checks.ones(2), y: checks.ones(3)})
            same(set(padded_shapes(tf)), {(4,)})
    x, y = checks.vector(tf), checks.vector(tf)
    for misused in (int, tf.TensorShape, dict):
        expect_raises(
            TypeError, replicate, tf.identity, [[x], [y]], maximum_shapes=[misused]
        )


@function_clause(
    "tf.tpu.replicate/args:maximum_shapes/overload-int",
    tier="run",
    says="maximum_shapes may be an integer.",
    doubt=(
        "It contradicts the rule of equal structure: a bare shape is accepted where "
        "each replica has one input."
    ),
)
def maximum_shapes_int(tf, replicate):
    same(checks.padded_lengths(tf, replicate, [4]), (4,))
    same(checks.padded_lengths(tf, replicate, 4), (4,))


@function_clause(
    "tf.tpu.replicate/args:maximum_shapes/overload-tensorshape",
    tier="run",
    says="maximum_shapes may be a TensorShape.",
    doubt=(
        "It contradicts the rule of equal structure: a bare shape is accepted where "
        "each replica has one input."
    ),
)
def maximum_shapes_tensorshape(tf, replicate):
    shape = tf.TensorShape([4])
    same(checks.padded_lengths(tf, replicate, [shape]), (4,))
    same(checks.padded_lengths(tf, replicate, shape), (4,))


@function_clause(
    "tf.tpu.replicate/args:maximum_shapes/overload-dimension",
    tier="run",
    says="maximum_shapes may be a Dimension.",
    doubt=(
        "It contradicts the rule of equal structure: a bare shape is accepted where "
        "each replica has one input."
    ),
)
def maximum_shapes_dimension(tf, replicate):
    four = tf.compat.v1.Dimension(4)
    same(checks.padded_lengths(tf, replicate, [four]), (4,))
    same(checks.padded_lengths(tf, replicate, four), (4,))


@function_clause(
    "tf.tpu.replicate/args:maximum_shapes/overload-list-of-tensorshape",
    tier="run",
    says="maximum_shapes may be a sequence of TensorShapes, one per input.",
    doubt="Whether a tuple matches a list is not said: at the top level it does.",
)
def maximum_shapes_list_of_tensorshape(tf, replicate):
    shapes = [tf.TensorShape([4]), tf.TensorShape([3, 2])]
    for maximum_shapes in (shapes, tuple(shapes)):
        with tf.Graph().as_default(), fixed_system(tf, cores=2) as session:
            inputs = [
                [checks.vector(tf), tf.placeholder(tf.float32, [None, 2])]
                for _ in range(2)
            ]
            out = replicate(
                lambda x, y: [tf.reduce_sum(x), tf.reduce_sum(y)],
                inputs,
                maximum_shapes=maximum_shapes,
            )
            fed = {
                inputs[0][0]: [1.0, 1.0],
                inputs[0][1]: [[1.0, 1.0]],
                inputs[1][0]: [1.0, 1.0, 1.0],
                inputs[1][1]: [[1.0, 1.0], [1.0, 1.0]],
            }
            same(session.run(out, fed), [[2.0, 2.0], [3.0, 4.0]])
            same(padded_shapes(tf), [(4,), (3, 2)])


@function_clause(
    "tf.tpu.replicate/args:device_assignment/overload-type",
    tier="build",
    says="device_assignment is typed as DeviceAssignment.",
    doubt=(
        "Releases raise AttributeError: TypeError, as for any argument of a wrong type."
    ),
)
def device_assignment_type(tf, replicate):
    topology = tf.contrib.tpu.Topology(
        mesh_shape=[1, 1, 1], device_coordinates=[[[0, 0, 0]]]
    )
    for assignment in ("/job:worker/device:TPU:0", [[[0, 0, 0]]], topology):
        expect_raises(
            TypeError, replicate, tf.identity, [[1.0]], device_assignment=assignment
        )


@function_clause(
    "tf.tpu.replicate/args:inputs/overload-enumerable",
    tier="build",
    says="inputs is typed as a sequence.",
    doubt=(
        "The binding's type is wider than the text: the outer container a list, inner "
        "ones lists or tuples, otherwise TypeError."
    ),
)
def inputs_enumerable(tf, replicate):
    same(len(replicate(lambda x: x, [[1.0], [2.0]])), 2)
    same(len(replicate(lambda x: x, [(1.0,), (2.0,)])), 2)
    generator = ([value] for value in (1.0, 2.0))
    for inputs in (generator, {0: [1.0]}, "ab", 5):
        expect_raises(TypeError, replicate, lambda x: x, inputs)


@clause(
    "tf.tpu.replicate_dyn/name/exists",
    seed=SEED,
    tier="surface",
    says="The namespace offers replicate_dyn.",
    doubt=(
        "The suffix marks an overload of the binding: a second name of the same "
        "function."
    ),
)
def dyn_exists(tf):
    assert callable(tf.tpu.replicate_dyn)


@clause(
    "tf.tpu.replicate_dyn/signature/parameter-order",
    seed=SEED,
    tier="surface",
    says="It takes the parameters of replicate in the same order.",
)
def dyn_parameter_order(tf):
    plain = inspect.signature(tf.tpu.replicate).parameters
    same(list(inspect.signature(tf.tpu.replicate_dyn).parameters), list(plain))
    parameter_order(tf, tf.tpu.replicate_dyn)


@clause(
    "tf.tpu.replicate_dyn/behaviour/same-as-plain",
    seed=SEED,
    tier="run",
    says=(
        "It builds the same replicated operator, with the same input, padding and "
        "return rules."
    ),
)
def dyn_same_as_plain(tf):
    run_every_check(tf, "tf.tpu.replicate", tf.tpu.replicate_dyn)


@clause(
    "tf.tpu.replicate_dyn/args:maximum_shapes/any-accepted-type",
    seed=SEED,
    tier="run",
    says="maximum_shapes of any accepted kind can be passed untyped.",
)
def dyn_maximum_shapes_any_type(tf):
    shape, four = tf.TensorShape([4]), tf.compat.v1.Dimension(4)
    for maximum_shapes in (4, shape, four, [4], [shape], [four]):
        same(checks.padded_lengths(tf, tf.tpu.replicate_dyn, maximum_shapes), (4,))
    maximum_shapes_structure_object(tf, tf.tpu.replicate_dyn)
