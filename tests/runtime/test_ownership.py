"""What a run keeps is its own: neither what was fed nor what was fetched changes it."""

import numpy as np
import pytest

import tpuref as tf
from tpuref.engine.runtime.pool.host.memory import InputBlocks
from tpuref.kernels.slab import Slab

SIZE = 100_000


@pytest.fixture(params=["lockstep", "pool"])
def session(request):
    with tf.config.override(executor=request.param, cores=2), tf.Session() as opened:
        yield opened


def test_a_variable_is_not_what_was_fetched(evaluate):
    variable = tf.get_variable("v", [SIZE], initializer=tf.zeros_initializer())
    (doubled,), _ = tf.tpu.replicate(lambda x: x * 2.0, [[tf.ones([SIZE])]] * 2)
    assigned = tf.assign(variable, doubled)
    for fetch in ([assigned, doubled], [doubled, assigned], [assigned]):
        for result in evaluate(fetch):
            result[:] = 7.0
        assert evaluate(variable)[0] == 2.0


def test_a_queue_keeps_what_was_fed(session):
    queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[4]])
    queue.set_number_of_shards(2)
    fed = tf.placeholder(tf.float32, [4])
    enqueue = queue.split_inputs_and_generate_enqueue_ops([fed])
    out = tf.tpu.replicate(lambda: queue.generate_dequeue_op(), [[]] * 2)
    data = np.ones(4, np.float32)
    session.run(enqueue, {fed: data})
    data[:] = 7.0
    assert [part.tolist() for (part,) in session.run(out)] == [[1.0, 1.0]] * 2


def test_a_dataset_keeps_what_was_fed(session):
    fed = tf.placeholder(tf.float32, [2])
    iterator = tf.data.Dataset.from_tensor_slices(fed).make_initializable_iterator()
    element = iterator.get_next()
    data = np.ones(2, np.float32)
    session.run(iterator.initializer, {fed: data})
    data[:] = 7.0
    assert [session.run(element) for _ in data] == [1.0, 1.0]


def sharded(axis):
    x, axes = tf.placeholder(tf.float32, [200, 400]), [axis]
    options = {"input_shard_axes": axes, "output_shard_axes": axes}
    (out,) = tf.tpu.shard(lambda part: part + 1.0, [x], num_shards=2, **options)
    return x, out


@pytest.mark.parametrize("axis", [0, 1])
def test_sharded_results_are_handed_out_where_they_lie(session, axis):
    x, out = sharded(axis)
    data = np.arange(80_000, dtype=np.float32).reshape(200, 400)
    for _ in range(2):
        result = session.run(out, {x: data})
        np.testing.assert_array_equal(result, data + 1.0)
    assert Slab.of(result) is not None or axis == 0
    result[:] = 0.0
    np.testing.assert_array_equal(session.run(out, {x: data}), data + 1.0)


def test_a_split_along_any_axis_copies_once(monkeypatch):
    lay_there: list[bool] = []
    place = InputBlocks._place

    def noting(self, array):
        lay_there.append(self._memory.arena.start_of(array) is not None)
        return place(self, array)

    monkeypatch.setattr(InputBlocks, "_place", noting)
    with tf.config.override(executor="pool", cores=2), tf.Session() as session:
        session.run(tf.tpu.initialize_system())
        x, out = sharded(1)
        session.run(out, {x: np.zeros((200, 400), np.float32)})
    assert lay_there == [True, True]  # the split has put the shards where cores read


def test_a_variable_is_not_the_memory_of_another_library():
    memory = np.ones(4, np.float32)
    with tf.Session() as session:
        variable = tf.get_variable("v", [4], initializer=tf.zeros_initializer())
        fed = tf.placeholder(tf.float32, [4])
        session.run(tf.assign(variable, fed), {fed: np.from_dlpack(memory)})
        memory[:] = 7.0
        assert session.run(variable).tolist() == [1.0] * 4
