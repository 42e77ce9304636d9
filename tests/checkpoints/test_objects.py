"""Checkpoints of objects, and their manager."""

import logging

import numpy as np
import pytest

import tpuref as tf
from tpuref.interface.checkpoints.stored import write_checkpoint


class Net:
    """What a program may write as a model."""

    def __init__(self, value):
        self.layers = [tf.Variable([value]), tf.Variable([value + 1])]
        self.named = {"a/b": tf.Variable([value + 2])}
        self.again = self.layers[0]
        self.whole = self  # a circle
        self.function = len

    def values(self):
        return [float(v.numpy()[0]) for v in (*self.layers, self.named["a/b"])]


def test_objects_in_eager_mode(tmp_path, eager):
    path = tf.train.Checkpoint(net=Net(1.0)).save(str(tmp_path / "ckpt"))
    assert path == tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "ckpt-1")
    net = Net(10.0)
    tf.train.Checkpoint(net=net).restore(path).assert_consumed()
    assert net.values() == [1.0, 2.0, 3.0]
    end = "/.ATTRIBUTES/VARIABLE_VALUE"  # the names that TensorFlow gives
    assert [name for name, _ in tf.train.list_variables(path)] == [
        f"net/again{end}", f"net/layers/1{end}", f"net/named/a.Sb{end}",
        f"save_counter{end}",
    ]  # fmt: skip


def test_names_of_another_saver(tmp_path, eager):
    """As in TensorFlow, whose names depend on what was built before it saved."""
    objects = [
        {"children": {"layers": 1, "optimizer": 4}},
        {"children": {"0": 2, "1": 3}},
        {"children": {}, "variable": "first"},
        {"children": {}, "variable": "second"},
        {"children": {"weight": 2}, "slots": [[2, "momentum", 5]]},
        {"children": {}, "variable": "velocity"},
    ]
    arrays = {name: np.zeros(1, "f") + len(name) for name in ("first", "second")}
    prefix = str(tmp_path / "m")
    write_checkpoint(prefix, {**arrays, "velocity": np.full(1, 9, "f")}, objects)
    optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
    layers = [tf.Variable([0.0]), tf.Variable([0.0])]
    status = tf.train.Checkpoint(layers=layers, optimizer=optimizer).read(prefix)
    assert [float(v.numpy()[0]) for v in layers] == [5.0, 6.0]
    optimizer.apply_gradients([(tf.constant([0.0]), layers[0])])
    status.assert_consumed()
    velocity = optimizer.get_slot(layers[0], "momentum").numpy()
    assert velocity == np.float32(9) * np.float32(0.9)


@pytest.mark.parametrize(
    "objects",
    [
        [{"children": {"a": 1}}],
        [{"children": []}],
        [{"children": {}, "variable": 3}],
        [{"children": {}, "slots": [[0, "m", 0]]}],
        [{"children": {}, "slots": 7}],
        ["root"],
    ],
)
def test_damaged_objects(objects, tmp_path):
    write_checkpoint(str(tmp_path / "m"), {}, objects)
    with pytest.raises(tf.errors.DataLossError, match="it is damaged"):
        tf.train.load_checkpoint(str(tmp_path / "m"))


def test_a_list_as_the_root(tmp_path, eager):
    variables = [tf.Variable(1.0), tf.Variable(2.0)]
    path = tf.train.Checkpoint(variables).write(tmp_path / "ckpt")
    variables[1].assign(0.0)
    tf.train.Checkpoint(root=variables).restore(path)
    assert float(variables[1]) == 2.0
    assert tf.train.list_variables(path)[0][0] == "0/.ATTRIBUTES/VARIABLE_VALUE"


