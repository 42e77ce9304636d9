"""update, update_non_slot, non_slot_devices, colocate_vars_with and read_var."""

from __future__ import annotations

import pytest

import tpuref as tf

SUM = tf.VariableAggregation.SUM
MEAN = tf.VariableAggregation.MEAN
FIRST = tf.VariableAggregation.ONLY_FIRST_TOWER
ON_READ = tf.VariableSynchronization.ON_READ


@pytest.fixture
def strategy(strategy_of):
    """Four towers, in scope."""
    chosen = strategy_of(4)
    with chosen.scope():
        yield chosen


def test_134_140_components_one_by_one(strategy, evaluate):
    var, seen = tf.get_variable("var", initializer=1.0), []

    def fn(v):
        seen.append((v, tf.constant(0).device))
        return v.assign_add(1.0)

    updated = strategy.update(var, fn)
    assert isinstance(updated, tf.contrib.distribute.Mirrored)
    components = strategy.unwrap(var)
    assert seen == list(zip(components, strategy.worker_devices, strict=True))
    assert evaluate(strategy.unwrap(updated)) == [2.0] * 4
    assert evaluate([v.read_value() for v in components]) == [2.0] * 4


def test_135_a_plain_variable(strategy_of, evaluate):
    strategy, seen = strategy_of(2), []
    with tf.device("/device:CPU:0"):
        plain = tf.Variable(1.0)

    def fn(v):
        seen.append(v)
        return v.assign_add(1.0)

    with strategy.scope():
        updated = strategy.update(plain, fn)
    assert seen == [plain]
    assert isinstance(updated, tf.Tensor)
    assert updated.device == "/device:CPU:0"
    assert evaluate(updated) == 2.0


def test_136_mirrored_arguments(strategy):
    var, seen = tf.get_variable("var", initializer=1.0), []
    m = strategy.broadcast(tf.constant(2.0))
    strategy.update(var, lambda v, a, k: seen.append((v, a.device, k.device)), m, k=m)
    devices = strategy.worker_devices
    wanted = list(zip(strategy.unwrap(var), devices, devices, strict=True))
    assert seen == wanted


def test_136_mirrored_arguments_of_other_devices(strategy):
    with strategy.colocate_vars_with(strategy.worker_devices[:2]):
        var = tf.get_variable("var", initializer=1.0)
    far = strategy.broadcast(tf.constant(2.0), strategy.worker_devices[3])
    with pytest.raises(ValueError, match="has no component for the device"):
        strategy.update(var, lambda v, a: None, far)


@pytest.mark.parametrize("how", ["positional", "keyword", "nested"])
def test_137_per_device_arguments_are_refused(how, strategy):
    var = tf.get_variable("var", initializer=1.0)
    differing = strategy.worker_device_index
    args = {"positional": [differing], "keyword": [], "nested": [{"a": [differing]}]}
    kwargs = {"k": differing} if how == "keyword" else {}
    with pytest.raises(TypeError, match=r"strategy.reduce.*strategy.broadcast"):
        strategy.update(var, lambda v, *a, **k: None, *args[how], **kwargs)


@pytest.mark.parametrize("wrong", [3, None, "var"])
def test_138_only_variables_are_updated(wrong, strategy):
    with pytest.raises(TypeError, match="var must be a variable"):
        strategy.update(wrong, lambda v: v)
    with pytest.raises(TypeError, match="var must be a variable"):
        strategy.update(tf.constant(1.0), lambda v: v)


def test_139_the_variable_comes_first(strategy, evaluate):
    var = tf.get_variable("var", initializer=0.0)
    updated = strategy.update(var, lambda v, a, b=0: v.assign(a + b), 1.0, b=2.0)
    assert evaluate(strategy.unwrap(updated)) == [3.0] * 4


def test_140_what_is_the_same_everywhere_is_not_merged(strategy):
    var = tf.get_variable("var", initializer=0.0)
    assert strategy.update(var, lambda v: None) is None
    assert strategy.update(var, lambda v: 5) == 5
    assert strategy.update(var, lambda v: v) is var


def test_within_a_tower(strategy):
    var = tf.get_variable("var", initializer=0.0)
    with pytest.raises(RuntimeError, match="merge_call"):
        strategy.call_for_each_tower(lambda: strategy.update(var, lambda v: v))


