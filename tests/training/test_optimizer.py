"""The base of optimizers: what subclasses write, and how updates are put together."""

import numpy as np
import pytest

import tpuref as tf

from ..messages import refused
from .steps import after


class FactoredRoot(tf.train.Optimizer):
    """As translation models have it: row and column means instead of a full slot."""

    def __init__(self, rate):
        super().__init__(False, "FactoredRoot")
        self._rate = rate

    def _create_slots(self, var_list):
        for var in var_list:
            rows, columns = var.get_shape().as_list()
            self._get_or_make_slot(var, tf.zeros([rows], var.dtype), "vr", "vr")
            self._get_or_make_slot(var, tf.zeros([columns], var.dtype), "vc", "vc")

    def _prepare(self):
        rate = self._call_if_callable(self._rate)
        self._rate_tensor = tf.convert_to_tensor(rate, name="learning_rate")

    def _apply_dense(self, grad, var):
        return self._resource_apply_dense(grad, var)

    def _apply_sparse(self, grad, var):
        return self._apply_dense(tf.convert_to_tensor(grad), var)

    def _resource_apply_sparse(self, grad, handle, indices):
        whole = tf.IndexedSlices(grad, indices, tf.shape(handle))
        return self._resource_apply_dense(tf.convert_to_tensor(whole), handle)

    def _resource_apply_dense(self, grad, handle):
        squares = tf.square(grad) + 1e-30
        vr, vc = self.get_slot(handle, "vr"), self.get_slot(handle, "vc")
        new_vr = 0.5 * vr + 0.5 * tf.reduce_mean(squares, 1)
        new_vc = 0.5 * vc + 0.5 * tf.reduce_mean(squares, 0)
        vr_update = tf.assign(vr, new_vr, use_locking=self._use_locking)
        vc_update = tf.assign(vc, new_vc, use_locking=self._use_locking)
        scale = tf.rsqrt(new_vr / tf.reduce_mean(new_vr))[:, None] * tf.rsqrt(new_vc)
        changed = tf.assign_sub(handle, self._rate_tensor * grad * scale)
        return tf.group(changed, vr_update, vc_update)


def factored_root(w, gradient, steps):
    vr, vc = np.zeros(len(w)), np.zeros(w.shape[1])
    for _ in range(steps):
        squares = gradient**2 + 1e-30
        vr, vc = (vr + squares.mean(1)) / 2, (vc + squares.mean(0)) / 2
        w = w - 0.1 * gradient / np.sqrt(vr / vr.mean())[:, None] / np.sqrt(vc)
    return w


@pytest.mark.parametrize("sparse", [False, True])
def test_a_factored_optimizer(sparse):
    start = np.arange(6.0).reshape(3, 2)
    w = tf.get_variable("w", initializer=start)
    factors = np.array([[1.0, 2.0], [3.0, -4.0], [5.0, 6.0]])
    table = tf.gather(w, [2, 0, 1]) if sparse else w
    loss = tf.reduce_sum(table * factors)
    optimizer = FactoredRoot(lambda: tf.constant(0.1, tf.float64))
    value = after(optimizer.minimize(loss), w, steps=3)
    gradient = factors[[1, 2, 0]] if sparse else factors
    np.testing.assert_allclose(value, factored_root(start, gradient, 3), rtol=1e-6)
    assert optimizer.get_slot_names() == ["vc", "vr"]
    assert optimizer.get_slot(w, "vr").name == "w/vr:0"
    assert optimizer.get_slot(w, "vx") is None


class Counted(tf.train.Optimizer):
    """Notes which methods are called, and does nothing else."""

    def __init__(self):
        super().__init__(True, "Counted")
        self.calls = []

    def _apply_dense(self, grad, var):
        self.calls.append("dense")
        return tf.no_op()

    def _apply_sparse(self, grad, var):
        self.calls.append("sparse")
        self.slices = grad
        return tf.no_op()

    def _finish(self, update_ops, name_scope):
        self.calls.append(len(update_ops))
        return super()._finish(update_ops, name_scope)


class CountedResource(Counted):
    def _resource_apply_dense(self, grad, handle):
        self.calls.append("resource dense")
        return super()._apply_dense(grad, handle)


def test_the_methods_of_the_most_derived_class_are_called(session):
    w = tf.get_variable("w", initializer=[1.0, 2.0, 3.0])
    slices = tf.IndexedSlices([1.0, 2.0, 4.0], [2, 0, 2], [3])
    counted, resource = Counted(), CountedResource()
    counted.apply_gradients([(slices, w), (tf.ones([3]), w), (None, w)])
    assert counted.calls == ["sparse", "dense", 2]
    resource.apply_gradients([(slices, w), (tf.ones([3]), w)])
    assert resource.calls == ["sparse", "resource dense", "dense", 2]
    rows = session.run([counted.slices.values, counted.slices.indices])
    assert [part.tolist() for part in rows] == [[5.0, 2.0], [2, 0]]


class Half(tf.train.MomentumOptimizer):
    """Halves the gradients of another optimizer, in one of its two methods."""

    def _apply_dense(self, grad, var):
        return super()._apply_dense(grad / 2.0, var)


def test_a_subclass_of_an_optimizer_overrides_either_method():
    w = tf.get_variable("w", initializer=1.0)
    assert after(Half(0.5, 0.5).minimize(w), w) == 0.75


