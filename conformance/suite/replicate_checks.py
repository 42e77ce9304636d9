"""Checks that the two pages about replicate share.

Each takes the module under test and the function under test, which either page has
under a name of its own.
"""

import collections

import numpy as np

from ..clause import beyond_the_words, clause, expect_raises, expect_refused, same
from ..probes import (
    assign_cores,
    core_of_each_replica,
    effect,
    fed,
    fixed_system,
    host_session,
    infeed_queue,
    initialised_topology,
    padded_inputs,
    padded_shapes,
    static_shape,
)
from .page import about
from .tf_tpu_page import function_clause


def replicate_clause(rest):
    """Register the decorated ``check(tf, replicate)`` for the name on either page.

    ``rest`` follows the name of the function.
    """

    def register(check):
        function_clause("tf.tpu.replicate" + rest)(check)
        later = "tf.compat.v1.tpu.replicate"
        clause(later + rest)(about(check, later))
        return check

    return register


def counter(tf):
    """Return a variable that starts at zero, for computations that count."""
    return tf.get_variable(
        "counter", [], initializer=tf.zeros_initializer(), use_resource=True
    )


Pair = collections.namedtuple("Pair", "x y")


def plus(x, nest):
    """Return the nest with ``x`` added to each number."""
    if isinstance(nest, Pair):
        return Pair(*(plus(x, one) for one in nest))
    if isinstance(nest, (list, tuple)):
        return type(nest)(plus(x, one) for one in nest)
    return x + nest


def require_same_containers(tf, result, nest):
    if not isinstance(nest, (list, tuple)):
        assert isinstance(result, tf.Tensor), repr(result)
        return
    same(type(result), type(nest))
    same(len(result), len(nest))
    for one, other in zip(result, nest):
        require_same_containers(tf, one, other)


def is_noop(tf, value):
    return isinstance(value, tf.Operation) and value.type == "NoOp"


def vector(tf):
    """Return a float32 tensor of rank 1, whose size is unknown in a graph."""
    return fed(tf, [None], ones(2))[0][0]


def ones(size):
    return np.ones([size], np.float32)


# ---------------------------------------------------------------- behaviour


@replicate_clause("/behaviour/builds-graph-operator")
def behaviour_builds_graph_operator(tf, replicate):
    count = counter(tf)
    graph = tf.get_default_graph()
    before = len(graph.get_operations())
    replicate(lambda: count.assign_add(1.0))
    after = len(graph.get_operations())
    assert after > before, f"the graph had {before} operations and now has {after}"
    with host_session(tf) as sess:
        sess.run(tf.global_variables_initializer())
        same(sess.run(count), 0.0, call="the counter after building")


@replicate_clause("/behaviour/runs-once-per-replica")
def behaviour_runs_once_per_replica(tf, replicate):
    with fixed_system(tf, 3) as sess:
        out = replicate(lambda x: x * 10, [[1.0], [2.0], [3.0]])
        same(sess.run(out), [[10.0], [20.0], [30.0]])


@replicate_clause("/args:computation/python-function")
def computation_python_function(tf, replicate):
    received = []

    def computation(x):
        received.append(x)
        return x

    replicate(computation, [[tf.constant(1.0)], [tf.constant(2.0)]])
    assert isinstance(received[0], tf.Tensor), (
        f"computation must receive a Tensor, got {received[0]!r}"
    )
    beyond_the_words()
    same(len(received), 1, call="calls of computation")


def inputs_indexed(tf, replicate):
    with fixed_system(tf, 2) as sess:
        out = replicate(lambda a, b: 10 * a + b, [[1.0, 2.0], [3.0, 4.0]])
        same(sess.run(out), [[12.0], [34.0]])
    with fixed_system(tf, 3) as sess:
        inputs = [[float(10 * r + i) for i in range(4)] for r in range(3)]
        out = replicate(lambda *given: list(given), inputs)
        same(sess.run(out), inputs)


@replicate_clause("/args:inputs/none-is-one-empty-list")
def inputs_none_is_one_empty_list(tf, replicate):
    with fixed_system(tf, 1) as sess:
        for inputs in (None, [[]]):
            out = replicate(lambda: tf.constant(4.0), inputs)
            same(sess.run(out), [[4.0]], call=f"replicate(..., inputs={inputs})")


@replicate_clause("/args:inputs/equal-number")
def inputs_equal_number(tf, replicate):
    a, b, c, d = (tf.constant(value) for value in (1.0, 2.0, 3.0, 4.0))
    expect_raises(ValueError, replicate, lambda x: x, [[a], [b, c]])
    for inputs in ([[a, b], [c]], [[], [a]], [[a], [b], [c, a]], [[a], [], [c]]):
        expect_raises(ValueError, replicate, lambda *arguments: a, inputs)
    same(len(replicate(lambda x, y: x + y, [[a, b], [c, d]])), 2)


