"""Checks of tf.tpu.rewrite and tf.tpu.rewrite_dyn."""

import numpy as np

from ..clause import beyond_the_words, expect_raises, expect_refused, same
from ..probes import (
    assign_cores,
    core_of_each_replica,
    effect,
    fixed_system,
    infeed_queue,
    initialised_topology,
    static_shape,
    traced,
)
from .replicate_checks import Pair, counter, plus, require_same_containers
from .tf_tpu_page import function_clause


def evaluate(tf, build):
    """Return the evaluated result of ``build()`` on a system of four cores."""
    with fixed_system(tf, cores=4) as session:
        return session.run(build())


@function_clause("tf.tpu.rewrite/behaviour/runs-on-one-core")
def runs_on_one_core(tf, rewrite):
    with fixed_system(tf, cores=4) as session:
        out = rewrite(lambda x: x * x, [tf.constant(3.0)])
        same(session.run(out), [9.0])
        same(len(core_of_each_replica(tf, session, out)), 1)


@function_clause("tf.tpu.rewrite/args:computation/applied-to-inputs")
def applied_to_inputs(tf, rewrite):
    same(evaluate(tf, lambda: rewrite(lambda a, b: a - b, [5.0, 3.0])), [2.0])


@function_clause("tf.tpu.rewrite/args:computation/as-many-inputs-as-parameters")
def as_many_inputs_as_parameters(tf, rewrite):
    a, b, c = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
    for inputs in ([a], [a, b, c], []):
        expect_refused(ValueError, rewrite, lambda first, second: first, inputs)
    rewrite(lambda first, second: first + second, [a, b])


@function_clause("tf.tpu.rewrite/args:computation/may-return-operations-and-tensors")
def may_return_operations_and_tensors(tf, rewrite):
    rewrite(lambda x: [x + 1.0, tf.no_op()], [tf.constant(1.0)])
    rewrite(lambda x: [x + 1.0, x, tf.no_op(), tf.no_op()], [tf.constant(1.0)])


@function_clause("tf.tpu.rewrite/args:computation/tensors-first")
def tensors_first(tf, rewrite):
    x = tf.constant(1.0)
    for misplaced in (
        lambda t: [tf.no_op(), t],
        lambda t: (tf.no_op(), t),
        lambda t: [t, tf.no_op(), t + 1.0],
        lambda t: [t, tf.no_op(), t + 1.0, tf.no_op()],
    ):
        expect_refused(ValueError, rewrite, misplaced, [x])
    rewrite(lambda t: [t, tf.no_op()], [x])


@function_clause("tf.tpu.rewrite/returns/list-of-tensors-only")
def list_of_tensors_only(tf, rewrite):
    x = tf.constant(1.0)
    out = rewrite(lambda t: [t + 1.0, t + 2.0, tf.no_op()], [x])
    assert isinstance(out, list), repr(out)
    same([isinstance(tensor, tf.Tensor) for tensor in out], [True, True])
    out = rewrite(lambda t: [t + 1.0, tf.no_op(), tf.no_op()], [x])
    same((type(out), len(out)), (list, 1), call="a list of one tensor")


@function_clause("tf.tpu.rewrite/behaviour/all-operations-executed")
def all_operations_executed(tf, rewrite):
    count = counter(tf)

    def computation(x):
        count.assign_add(1.0)
        return x + 1.0

    with fixed_system(tf, cores=4) as session:
        out = rewrite(computation, [tf.constant(1.0)])
        session.run(tf.global_variables_initializer())
        same(session.run(out), [2.0])
        same(session.run(count), 1.0)
        session.run(out[0])
        same(session.run(count), 2.0)


@function_clause("tf.tpu.rewrite/args:inputs/list-of-tensors")
def inputs_list_of_tensors(tf, rewrite):
    inputs = [tf.constant(1.0), tf.constant(2.0)]
    same(evaluate(tf, lambda: rewrite(lambda a, b: a + b, inputs)), [3.0])
    four = [1.0, 2, np.float32(3.0), tf.constant([4, 5])]
    results = evaluate(tf, lambda: rewrite(lambda *given: given, four))
    same(results, [1.0, 2, 3.0, [4, 5]])


@function_clause("tf.tpu.rewrite/args:inputs/none-is-empty")
def inputs_none_is_empty(tf, rewrite):
    def two():
        return tf.constant(2.0)

    with fixed_system(tf, cores=4) as session:
        for out in (rewrite(two, None), rewrite(two, []), rewrite(two)):
            same(session.run(out), [2.0])


