"""Tapes, functions with gradients of their own, and matrices of derivatives."""

import numpy as np
import pytest

import tpuref as tf

from ..training.steps import after


def value(tensor):
    """Return the value of a tensor, in eager mode or of a graph."""
    if tf.executing_eagerly():
        return tf.convert_to_tensor(tensor).numpy().tolist()
    return after(tf.no_op(), tf.convert_to_tensor(tensor)).tolist()


def in_both_modes(test):
    @pytest.mark.parametrize("eager", [True, False])
    def run(eager):
        with tf.eager_execution() if eager else tf.Graph().as_default():
            test()

    run.__name__ = test.__name__
    return run


@in_both_modes
def test_a_structure_of_sources():
    x, w = tf.constant([1.0, 2.0]), tf.Variable(3.0)
    frozen = tf.Variable(5.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x * w) * frozen
    assert tape.watched_variables() == (w,)
    found = tape.gradient(y, {"x": x, "w": [w, frozen]})
    assert value(found["x"]) == [30, 60]
    assert value(found["w"][0]) == 25
    assert found["w"][1] is None


@in_both_modes
def test_a_tape_within_a_tape():
    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        slope = inner.gradient(y, x)
    assert value(slope) == 27
    assert value(outer.gradient(slope, x)) == 18


@in_both_modes
def test_what_a_tape_does_not_note():
    x, z = tf.constant(2.0), tf.constant(1.0)
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            unseen = y * y
        seen = y * z + unseen
    assert value(tape.gradient(seen, x)) == 4
    assert tape.gradient(unseen, x) is None
    assert tape.gradient(seen, z) is None
    zero = tf.UnconnectedGradients.ZERO
    assert value(tape.gradient(seen, z, unconnected_gradients=zero)) == 0
    assert value(tape.gradient(seen, x, output_gradients=tf.constant(3.0))) == 12
    tape.reset()
    assert tape.gradient(seen, x) is None


def test_a_tape_is_asked_once():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="persistent=True.*E194"):
        tape.gradient(y, x)
    with pytest.raises(TypeError, match="int32.*E098"):
        tape.watch(tf.constant(1))


@in_both_modes
def test_jacobians():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x[:, :1] * x
        constant = tf.constant([1.0])
    full = np.zeros((2, 2, 2, 2))
    for b in range(2):
        a, c = 2 * b + 1.0, 2 * b + 2.0
        full[b, :, b] = [[2 * a, 0], [c, a]]
    assert value(tape.jacobian(y, x)) == full.tolist()
    own = [full[b, :, b].tolist() for b in range(2)]
    assert value(tape.batch_jacobian(y, x)) == own
    assert tape.jacobian(constant, x) is None


@in_both_modes
def test_the_gradient_of_a_table_holds_the_rows_that_were_read():
    table = tf.Variable([[1.0], [2.0], [3.0]])
    with tf.GradientTape() as tape:
        y = tf.nn.embedding_lookup(table, [2, 0, 2]) * 3.0
    found = tape.gradient(y, table)
    assert isinstance(found, tf.IndexedSlices)
    assert (found.shape.as_list(), found.dtype) == ([3, 1], tf.float32)
    assert value(found.indices) == [2, 0, 2]
    assert value(found) == [[3], [0], [6]]
    assert value(-found) == [[-3], [0], [-6]]
    assert value(found + 1.0) == [[4], [1], [7]]


def test_two_lookups_are_joined_and_another_use_makes_the_gradient_whole(evaluate):
    table = tf.Variable([[1.0], [2.0], [3.0]])
    rows = tf.reduce_sum(tf.gather(table, [2]) + tf.gather(table, [1]))
    (some,) = tf.gradients(rows, table)
    assert isinstance(some, tf.IndexedSlices)
    (whole,) = tf.gradients(rows + tf.reduce_sum(table), table)
    assert sorted(evaluate(some.indices)) == [1, 2]
    assert evaluate(whole).tolist() == [[1], [2], [2]]


@in_both_modes
def test_a_function_with_its_own_gradient():
    @tf.custom_gradient
    def halved(x, y):
        def back(dsum, dproduct):
            return dsum * 0.5 + dproduct, dproduct * 10.0

        return [x + y, x * y], back

    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        total, product = halved(x * 2.0, y)
        result = total + 3.0 * product
    dx, dy = tape.gradient(result, [x, y])
    assert value(result) == [23, 56]
    assert (value(dx), value(dy)) == ([7, 7], [30, 30])


