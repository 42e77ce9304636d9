"""Checks of what training loops of TensorFlow 2 keep: optimizers, metrics, modules."""

import os
import tempfile

import numpy as np

from ..clause import clause, same
from ..probes import version_2, with_optional_packages
from .distribute_strategy import number, parts, replicas


def trained(tf, make, steps=2):
    """Return what a variable of two numbers comes to with gradients [1, 2]."""
    with version_2(tf) as tf:
        variable, optimizer = tf.Variable([4.0, 8.0]), make(tf.optimizers)
        for _ in range(steps):
            optimizer.apply_gradients([(tf.constant([1.0, 2.0]), variable)])
        same(int(optimizer.iterations.numpy()), steps)
        return variable.numpy()


@clause("tf.optimizers.SGD/behaviour/steps")
def plain_steps(tf):
    same(trained(tf, lambda o: o.SGD(0.5)), [3.0, 6.0])
    # velocities -0.5 and -0.75, times the gradient
    same(trained(tf, lambda o: o.SGD(0.5, momentum=0.5)), [2.75, 5.5])


@clause("tf.optimizers.Adam/behaviour/steps")
def adam_steps(tf):
    # With gradients that stay the same each step has the length of the rate.
    same(trained(tf, lambda o: o.Adam(0.5)), [3.0, 7.0], 1e-4)


@clause("tf.optimizers.RMSprop/behaviour/steps")
def rms_steps(tf):
    gradient, mean, value = np.array([1.0, 2.0]), 0.0, np.array([4.0, 8.0])
    for _ in range(2):
        mean = 0.75 * mean + 0.25 * gradient**2
        value = value - 0.5 * gradient / np.sqrt(mean)
    same(trained(tf, lambda o: o.RMSprop(0.5, rho=0.75)), np.float32(value), 1e-5)


@clause("tf.optimizers.Adagrad/behaviour/steps")
def adagrad_steps(tf):
    gradient, value = np.array([1.0, 2.0]), np.array([4.0, 8.0])
    for step in (1, 2):
        value = value - 0.5 * gradient / np.sqrt(0.25 + step * gradient**2)
    made = trained(tf, lambda o: o.Adagrad(0.5, initial_accumulator_value=0.25))
    same(made, np.float32(value), 1e-5)


@clause("tf.optimizers.SGD/behaviour/learning-rate")
def learning_rate(tf):
    with version_2(tf) as tf:
        variable, optimizer = tf.Variable(4.0), tf.optimizers.SGD(0.5)
        optimizer.apply_gradients([(tf.constant(1.0), variable)])
        optimizer.learning_rate = 0.25
        optimizer.apply_gradients([(tf.constant(1.0), variable)])
        same((variable.numpy(), float(np.array(optimizer.learning_rate))), (3.25, 0.25))


@clause("tf.optimizers.SGD/behaviour/replicas")
def optimizer_of_replicas(tf):
    with replicas(tf) as (tf, strategy):
        with strategy.scope():
            variable, optimizer = tf.Variable(10.0), tf.optimizers.SGD(0.5)
            if hasattr(optimizer, "build"):
                optimizer.build([variable])

        @tf.function
        def step():
            strategy.run(
                lambda: optimizer.apply_gradients([(number(tf) + 1.0, variable)])
            )

        for wanted in (7.0, 4.0):  # the gradients of the replicas are added
            step()
            same(parts(strategy, variable), [wanted] * 3)


@clause("tf.optimizers.schedules/behaviour/rates")
def schedules(tf):
    with version_2(tf) as tf:
        kinds = tf.optimizers.schedules
        for rate, wanted in [
            (kinds.ExponentialDecay(1.0, 2, 0.25), [1.0, 0.5, 0.25]),
            (kinds.ExponentialDecay(1.0, 2, 0.25, staircase=True), [1.0, 1.0, 0.25]),
            (kinds.InverseTimeDecay(1.0, 2, 2.0), [1.0, 0.5, 1.0 / 3]),
            (kinds.PolynomialDecay(1.0, 4, 0.0), [1.0, 0.75, 0.5]),
            (kinds.PiecewiseConstantDecay([0, 1], [1.0, 0.5, 0.25]), [1.0, 0.5, 0.25]),
        ]:
            got = [float(rate(tf.constant(float(step)))) for step in range(3)]
            same(got, wanted, 1e-6, type(rate).__name__)
        variable = tf.Variable(4.0)
        halved = tf.optimizers.SGD(kinds.ExponentialDecay(1.0, 1, 0.5))
        for _ in range(3):
            halved.apply_gradients([(tf.constant(1.0), variable)])
        same(variable.numpy(), 2.25)


