"""What release 1.15.5 was measured to give, where a program can tell the difference."""

import numpy as np
import pytest

import tpuref as tf

from .values import run


@pytest.mark.parametrize(
    ("make", "dtype", "value"),
    [
        (lambda: tf.constant(True, tf.float32), tf.float32, 1.0),
        (lambda: tf.constant([True, False], tf.int32), tf.int32, [1, 0]),
        (lambda: tf.convert_to_tensor(True, dtype_hint=tf.int64), tf.int64, 1),
        (lambda: tf.constant([1.5]) * True, tf.float32, [1.5]),
        (lambda: tf.constant([1]) + True, tf.int32, [2]),
        (lambda: tf.constant([np.float64(1.5), 2.0]), tf.float32, [1.5, 2.0]),
        (lambda: tf.constant([np.int64(3)]), tf.int32, [3]),
        (lambda: tf.constant([np.float16(1.5)]), tf.float16, [1.5]),
        (lambda: tf.constant(np.float64(1.5)), tf.float64, 1.5),
        (lambda: tf.stack([1, 2.5]), tf.float32, [1.0, 2.5]),
        (lambda: tf.stack([]), tf.float32, []),
        (lambda: tf.angle([-1.5, 2.0]), tf.float32, [0.0, 0.0]),
        (lambda: np.angle(tf.constant([-1.0])), tf.float32, [np.float32(np.pi)]),
        (lambda: tf.nn.leaky_relu(tf.constant([-5, 2])), tf.float32, [-1.0, 2.0]),
    ],
)
def test_dtypes_and_values_of_tensors(make, dtype, value):
    tensor = make()
    assert tensor.dtype == dtype
    assert np.array_equal(run(tensor), value)


def test_text_of_tensors():
    assert str(tf.constant([1.0])) == 'Tensor("Const:0", shape=(1,), dtype=float32)'
    assert str(tf.placeholder(tf.int32, name="x")) == 'Tensor("x:0", dtype=int32)'
    with tf.device("/cpu:0"):
        placed = tf.placeholder(tf.bool, [None], name="y")
    assert str(placed) == 'Tensor("y:0", shape=(?,), dtype=bool, device=/device:CPU:0)'


@pytest.mark.parametrize(
    ("build", "name"),
    [
        (lambda x: x + 1, "add"),
        (lambda x: 1 - x, "sub"),
        (lambda x: x * x, "mul"),
        (lambda x: x / 2, "truediv"),
        (lambda x: x // 2, "floordiv"),
        (lambda x: x % 2, "mod"),
        (lambda x: x**2, "pow"),
        (lambda x: x[None] @ x[:, None], "matmul"),
        (lambda x: (x > 1) & (x < 2), "and"),
        (lambda x: (x > 1) | (x < 2), "or"),
        (lambda x: -x, "Neg"),
        (lambda x: x < 1, "Less"),
        (lambda x: x[0], "strided_slice"),
        (lambda x: tf.add(x, 1), "Add"),
        (lambda x: tf.multiply(x, 2), "Mul"),
        (lambda x: tf.divide(x, 2), "truediv"),
        (lambda x: tf.div(x, 2), "div"),
        (lambda x: tf.floordiv(x, 2), "floordiv"),
        (lambda x: tf.div_no_nan(x, x), "div_no_nan"),
        (lambda x: tf.clip_by_value(x, 0, 1), "clip_by_value"),
        (lambda x: tf.clip_by_norm(x, 1), "clip_by_norm"),
        (lambda x: tf.one_hot([0], 2), "one_hot"),
        (lambda x: tf.nn.l2_normalize(x), "l2_normalize"),
    ],
)
def test_names_given_to_operations(build, name):
    assert build(tf.placeholder(tf.float32, [2])).op.name == name


def test_a_variable_starts_from_initial_value():
    assert tf.Variable(1.5).initial_value.name == "Variable/initial_value:0"


def test_top_k_is_a_named_tuple():
    top = tf.nn.top_k([1.0, 3.0, 2.0], 2)
    assert type(top).__name__ == "TopKV2"
    assert run(top.values).tolist() == [3.0, 2.0]
    assert run(top).indices.tolist() == [1, 2]


def test_labels_are_cast_to_the_dtype_of_the_logits():
    logits, labels = tf.constant([[1.0, 2.0]]), tf.constant([[0, 1]])
    for loss in (
        tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits),
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits),
    ):
        assert run(loss) == pytest.approx([0.31326166])


