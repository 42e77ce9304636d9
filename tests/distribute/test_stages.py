"""How the operations of towers are cut into stages on the cores and on the host."""

import numpy as np

import tpuref as tf
from tpuref.engine.graph.lowering import lower

from .conftest import summed_on_read

SUM = tf.VariableAggregation.SUM
MEAN = tf.VariableAggregation.MEAN


def tower():
    return tf.get_tower_context().tower_id


def program_of(fetches):
    tensors = [f for f in fetches if isinstance(f, tf.Tensor)]
    return lower(tensors, [f for f in fetches if isinstance(f, tf.Operation)], [])


def stages_of(program):
    return [i.blocks[0] for i in program.instrs if i.op == "TPUReplicate"]


def test_a_training_step_is_one_stage(strategy):
    w = tf.get_variable("w", [3], aggregation=MEAN)

    def step(x):
        return w.assign_sub(0.1 * (w - x)), tf.reduce_sum((w - x) ** 2)

    x = tf.constant([1.0, 2.0, 3.0])
    grown, losses = strategy.call_for_each_tower(step, x)
    total = strategy.reduce(MEAN, losses, losses)
    program = program_of([*strategy.unwrap(grown), *strategy.unwrap(total)])
    (stage,) = stages_of(program)
    assert [i.op for i in program.instrs] == ["Const", "TPUReplicate"]
    sums = [i for i in stage.instrs if i.op == "CrossReplicaSum"]
    assert len(sums) == 2
    assert all(i.replica is None for i in sums)
    assert {i.replica for i in stage.instrs} == {None}
    (change,) = [i for i in stage.instrs if i.op == "AssignSub"]
    assert stage.components == (tuple(v.handle for v in w.components),)
    assert change.attrs["handle"] == w.primary.handle


def test_arithmetic_across_towers_is_the_hosts(strategy):
    def fn():
        context = tf.get_tower_context()
        own = tf.constant(1.0) + context.tower_id
        return context.merge_call(lambda d, x: sum(d.unwrap(x)), own) * 2.0

    program = program_of(strategy.unwrap(strategy.call_for_each_tower(fn)))
    places = [i.op for i in program.instrs if i.op in ("TPUReplicate", "AddV2")]
    assert places == ["TPUReplicate", "AddV2", "AddV2", "TPUReplicate"]


def test_a_sum_of_only_some_towers_is_no_sum_of_all(strategy_of):
    strategy = strategy_of(3)
    with strategy.scope():
        value = strategy.call_for_each_tower(lambda: tf.constant(1.0))
        mapped = strategy.map(strategy.unwrap(value)[:2], lambda x: x)
        total = strategy.reduce(SUM, mapped, strategy.worker_devices[0])
    program = program_of(strategy.unwrap(total))
    operations = [i.op for stage in stages_of(program) for i in stage.instrs]
    assert "CrossReplicaSum" not in operations
    assert operations.count("TowerSum") == 1


def test_towers_of_two_systems_in_one_run(strategy_of, session):
    results = []
    for towers in (2, 3):
        strategy = strategy_of(towers)
        with strategy.scope():
            value = strategy.call_for_each_tower(lambda: tf.constant(1.0) + tower())
            results += strategy.unwrap(strategy.reduce(SUM, value, value))
    assert session.run(results) == [3.0, 3.0, 6.0, 6.0, 6.0]
    assert len(stages_of(program_of(results))) == 2


def test_what_a_tower_puts_on_the_cpu_is_the_hosts(strategy, traced):
    def fn():
        with tf.device("/cpu:0"):
            host = tf.constant(1.0) + 1.0
        return host * 2.0

    values, trace = traced(strategy.unwrap(strategy.call_for_each_tower(fn)))
    assert values == [4.0, 4.0]
    ran = {record.operation for record in trace}
    assert "mul" in ran
    assert "add" not in ran


def test_host_functions_of_towers(strategy):
    seen = []

    def fn():
        def host(x):
            seen.append(float(x))
            return x + np.float32(1)

        return tf.py_func(host, [tf.constant(float(tower()))], tf.float32)

    values = strategy.unwrap(strategy.call_for_each_tower(fn))
    for executor in ("lockstep", "pool"):
        with tf.config.override(cores=2, executor=executor), tf.Session() as sess:
            assert sess.run(values) == [1.0, 2.0]
    assert sorted(seen) == [0.0, 0.0, 1.0, 1.0]


def test_fetching_variables_adds_nothing_the_second_time(strategy, session):
    mirrored = tf.get_variable("m", initializer=1.0)
    local = summed_on_read("l", 2.0)
    fetches = [mirrored, local]
    for _ in range(2):
        session.run([mirrored.initializer, local.initializer])
        assert session.run(fetches) == [1.0, 4.0]
        tf.get_default_graph().finalize()
