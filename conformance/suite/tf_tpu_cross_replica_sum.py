"""Checks of tf.tpu.cross_replica_sum."""

import contextlib
import inspect
import logging
import re
import warnings

import numpy as np

from ..clause import Unavailable, beyond_the_words, expect_raises, same
from ..probes import fixed_system, initialise_variables
from .tf_tpu_page import function_clause
from .tpu_strategy_page import evaluated, own, running_strategy

#: A group for each of two replicas.
ALONE = [[1], [0]]


def in_each_replica(tf, computation, replicas, power=None):
    """Return the evaluated result of ``computation(replica number)`` per replica.

    The replica number arrives as a float32 scalar tensor; with ``power`` that number
    to the replica number does.
    """
    numbers = [float(i) if power is None else power**i for i in range(replicas)]
    with fixed_system(tf, cores=replicas) as session:
        out = tf.tpu.replicate(computation, [[number] for number in numbers])
        initialise_variables(tf, session)
        return session.run(out)


def sums_in_towers(tf, cross_replica_sum, groups):
    """Return the sums of 1, 2 and 4 that three towers of a strategy get."""

    def sum_of_own():
        return cross_replica_sum(own(tf, [1.0, 2.0, 4.0]), groups)

    with tf.Graph().as_default(), running_strategy(tf, cores=3) as running:
        session, strategy = running
        totals = strategy.call_for_each_tower(sum_of_own)
        return [float(total) for total in evaluated(session, strategy, totals)]


def build_in_replicas(tf, computation, replicas):
    """Build ``computation()`` in that many replicas; return what it returned."""
    returned = []
    tf.tpu.replicate(lambda: returned.append(computation()), [[]] * replicas)
    return returned[0]


def build_sum(tf, cross_replica_sum, x, groups=None, replicas=2):
    """Build the sum of ``x`` in that many replicas; return it."""
    return build_in_replicas(tf, lambda: cross_replica_sum(x, groups), replicas)


@function_clause("tf.tpu.cross_replica_sum/signature/parameter-order")
def parameter_order(tf, cross_replica_sum):
    parameters = inspect.signature(cross_replica_sum).parameters
    same(list(parameters), ["x", "group_assignment", "name"])


@function_clause("tf.tpu.cross_replica_sum/signature/default-group-assignment")
def default_group_assignment(tf, cross_replica_sum):
    parameters = inspect.signature(cross_replica_sum).parameters
    same(parameters["group_assignment"].default, None)
    build_in_replicas(tf, lambda: cross_replica_sum(tf.constant(1.0)), 2)


@function_clause("tf.tpu.cross_replica_sum/behaviour/sums-all-replicas")
def sums_all_replicas(tf, cross_replica_sum):
    def computation(x):
        return cross_replica_sum(x), cross_replica_sum(x, [[0, 1, 2, 3]])

    with fixed_system(tf, cores=4) as session:
        inputs = [[np.array([i, 10 * i], np.float32)] for i in range(4)]
        for by_default, in_one_group in session.run(
            tf.tpu.replicate(computation, inputs)
        ):
            same(by_default, [6.0, 60.0])
            same(in_one_group, by_default)
    for replicas in (1, 3, 6):
        out = in_each_replica(tf, cross_replica_sum, replicas, power=2.0)
        same(out, [[2.0**replicas - 1.0]] * replicas)


@function_clause("tf.tpu.cross_replica_sum/behaviour/identical-on-replicas")
def identical_on_replicas(tf, cross_replica_sum):
    terms = np.random.RandomState(0).standard_normal([4, 1000]).astype(np.float32)
    with fixed_system(tf, cores=4) as session:
        out = tf.tpu.replicate(lambda x: cross_replica_sum(x), [[x] for x in terms])
        sums = [entry[0] for entry in session.run(out)]
    for total in sums:
        same(total.tobytes(), sums[0].tobytes(), call="bytes of the sum")
    # Three additions in float32, in any order, each off by at most half a unit in the
    # last place (2**-24, relative) of a partial sum, which never exceeds sum(|x|).
    exact = terms.astype(np.float64).sum(axis=0)
    bound = 3 * 2.0**-24 * np.abs(terms).astype(np.float64).sum(axis=0) * (1 + 1e-6)
    assert (np.abs(sums[0] - exact) <= bound).all(), "further off than three roundings"