def test_the_old_names_of_the_branches():
    first, second = (lambda: tf.constant(1)), (lambda: tf.constant(2))
    assert run(tf.cond(tf.constant(True), fn1=first, fn2=second)) == 1
    with pytest.raises(TypeError, match="fn1"):
        tf.cond(tf.constant(True), first, second, fn1=first)
    with pytest.raises(TypeError, match="false_fn"):
        tf.cond(tf.constant(True), first)


@pytest.mark.parametrize(
    ("given", "returned"), [(list, tuple), (tuple, list), (list, list), (tuple, tuple)]
)
def test_a_loop_gives_back_the_sequence_that_its_body_returns(given, returned):
    def body(i, x):
        return returned([i + 1, x * 2])

    result = tf.while_loop(lambda i, x: i < 3, body, given([0, 1.0]))
    assert type(result) is returned
    assert run(result) == returned([3, 8.0])
    with tf.eager_execution():
        now = tf.while_loop(lambda i, x: i < 3, body, given([0, 1.0]))
        assert type(now) is returned


def test_initializers_that_take_partition_info(evaluate):
    def ones(shape, dtype, partition_info):
        return tf.ones(shape, dtype)

    assert evaluate(tf.get_variable("v", [2], initializer=ones)).tolist() == [1.0, 1.0]


def test_a_scope_that_is_entered_again_keeps_its_name_scope():
    with tf.variable_scope("a") as scope:
        pass
    with tf.variable_scope("b"), tf.variable_scope(scope) as again:
        x = tf.constant(1)
    assert (again.name, again.original_name_scope) == ("a", "a/")
    assert x.name == "b/a/Const:0"


def test_one_name_has_one_device():
    scope = tf.device("/job:worker/cpu:0/gpu:0")
    with pytest.raises(ValueError, match="second device"), scope:
        pass


def test_collections_by_name():
    tf.add_to_collections(["c", "d"], 1)
    assert tf.get_collection("d") == [1]
    tf.get_collection_ref("c").append(2)
    assert tf.get_collection("c") == [1, 2]
    assert sorted(tf.get_default_graph().get_all_collection_keys()) == ["c", "d"]


# Assertions.

COMPARISONS = [
    (tf.assert_equal, [False, True, False]),
    (tf.assert_less, [True, False, False]),
    (tf.assert_less_equal, [True, True, False]),
    (tf.assert_greater, [False, False, True]),
    (tf.assert_greater_equal, [False, True, True]),
]


@pytest.mark.parametrize(("function", "holds"), COMPARISONS)
def test_assertions_of_two_values(function, holds):
    x = tf.placeholder(tf.int32, [None])
    for value, fine in zip((1, 2, 3), holds, strict=True):
        later = function(x, 2, message="as said")
        if fine:
            assert run(function(tf.constant([value]), 2)) is None
            assert run(later, {x: [value]}) is None
            continue
        with pytest.raises(tf.errors.InvalidArgumentError):
            function(tf.constant([value]), 2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="as said"):
            run(later, {x: [value]})


def test_assertions_of_one_value():
    x = tf.placeholder(tf.int32, [])
    assert run(tf.assert_positive(x), {x: 1}) is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="0 does not hold"):
        run(tf.assert_positive(x), {x: 0})
    with pytest.raises(tf.errors.InvalidArgumentError, match="0 does not hold"):
        tf.assert_positive([1, 0])
