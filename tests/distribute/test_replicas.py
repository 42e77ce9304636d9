"""Strategies of TensorFlow 2.

What is expected was measured on TensorFlow 2.4.4 with MirroredStrategy on logical CPUs.
"""

import contextlib

import pytest
from tpuref_conformance.clause import checks
from tpuref_conformance.probes import version_2
from tpuref_conformance.suite import distribute_contexts, distribute_strategy

import tpuref as tf
from tpuref.engine.runtime import replication

from .conftest import local, numbered

SUM = tf.VariableAggregation.SUM


pytestmark = pytest.mark.usefixtures("eager")


@pytest.fixture(params=["cores", "host"])
def strategy(request):
    if request.param == "host":
        yield tf.distribute.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"])
        return
    with tf.config.override(cores=3):
        yield tf.distribute.TPUStrategy()


SUITE = distribute_strategy, distribute_contexts
STATED = {
    statement: check
    for statement, check in checks().items()
    if check.__module__ in {module.__name__ for module in SUITE}
    # Cores call a function once for all replicas, processors once for each.
    and not statement.endswith((".run/behaviour/replica-context", "/in-scope"))
}


@pytest.mark.parametrize("executor", ["lockstep", "pool", "xla"])
@pytest.mark.parametrize("statement", STATED)
def test_cores_do_what_is_stated_of_replicas(statement, executor, monkeypatch):
    """The clauses themselves run on processors, which every release has."""
    if executor == "xla":
        pytest.importorskip("jax", reason="JAX is not installed")
        if statement.endswith("/element-spec"):
            pytest.skip("XLA wants one size in all replicas")

    @contextlib.contextmanager
    def on_cores(tf, count=3):
        settings = tf.config.override(cores=count, executor=executor)
        with version_2(tf) as module, settings:
            yield module, module.distribute.TPUStrategy()

    for module in SUITE:
        monkeypatch.setattr(module, "replicas", on_cores)
    STATED[statement](tf)


def test_a_plain_function_makes_variables_at_each_call(strategy):
    with strategy.scope():
        total = tf.Variable(0.0, aggregation=SUM)

    def step(x):
        own = tf.Variable(1.0, aggregation=SUM)
        own.assign_add(x)
        total.assign_add(own.read_value())
        return own, "a text", x + 1.0

    for wanted in (21.0, 42.0):  # three times 1 + 6 at each call
        own, text, more = strategy.run(step, args=(numbered(strategy),))
        assert (float(own), text, float(total)) == (7.0, "a text", wanted)
        assert local(strategy, more) == [2, 3, 4]


def test_values_that_cannot_be_reduced(strategy):
    x = numbered(strategy)
    rows = strategy.experimental_distribute_values_from_function(
        lambda c: tf.constant([[1.0, 2.0]] * (c.replica_id_in_sync_group + 1))
    )
    with pytest.raises(ValueError, match="one value for all 3 replicas"):
        strategy.reduce("SUM", 4.0, axis=None)
    with pytest.raises(ValueError, match="TPUREF-E098"):
        strategy.reduce("MAX", x, axis=None)
    with pytest.raises(ValueError, match="differ"):
        strategy.reduce("SUM", rows, axis=None)


SHARES = [
    (10, 4, False, [[[0, 1], [2, 3], []], [[4, 5], [6, 7], []], [[8], [9], []]]),
    (10, 5, False, [[[0, 1], [2, 3], [4]], [[5, 6], [7, 8], [9]]]),
    (3, 6, False, [[[0], [1], [2]]]),
]


@pytest.mark.parametrize(("rows", "batch", "drop", "expected"), SHARES)
def test_batches_are_divided(strategy, rows, batch, drop, expected):
    dataset = tf.data.Dataset.range(rows).batch(batch, drop_remainder=drop)
    divided = strategy.experimental_distribute_dataset(dataset)
    assert [local(strategy, x) for x in divided] == expected
    with pytest.raises(ValueError, match="TPUREF-E021"):
        strategy.experimental_distribute_dataset(tf.data.Dataset.range(rows))