def test_names_of_slots_and_operations():
    with tf.variable_scope("layer"):
        w = tf.get_variable("w", initializer=1.0)
    first, second = tf.train.AdamOptimizer(), tf.train.AdamOptimizer(name="Other")
    assert first.minimize(w * w).name == "Adam"
    assert second.minimize(w * w, name="train").name == "train"
    names = [[v.name for v in one.variables()] for one in (first, second)]
    assert names[0][:2] == ["beta1_power:0", "beta2_power:0"]
    assert names[0][2:] == ["layer/w/Adam:0", "layer/w/Adam_1:0"]
    assert names[1][2:] == ["layer/w/Other:0", "layer/w/Other_1:0"]
    assert tf.trainable_variables() == [w]
    assert len(tf.get_collection(tf.GraphKeys.TRAIN_OP)) == 2


def test_a_second_minimize_shares_slots(evaluate):
    w, v = tf.get_variable("w", initializer=1.0), tf.get_variable("v", initializer=1.0)
    optimizer = tf.train.MomentumOptimizer(1.0, 0.5)
    both = optimizer.minimize(w, var_list=[w]), optimizer.minimize(w + v, var_list=[w])
    assert len(optimizer.variables()) == 1
    for train_op in both:
        evaluate(train_op)
    assert evaluate([w, v]) == [1.0 - 1.0 - 1.5, 1.0]


@pytest.mark.parametrize("gate", [0, 1, 2])
def test_gradients_wait_or_not(gate):
    w = tf.get_variable("w", initializer=2.0)
    v = tf.get_variable("v", initializer=3.0)
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    train_op = optimizer.minimize(w * v, gate_gradients=gate)
    assert after(train_op, [w, v]) == [2.0 - 3.0, 3.0 - 2.0]


def test_a_constraint_holds_after_each_update():
    w = tf.get_variable(
        "w", initializer=[0.5, 3.0], constraint=lambda w: tf.maximum(w, 0.0)
    )
    descent = tf.train.GradientDescentOptimizer(1.0)
    assert after(descent.minimize(tf.reduce_sum(w)), w).tolist() == [0.0, 2.0]
    with pytest.raises(RuntimeError, match="has a constraint"):
        descent.minimize(tf.reduce_sum(tf.gather(w, [0])))


def test_gradients_by_tensors_and_with_a_gradient_of_the_loss():
    w = tf.get_variable("w", initializer=3.0)
    squared = w * w
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    pairs = optimizer.compute_gradients(2.0 * squared, [squared, w], grad_loss=10.0)
    assert [variable for _, variable in pairs] == [squared, w]
    assert after(tf.no_op(), [g for g, _ in pairs]) == [20.0, 120.0]
    with pytest.raises(NotImplementedError, match="only variables"):
        optimizer.apply_gradients(pairs)


def test_hyperparameters_may_be_fed_tensors_and_functions(evaluate):
    rate = tf.placeholder(tf.float32, [])
    w = tf.get_variable("w", initializer=1.0)
    train_op = tf.train.MomentumOptimizer(rate, lambda: 0.5).minimize(w)
    evaluate(train_op, {rate: 2.0})
    evaluate(train_op, {rate: 4.0})
    assert evaluate(w) == 1.0 - 2.0 - 4.0 * 1.5


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
def test_element_types(dtype):
    w = tf.get_variable("w", [2], dtype, initializer=tf.ones_initializer())
    train_op = tf.train.MomentumOptimizer(0.25, 0.5).minimize(tf.reduce_sum(w * w))
    values = after(train_op, tf.global_variables(), steps=2)
    assert [value.tolist() for value in values] == [[0.0] * 2, [2.0] * 2]
    assert {value.dtype.name for value in values} == {dtype.name}


def test_in_eager_mode_variables_change_at_once():
    with tf.eager_execution():
        w = tf.Variable(4.0)
        optimizer = tf.train.AdamOptimizer(0.5)
        for _ in range(3):
            optimizer.minimize(lambda: w * w)
        with tf.GradientTape() as tape:
            loss = w * w
        optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        eager = float(w)
        assert len(optimizer.variables()) == 4
        with pytest.raises(RuntimeError, match="must be a function"):
            optimizer.minimize(loss)
    v = tf.get_variable("v", initializer=4.0)
    train_op = tf.train.AdamOptimizer(0.5).minimize(v * v)
    assert after(train_op, v, steps=4) == pytest.approx(eager, rel=1e-6)


def test_nothing_to_optimize():
    optimizer = tf.train.AdamOptimizer()
    loss, words = tf.constant(1.0), ["any of the variables w:0"]
    refused(ValueError, ["there are no variables"], optimizer.minimize, loss)
    w = tf.get_variable("w", initializer=1.0)
    refused(ValueError, words, optimizer.minimize, loss)
    refused(ValueError, ["no variable to change"], optimizer.apply_gradients, [])
    refused(ValueError, words, optimizer.apply_gradients, [(None, w)])


def test_a_subclass_without_a_method_for_the_gradient():
    class DenseOnly(tf.train.Optimizer):
        def _apply_dense(self, grad, var):
            return var.assign_sub(grad).op

    w = tf.get_variable("w", initializer=[1.0])
    optimizer = DenseOnly(False, "DenseOnly")
    with pytest.raises(NotImplementedError, match="DenseOnly lacks _resource_apply_sp"):
        optimizer.minimize(tf.gather(w, 0))
    assert after(optimizer.minimize(w), w).tolist() == [0.0]