def test_objects_in_a_graph(tmp_path):
    v = tf.Variable([1.0])
    checkpoint = tf.train.Checkpoint(v=v)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    with tf.Session() as sess:
        assert manager.restore_or_initialize() is None
        paths = [manager.save() for _ in range(3)]
        assert manager.checkpoints == paths[1:]
        v.load([5.0], sess)
        paths.append(manager.save(checkpoint_number=77))
        assert paths[-1].endswith("ckpt-77")
    with tf.Session() as sess:
        again = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
        assert again.restore_or_initialize() == paths[-1] == again.latest_checkpoint
        assert sess.run(v).tolist() == [5.0]
        assert again.save().endswith("ckpt-4")
        assert len(again.checkpoints) == 2


def test_objects_and_values_that_do_not_match(tmp_path, caplog, eager):
    saved = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0))
    path = saved.save(str(tmp_path / "c"))
    a = tf.Variable(0.0)
    with caplog.at_level(logging.WARNING, logger="tpuref"):
        status = tf.train.Checkpoint(a=a).restore(path)
    assert "no variable takes: b/" in caplog.text
    status.expect_partial().assert_existing_objects_matched()
    assert float(a) == 1.0
    with pytest.raises(AssertionError, match="no variable takes: b/"):
        status.assert_consumed()
    other = tf.train.Checkpoint(z=tf.Variable(0.0)).restore(path)
    with pytest.raises(AssertionError, match="no values for z/"):
        other.assert_existing_objects_matched()
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.train.Checkpoint(a=tf.Variable([1.0])).restore(path)


class Late:
    """Makes its variables when it is first called, as a layer does."""

    def __call__(self, x):
        if not hasattr(self, "w"):
            self.w = [tf.Variable(0.0), tf.Variable(0.0)]
        return self.w[0] * x + self.w[1]


def trained(model, optimizer, steps):
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.square(model(2.0) - 1.0) + tf.square(model(-1.0))
        variables = model.w
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
    return [float(v) for v in model.w]


def test_variables_and_slots_made_later_are_restored(tmp_path, eager):
    """Seven steps at once give what three, a restored checkpoint and four give."""
    model, adam = Late(), tf.train.AdamOptimizer(0.1)
    trained(model, adam, 3)
    path = tf.train.Checkpoint(model=model, adam=adam).save(str(tmp_path / "c"))
    stored = [name for name, _ in tf.train.list_variables(path)]
    assert "model/w/1/.OPTIMIZER_SLOT/adam/m/.ATTRIBUTES/VARIABLE_VALUE" in stored
    expected = trained(model, adam, 4)
    model, adam = Late(), tf.train.AdamOptimizer(0.1)
    status = tf.train.Checkpoint(model=model, adam=adam).restore(path)
    with pytest.raises(AssertionError, match="no variable takes: adam/beta1_power"):
        status.assert_consumed()
    assert trained(model, adam, 4) == expected
    status.assert_consumed()


class Trainer(tf.Module):
    """Has the variables of a model once it is built, as Keras's optimizers do."""

    def __init__(self):
        self._trainable_variables = []

    def apply_gradients(self, grads_and_vars):
        self._trainable_variables = [v for _, v in grads_and_vars]


def test_a_model_is_restored_before_its_optimizer_is_built(tmp_path, eager):
    model, trainer = Late(), Trainer()
    trained(model, trainer, 1)
    model.w[0].assign(3.0)
    saved = tf.train.Checkpoint(o=trainer, model=model).save(str(tmp_path / "c"))
    model = Late()
    tf.train.Checkpoint(o=Trainer(), model=model).restore(saved)
    assert float(model(2.0)) == 6.0


def test_a_variable_is_read_before_it_is_found(tmp_path, eager):
    path = tf.train.Checkpoint(x=tf.Variable(5.0)).save(str(tmp_path / "c"))
    checkpoint = tf.train.Checkpoint()
    checkpoint.restore(path)
    x = tf.Variable(1.0)
    assert float(x) == 1.0
    checkpoint.x = x
    x.assign_add(2.0)
    assert float(x) == 7.0
    x.assign(0.0)
    assert float(x) == 0.0


