"""Steps on the cores of a server, fed by a dataset of the client's."""

import pytest

import tpuref as tf

pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_steps_are_fed_from_the_client(executor, strategy_of):
    strategy = strategy_of(2)
    with strategy.scope():
        total = tf.get_variable(
            "total",
            initializer=tf.constant(0, tf.int64),
            aggregation=tf.VariableAggregation.SUM,
        )

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
