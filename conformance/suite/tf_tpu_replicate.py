"""Checks of tf.tpu.replicate and tf.tpu.replicate_dyn."""

import numpy as np

from ..clause import beyond_the_words, clause, expect_raises, expect_refused, same
from ..probes import fed, fixed_system, padded_shapes
from ..subject import fresh_graph
from . import replicate_checks as checks
from .tf_tpu_page import function_clause

ROWS = np.ones([2, 2], np.float32)


@function_clause("tf.tpu.replicate/args:inputs/indexed-replica-then-input")
def inputs_indexed_replica_then_input(tf, replicate):
    checks.inputs_indexed(tf, replicate)
    beyond_the_words()
    expect_raises(ValueError, replicate, lambda: tf.constant(1.0), [])


@function_clause("tf.tpu.replicate/args:inputs/nested-structure")
def inputs_nested_structure(tf, replicate):
    checks.inputs_nested_structure(tf, replicate)
    beyond_the_words()
    for first, second in (({"a": 1.0}, {"b": 1.0}), ([1.0], [1.0, 2.0]), (1.0, 2)):
        for inputs in ([[first], [second]], [[first], [first], [second]]):
            expect_raises(ValueError, replicate, lambda x: tf.constant(1.0), inputs)


@function_clause("tf.tpu.replicate/args:maximum_shapes/structure-equals-first-replica")
def maximum_shapes_structure_equals_first_replica(tf, replicate):
    checks.structure_of_shapes(tf, replicate)
    x, y, shape = checks.vector(tf), checks.vector(tf), tf.TensorShape([4])
    for shapes in ([shape, shape], [shape], [[shape, shape]]):
        expect_refused(
            ValueError,
            replicate,
            lambda nest: tf.constant(1.0),
            [[[x]], [[y]]],
            maximum_shapes=shapes,
        )


function_clause("tf.tpu.replicate/returns/same-structure")(
    checks.returns_same_structure
)
function_clause("tf.tpu.replicate/returns/operations-only-give-noop")(
    checks.operations_only_give_noop
)


@function_clause("tf.tpu.replicate/args:maximum_shapes/overload-structure-object")
def maximum_shapes_structure_object(tf, replicate):
    shape = tf.TensorShape([4])
    for make_input, shapes in (
        (lambda x: {"a": x}, [{"a": shape}]),
        (lambda x: [x], [[shape]]),
        (lambda x: (x,), [(shape,)]),
        (lambda x: checks.Pair(x, x), [checks.Pair(shape, shape)]),
    ):
        with fresh_graph(tf), fixed_system(tf, cores=2) as session:
            tensors, feeds = fed(tf, [None], checks.ones(2), checks.ones(3))
            inputs = [[make_input(one)] for one in tensors]
            session.run(
                replicate(lambda nest: nest, inputs, maximum_shapes=shapes), feeds
            )
            same(set(padded_shapes(tf)), {(4,)})
    x, y = checks.vector(tf), checks.vector(tf)
    beyond_the_words()
    for misused in (int, tf.TensorShape, dict):
        expect_raises(
            TypeError, replicate, lambda x: x, [[x], [y]], maximum_shapes=[misused]
        )


@function_clause("tf.tpu.replicate/args:maximum_shapes/overload-int")
def maximum_shapes_int(tf, replicate):
    same(checks.padded_lengths(tf, replicate, [4]), (4,))
    same(checks.padded_lengths(tf, replicate, 4), (4,))


@function_clause("tf.tpu.replicate/args:maximum_shapes/overload-tensorshape")
def maximum_shapes_tensorshape(tf, replicate):
    shape = tf.TensorShape([4])
    same(checks.padded_lengths(tf, replicate, [shape]), (4,))
    same(checks.padded_lengths(tf, replicate, shape), (4,))


@function_clause("tf.tpu.replicate/args:maximum_shapes/overload-dimension")
def maximum_shapes_dimension(tf, replicate):
    four = tf.compat.v1.Dimension(4)
    same(checks.padded_lengths(tf, replicate, [four]), (4,))
    same(checks.padded_lengths(tf, replicate, four), (4,))


@function_clause("tf.tpu.replicate/args:maximum_shapes/overload-list-of-tensorshape")
def maximum_shapes_list_of_tensorshape(tf, replicate):
    shapes = [tf.TensorShape([4]), tf.TensorShape([3, 2])]
    for maximum_shapes in (shapes, tuple(shapes)):
        beyond_the_words(maximum_shapes is not shapes)
        with fresh_graph(tf), fixed_system(tf, cores=2) as session:
            arrays = [[checks.ones(2), ROWS[:1]], [checks.ones(3), ROWS]]
            inputs, feeds = [], {}
            for vector, matrix in arrays:
                (x,), of_x = fed(tf, [None], vector)
                (y,), of_y = fed(tf, [None, 2], matrix)
                inputs.append([x, y])
                feeds.update(of_x or {})
                feeds.update(of_y or {})
            out = replicate(lambda *both: both, inputs, maximum_shapes=maximum_shapes)
            for entry, own in zip(session.run(out, feeds), arrays):
                for padded, array in zip(entry, own):
                    same(padded[: len(array)], array)
            same(padded_shapes(tf), [(4,), (3, 2)])


@function_clause("tf.tpu.replicate/args:device_assignment/overload-type")
def device_assignment_type(tf, replicate):
    topology = tf.contrib.tpu.Topology(
        mesh_shape=[1, 1, 1], device_coordinates=[[[0, 0, 0]]]
    )
    for assignment in ("/job:worker/device:TPU:0", [[[0, 0, 0]]], topology):
        expect_raises(
            TypeError, replicate, tf.identity, [[1.0]], device_assignment=assignment
        )


@function_clause("tf.tpu.replicate/args:inputs/overload-enumerable")
def inputs_enumerable(tf, replicate):
    same(len(replicate(lambda x: x, [[1.0], [2.0]])), 2)
    same(len(replicate(lambda x: x, [(1.0,), (2.0,)])), 2)
    beyond_the_words()
    generator = ([value] for value in (1.0, 2.0))
    for inputs in (generator, {0: [1.0]}, "ab", 5):
        expect_raises(TypeError, replicate, lambda x: x, inputs)


@clause("tf.tpu.replicate_dyn/args:maximum_shapes/any-accepted-type")
def dyn_maximum_shapes_any_type(tf):
    shape, four = tf.TensorShape([4]), tf.compat.v1.Dimension(4)
    for maximum_shapes in (4, shape, four, [4], [shape], [four]):
        same(checks.padded_lengths(tf, tf.tpu.replicate_dyn, maximum_shapes), (4,))
    maximum_shapes_structure_object(tf, tf.tpu.replicate_dyn)


@clause("tf.tpu.replicate/args:inputs/order-of-keys")
def order_of_keys(tf):
    received = []

    def computation(nest):
        received.extend(nest)
        return nest["b"] + nest["a"]

    first, second = {"b": 1.0, "a": 2.0}, {"a": 3.0, "b": 4.0}
    tf.tpu.replicate(computation, [[first], [second]])
    same(received, ["b", "a"])