@function_clause("tf.tpu.rewrite/args:inputs/overload-tuple-or-none")
def inputs_tuple_or_none(tf, rewrite):
    x, y = tf.constant(1.0), tf.constant(2.0)
    with fixed_system(tf, cores=4) as session:
        same(session.run(rewrite(lambda a, b: a + b, (x, y))), [3.0])
        same(session.run(rewrite(lambda: tf.constant(2.0), ())), [2.0])
    beyond_the_words()
    for inputs in (x, {"x": x}, 1.0, "x"):
        expect_raises(TypeError, rewrite, lambda a: a, inputs)


@function_clause("tf.tpu.rewrite/args:inputs/nested-structure")
def inputs_nested_structure(tf, rewrite):
    received = []

    def computation(nest):
        received.append(nest)
        return nest["a"] + nest["b"][0]

    same(evaluate(tf, lambda: rewrite(computation, [{"a": 1.0, "b": [2.0]}])), [3.0])
    assert isinstance(received[0], dict), repr(received[0])
    assert isinstance(received[0]["b"], list), repr(received[0]["b"])
    nests = [Pair([1.0], {"c": (2.0,)}), ((3.0,), [4.0])]
    results = evaluate(
        tf,
        lambda: rewrite(
            lambda first, second: (first.x[0] - first.y["c"][0], second[1][0]), nests
        ),
    )
    same(results, [-1.0, 4.0])


@function_clause("tf.tpu.rewrite/args:inputs/leaves-convert")
def inputs_leaves_convert(tf, rewrite):
    leaves = _received(tf, rewrite, [1, 2.0, True, np.zeros((2, 3))])
    same([leaf.dtype.name for leaf in leaves], ["int32", "float32", "bool", "float64"])
    same([static_shape(leaf) for leaf in leaves], [[], [], [], [2, 3]])


@function_clause("tf.tpu.rewrite/args:inputs/nested-list-of-numbers-is-scalars")
def inputs_nested_list_is_scalars(tf, rewrite):
    (rows,) = _received(tf, rewrite, [[[1, 2], [3, 4]]])
    assert isinstance(rows, list), repr(rows)
    same([len(row) for row in rows], [2, 2])
    for scalar in rows[0] + rows[1]:
        assert isinstance(scalar, tf.Tensor), repr(scalar)
        same(static_shape(scalar), [])


@function_clause("tf.tpu.rewrite/args:inputs/convert-to-tensor-keeps-rank")
def inputs_converted_keep_rank(tf, rewrite):
    (x,) = _received(tf, rewrite, [tf.convert_to_tensor([[1, 2], [3, 4]])])
    assert isinstance(x, tf.Tensor), repr(x)
    same(x.dtype.name, "int32")
    same(static_shape(x), [2, 2])


def _received(tf, rewrite, inputs):
    """Return the arguments that a computation receives for ``inputs``."""
    received = []

    def computation(*arguments):
        received.append(arguments)
        return tf.constant(0.0)

    rewrite(computation, inputs)
    return received[0]


@function_clause("tf.tpu.rewrite/args:infeed_queue/appended-to-arguments")
def infeed_queue_appended(tf, rewrite):
    queue = infeed_queue(tf, tuple_types=[tf.float32], tuple_shapes=[[4]])
    out = rewrite(lambda x, fed: x + fed, [1.0], infeed_queue=queue)
    enqueue = queue.split_inputs_and_generate_enqueue_ops([tf.zeros([4])])
    with fixed_system(tf, cores=1) as session:
        same(session.run([enqueue, out])[1], [[1.0, 1.0, 1.0, 1.0]])
    with fixed_system(tf, cores=1) as session:
        queue = infeed_queue(tf, [tf.float32, tf.int32], [[2], [1]])
        out = rewrite(lambda nest, q, p: (nest[0] - q, p), [[1.0]], queue)
        element = [tf.constant([2.0, 3.0]), tf.constant([7])]
        session.run(queue.split_inputs_and_generate_enqueue_ops(element))
        same(session.run(out), [[-1.0, -2.0], [7]], call="two elements")


@function_clause("tf.tpu.rewrite/args:device_assignment/used")
def device_assignment_used(tf, rewrite):
    with initialised_topology(tf, cores=4) as (session, topology):
        assignment = assign_cores(tf, topology, [2])
        out = rewrite(lambda x: x + 1.0, [1.0], device_assignment=assignment)
        same(session.run(out), [2.0])
        same(core_of_each_replica(tf, session, out), [2])


