"""Loops of tf.contrib.tpu: values, structures, infeed queues, errors."""

import pytest

import tpuref as tf
from tpuref.python.tpu import tpu_function

tpu = tf.contrib.tpu


pytestmark = pytest.mark.usefixtures("short_waits")


def test_repeat_on_three_replicas(session):
    def body(x, y):
        return x + y, tpu.cross_replica_sum(y)

    out = tpu.replicate(
        lambda x, y: tpu.repeat(3, body, [x, y]), [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
    )
    # y is 1, 2, 3; then 6 on each; then 18
    wanted = [[1.0 + 1 + 6 + 18, 54.0], [2.0 + 2 + 24, 54.0], [3.0 + 3 + 24, 54.0]]
    for _ in range(2):
        assert session.run(out) == wanted


@pytest.mark.parametrize("n", [0, 1, 4])
def test_repeat_counts_by_a_tensor(session, n):
    count = tf.placeholder(tf.int32, [])
    out = tpu.rewrite(lambda n: tpu.repeat(n, lambda x: x * 2, [3]), [count])
    assert session.run(out, {count: n}) == [3 * 2**n]


def test_while_loops_in_loops(session):
    def outer(i, x):
        return i + 1, tpu.repeat(2, lambda y: y + i, x)[0]

    out = tpu.rewrite(lambda: tpu.while_loop(lambda i, x: i < 4, outer, (0, 10)))
    assert session.run(out) == [4, 10 + 2 * (0 + 1 + 2 + 3)]


def test_operations_of_every_turn_run(evaluate):
    v = tf.get_variable("v", [], tf.int32, initializer=tf.zeros_initializer())
    one = tpu.rewrite(lambda: tpu.repeat(5, lambda: tf.assign_add(v, 2).op))
    two = tpu.rewrite(
        lambda: tpu.while_loop(
            lambda x: x < 3, lambda x: [x + 1, tf.assign_add(v, 100).op], [0]
        )
    )
    assert evaluate(one) is None
    assert evaluate(v) == 10
    assert evaluate(two) == (3,)
    assert evaluate(v) == 310


@pytest.mark.parametrize(
    ("build", "kinds"),
    [
        (lambda: tpu.repeat(3, tf.no_op), tf.Operation),
        (lambda: tpu.repeat(3, list), tf.Operation),
        (lambda: tpu.repeat(3, lambda: [], []), tf.Operation),
        (lambda: tpu.repeat(3, lambda x: x + 1, tf.constant(1.0)), [tf.Tensor]),
        (lambda: tpu.repeat(3, lambda x, y: (x, y), [1.0, [2, 3]]), [tf.Tensor] * 2),
        (lambda: tpu.while_loop(lambda: tf.constant(False), list), tf.Tensor),
        (lambda: tpu.while_loop(lambda x: x < 3, lambda x: x + 1, [0]), tf.Tensor),
        (lambda: tpu.while_loop(lambda x, y: x < 3, lambda x, y: (x + 1, y, tf.no_op()),
         (0, 1.0)), [tf.Tensor] * 2),
    ],
)  # fmt: skip
def test_what_comes_back(build, kinds):
    # As TensorFlow 1.15.5.
    found = build()
    if isinstance(kinds, list):
        assert isinstance(found, list) and len(found) == len(kinds)
        assert all(map(isinstance, found, kinds))
    else:
        assert isinstance(found, kinds)


def test_every_turn_takes_a_tuple_of_the_queue(session):
    queue = tpu.InfeedQueue(
        tuple_types=[tf.float32, tf.int32], tuple_shapes=[[6], [3, 2]]
    )

    def body(total, x, k):
        return total + tf.reduce_sum(x) * tf.cast(tf.reduce_sum(k), tf.float32)

    out = tpu.replicate(lambda: tpu.repeat(2, body, [0.0], queue), [[]] * 3)
    assert queue.number_of_shards == 3
    x = tf.placeholder(tf.float32, [6])
    enqueue = queue.split_inputs_and_generate_enqueue_ops(
        [x, tf.constant([[1, 0], [0, 2], [3, 0]])]
    )
    for _ in range(2):
        session.run(enqueue, {x: [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]})
        session.run(enqueue, {x: [10.0, 0.0, 20.0, 0.0, 30.0, 0.0]})
        assert session.run(out) == [[12.0], [48.0], [108.0]]


def test_a_queue_needs_a_computation():
    queue = tpu.InfeedQueue(tuple_types=[tf.int32], tuple_shapes=[[2]])
    with pytest.raises(ValueError, match="tpu_shard_context"):
        tpu.repeat(3, lambda x, fed: x, [0], queue)
    with tpu_function.tpu_shard_context(2):
        tpu.repeat(3, lambda x, fed: x, [0], queue)
    assert queue.number_of_shards == 2


@pytest.mark.parametrize(
    ("build", "error", "fault"),
    [
        (lambda: tpu.repeat(3, lambda x, y: x, [0]), TypeError, "exactly 2 inputs"),
        (lambda: tpu.repeat(3, lambda x, y: x, [0]), ValueError, "exactly 2 inputs"),
        (lambda: tpu.while_loop(lambda x, y: x < 3, lambda x: x, [0]), TypeError,
         "condition .* exactly 2 inputs"),
        (lambda: tpu.repeat(3, lambda: None), ValueError, "body returns None"),
        (lambda: tpu.repeat(3, lambda x: [tf.no_op(), x], [0]), ValueError,
         "tensors followed by operations"),
        (lambda: tpu.repeat(3, lambda x: tf.to_float(x), [0]), TypeError, "float32"),
        (lambda: tpu.repeat(3, lambda x: [x, x], [0]), TypeError, "one value"),
        (lambda: tpu.repeat(3, lambda x: tf.concat([x, x], 0), [[0]]), ValueError,
         "shape_invariants"),
        (lambda: tpu.while_loop(lambda x: x < 3, lambda x: x, tf.constant(1)),
         TypeError, "must be a list"),
    ],
)  # fmt: skip
def test_faults(build, error, fault):
    with pytest.raises(error, match=fault):
        build()


def test_the_number_of_shards_while_a_computation_is_built():
    context = tpu_function.get_tpu_context()
    seen = []

    def computation():
        seen.append(context.number_of_shards)

    tpu.replicate(computation, [[]] * 3)
    tpu.batch_parallel(computation, num_shards=2)
    tpu.rewrite(computation)
    assert seen == [3, 2, 1]
    assert context.number_of_shards is None
    with pytest.raises(ZeroDivisionError):
        tpu.rewrite(lambda: 1 // 0)
    assert context.number_of_shards is None


def test_shard_contexts_do_not_nest():
    with tpu_function.tpu_shard_context(4):
        assert tpu_function.get_tpu_context().number_of_shards == 4
        with pytest.raises(NotImplementedError, match="cannot be nested"):
            tpu.rewrite(tf.no_op)
    tpu_function.get_tpu_context().set_number_of_shards(5)
    assert tpu_function.get_tpu_context().number_of_shards == 5
    tpu_function.get_tpu_context().set_number_of_shards(None)


def test_sharding_policies_are_views_of_the_queue():
    queue = tpu.InfeedQueue(
        tuple_types=[tf.int32, tf.int32], tuple_shapes=[[6, 4], [4, 2]]
    )
    first, second = queue.sharding_policies
    assert str(first) == "ShardingPolicy(unset)"
    second.set_number_of_shards(2)
    first.set_shard_dimension(1)
    assert queue.number_of_shards == 2 and queue.shard_dimensions == [1, None]
    queue.freeze()
    assert str(first) == "ShardingPolicy(2 shards dimension 1)"
    assert second.shard_dimension == 0
    assert first.get_sharded_shape([6, 4]).as_list() == [6, 2]
    assert second.get_unsharded_shape([[2, 2], [2, 2]]).as_list() == [4, 2]
    with pytest.raises(ValueError, match="frozen"):
        first.set_number_of_shards(4)
    with pytest.raises(ValueError, match="frozen"):
        second.set_shard_dimension(1)