def inputs_nested_structure(tf, replicate):
    received = []

    def computation(nest):
        received.append(nest)
        return nest["a"] + nest["b"][1][0]

    with fixed_system(tf, 1) as sess:
        out = replicate(computation, [[{"a": 1.0, "b": (2.0, [3.0])}]])
        nest = received[0]
        assert isinstance(nest, dict), f"expected a dict, got {nest!r}"
        assert isinstance(nest["b"], tuple), f"expected a tuple, got {nest['b']!r}"
        assert isinstance(nest["b"][1], list), f"expected a list, got {nest['b']!r}"
        same(sess.run(out), [[4.0]])
    del received[:]
    ordered = collections.OrderedDict([("b", 1.0), ("a", (2.0,))])
    pair = Pair([3.0], {"c": 4.0})
    with fixed_system(tf, 2) as sess:
        out = replicate(
            lambda first, second: (
                first["b"],
                first["a"][0],
                second.x[0],
                second.y["c"],
            ),
            [[ordered, pair], [ordered, pair]],
        )
        same(sess.run(out), [[1.0, 2.0, 3.0, 4.0]] * 2)
    with fixed_system(tf, 3) as sess:
        unsorted = [[{"b": float(i), "c": 10.0, "a": 20.0}] for i in range(3)]
        out = replicate(lambda nest: (nest["b"], nest["c"] - nest["a"]), unsorted)
        same(sess.run(out), [[float(i), -10.0] for i in range(3)])


@replicate_clause("/args:inputs/leaves-convert")
def inputs_leaves_convert(tf, replicate):
    leaves = [1.5, 3, True, np.float64(2.0), np.arange(3)]
    received = []

    def computation(*arguments):
        received.extend(arguments)
        return list(arguments)

    with fixed_system(tf, 1) as sess:
        out = replicate(computation, [leaves])
        names = [tensor.dtype.name for tensor in received]
        same(names, ["float32", "int32", "bool", "float64", "int64"])
        same(sess.run(out), [[1.5, 3, True, np.float64(2.0), np.arange(3)]])
    with fixed_system(tf, 3) as sess:
        out = replicate(
            lambda x, y: x + y,
            [[tf.constant(1.0), 10.0], [2.0, tf.constant(20.0)], [np.float32(3), 30.0]],
        )
        same(sess.run(out), [[11.0], [22.0], [33.0]], call="other kinds of leaves")


@replicate_clause("/args:inputs/nested-list-of-numbers-is-scalars")
def inputs_nested_list_of_numbers_is_scalars(tf, replicate):
    received = []

    def computation(rows):
        received.append(rows)
        return rows[0][0]

    replicate(computation, [[[[1, 2], [3, 4]]]])
    replicate(
        lambda nest: computation(nest["k"][0]), [[{"k": ([[1, 2], [3, 4]],)}]] * 2
    )
    for rows in received:
        assert isinstance(rows, list), f"expected a list, got {rows!r}"
        same([len(row) for row in rows], [2, 2])
    for scalar in [one for rows in received for row in rows for one in row]:
        assert isinstance(scalar, tf.Tensor), f"expected a Tensor, got {scalar!r}"
        same(static_shape(scalar), [])
        same(scalar.dtype.name, "int32")


@replicate_clause("/args:inputs/convert-to-tensor-keeps-rank")
def inputs_convert_to_tensor_keeps_rank(tf, replicate):
    received = []

    def computation(x):
        received.append(x)
        return x

    table = tf.convert_to_tensor([[1, 2], [3, 4]])
    replicate(computation, [[table]])
    replicate(lambda nest: computation(nest["k"][0]), [[{"k": [table]}]] * 2)
    for x in received:
        assert isinstance(x, tf.Tensor), f"expected a Tensor, got {x!r}"
        same(static_shape(x), [2, 2])