def test_steps_over_an_iterator_within_a_function(strategy):
    dataset = tf.data.Dataset.range(24).batch(6, drop_remainder=True)
    distributed = strategy.experimental_distribute_dataset(dataset)
    with strategy.scope():
        total = tf.Variable(tf.constant(0, tf.int64), aggregation=SUM)

    def step_fn(x):
        total.assign_add(tf.reduce_sum(x))

    @tf.function
    def steps(iterator, count):
        for _ in tf.range(count):
            strategy.run(step_fn, args=(next(iterator),))

    steps(iter(distributed), tf.constant(3))
    assert int(total) == sum(range(18))
    iterator = iter(distributed)
    with pytest.raises(tf.errors.OutOfRangeError):
        steps(iterator, tf.constant(5))
    assert steps.experimental_get_tracing_count() == 1


def test_one_replica_returns_plain_values():
    for strategy in (
        tf.distribute.get_strategy(),
        tf.distribute.OneDeviceStrategy("CPU:0"),
        tf.distribute.OneDeviceStrategy("TPU:0"),
        tf.distribute.MirroredStrategy(),
    ):
        assert strategy.num_replicas_in_sync == 1
        assert float(strategy.run(lambda x: x + 1.0, args=(tf.constant(1.0),))) == 2.0
        assert float(strategy.reduce("SUM", tf.constant([1.0, 2.0]), axis=0)) == 3.0


def test_what_a_strategy_refuses():
    for made in (
        lambda: tf.distribute.MirroredStrategy(["GPU:0"]),
        lambda: tf.distribute.MirroredStrategy([]),
        lambda: tf.distribute.OneDeviceStrategy("TPU:99"),
    ):
        with pytest.raises(ValueError, match="TPUREF-E098"):
            made()
    with pytest.raises(NotImplementedError, match="parameter servers"):
        tf.distribute.experimental.ParameterServerStrategy()


def test_replicas_on_assigned_cores():
    with tf.config.override(topology="2x2x1"):
        topology = tf.tpu.experimental.initialize_tpu_system()
        kind = tf.tpu.experimental.DeviceAssignment
        strategy = tf.distribute.TPUStrategy(None, kind.build(topology, num_replicas=2))
        assert strategy.num_replicas_in_sync == 2
        ones = strategy.run(tf.function(lambda: tf.constant(1)))
        assert local(strategy, ones) == [1, 1]
        tf.tpu.experimental.shutdown_tpu_system()
        with pytest.raises(tf.errors.FailedPreconditionError):
            strategy.run(tf.function(lambda: tf.constant(2)))
        tf.tpu.experimental.initialize_tpu_system()


def test_a_server_runs_what_eager_mode_runs():
    pytest.importorskip("grpc")
    server = tf.train.Server({"worker": ["localhost:0"]}, job_name="worker")
    resolver = tf.distribute.cluster_resolver.TPUClusterResolver(server.target)
    try:
        with tf.config.override(cores=2):
            tf.config.experimental_connect_to_cluster(resolver)
            tf.tpu.experimental.initialize_tpu_system(resolver)
            assert len(tf.config.list_logical_devices("TPU")) == 2
            strategy = tf.distribute.TPUStrategy(resolver)
            with strategy.scope():
                total = tf.Variable(1.0, aggregation=SUM)
            strategy.run(tf.function(lambda: total.assign_add(2.0)))
            assert float(total) == 5.0
    finally:
        tf.config.experimental_connect_to_cluster(
            tf.distribute.cluster_resolver.TPUClusterResolver("local")
        )
        server.stop()


def test_an_input_iterator_is_initialized_by_a_method():
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with tf.Graph().as_default(), strategy.scope():
        iterator = strategy.make_input_fn_iterator(lambda _: tf.data.Dataset.range(3))
        first = iterator.get_next()
        with tf.Session() as session:
            for _ in range(2):  # the second time it begins again
                session.run(iterator.initialize())
                assert [session.run(first) for _ in range(3)] == [0, 1, 2]
    with tf.eager_execution():
        iterator = strategy.make_input_fn_iterator(lambda _: tf.data.Dataset.range(3))
        assert iterator.initialize() == []
        assert int(iterator.get_next()) == 0