@function_clause("tf.tpu.rewrite/args:device_assignment/omit-single-core")
def device_assignment_omitted(tf, rewrite):
    same(evaluate(tf, lambda: rewrite(lambda x: x + 1.0, [1.0])), [2.0])


@function_clause("tf.tpu.rewrite/args:device_assignment/default-is-task-0-device-0")
def device_assignment_default(tf, rewrite):
    with fixed_system(tf, cores=4) as session:
        _, trace = traced(tf, session, rewrite(lambda x: x + 1.0, [1.0]))
    on_cores = [record for record in trace if record.core is not None]
    assert on_cores, "the trace is empty"
    for record in on_cores:
        assert record.task == 0, f"{record.operation} ran on task {record.task}"
        assert record.device.endswith("TPU:0"), record.device


@function_clause("tf.tpu.rewrite/args:name/no-effect")
def name_no_effect(tf, rewrite):
    def named(**name):
        return effect(tf, lambda: rewrite(lambda x: x + 1.0, [1.0], **name))

    same(named(name=None), named())
    same(named(name="foo"), named())


@function_clause("tf.tpu.rewrite/returns/same-structure-as-direct-call")
def same_structure_as_direct_call(tf, rewrite):
    x = tf.constant(1.0)
    nest = rewrite(lambda t: {"a": t, "b": [t, (t,)]}, [x])
    assert isinstance(nest, dict) and sorted(nest) == ["a", "b"], repr(nest)
    assert isinstance(nest["b"], list), repr(nest["b"])
    assert isinstance(nest["b"][1], tuple), repr(nest["b"][1])
    for leaf in (nest["a"], nest["b"][0], nest["b"][1][0]):
        assert isinstance(leaf, tf.Tensor), repr(leaf)
    for structure in (
        [1.0, 2.0],
        (1.0, 2.0),
        [1.0],
        (1.0,),
        [(1.0,), [2.0]],
        Pair((1.0,), [2.0, 3.0]),
    ):
        results = rewrite(lambda t, structure=structure: plus(t, structure), [x])
        require_same_containers(tf, results, structure)


@function_clause("tf.tpu.rewrite/returns/none-gives-noop")
def none_gives_noop(tf, rewrite):
    _require_noop(tf, rewrite(lambda x: None, [tf.constant(1.0)]))


def _require_noop(tf, value):
    assert isinstance(value, tf.Operation), repr(value)
    same(value.type, "NoOp")


@function_clause("tf.tpu.rewrite/returns/none-noop-depends-on-computation")
def none_noop_depends_on_computation(tf, rewrite):
    count = counter(tf)

    def computation():
        count.assign_add(1.0)

    _require_counted_once(tf, rewrite, computation, count)


def _require_counted_once(tf, rewrite, computation, count):
    with fixed_system(tf, cores=4) as session:
        noop = rewrite(computation)
        session.run(tf.global_variables_initializer())
        session.run(noop)
        same(session.run(count), 1.0)


@function_clause("tf.tpu.rewrite/returns/single-value-is-tuple")
def single_value_is_tuple(tf, rewrite):
    for value in (tf.constant(1.0), 7.0, np.float32(7.0), np.ones([2, 3]), True):
        out = rewrite(lambda value=value: value)
        assert isinstance(out, tuple), repr(out)
        same([isinstance(one, tf.Tensor) for one in out], [True])


@function_clause("tf.tpu.rewrite/returns/operations-only-give-noop")
def operations_only_give_noop(tf, rewrite):
    for computation in (
        tf.no_op,
        lambda: [tf.no_op()],
        lambda: (tf.no_op(), tf.no_op()),
        lambda: (),
    ):
        _require_noop(tf, rewrite(computation))
    for nested in (
        lambda: {"a": tf.no_op()},
        lambda: {"a": [tf.constant(1.0), tf.no_op()]},
        lambda: [tf.constant(1.0), [tf.no_op()]],
        lambda: [[tf.constant(1.0)], tf.no_op()],
    ):
        expect_raises(ValueError, rewrite, nested)


@function_clause("tf.tpu.rewrite/returns/operations-noop-depends-on-computation")
def operations_noop_depends_on_computation(tf, rewrite):
    count = counter(tf)
    _require_counted_once(tf, rewrite, lambda: count.assign_add(1.0).op, count)