@in_both_modes
def test_it_gives_the_gradients_of_the_variables_that_it_reads():
    w = tf.Variable(3.0)

    @tf.custom_gradient
    def scaled(x):
        def back(dy, variables):
            assert variables == [w]
            return dy * 5.0, [tf.reduce_sum(dy) * 7.0]

        return x * w, back

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x)
    dx, dw = tape.gradient(y, [x, w])
    assert (value(dx), value(dw)) == ([5, 5], 14)


def test_it_works_in_a_loop_and_in_replicas():
    @tf.custom_gradient
    def clipped(x):
        return x * x, lambda dy: tf.clip_by_value(dy * 2.0 * x, -1.0, 1.0)

    def computation(x):
        _, y = tf.while_loop(
            lambda i, _: i < 2, lambda i, y: (i + 1, clipped(y)), [0, x]
        )
        return tf.gradients(y, x)

    with tf.config.override(cores=2), tf.Session() as sess:
        out = sess.run(tf.tpu.replicate(computation, [[0.1], [0.9]]))
    np.testing.assert_allclose(np.ravel(out), [4 * 0.1**3, 1.0], rtol=1e-5)


def test_a_wrong_gradient_is_refused():
    x, w = tf.constant(1.0), tf.Variable(1.0)
    wrong = tf.custom_gradient(lambda a: (a, lambda dy: (dy, dy)))
    for call, error, message in (
        (lambda: tf.gradients(wrong(x), x), ValueError, "2 values, expected one for "),
        (lambda: tf.custom_gradient(lambda a: a)(x), TypeError, "must return its resu"),
        (
            lambda: tf.custom_gradient(lambda a: (a * w, lambda dy: dy))(x),
            TypeError,
            "must take variables=",
        ),
    ):
        with pytest.raises(error, match=f"{message}.*E098"):
            call()
    with tf.eager_execution(), pytest.raises(RuntimeError, match="GradientTape"):
        tf.gradients(tf.constant(1.0), tf.constant(1.0))


def test_stop_gradients_makes_derivatives_partial():
    a = tf.constant(1.0)
    b = 2.0 * a
    assert tf.Session().run(tf.gradients(a + b, [a, b])) == [3, 1]
    found = tf.gradients(a + b, [a, b], stop_gradients=[a, b])
    assert tf.Session().run(found) == [1, 1]


def test_gradients_to_begin_with():
    x = tf.constant([1.0, 2.0])
    ys = [x * x, x * 3.0]
    (found,) = tf.gradients(ys, x, grad_ys=[[1.0, 10.0], None])
    assert tf.Session().run(found).tolist() == [5, 43]
    with pytest.raises(ValueError, match="each of 2 tensors, got 1.*E098"):
        tf.gradients(ys, x, grad_ys=[None])
    with pytest.raises(ValueError, match="must have the shape and dtype.*E098"):
        tf.gradients(ys[0], x, grad_ys=[[1.0, 2.0, 3.0]])


def test_complex_numbers():
    z = tf.constant([1.0 + 2.0j, -3.0 + 0.5j], tf.complex128)
    (found,) = tf.gradients(tf.abs(z) ** 2 + tf.math.imag(z * z) + tf.math.angle(z), z)
    x = np.array([1.0 + 2.0j, -3.0 + 0.5j])
    # |z|**2 + 2 x y + arg(z), by x and by y
    expected = 2 * x + 2 * (x.imag + 1j * x.real) + 1j * x / abs(x) ** 2
    np.testing.assert_allclose(tf.Session().run(found), expected)
    with pytest.raises(TypeError, match="complex.*E098"):
        tf.gradients(z * z, z)


def test_an_operation_without_a_rule_is_named_with_its_line():
    x = tf.constant([1.0, 2.0])
    y = tf.random_shuffle(x)
    assert tf.gradients(tf.stop_gradient(y) * x, x) != [None]
    diagonal = tf.einsum("ii->i", tf.eye(2) * x)
    for lacking, said in ((y, "RandomShuffle"), (diagonal, "Einsum.*repeats a label")):
        with pytest.raises(LookupError, match=f"(?s)(?=.*test_tape.py){said}.*E190"):
            tf.gradients(lacking, x)


def test_the_time_grows_with_the_number_of_operations():
    """Twice the chain takes about twice as long, not four times."""
    counts = []
    for length in (200, 400):
        with tf.Graph().as_default() as graph:
            x = y = tf.placeholder(tf.float32, [3])
            for _ in range(length):
                y = tf.sin(y)
            before = graph.version
            tf.gradients(y, x)
            counts.append(graph.version - before)
    assert counts[1] < 2.1 * counts[0]
