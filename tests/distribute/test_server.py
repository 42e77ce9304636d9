"""A strategy on a server of this computer, and steps fed from the client."""

import numpy as np
import pytest

import tpuref as tf

pytest.importorskip("grpc", reason="needs the extra for servers")
pytest.importorskip("proto", reason="needs the extra for servers")

SUM = tf.VariableAggregation.SUM


@pytest.mark.parametrize("num_cores", [None, 3])
def test_007_011_towers_on_the_cores_of_a_server(num_cores):
    with tf.config.override(cores=4, executor="lockstep"):
        server = tf.train.Server.create_local_server()
        resolver = tf.contrib.cluster_resolver.TPUClusterResolver(tpu=server.target)
        strategy = tf.contrib.distribute.TPUStrategy(resolver, 1, num_cores)
        towers = num_cores or 4
        assert (strategy.num_hosts, strategy.num_towers) == (1, towers)
        assert strategy.worker_devices[2] == "/job:local/task:0/device:TPU:2"
        with strategy.scope(), tf.Session(server.target) as sess:
            v = tf.get_variable("v", initializer=0.0, aggregation=SUM)
            grown = strategy.call_for_each_tower(
                lambda: v.assign_add(tf.get_tower_context().tower_id + 1.0)
            )
            sess.run(strategy.initialize())
            sess.run(tf.global_variables_initializer())
            values = sess.run(strategy.unwrap(grown))
        np.testing.assert_array_equal(values, [sum(range(1, towers + 1))] * towers)
        server.stop()


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_steps_are_fed_from_the_client(executor, strategy):
    zero = tf.constant(0, tf.int64)
    total = tf.get_variable("total", initializer=zero, aggregation=SUM)

    def fn(context, x):
        strategy.call_for_each_tower(total.assign_add, x)
        context.set_last_step_output("x", x)

    dataset = strategy.distribute_dataset(lambda: tf.data.Dataset.range(60))
    iterator = dataset.make_one_shot_iterator()
    context = strategy.run_steps_on_dataset(fn, iterator, iterations=20)
    with tf.config.override(cores=2, executor=executor):
        server = tf.train.Server({"worker": ["localhost:0"]})
        try:
            with tf.Session(server.target) as session:
                session.run(tf.global_variables_initializer())
                assert session.run(context.last_step_outputs) == {"x": [38, 39]}
                assert session.run(strategy.unwrap(total)) == [sum(range(40))] * 2
                with pytest.raises(tf.errors.OutOfRangeError, match="for 10 of them"):
                    session.run(context.run_op)
        finally:
            server.stop()
