"""Checks of tf.tpu.batch_parallel and tf.tpu.batch_parallel_dyn."""

import re

import numpy as np

from ..clause import beyond_the_words, clause, expect_raises, expect_refused, same
from ..probes import (
    assign_cores,
    core_of_each_replica,
    effect,
    fed,
    fixed_system,
    infeed_queue,
    initialised_topology,
    static_shape,
)
from .tf_tpu_page import default_is, function_clause


def _itself(piece):
    return piece


@function_clause("tf.tpu.batch_parallel/behaviour/splits-batch-dimension")
def splits_batch_dimension(tf, batch_parallel):
    (x,), feeds = fed(tf, [None], np.array([0, 1, 2, 8], np.float32))
    sums = batch_parallel(lambda piece: piece[:1] - piece[-1:], [x], num_shards=2)
    with fixed_system(tf, cores=2) as session:
        same(session.run(sums, feeds), [[-1.0, -6.0]])
        for size in (1, 3, 7):
            expect_raises(
                tf.errors.InvalidArgumentError, session.run, sums, {x: np.zeros(size)}
            )


@function_clause("tf.tpu.batch_parallel/behaviour/wraps-shard")
def wraps_shard(tf, batch_parallel):
    for array in (np.arange(4, dtype=np.float32), np.arange(4, dtype=np.int32)):
        x = tf.constant(array)
        wrapped = batch_parallel(lambda piece: (piece + piece, piece), [x], 4)
        direct = tf.tpu.shard(lambda piece: (piece + piece, piece), [x], 4)
        with fixed_system(tf, cores=4) as session:
            expected = [2 * array, array]
            same(session.run(wrapped), expected)
            same(session.run(direct), expected)


@function_clause("tf.tpu.batch_parallel/behaviour/applied-to-each-shard")
def applied_to_each_shard(tf, batch_parallel):
    def add_number_of_shards(piece):
        return piece + tf.tpu.cross_replica_sum(piece * 0.0 + 1.0)

    x = tf.constant([10.0, 20.0, 30.0, 40.0])
    out = batch_parallel(add_number_of_shards, [x], num_shards=4)
    with fixed_system(tf, cores=4) as session:
        same(session.run(out), [[14.0, 24.0, 34.0, 44.0]])


@function_clause("tf.tpu.batch_parallel/behaviour/captured-tensor-broadcast")
def captured_tensor_broadcast(tf, batch_parallel):
    k = tf.constant([10.0, 20.0])
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    out = batch_parallel(lambda piece: piece + k, [x], num_shards=2)
    with fixed_system(tf, cores=2) as session:
        same(session.run(out), [[11.0, 22.0, 13.0, 24.0]])


@function_clause("tf.tpu.batch_parallel/example/captured-constant")
def captured_constant(tf, batch_parallel):
    _captured_constant(tf, tf.tpu.shard)
    _captured_constant(tf, batch_parallel)


def _captured_constant(tf, shard):
    x = tf.constant(7)
    out = shard(lambda: x + 3, num_shards=2)
    with fixed_system(tf, cores=2) as session:
        same(session.run(out), [[10, 10]])


@function_clause("tf.tpu.batch_parallel/returns/concatenated-first-dimension")
def concatenated_first_dimension(tf, batch_parallel):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    out = batch_parallel(lambda piece: piece * 10.0, [x], num_shards=2)
    with fixed_system(tf, cores=2) as session:
        same(session.run(out), [[[10.0, 20.0], [30.0, 40.0]]])
    same(out[0].dtype.name, "float32")
    x = tf.constant(list(range(12)))
    out = batch_parallel(lambda piece: piece, [x], num_shards=12)
    with fixed_system(tf, cores=12) as session:
        same(session.run(out), [list(range(12))])


@function_clause("tf.tpu.batch_parallel/returns/list")
def returns_list(tf, batch_parallel):
    x = tf.constant([1.0, 2.0])
    one = batch_parallel(lambda piece: piece, [x], num_shards=2)
    two = batch_parallel(lambda piece: (piece, 2.0 * piece), [x], num_shards=2)
    for out in (one, two):
        assert isinstance(out, list), f"expected a list, got {out!r}"
    with fixed_system(tf, cores=2) as session:
        same(session.run(one), [[1.0, 2.0]])
        same(session.run(two), [[1.0, 2.0], [2.0, 4.0]])


@function_clause("tf.tpu.batch_parallel/raises/rank-zero-input")
def rank_zero_input(tf, batch_parallel):
    scalar, vector = tf.constant(1.0), tf.constant([1.0, 2.0])

    def two(a, b):
        return a + b

    for inputs in (
        [scalar],
        [1.0],
        [np.float32(1.0)],
        [fed(tf, [], np.ones([]))[0][0]],
    ):
        expect_refused(ValueError, batch_parallel, _itself, inputs, num_shards=2)
    expect_refused(ValueError, batch_parallel, two, [vector, scalar], num_shards=2)