@replicate_clause("/args:infeed_queue/appended-to-arguments")
def infeed_queue_appended_to_arguments(tf, replicate):
    with fixed_system(tf, 2) as sess:
        queue = infeed_queue(tf, [tf.float32], [[2]])
        out = replicate(lambda x, q: x + q[0], [[1.0], [2.0]], queue)
        element = [tf.constant([10.0, 20.0])]
        sess.run(queue.split_inputs_and_generate_enqueue_ops(element))
        same(sess.run(out), [[11.0], [22.0]])
    with fixed_system(tf, 3) as sess:
        queue = infeed_queue(tf, [tf.float32, tf.int32], [[3], [6]])
        out = replicate(
            lambda a, b, q, p: (a - b, q, p), [[float(r), 1.0] for r in range(3)], queue
        )
        element = [tf.constant([10.0, 20.0, 30.0]), tf.range(6)]
        sess.run(queue.split_inputs_and_generate_enqueue_ops(element))
        same(
            sess.run(out),
            [
                [-1.0, [10.0], np.array([0, 1], np.int32)],
                [0.0, [20.0], np.array([2, 3], np.int32)],
                [1.0, [30.0], np.array([4, 5], np.int32)],
            ],
        )


@replicate_clause("/args:device_assignment/maps-logical-to-physical")
def device_assignment_maps_logical_to_physical(tf, replicate):
    with initialised_topology(tf, cores=4) as (sess, topology):
        assignment = assign_cores(tf, topology, [3, 2, 1, 0])
        out = replicate(
            lambda x: x * 2, [[0.0], [1.0], [2.0], [3.0]], device_assignment=assignment
        )
        same(core_of_each_replica(tf, sess, out), [3, 2, 1, 0])
        same(sess.run(out), [[0.0], [2.0], [4.0], [6.0]])
        assignment = assign_cores(tf, topology, [2, 1])
        out = replicate(lambda x: x * 2, [[5.0], [6.0]], device_assignment=assignment)
        same(core_of_each_replica(tf, sess, out), [2, 1], call="two of four cores")
        same(sess.run(out), [[10.0], [12.0]])


@replicate_clause("/args:device_assignment/default")
def device_assignment_default(tf, replicate):
    with fixed_system(tf, 4) as sess:
        out = replicate(lambda x: x * 2, [[0.0], [1.0], [2.0], [3.0]])
        cores = core_of_each_replica(tf, sess, out)
        same(sorted(cores), [0, 1, 2, 3], call="cores of the four replicas, sorted")


@replicate_clause("/args:device_assignment/omit-one-replica")
def device_assignment_omit_one_replica(tf, replicate):
    with fixed_system(tf, 4) as sess:
        same(sess.run(replicate(lambda x: x + 1, [[1.0]])), [[2.0]])


@replicate_clause("/args:device_assignment/omit-replicas-equal-cores")
def device_assignment_omit_replicas_equal_cores(tf, replicate):
    with fixed_system(tf, 4) as sess:
        out = replicate(lambda x: x + 1, [[0.0], [1.0], [2.0], [3.0]])
        same(sess.run(out), [[1.0], [2.0], [3.0], [4.0]])


@replicate_clause("/args:device_assignment/needed-otherwise")
def device_assignment_needed_otherwise(tf, replicate):
    with fixed_system(tf, 4) as sess:
        for replicas in (2, 3, 5, 8):
            out = replicate(lambda x: x + 1, [[1.0]] * replicas)
            error = expect_raises(tf.errors.InvalidArgumentError, sess.run, out)
            for count in (replicas, 4):
                assert str(count) in str(error), f"{count} is not named in: {error}"


@replicate_clause("/args:device_assignment/needed-for-several-cores")
def device_assignment_needed_for_several_cores(tf, replicate):
    def on_core(num):
        def computation(x):
            with tf.device(tf.tpu.core(num)):
                return x + 1

        return computation

    with fixed_system(tf, 4) as sess:
        for num, replicas in ((1, 1), (3, 1), (1, 2), (1, 4)):
            out = replicate(on_core(num), [[1.0]] * replicas)
            expect_raises(tf.errors.InvalidArgumentError, sess.run, out)


@replicate_clause("/args:name/no-effect")
def name_no_effect(tf, replicate):
    def named(name):
        return effect(tf, lambda: replicate(lambda x: x + 1, [[1.0]], name=name))

    same(named("foo"), named(None), call="operations")


def padded_lengths(tf, replicate, maximum_shapes):
    """Return the padded shape of one input with 2 and 3 elements, as a tuple.

    The computation must see the true elements whatever the padding.
    """
    with fixed_system(tf, 2) as sess:
        arrays = ones(2), 2 * ones(3)
        (x, y), feeds = fed(tf, [None], *arrays)
        out = replicate(lambda x: x, [[x], [y]], maximum_shapes=maximum_shapes)
        for (padded,), array in zip(sess.run(out, feeds), arrays):
            same(padded[: len(array)], array, call="each replica's input")
            same(sum(padded[len(array) :]), 0 * sum(array), call="the padding")
        return padded_shapes(tf)[-1]