@pytest.mark.parametrize(("rows", "sizes"), [(9, [9, 9, 2]), (6, [6, 6, 6, 2])])
def test_element_spec_is_a_signature(strategy, rows, sizes):
    dataset = tf.data.Dataset.range(20).map(lambda x: {"b": (x, (x, x)), "a": x})
    elements = strategy.experimental_distribute_dataset(dataset.batch(rows))
    assert elements.element_spec["a"].values == (tf.TensorSpec([None], tf.int64),) * 3
    assert repr(iter(elements).element_spec) == repr(elements.element_spec)
    traced = []

    @tf.function(input_signature=[elements.element_spec])
    def size(element):
        traced.append(1)
        found = strategy.run(lambda x: tf.size(x["b"][1][1]), args=(element,))
        return strategy.reduce("SUM", found, axis=None)

    assert [int(size(element)) for element in elements] == sizes
    assert traced == [1]
    step = size.get_concrete_function()
    assert [int(step(element)) for element in elements] == sizes
    assert traced == [1]


def test_element_spec_of_datasets_and_iterators():
    dataset = tf.data.Dataset.range(4).map(lambda x: (x, {"a": x})).batch(2)
    spec = (tf.TensorSpec([None], tf.int64), {"a": tf.TensorSpec([None], tf.int64)})
    assert dataset.element_spec == iter(dataset).element_spec == spec


def test_all_reduce_of_one_tensor_counts_it_once_for_each_replica(strategy):
    def total(x):
        context = tf.distribute.get_replica_context()
        sums = context.all_reduce("SUM", {"a": x, "b": [5]})
        return sums, context.all_reduce("MEAN", x)

    sums, mean = strategy.run(total, args=(tf.constant(2.0),))
    assert local(strategy, sums["a"]) == [6.0] * 3
    assert local(strategy, sums["b"][0]) == [15] * 3
    assert local(strategy, mean) == [2.0] * 3


def test_what_cores_take_and_return_are_tensors_of_each_replica():
    """As on TPUs; on a host one object stays one, as in 2.21 on two logical CPUs."""
    one = tf.constant(3.0)

    def plain(x):
        return one, x, None

    for devices in (2, 1):
        with tf.config.override(cores=devices):
            strategy = tf.distribute.TPUStrategy()
            for function in (tf.function(plain), plain):
                *values, nothing = strategy.run(function, args=(2.0,))
                assert nothing is None
                assert [isinstance(v, tf.Tensor) for v in values] == [devices == 1] * 2
                found = [local(strategy, v) for v in values]
                assert found == [[3.0] * devices, [2.0] * devices]
    assert tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).run(lambda: one) is one


def test_a_replica_differentiates_a_number_that_it_is_given():
    with tf.config.override(cores=2):
        strategy = tf.distribute.TPUStrategy()

        @tf.function
        def step():
            return strategy.run(lambda x: tf.gradients([x * x], [x])[0], args=(2.0,))

        assert local(strategy, step()) == [4.0, 4.0]


@pytest.mark.parametrize("traced", [False, True])
def test_a_reduction_is_computed_on_the_host(monkeypatch, traced):
    """So a step with one runs one replicated computation; TensorFlow 2.21 agrees."""
    ran = []
    monkeypatch.setattr(replication, "OBSERVERS", [lambda *run: ran.append(run)])
    with tf.config.override(cores=3):
        strategy = tf.distribute.TPUStrategy()
        rows = strategy.experimental_distribute_values_from_function(
            lambda context: tf.constant([context.replica_id_in_sync_group + 1.0])
        )
        places = []

        def step():
            doubled = strategy.run(lambda x: x + x, args=(rows,))
            mean = strategy.reduce("MEAN", doubled, axis=None)
            whole = strategy.gather(doubled, axis=0)
            with tf.device("CPU:2"):
                total = strategy.reduce("SUM", doubled, axis=None)
            places[:] = [each.device for each in (mean, whole, total)]
            return mean, whole, total

        mean, whole, total = (tf.function(step) if traced else step)()
    assert (mean.numpy(), total.numpy()) == ([4.0], [12.0])
    assert whole.numpy().tolist() == [2.0, 4.0, 6.0]
    assert places == ["/device:CPU:0", "/device:CPU:0", "/device:CPU:2"]
    assert len(ran) == 1