@function_clause("tf.tpu.batch_parallel/behaviour/output-rank")
def output_rank(tf, batch_parallel):
    x = tf.constant([1.0, 2.0, 3.0])

    def vector_matrix_and_scalar(piece):
        return piece, tf.reshape(piece, [1, 1]), tf.reduce_sum(piece)

    out = batch_parallel(vector_matrix_and_scalar, [x], num_shards=3)
    with fixed_system(tf, cores=3) as session:
        vector, matrix, scalars = session.run(out)
    same(vector, [1.0, 2.0, 3.0])
    same(matrix, [[1.0], [2.0], [3.0]])
    same(scalars, [1.0, 2.0, 3.0])


@function_clause("tf.tpu.batch_parallel/args:computation/python-function")
def python_function(tf, batch_parallel):
    received = []

    def computation(*arguments):
        received.append(arguments)
        return arguments[0]

    batch_parallel(computation, [tf.zeros([8, 3])], num_shards=4)
    assert received, "the computation was not called"
    for arguments in received:
        same(len(arguments), 1)
        assert isinstance(arguments[0], tf.Tensor), repr(arguments[0])
        same(static_shape(arguments[0]), [2, 3])


@function_clause("tf.tpu.batch_parallel/args:inputs/list-of-tensors")
def inputs_list_of_tensors(tf, batch_parallel):
    def add(first, second):
        return first + second

    a = tf.constant([1.0, 2.0, 3.0, 4.0])
    b = tf.constant([10.0, 20.0, 30.0, 40.0])
    array = np.array([10, 20, 30, 40], np.float32)
    with fixed_system(tf, cores=2) as session:
        for second in (b, array, [10.0, 20.0, 30.0, 40.0]):
            out = batch_parallel(add, [a, second], num_shards=2)
            same(session.run(out), [[11.0, 22.0, 33.0, 44.0]])
        out = batch_parallel(lambda *pieces: pieces, [a, b, a, b], num_shards=2)
        same(session.run(out), session.run([a, b, a, b]))
        table = np.arange(12, dtype=np.int32).reshape([4, 3])
        out = batch_parallel(lambda x, y: (y[:1], x), [a, table], num_shards=2)
        same(session.run(out), [table[::2], [1.0, 2.0, 3.0, 4.0]], call="a matrix")
    for inputs in ((a, b), a, {"first": a, "second": b}, array):
        expect_raises(TypeError, batch_parallel, add, inputs, num_shards=2)


@function_clause("tf.tpu.batch_parallel/args:inputs/none-is-empty")
def inputs_none_is_empty(tf, batch_parallel):
    with fixed_system(tf, cores=2) as session:
        for inputs in (None, []):
            out = batch_parallel(lambda: tf.constant([5.0]), inputs, num_shards=2)
            same(session.run(out), [[5.0, 5.0]])


@function_clause("tf.tpu.batch_parallel/args:inputs/divisible")
def inputs_divisible(tf, batch_parallel):
    def refused(*tensors, num_shards=2):
        return expect_refused(
            ValueError,
            batch_parallel,
            lambda *pieces: pieces,
            list(tensors),
            num_shards,
        )

    errors = [
        (refused(tf.zeros([size]), num_shards=num_shards), size, num_shards)
        for size, num_shards in ((7, 2), (8, 3), (2, 4))
    ]
    refused(tf.zeros([8]), tf.zeros([7]))
    refused(tf.zeros([7, 2]))
    refused(tf.zeros([8]), tf.zeros([3, 4, 2]))
    batch_parallel(_itself, [tf.zeros([8])], num_shards=2)
    beyond_the_words()
    for error, *numbers in errors:
        _require_numbers(error, *numbers)


def _require_numbers(error, *numbers):
    """Require the message of ``error`` to show each of ``numbers``."""
    shown = re.findall(r"\d+", str(error))
    for number in numbers:
        assert str(number) in shown, f"{number} is not in: {error}"


@function_clause("tf.tpu.batch_parallel/args:num_shards/count")
def num_shards_count(tf, batch_parallel):
    def one():
        return tf.ones([1])

    for num_shards in (1, 2, 4, 8):
        with fixed_system(tf, cores=num_shards) as session:
            out = batch_parallel(one, num_shards=num_shards)
            same(session.run(out), [[1.0] * num_shards])
    for num_shards in (0, -1, -8):
        expect_raises(ValueError, batch_parallel, one, num_shards=num_shards)


@function_clause("tf.tpu.batch_parallel/args:infeed_queue/appends-tuple")
def infeed_queue_appends_tuple(tf, batch_parallel):
    queue = infeed_queue(tf, tuple_types=[tf.float32], tuple_shapes=[[4]])
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    out = batch_parallel(
        lambda piece, fed: piece * 10.0 + fed, [x], num_shards=2, infeed_queue=queue
    )
    enqueue = queue.split_inputs_and_generate_enqueue_ops(
        [tf.constant([0.0, 1.0, 2.0, 3.0])]
    )
    with fixed_system(tf, cores=2) as session:
        same(session.run([enqueue, out])[1], [[10.0, 21.0, 32.0, 43.0]])