def test_142_143_144_update_non_slot(strategy, evaluate):
    devices, seen = strategy.non_slot_devices([]), []

    def fn(*args, **kwargs):
        seen.append((args, kwargs))
        return tf.constant(1.0)

    merged = strategy.update_non_slot(devices, fn, 1, k=2)
    assert seen == [((1,), {"k": 2})] * 4
    parts = strategy.unwrap(merged)
    assert [part.device for part in parts] == devices
    assert evaluate(parts) == [1.0] * 4


def test_144_one_device_gives_the_value_itself(strategy):
    given = object()
    device = strategy.worker_devices[1]
    assert strategy.update_non_slot([device], lambda: given) is given
    assert strategy.update_non_slot(device, lambda: tf.constant(1)).device == device


def test_090_093_non_slot_devices(strategy):
    v = tf.get_variable("v", [])
    for var_list in ([v], [], None):
        assert strategy.non_slot_devices(var_list) == strategy.parameter_devices


def test_091_092_documented_use_of_non_slot_devices(strategy, evaluate):
    v = tf.get_variable("v", [])
    devices = strategy.non_slot_devices([v])
    with strategy.colocate_vars_with(devices):
        b = tf.get_variable("b", initializer=1.0)
    assert b.devices == devices
    grown = strategy.update_non_slot(devices, lambda: b.assign_add(1.0))
    evaluate(strategy.group(grown))
    assert evaluate([c.read_value() for c in strategy.unwrap(b)]) == [2.0] * 4


def test_062_064_variables_on_the_devices_of_another(strategy):
    with strategy.colocate_vars_with(strategy.worker_devices[:2]):
        var1 = tf.get_variable("var1", [])
    with strategy.colocate_vars_with(var1):
        var2, var3 = tf.get_variable("var2", []), tf.Variable(1.0)
    after = tf.get_variable("after", [])
    wanted = strategy.worker_devices[:2]
    assert [v.devices for v in (var1, var2, var3)] == [wanted] * 3
    assert [c.device for c in strategy.unwrap(var2)] == wanted
    assert after.devices == strategy.worker_devices


def test_063_065_only_inside_of_the_scope(strategy_of):
    strategy = strategy_of(2)
    with strategy.scope():
        v = tf.get_variable("v", [])
        manager = strategy.colocate_vars_with(v)
    assert hasattr(manager, "__enter__")
    assert hasattr(manager, "__exit__")
    with pytest.raises(RuntimeError, match=r"with strategy.scope\(\)"):
        strategy.colocate_vars_with(v)


@pytest.mark.parametrize(
    ("aggregation", "before", "after"),
    [(SUM, 20.0, 26.0), (MEAN, 5.0, 6.5), (FIRST, 5.0, 5.0)],
)
def test_095_tower_local_variables(aggregation, before, after, strategy, evaluate):
    v = tf.get_variable(
        "v", initializer=5.0, synchronization=ON_READ, aggregation=aggregation
    )
    assert isinstance(v, tf.contrib.distribute.TowerLocalVariable)
    assert v.trainable is False
    read = strategy.read_var(v)
    grown = strategy.call_for_each_tower(
        lambda: v.assign_add(float(tf.get_tower_context().tower_id))
    )
    assert evaluate(read) == before
    evaluate(strategy.unwrap(grown))
    assert evaluate([read, v + 0.0, v]) == [after] * 3


def test_095_other_variables_are_read_as_they_are(strategy, evaluate):
    mirrored = tf.get_variable("v", initializer=2.0)
    assert evaluate(strategy.read_var(mirrored)) == 2.0
    with pytest.raises(TypeError, match="tower_local_var must be a variable"):
        strategy.read_var(5)


def test_095_nothing_says_how_to_combine(strategy):
    v = tf.get_variable("v", initializer=5.0, synchronization=ON_READ)
    with pytest.raises(ValueError, match="no aggregation that combines its components"):
        strategy.read_var(v)


def test_095_tower_local_variables_are_assigned_in_towers(strategy):
    v = tf.get_variable("v", initializer=5.0, synchronization=ON_READ, aggregation=SUM)
    with pytest.raises(ValueError, match="can be assigned only within"):
        v.assign(1.0)