@clause("tf.keras.losses.Reduction/name/members")
def reductions_of_losses(tf):
    with version_2(tf) as tf:
        kinds = tf.keras.losses.Reduction
        same(kinds.SUM, "sum")
        same(kinds.NONE, "none")


def accumulated(tf, make, *calls, **last):
    """Return what a metric comes to after some calls, and after a reset and one."""
    with version_2(tf) as tf:
        metric = make(tf.keras.metrics)
        for call in calls:
            metric.update_state(*call)
        results = [float(metric.result())]
        reset = getattr(metric, "reset_state", None) or metric.reset_states
        reset()
        metric.update_state(*calls[-1], **last)
        return results + [float(metric.result())]


@clause("tf.keras.metrics.Mean/behaviour/all-calls")
def mean_of_all_calls(tf):
    def make(metrics):
        return metrics.Mean("loss")

    same(accumulated(tf, make, (1.0,), ([2.0, 6.0],)), [3.0, 4.0])
    same(accumulated(tf, make, (1.0,), ([2.0, 6.0],), sample_weight=[3.0, 1.0])[1], 3.0)


@clause("tf.keras.metrics.Sum/behaviour/all-calls")
def sum_of_all_calls(tf):
    same(accumulated(tf, lambda m: m.Sum(), (1.0,), ([2.0, 6.0],)), [9.0, 8.0])


@clause("tf.keras.metrics.Accuracy/behaviour/all-calls")
def accuracy_of_all_calls(tf):
    calls = ([1, 2], [1, 3]), ([4, 5], [4, 5])
    same(accumulated(tf, lambda m: m.Accuracy(), *calls), [0.75, 1.0])


@clause("tf.keras.metrics.SparseCategoricalAccuracy/behaviour/all-calls")
def sparse_accuracy_of_all_calls(tf):
    calls = ([[1], [0]], [[0.1, 0.9], [0.2, 0.8]]), ([[0], [0]], [[0.7, 0.3]] * 2)
    same(accumulated(tf, lambda m: m.SparseCategoricalAccuracy(), *calls), [0.75, 1.0])


@clause("tf.Module/behaviour/variables")
def module(tf):
    with version_2(tf) as tf:

        class Layer(tf.Module):
            def __init__(self, size, name=None):
                super().__init__(name=name)
                self.weights = tf.Variable([1.0] * size)
                self.count = tf.Variable(0.0, trainable=False)

        class Model(tf.Module):
            def __init__(self):
                super().__init__(name="model")
                self.layers = [Layer(1), {"last": Layer(3, name="last")}]

        model = Model()
        same(model.name, "model")
        same(sorted(int(np.size(v.numpy())) for v in model.variables), [1, 1, 1, 3])
        same(sorted(int(np.size(v.numpy())) for v in model.trainable_variables), [1, 3])
        assert model.layers[1]["last"].name == "last"
        same(len(model.submodules), 2)


@clause("tf.train.Checkpoint/behaviour/restored")
@with_optional_packages()
def checkpoint(tf):
    with tempfile.TemporaryDirectory() as path, version_2(tf) as tf:

        def objects(start):
            module = tf.Module()
            module.weights = tf.Variable([start, 2.0 * start])
            step = tf.Variable(int(start))
            return module, step, tf.train.Checkpoint(model=module, step=step)

        _, _, saver = objects(1.0)
        first = saver.save(os.path.join(path, "ckpt"))
        same(os.path.basename(first), "ckpt-1")
        module, step, reader = objects(5.0)
        reader.restore(first).assert_consumed()
        same((module.weights.numpy(), int(step.numpy())), ([1.0, 2.0], 1))
        same(os.path.basename(tf.train.latest_checkpoint(path)), "ckpt-1")

        # A variable that is made later takes its value then.
        late = tf.Module()
        tf.train.Checkpoint(model=late).restore(first).expect_partial()
        late.weights = tf.Variable([0.0, 0.0])
        same(late.weights.numpy(), [1.0, 2.0])


@clause("tf.train.CheckpointManager/behaviour/kept")
@with_optional_packages()
def checkpoint_manager(tf):
    with tempfile.TemporaryDirectory() as path, version_2(tf) as tf:
        step = tf.Variable(0)
        saver = tf.train.Checkpoint(step=step)
        manager = tf.train.CheckpointManager(saver, path, max_to_keep=2)
        for _ in range(3):
            step.assign_add(1)
            manager.save()
        same([os.path.basename(p) for p in manager.checkpoints], ["ckpt-2", "ckpt-3"])
        step.assign(0)
        saver.restore(manager.latest_checkpoint)
        same(int(step.numpy()), 3)