@replicate_clause("/args:maximum_shapes/pads-each-component")
def maximum_shapes_pads_each_component(tf, replicate):
    same(padded_lengths(tf, replicate, [tf.TensorShape([4])]), (4,))

    def computation(x):
        return [x, tf.reduce_sum(x), tf.shape(x)]

    x, y = vector(tf), vector(tf)
    feeds = {x: [1.0, 1.0], y: [2.0, 2.0, 2.0]}
    shapes = [tf.TensorShape([4])]
    with fixed_system(tf, 2) as sess:
        out = replicate(computation, [[x], [y]], maximum_shapes=shapes)
        same(
            sess.run(out, feeds),
            [[[1.0, 1.0], 2.0, [2]], [[2.0, 2.0, 2.0], 6.0, [3]]],
            call="[x, sum(x), shape(x)] of each replica",
        )
        record = padded_inputs(tf)[-1]
        same(tuple(record.padded_shape), (4,))
        same([tuple(shape) for shape in record.true_shapes], [(2,), (3,)])
    with fixed_system(tf, 2, padding_visible=True) as sess:
        out = replicate(tf.identity, [[x], [y]], maximum_shapes=shapes)
        padded = [[[1.0, 1.0, 0.0, 0.0]], [[2.0, 2.0, 2.0, 0.0]]]
        same(sess.run(out, feeds), padded, call="the padded inputs themselves")
    # As long as the maximum is not too long.
    replicate(tf.identity, [[tf.zeros([4])], [tf.zeros([3])]], maximum_shapes=shapes)


@replicate_clause("/args:maximum_shapes/nested-structure")
def maximum_shapes_nested_structure(tf, replicate):
    for names, sizes in (("ab", (3, 5)), ("ba", (4, 2))):
        with fixed_system(tf, 2) as sess:
            arrays = {"a": ones(sizes[0]), "b": 2 * ones(sizes[1])}
            (a, b), feeds = fed(tf, [None], arrays["a"], arrays["b"])
            tensors = {"a": a, "b": b}
            out = replicate(
                lambda nest: (nest["a"], nest["b"]),
                [[{name: tensors[name] for name in names}]] * 2,
                maximum_shapes=[
                    {"b": tf.TensorShape(sizes[1:]), "a": tf.TensorShape(sizes[:1])}
                ],
            )
            for entry in sess.run(out, feeds):
                same(entry, [arrays["a"], arrays["b"]])
            same(sorted(padded_shapes(tf)[-2:]), sorted((size,) for size in sizes))


@replicate_clause("/args:maximum_shapes/unknown-dimension-is-replica-maximum")
def maximum_shapes_unknown_dimension_is_replica_maximum(tf, replicate):
    same(padded_lengths(tf, replicate, [tf.TensorShape([None])]), (3,))
    shape = tf.TensorShape([tf.compat.v1.Dimension(None)])
    same(padded_lengths(tf, replicate, [shape]), (3,))
    with fixed_system(tf, 4) as sess:
        arrays = [ones(size) for size in (2, 5, 6, 1)]
        inputs, feeds = fed(tf, [None], *arrays)
        out = replicate(lambda x: x, [[one] for one in inputs], maximum_shapes=[shape])
        for (padded,), array in zip(sess.run(out, feeds), arrays):
            same(padded[: len(array)], array)
        same(padded_shapes(tf)[-1:], [(6,)])


@replicate_clause("/args:maximum_shapes/minus-one-is-unknown")
def maximum_shapes_minus_one_is_unknown(tf, replicate):
    same(padded_lengths(tf, replicate, [np.array([-1])]), (3,))
    same(padded_lengths(tf, replicate, [tf.constant([-1])]), (3,))
    x, y = (tf.placeholder(tf.float32, [None, None]) for _ in range(2))
    with fixed_system(tf, 2) as sess:
        sums = replicate(tf.reduce_sum, [[x], [y]], maximum_shapes=[np.array([4, -1])])
        same(sess.run(sums, {x: np.ones([1, 2]), y: np.ones([2, 6])}), [[2.0], [12.0]])
        same(padded_shapes(tf)[-1], (4, 6), call="padded shape")


def structure_of_shapes(tf, replicate):
    def build(maximum_shapes):
        inputs = [[vector(tf), vector(tf)], [vector(tf), vector(tf)]]
        return replicate(lambda a, b: a, inputs, maximum_shapes=maximum_shapes)

    shape = tf.TensorShape([4])
    for shapes in ([shape], [shape, shape, shape], [[shape, shape]], shape):
        expect_refused(ValueError, build, shapes)
    same(len(build([shape, shape])), 2)
    inputs = [[{"a": vector(tf)}]] * 3
    extra = [{"a": shape, "b": shape}]
    expect_refused(
        ValueError, replicate, lambda nest: nest["a"], inputs, maximum_shapes=extra
    )