@function_clause("tf.tpu.cross_replica_sum/args:x/local-tensor")
def local_tensor(tf, cross_replica_sum):
    out = in_each_replica(tf, lambda i: cross_replica_sum(i + 1.0), 2)
    same(out, [[3.0], [3.0]])
    out = in_each_replica(tf, lambda i: cross_replica_sum(tf.zeros([0]) + i), 3)
    same([np.shape(entry[0]) for entry in out], [(0,)] * 3)
    table = np.float32([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    inputs = [[table * 10**i] for i in range(4)]
    out = sums_of(tf, cross_replica_sum, inputs, [[0, 3], [2, 1]])
    same(out, [[table * times] for times in (1001, 110, 110, 1001)])
    if hasattr(tf.tpu, "rewrite"):
        with fixed_system(tf, cores=1) as session:
            same(session.run(tf.tpu.rewrite(cross_replica_sum, [[2.0]])), [[2.0]])


@function_clause("tf.tpu.cross_replica_sum/args:x/overload-object")
def overload_object(tf, cross_replica_sum):
    array = np.array([1.0, 2.0], np.float32)

    def computation(_):
        inputs = (2.5, np.float32(2.5), array)
        alone = [cross_replica_sum(x, ALONE) for x in inputs]
        return [cross_replica_sum(x) for x in inputs] + alone

    for number, scalar, vector, *alone in in_each_replica(tf, computation, 2):
        same([number, scalar], [5.0, 5.0])
        same(vector, [2.0, 4.0])
        same(alone, [2.5, 2.5, [1.0, 2.0]])
    beyond_the_words()
    for x in (None, object(), build_sum):
        expect_raises((ValueError, TypeError), build_sum, tf, cross_replica_sum, x)


@function_clause("tf.tpu.cross_replica_sum/args:x/overload-graph-node")
def overload_graph_node(tf, cross_replica_sum):
    def sums(x):
        return in_each_replica(
            tf, lambda _: (cross_replica_sum(x), cross_replica_sum(x, ALONE)), 2
        )

    tensor = tf.constant([1.0, 2.0])
    same(sums(tensor), [[[2.0, 4.0], [1.0, 2.0]]] * 2)
    variable = tf.get_variable(
        "v", [2], initializer=tf.constant_initializer([1.0, 2.0]), use_resource=True
    )
    same(sums(variable), [[[2.0, 4.0], [1.0, 2.0]]] * 2)
    beyond_the_words()
    for operation in (tf.no_op(), tf.group(tensor), variable.initializer):
        expect_raises(TypeError, build_sum, tf, cross_replica_sum, operation)


@function_clause("tf.tpu.cross_replica_sum/args:x/overload-per-replica")
def overload_per_replica(tf, cross_replica_sum):
    distribute = getattr(getattr(tf, "contrib", None), "distribute", None)
    per_replica = getattr(distribute, "PerReplica", None)
    if per_replica is None:
        raise Unavailable("no tf.contrib.distribute.PerReplica to make such a value")
    value = per_replica([tf.constant(number) for number in (1.0, 2.0, 3.0, 4.0)])
    same(in_each_replica(tf, lambda _: cross_replica_sum(value), 4), [[10.0]] * 4)
    vectors = per_replica([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0], [4.0, 40.0]])
    out = in_each_replica(tf, lambda _: cross_replica_sum(vectors), 4)
    same(out, [[[10.0, 100.0]]] * 4)
    groups = [[3, 1], [2, 0]]
    out = in_each_replica(tf, lambda i: cross_replica_sum(value, groups) + i, 4)
    same(out, [[4.0], [7.0], [6.0], [9.0]])
    beyond_the_words()
    total = cross_replica_sum(value)
    assert isinstance(total, tf.Tensor), repr(total)
    with fixed_system(tf, cores=4) as session:
        same(session.run(total), 10.0)


@function_clause("tf.tpu.cross_replica_sum/args:x/overload-pair")
def overload_pair(tf, cross_replica_sum):
    pair = (1.0, 2.0)
    out = in_each_replica(
        tf, lambda _: (cross_replica_sum(pair), cross_replica_sum(pair, ALONE)), 2
    )
    same(out, [[[2.0, 4.0], [1.0, 2.0]]] * 2)


@function_clause("tf.tpu.cross_replica_sum/args:x/overload-enumerable")
def overload_enumerable(tf, cross_replica_sum):
    t = tf.constant([1.0])
    out = in_each_replica(
        tf, lambda _: (cross_replica_sum([1.0, 2.0, 3.0]), cross_replica_sum([t, t])), 2
    )
    same(out, [[[2.0, 4.0, 6.0], [[2.0], [2.0]]]] * 2)
    out = in_each_replica(
        tf, lambda _: [cross_replica_sum(x, ALONE) for x in ([1.0, 2.0], [t, t])], 2
    )
    same(out, [[[1.0, 2.0], [[1.0], [1.0]]]] * 2)
    beyond_the_words()
    for ragged in ([[1.0], [2.0, 3.0]], [1.0, [2.0]], [t, [1.0, 2.0]]):
        expect_raises((ValueError, TypeError), build_sum, tf, cross_replica_sum, ragged)


@function_clause("tf.tpu.cross_replica_sum/args:x/overload-dictionary")
def overload_dictionary(tf, cross_replica_sum):
    out = in_each_replica(
        tf, lambda _: cross_replica_sum({"a": 1.0, "b": [2.0, 3.0]}), 2
    )
    same(out, [{"a": 2.0, "b": [4.0, 6.0]}] * 2)
    groups = [[2, 0], [1, 3]]
    out = in_each_replica(
        tf, lambda i: cross_replica_sum({"b": i, "a": {"c": 10.0 * i}}, groups), 4
    )
    same([entry["b"] for entry in out], [2.0, 4.0, 2.0, 4.0])
    same([entry["a"]["c"] for entry in out], [20.0, 40.0, 20.0, 40.0])
    components = {"b": 1.0, "a": 2.0}
    summed = build_in_replicas(tf, lambda: cross_replica_sum(components, name="foo"), 2)
    same(list(summed), ["b", "a"], call="keys of the result")
    if hasattr(summed["a"], "op"):
        names = [summed[key].op.name for key in ("a", "b")]
        assert all("foo" in name for name in names), f"name='foo' gave {names}"


@function_clause("tf.tpu.cross_replica_sum/args:group_assignment/subgroups")
def subgroups(tf, cross_replica_sum):
    out = in_each_replica(tf, lambda i: cross_replica_sum(i, [[0, 2], [1, 3]]), 4)
    same(out, [[2.0], [4.0], [2.0], [4.0]])
    uneven = np.array([[4, 0, 2], [5, 1, 3]])
    for groups in ([[5, 0], [3, 1], [4, 2]], uneven, ((1,), (0,), (2,))):
        replicas = sum(map(len, groups))

        def computation(x, groups=groups):
            return cross_replica_sum(x, groups), cross_replica_sum(-x, groups)

        totals = {i: sum(2.0 ** int(k) for k in row) for row in groups for i in row}
        out = in_each_replica(tf, computation, replicas, power=2.0)
        same(out, [[totals[i], -totals[i]] for i in range(replicas)])
    distribute = getattr(getattr(tf, "contrib", None), "distribute", None)
    if not hasattr(distribute, "TPUStrategy"):
        return
    # The page does not say whether towers are replicas; where they are, it holds.
    if sums_in_towers(tf, cross_replica_sum, None) == [7.0, 7.0, 7.0]:
        groups = [[2], [0], [1]]
        same(sums_in_towers(tf, cross_replica_sum, groups), [1.0, 2.0, 4.0])


@function_clause("tf.tpu.cross_replica_sum/args:group_assignment/row-lists-replica-ids")
def rows_list_replica_ids(tf, cross_replica_sum):
    def computation(x):
        return (
            cross_replica_sum(x, [[3, 0], [1, 2]]),
            cross_replica_sum(x, [[2, 1], [0, 3]]),
        )

    out = in_each_replica(tf, computation, 4, power=2.0)
    same(out, [[9.0, 9.0], [6.0, 6.0], [6.0, 6.0], [9.0, 9.0]])


@function_clause("tf.tpu.cross_replica_sum/args:group_assignment/two-dimensional")
def group_assignment_two_dimensional(tf, cross_replica_sum):
    for groups in ([0, 1], [[[0, 1]]], 0):
        expect_raises(ValueError, build_sum, tf, cross_replica_sum, 1.0, groups)
    build_sum(tf, cross_replica_sum, 1.0, [[0, 1]])


@function_clause("tf.tpu.cross_replica_sum/args:group_assignment/equal-group-sizes")
def group_sizes_equal(tf, cross_replica_sum):
    for groups, replicas in (
        ([[0], [1, 2]], 3),
        ([[0, 1], [2]], 3),
        ([[0, 1, 2], [3]], 4),
    ):
        expect_raises(
            ValueError, build_sum, tf, cross_replica_sum, 1.0, groups, replicas
        )


@function_clause("tf.tpu.cross_replica_sum/args:group_assignment/int32")
def group_ids_int32(tf, cross_replica_sum):
    for groups in (
        np.array([[2, 0], [1, 3]], np.int32),
        np.array([[2, 0], [1, 3]]),
        ((2, 0), (1, 3)),
        [[np.int32(2), np.int64(0)], [1, 3]],
    ):
        build_sum(tf, cross_replica_sum, 1.0, groups, 4)
    for groups in ([[0.0, 1.0]], [["0", "1"]], [[0, 1.5]]):
        expect_raises(TypeError, build_sum, tf, cross_replica_sum, 1.0, groups)


@function_clause("tf.tpu.cross_replica_sum/args:group_assignment/partition")
def groups_partition_the_replicas(tf, cross_replica_sum):
    for groups, named in (
        ([[0, 0], [1, 2]], "[03]"),
        ([[0, 1], [1, 2], [2, 3]], "[12]"),
        ([[0, 1]], "[23]"),
        ([[0, 1], [2, 9]], "[39]"),
    ):
        error = expect_raises(
            ValueError, build_sum, tf, cross_replica_sum, 1.0, groups, 4
        )
        assert re.search(rf"\b{named}\b", str(error)), str(error)


@function_clause("tf.tpu.cross_replica_sum/args:name/names-the-op")
def name_names_the_op(tf, cross_replica_sum):
    def computation():
        x = tf.constant(1.0)
        sums = [cross_replica_sum(x, one, "foo") for one in (None, [[0, 1]])]
        if not hasattr(sums[0], "op"):
            raise Unavailable("tensors have no attribute op, whose name could be seen")
        return [total.op.name for total in sums]

    first, second = build_in_replicas(tf, computation, 2)
    assert first.endswith("foo"), first
    assert second != first and "foo" in second, second


@function_clause("tf.tpu.cross_replica_sum/returns/tensor")
def returns_tensor(tf, cross_replica_sum):
    def computation():
        inputs = (tf.constant([1.0, 2.0]), 2.5, [1.0, 2.0])
        return [cross_replica_sum(x) for x in inputs]

    for total in build_in_replicas(tf, computation, 2):
        assert isinstance(total, tf.Tensor), repr(total)


@function_clause("tf.tpu.cross_replica_sum/returns/dtype-and-shape-kept")
def dtype_and_shape_kept(tf, cross_replica_sum):
    kept = [np.ones([2, 3], np.float32), np.ones([4], np.int32), np.ones([], np.int32)]
    _require_kept(tf, cross_replica_sum, kept, 4)
    _require_kept(tf, cross_replica_sum, kept[1:2], 3)
    whole = sums_of(
        tf, cross_replica_sum, [[2**24 + i] for i in range(4)], [[3, 1], [0, 2]]
    )
    same(whole, [[2 * 2**24 + n] for n in (2, 4, 2, 4)], call="in groups")
    # Above 2**24 float32 has only every other whole number.
    inputs = [[np.int32(2**24 + i)] for i in range(3)]
    same(sums_of(tf, cross_replica_sum, inputs), [[3 * 2**24 + 3]] * 3)
    beyond_the_words()
    more = [np.ones([1], np.uint32), np.ones([], np.float16), np.ones([2])]
    _require_kept(tf, cross_replica_sum, more, 4)
    inputs = [[np.float64(2.0**40 + i)] for i in range(3)]
    same(sums_of(tf, cross_replica_sum, inputs), [[np.float64(3 * 2.0**40 + 3)]] * 3)
    if hasattr(tf, "bfloat16") and hasattr(tf, "cast"):
        _require_bfloat16_sum_in_float32(tf, cross_replica_sum)
    for unfit in (np.int64(1), np.array([True]), np.array(["a"]), np.complex64(1j)):
        expect_raises(TypeError, build_sum, tf, cross_replica_sum, unfit)


def _require_kept(tf, cross_replica_sum, arrays, replicas):
    for sums in sums_of(tf, cross_replica_sum, [arrays] * replicas):
        for total, one in zip(sums, arrays):
            same(np.asarray(total).dtype.name, one.dtype.name)
            same(total, one * one.dtype.type(replicas))


def sums_of(tf, cross_replica_sum, inputs, groups=None):
    """Return, for each replica, the sums of its inputs over its group."""
    with fixed_system(tf, cores=len(inputs)) as session:
        out = tf.tpu.replicate(
            lambda *own: [cross_replica_sum(x, groups) for x in own], inputs
        )
        return session.run(out)


def _require_bfloat16_sum_in_float32(tf, cross_replica_sum):
    def computation(x):
        return cross_replica_sum(tf.cast(x, tf.bfloat16))

    # Around 256 bfloat16 has steps of 2: 256 + 1 + 1 + 1 is 259, which rounds to 260;
    # rounded after every addition it would stay 256.
    with fixed_system(tf, cores=4) as session:
        out = tf.tpu.replicate(computation, [[256.0], [1.0], [1.0], [1.0]])
        sums = np.array(session.run(out))
    same(sums.dtype.name, "bfloat16")
    same(sums.astype(np.float32), [[260.0]] * 4)


@contextlib.contextmanager
def _recorded_warnings():
    """Collect the texts of warnings, from the module ``warnings`` or a logger."""
    texts = []
    make_record = logging.getLogRecordFactory()
    # The releases write to this logger, which a caller may have silenced.
    logger = logging.getLogger("tensorflow")
    level = logger.level
    logger.setLevel(logging.WARNING)

    def record(*args, **kwargs):
        made = make_record(*args, **kwargs)
        if made.levelno >= logging.WARNING:
            texts.append(made.getMessage())
        return made

    logging.setLogRecordFactory(record)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield texts
    finally:
        logging.setLogRecordFactory(make_record)
        logger.setLevel(level)
    texts.extend(str(warning.message) for warning in caught)


@function_clause("tf.tpu.cross_replica_sum/behaviour/outside-replicated-computation")
def outside_replicated_computation(tf, cross_replica_sum):
    with _recorded_warnings() as texts:
        total = cross_replica_sum(tf.constant(1.0))
    told = [text for text in texts if "cross_replica_sum" in text]
    same(len(told), 1, call="warnings about cross_replica_sum")
    with fixed_system(tf, cores=1) as session:
        same(session.run(total), 1.0)