@function_clause("tf.tpu.batch_parallel/args:device_assignment/used")
def device_assignment_used(tf, batch_parallel):
    x = tf.constant([0.0, 1.0, 2.0, 3.0])
    with initialised_topology(tf, cores=4) as (session, topology):
        assignment = assign_cores(tf, topology, [3, 2, 1, 0])
        out = batch_parallel(
            lambda piece: piece + 1.0, [x], num_shards=4, device_assignment=assignment
        )
        same(session.run(out), [[1.0, 2.0, 3.0, 4.0]])
        same(core_of_each_replica(tf, session, out), [3, 2, 1, 0])
        assignment = assign_cores(tf, topology, [2, 1])
        out = batch_parallel(_itself, [x], 2, device_assignment=assignment)
        same(session.run(out), [[0.0, 1.0, 2.0, 3.0]], call="on two of four cores")
        same(core_of_each_replica(tf, session, out), [2, 1])


@function_clause("tf.tpu.batch_parallel/args:device_assignment/default")
def device_assignment_default(tf, batch_parallel):
    x = tf.constant([0.0, 1.0, 2.0, 3.0])
    out = batch_parallel(lambda piece: piece + 1.0, [x], num_shards=4)
    with fixed_system(tf, cores=4) as session:
        same(session.run(out), [[1.0, 2.0, 3.0, 4.0]])
        same(sorted(core_of_each_replica(tf, session, out)), [0, 1, 2, 3])


@function_clause("tf.tpu.batch_parallel/args:device_assignment/omit-one-shard")
def device_assignment_omitted_for_one_shard(tf, batch_parallel):
    x = tf.constant([1.0, 2.0])
    out = batch_parallel(lambda piece: piece + 1.0, [x], num_shards=1)
    with fixed_system(tf, cores=4) as session:
        same(session.run(out), [[2.0, 3.0]])


@function_clause("tf.tpu.batch_parallel/args:device_assignment/omit-shards-equal-cores")
def device_assignment_omitted_for_all_cores(tf, batch_parallel):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    out = batch_parallel(lambda piece: piece + 1.0, [x], num_shards=4)
    with fixed_system(tf, cores=4) as session:
        same(session.run(out), [[2.0, 3.0, 4.0, 5.0]])


@function_clause("tf.tpu.batch_parallel/args:device_assignment/needed-otherwise")
def device_assignment_needed(tf, batch_parallel):
    with fixed_system(tf, cores=4) as session:
        for num_shards in (2, 3, 5):
            out = batch_parallel(lambda: tf.ones([1]), num_shards=num_shards)
            error = expect_raises(tf.errors.InvalidArgumentError, session.run, out)
            _require_numbers(error, num_shards, 4)


@function_clause(
    "tf.tpu.batch_parallel/args:device_assignment/needed-for-several-cores"
)
def device_assignment_needed_for_several_cores(tf, batch_parallel):
    def on_core(num):
        def computation():
            with tf.device(tf.tpu.core(num)):
                return tf.ones([1]) + 1.0

        return computation

    with fixed_system(tf, cores=4) as session:
        for num, num_shards in ((1, 1), (3, 1), (1, 4)):
            out = batch_parallel(on_core(num), num_shards=num_shards)
            expect_raises(tf.errors.InvalidArgumentError, session.run, out)


@function_clause("tf.tpu.batch_parallel/args:name/no-effect")
def name_no_effect(tf, batch_parallel):
    unnamed = _operations(tf, batch_parallel)
    same(_operations(tf, batch_parallel, name=None), unnamed)
    same(_operations(tf, batch_parallel, name="foo"), unnamed)


def _operations(tf, batch_parallel, **name):
    """Return the effects of one call."""
    return effect(
        tf,
        lambda: batch_parallel(
            lambda piece: piece + 1.0, [tf.zeros([4])], num_shards=2, **name
        ),
    )


@clause("tf.tpu.batch_parallel_dyn/signature/num-shards-has-default")
def dyn_num_shards_has_default(tf):
    default_is(tf, tf.tpu.batch_parallel_dyn, "num_shards", 1)
    tf.tpu.batch_parallel_dyn(lambda piece: piece, [tf.zeros([3])])


class _Two:
    def __index__(self):
        return 2


@clause("tf.tpu.batch_parallel_dyn/args:num_shards/dynamic-type")
def dyn_num_shards_type(tf):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with fixed_system(tf, cores=2) as session:
        for two in (2, np.int64(2), np.uint8(2), _Two()):
            out = tf.tpu.batch_parallel_dyn(lambda x: x[:1], [x], num_shards=two)
            same(session.run(out), [[1.0, 3.0]])


@clause("tf.tpu.batch_parallel_dyn/args:name/any-object-ignored")
def dyn_name_ignored(tf):
    unnamed = _operations(tf, tf.tpu.batch_parallel_dyn, name=None)
    for name in (object(), 5, ["foo"]):
        same(_operations(tf, tf.tpu.batch_parallel_dyn, name=name), unnamed)


@clause("tf.tpu.batch_parallel_dyn/example/captured-constant")
def dyn_captured_constant(tf):
    _captured_constant(tf, tf.tpu.shard_dyn)
    _captured_constant(tf, tf.tpu.batch_parallel_dyn)