@replicate_clause("/returns/list-by-replica")
def returns_list_by_replica(tf, replicate):
    for replicas in (1, 2, 4):
        out = replicate(lambda x: x, [[float(i)] for i in range(replicas)])
        assert isinstance(out, list), f"expected a list, got {out!r}"
        same(len(out), replicas, call="entries of the result")


def returns_same_structure(tf, replicate):
    first, second = replicate(lambda x: {"a": x, "b": [x, (x,)]}, [[1.0], [2.0]])
    assert isinstance(second, dict), f"expected a dict, got {second!r}"
    assert isinstance(second["b"], list), f"expected a list, got {second['b']!r}"
    assert isinstance(second["b"][0], tf.Tensor), f"no tensor in {second['b']!r}"
    assert isinstance(second["b"][1], tuple), f"no tuple in {second['b']!r}"
    assert first["a"] is not second["a"], "both replicas share one tensor"
    for nest in ([1.0], (1.0,), [(1.0,), [2.0]], Pair((1.0,), [2.0, 3.0])):
        for entry in replicate(lambda x, nest=nest: plus(x, nest), [[1.0], [2.0]]):
            require_same_containers(tf, entry, nest)
    for entry in replicate(
        lambda x: [collections.OrderedDict([("b", x), ("a", (x,))])], [[1.0]] * 3
    ):
        same(type(entry[0]), collections.OrderedDict)
        same(list(entry[0]), ["b", "a"], call="the keys, in their order")


@replicate_clause("/returns/none-gives-noop")
def returns_none_gives_noop(tf, replicate):
    out = replicate(lambda x: None, [[1.0], [2.0]])
    same(len(out), 2)
    for entry in out:
        assert is_noop(tf, entry), f"expected a NoOp operation, got {entry!r}"


def _counts_when_an_entry_runs(tf, replicate, computation, count):
    with fixed_system(tf, 3) as sess:
        for entry in replicate(computation, [[], [], []]):
            sess.run(tf.global_variables_initializer())
            sess.run(entry)
            assert sess.run(count) > 0.0, f"the assignment did not run before {entry}"


@replicate_clause("/returns/none-noop-depends-on-computation")
def returns_none_noop_depends_on_computation(tf, replicate):
    count = counter(tf)

    def computation():
        count.assign_add(1.0)

    _counts_when_an_entry_runs(tf, replicate, computation, count)


@replicate_clause("/returns/single-value-is-tuple")
def returns_single_value_is_tuple(tf, replicate):
    for entry in replicate(lambda x: x + 1, [[1.0], [2.0]]):
        assert isinstance(entry, tuple), f"expected a tuple, got {entry!r}"
        same(len(entry), 1, call="values in the tuple")
    (listed,) = replicate(lambda x: [x + 1], [[1.0]])
    assert isinstance(listed, list) and len(listed) == 1, repr(listed)
    values = [7.0, np.float32(7.0), np.ones([2, 3], np.float32), True]
    if hasattr(tf, "get_variable"):
        values.append(tf.get_variable("v", [], initializer=tf.zeros_initializer()))
    for value in values:
        for entry in replicate(lambda value=value: value, [[], []]):
            assert type(entry) is tuple, f"expected a tuple, got {entry!r}"
            same([isinstance(one, tf.Tensor) for one in entry], [True])


def operations_only_give_noop(tf, replicate):
    for computation in (
        lambda: tf.no_op(),
        lambda: [tf.no_op()],
        lambda: [tf.no_op(), tf.no_op()],
        lambda: (tf.no_op(), tf.no_op(), tf.no_op()),
        lambda: (),
    ):
        for entry in replicate(computation) + replicate(computation, [[], [], []]):
            assert is_noop(tf, entry), f"expected a NoOp operation, got {entry!r}"
    one = tf.constant(1.0)
    for misplaced in (
        lambda: {"a": tf.no_op()},
        lambda: {"a": [one, tf.no_op()]},
        lambda: [[one], tf.no_op()],
        lambda: [tf.no_op(), one],
        lambda: [one, tf.no_op(), one, tf.no_op()],
    ):
        expect_raises(ValueError, replicate, misplaced)


@replicate_clause("/returns/operations-noop-depends-on-computation")
def returns_operations_noop_depends_on_computation(tf, replicate):
    count = counter(tf)
    _counts_when_an_entry_runs(tf, replicate, lambda: count.assign_add(1.0).op, count)