def test_variables_made_later_in_a_graph(tmp_path, session):
    x = tf.Variable(5.0)
    session.run(x.initializer)
    path = tf.train.Checkpoint(x=x).save(str(tmp_path / "c"))
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.restore(path)
    checkpoint.x, checkpoint.y = tf.Variable(1.0), tf.Variable(2.0)
    status.initialize_or_restore()
    assert session.run([checkpoint.x, checkpoint.y]) == [5.0, 2.0]


def test_a_manager_keeps_at_least_one(tmp_path):
    with pytest.raises(ValueError, match="at least 1, or None, got 0"):
        tf.train.CheckpointManager(tf.train.Checkpoint(), tmp_path, max_to_keep=0)


RELEASE_2_4_4 = {
    "Adam": ([4.015721, 2.795099, 1.818487], [0.418772, 1.414206]),
    "SGD": ([3.326305, 1.83346, 7.063097], [0.837993, 1.197283]),
    "RMSprop": ([0.055214, 0.242357, 0.26551], [0.072866, 0.835988]),
    "Adagrad": ([5.194088, 4.539351, 4.008418], [0.668976, 1.667256]),
}
"""The losses of steps 4 to 6, and the variable after them, of MirroredStrategy with
three logical CPUs."""

SETTINGS = {"SGD": {"momentum": 0.9}, "RMSprop": {"momentum": 0.5}}


class Trained:
    """Two variables, their optimizer, and steps of three replicas."""

    def __init__(self, strategy, kind, rate):
        self.strategy = strategy
        with strategy.scope():
            self.w, self.b = tf.Variable([1.0, 2.0]), tf.Variable(0.5)
            optimizer = getattr(tf.optimizers, kind)
            self.optimizer = optimizer(rate, **SETTINGS.get(kind, {}))

    def objects(self):
        return {"w": self.w, "b": self.b, "optimizer": self.optimizer}

    def steps(self, count):
        rows = self.strategy.experimental_distribute_values_from_function(
            lambda context: tf.constant([1.0 + context.replica_id_in_sync_group, 0.5])
        )

        def replica(x):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(self.w * x + self.b)) / 3.0
            variables = [self.w, self.b]
            gradients = tape.gradient(loss, variables)
            self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
            return loss

        @tf.function
        def step(rows):
            losses = self.strategy.run(replica, (rows,))
            return self.strategy.reduce("SUM", losses, axis=None)

        return [float(step(rows)) for _ in range(count)]


@pytest.mark.parametrize("cores", [True, False])
@pytest.mark.parametrize("kind", RELEASE_2_4_4)
def test_optimizers_of_replicas(kind, cores, tmp_path):
    """Slots, steps and learning rate come back, before and after they are made."""
    expected, last = RELEASE_2_4_4[kind]
    with tf.config.override(cores=3), tf.eager_execution():
        host = [f"CPU:{k}" for k in range(3)]
        mirrored = tf.distribute.MirroredStrategy
        strategy = tf.distribute.TPUStrategy() if cores else mirrored(host)
        first = Trained(strategy, kind, 0.1)
        first.steps(3)
        path = tf.train.Checkpoint(**first.objects()).save(str(tmp_path / "c"))
        assert first.steps(3) == pytest.approx(expected, rel=3e-6)

        before = Trained(strategy, kind, 0.7)
        status = tf.train.Checkpoint(**before.objects()).restore(path)
        assert int(before.optimizer.iterations) == 3
        assert float(before.optimizer.learning_rate) == np.float32(0.1)
        assert before.steps(3) == pytest.approx(expected, rel=3e-6)
        status.assert_consumed()

        after = Trained(strategy, kind, 0.7)
        after.steps(2)
        tf.train.Checkpoint(**after.objects()).restore(path).assert_consumed()
        assert after.steps(3) == pytest.approx(expected, rel=3e-6)
        for part in strategy.experimental_local_results(after.w):
            assert part.numpy() == pytest.approx(last, rel=3e-5)

        later = tf.train.Checkpoint()
        later.restore(path)
        found = Trained(strategy, kind, 0.7)
        for name, value in found.objects().items():
            setattr(later, name, value)
        assert found.steps(3) == pytest.approx(expected, rel=3e-6)
