"""get_variable: names, sharing, custom getters, and the defaults of scopes."""

import numpy as np
import pytest

import tpuref as tf

from ..messages import line, refused

# Making variables.


def test_a_variable_has_the_name_of_its_scopes():
    with tf.variable_scope("a"), tf.variable_scope("b") as scope:
        v = tf.get_variable("v", [2])
    assert v.name == "a/b/v:0"
    assert v.op.name == "a/b/v"
    assert scope.name == "a/b"
    assert isinstance(v, tf.Variable)
    assert tf.get_variable("v", [2]).name == "v:0"
    assert tf.get_variable_scope().name == ""


def test_name_scopes_do_not_name_variables():
    with tf.name_scope("n"):
        assert tf.get_variable("v", [1]).name == "v:0"
        assert tf.Variable(0, name="w").name == "n/w:0"


def test_float32_is_the_default_and_scopes_give_another():
    assert tf.get_variable("a", [1]).dtype == tf.float32
    with tf.variable_scope("s", dtype=tf.float64), tf.variable_scope("t"):
        assert tf.get_variable("b", [1]).dtype == tf.float64
        assert tf.get_variable("c", [1], tf.float16).dtype == tf.float16


@pytest.mark.parametrize(
    ("initializer", "dtype", "expected"),
    [
        (3.5, tf.float32, 3.5),
        (3, tf.int32, 3),
        ([1, 2], tf.int32, [1, 2]),
        (np.array([1.0, 2.0]), tf.float64, [1.0, 2.0]),
        (True, tf.bool, True),
        ("text", tf.string, b"text"),
    ],
)
def test_a_value_gives_shape_and_dtype(initializer, dtype, expected, evaluate):
    v = tf.get_variable("v", initializer=initializer)
    assert v.dtype == dtype
    assert np.array_equal(evaluate(v), np.asarray(expected, dtype.as_numpy_dtype))


def test_a_tensor_or_a_function_may_give_the_value(evaluate):
    v = tf.get_variable("v", initializer=tf.constant([1, 2]))
    w = tf.get_variable("w", initializer=lambda: tf.ones([3]), dtype=tf.float32)
    u = tf.get_variable(
        "u", [2], initializer=lambda shape, dtype: tf.ones(shape, dtype)
    )
    assert v.dtype == tf.int32
    assert [x.tolist() for x in evaluate([v, w, u])] == [[1, 2], [1, 1, 1], [1, 1]]


def test_default_initializers_by_dtype(evaluate):
    weights = tf.get_variable("weights", [30, 20])
    counts = tf.get_variable("counts", [3], tf.int32)
    w, c, f = evaluate([weights, counts, tf.get_variable("flags", [2], tf.bool)])
    limit = np.sqrt(6 / 50)
    assert np.abs(w).max() <= limit and np.abs(w).max() > limit * 0.9
    assert abs(w.mean()) < limit * 0.1
    assert c.tolist() == [0, 0, 0]
    assert f.tolist() == [False, False]
    with pytest.raises(ValueError, match="'c' with dtype complex64 needs an init"):
        tf.get_variable("c", [1], tf.complex64)


def test_the_shape_may_be_given_in_many_forms():
    shapes = [[2, 3], (2, 3), tf.TensorShape([2, 3]), [tf.Dimension(2), 3]]
    for k, shape in enumerate(shapes):
        assert tf.get_variable(f"v{k}", shape).shape.as_list() == [2, 3]
    assert tf.get_variable("scalar", []).shape.as_list() == []
    assert tf.get_variable("vector", 4).shape.as_list() == [4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs a shape"),
        ({"shape": [None, 2]}, "fully known"),
        ({"shape": [2], "initializer": [1.0, 2.0]}, "omit shape"),
        ({"shape": [2], "initializer": np.ones(2)}, "omit shape"),
        (
            {"initializer": np.float32(1), "dtype": tf.complex64, "shape": [1]},
            "omit shape",
        ),
    ],
)
def test_shapes_and_values_that_do_not_work(arguments, message):
    with pytest.raises(ValueError, match=rf"tf.get_variable: .*'v'.*{message}"):
        tf.get_variable("v", **arguments)


def test_a_tensor_of_another_dtype_than_asked_for_is_refused():
    with pytest.raises(ValueError, match=r"'v' has dtype int32, expected float32"):
        tf.get_variable("v", dtype=tf.float32, initializer=tf.constant(1))


def test_collections_and_trainable():
    v = tf.get_variable("v", [1])
    w = tf.get_variable("w", [1], trainable=False)
    u = tf.get_variable("u", [1], collections=["mine", tf.GraphKeys.LOCAL_VARIABLES])
    n = tf.get_variable("n", [1], trainable=None)
    assert tf.global_variables() == [v, w, n]
    assert tf.trainable_variables() == [v, u, n]
    assert tf.get_collection("mine") == tf.local_variables() == [u]


def test_a_regularizer_adds_a_loss_once(evaluate):
    def half(v):
        return tf.reduce_sum(v * v) / 2.0

    with tf.variable_scope("s", regularizer=half, reuse=tf.AUTO_REUSE):
        for _ in range(2):
            tf.get_variable("v", initializer=[3.0, 4.0])
        tf.get_variable("w", initializer=1.0, regularizer=lambda v: None)
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert [loss.name.startswith("s/v/Regularizer/") for loss in losses] == [True]
    assert evaluate(losses) == [12.5]


# Sharing.


def test_a_name_is_made_once_and_the_error_says_where():
    tf.get_variable("v", [1])
    words = ["'v' already exists", f"{__file__}:{line() - 1}", "AUTO_REUSE", "E141"]
    refused(ValueError, words, tf.get_variable, "v", [1])


def test_a_variable_of_tf_variable_is_not_shared_and_takes_no_name():
    tf.Variable(0.0, name="v")
    refusal = pytest.raises(ValueError, match="does not exist")
    with refusal, tf.variable_scope("", reuse=True):
        tf.get_variable("v", [])


def test_reuse_gives_the_same_variable():
    with tf.variable_scope("s"):
        v = tf.get_variable("v", [2])
    with tf.variable_scope("s", reuse=True):
        assert tf.get_variable("v", [2]) is v
        assert tf.get_variable("v") is v
        refusal = pytest.raises(ValueError, match="'s/t/w' does not")
        with tf.variable_scope("t"), refusal:
            tf.get_variable("w", [2])
    assert tf.global_variables() == [v]


def test_a_scope_may_turn_to_sharing():
    with tf.variable_scope("s") as scope:
        v = tf.get_variable("v", [2])
        assert not scope.reuse
        scope.reuse_variables()
        assert tf.get_variable_scope().reuse is True
        assert tf.get_variable("v", [2]) is v
    with pytest.raises(ValueError, match="already exists"), tf.variable_scope("s"):
        tf.get_variable("v", [2])


@pytest.mark.parametrize("inner", [None, False])
@pytest.mark.parametrize("outer", [True, tf.AUTO_REUSE])
def test_sharing_is_inherited_and_cannot_be_undone(outer, inner):
    with tf.variable_scope("a", reuse=outer), tf.variable_scope("b", reuse=inner) as b:
        assert b.reuse == outer


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shape": [3]}, r"'v' has shape \(2,\), expected \(3,\)"),
        ({"shape": [2], "dtype": tf.float64}, "'v' has dtype float32.*float64"),
        ({"shape": [2], "dtype": tf.int32}, "'v' has dtype float32.*int32"),
    ],
)
def test_sharing_checks_shape_and_dtype(arguments, message):
    tf.get_variable("v", [2])
    with tf.variable_scope("", reuse=True), pytest.raises(ValueError, match=message):
        tf.get_variable("v", **arguments)


def test_sharing_accepts_a_partly_known_shape():
    v = tf.get_variable("v", [2, 3])
    with tf.variable_scope("", reuse=True):
        assert tf.get_variable("v", [None, 3]) is v


# Entering scopes.


def test_a_scope_object_is_entered_from_anywhere():
    with tf.variable_scope("a"), tf.variable_scope("b", dtype=tf.float64) as b:
        v = tf.get_variable("v", [1])
    with tf.variable_scope("other"), tf.variable_scope(b, reuse=True) as again:
        assert again.name == "a/b"
        assert tf.get_variable("v", [1]) is v
    assert again.dtype == tf.float64
    assert b.reuse is False


def test_operations_are_named_below_the_scope_too():
    with tf.variable_scope("a") as a:
        x = tf.constant(0, name="x")
        with tf.variable_scope("b/c"):
            y = tf.constant(0, name="x")
    with tf.variable_scope(a):
        z = tf.constant(0, name="x")
    with tf.variable_scope("a", auxiliary_name_scope=False):
        w = tf.constant(0, name="x")
        v = tf.get_variable("v", [1])
    assert [t.op.name for t in (x, y, z, w)] == ["a/x", "a/b/c/x", "a_1/x", "x"]
    assert v.name == "a/v:0"
    assert a.original_name_scope == "a/"


def test_a_default_name_is_made_unique():
    names = []
    for _ in range(3):
        with tf.variable_scope(None, "layer") as scope:
            names.append(scope.name)
            names.append(tf.get_variable("w", [1]).name)
    assert names == [
        *("layer", "layer/w:0"),
        *("layer_1", "layer_1/w:0"),
        *("layer_2", "layer_2/w:0"),
    ]


def test_default_names_repeat_when_the_scope_around_is_entered_again():
    """So that a function called twice within a shared scope shares its variables."""

    def layers():
        found = []
        for _ in range(2):
            with tf.variable_scope(None, "layer"):
                found.append(tf.get_variable("w", [1]))
        return found

    with tf.variable_scope("model"):
        made = layers()
    with tf.variable_scope("model", reuse=True):
        shared = layers()
    assert [v.name for v in made] == ["model/layer/w:0", "model/layer_1/w:0"]
    assert shared == made


@pytest.mark.parametrize("reuse", ["yes", np.zeros(2)])
def test_reuse_is_one_of_four(reuse):
    refusal = pytest.raises(ValueError, match="reuse must be")
    with refusal, tf.variable_scope("a", reuse=reuse):
        pass
    refusal = pytest.raises(ValueError, match="made unique")
    with refusal, tf.variable_scope(None, "a", reuse=True):
        pass


def test_a_scope_lists_its_variables():
    tf.get_variable("a_other", [1])
    with tf.variable_scope("a") as scope:
        v = tf.get_variable("v", [1])
        w = tf.get_variable("w", [1], trainable=False)
    assert scope.global_variables() == [v, w]
    assert scope.trainable_variables() == [v]


def test_defaults_are_inherited_and_replaced(evaluate):
    with tf.variable_scope("a", initializer=tf.ones_initializer()) as a:
        with tf.variable_scope("b"):
            one = tf.get_variable("one", [1])
        with tf.variable_scope("c", initializer=tf.zeros_initializer()):
            zero = tf.get_variable("zero", [1])
            two = tf.get_variable("two", [1], initializer=tf.constant_initializer(2))
    with tf.variable_scope(a):
        again = tf.get_variable("again", [1])
    values = evaluate([one, zero, two, again])
    assert [v.tolist() for v in values] == [[1.0], [0.0], [2.0], [1.0]]


# Custom getters.


def recording(log, label):
    def getter(inner, name, *args, **kwargs):
        log.append((label, name, kwargs["dtype"].name))
        return inner(name, *args, **kwargs)

    return getter


def test_a_custom_getter_stands_in_for_making_the_variable(evaluate):
    def doubled(getter, name, *args, **kwargs):
        return getter(name, *args, **kwargs) * 2.0

    with tf.variable_scope("s", custom_getter=doubled):
        value = tf.get_variable("v", initializer=3.0)
    assert isinstance(value, tf.Tensor)
    assert [v.name for v in tf.global_variables()] == ["s/v:0"]
    assert evaluate(value) == 6.0


def test_a_custom_getter_gets_every_argument_by_name():
    seen = {}

    def getter(inner, name, **kwargs):
        seen.update(kwargs, name=name)
        return inner(name=name, **kwargs)

    with tf.variable_scope("s", custom_getter=getter, reuse=tf.AUTO_REUSE):
        tf.get_variable("v", [2], trainable=False, collections=["mine"])
    assert seen["name"] == "s/v"
    assert seen["shape"] == [2]
    assert seen["dtype"] == tf.float32
    assert seen["trainable"] is False
    assert seen["collections"] == ["mine"]
    assert seen["reuse"] == tf.AUTO_REUSE
    assert {"initializer", "regularizer", "validate_shape"} <= set(seen)


def test_a_getter_may_change_name_and_dtype_for_the_ones_around_it():
    log = []

    def renaming(getter, name, *args, **kwargs):
        return getter(name + "_x", *args, **{**kwargs, "dtype": tf.float64})

    with (
        tf.variable_scope("a", custom_getter=recording(log, "outer")),
        tf.variable_scope("b", custom_getter=renaming),
    ):
        v = tf.get_variable("v", [1])
    assert log == [("outer", "a/b/v_x", "float64")]
    assert (v.name, v.dtype) == ("a/b/v_x:0", tf.float64)


def test_a_getter_ends_with_its_scope_and_comes_back_with_the_object():
    log = []
    with tf.variable_scope("a", custom_getter=recording(log, "a")) as a:
        pass
    tf.get_variable("v", [1])
    assert log == []
    with tf.variable_scope(a):
        tf.get_variable("v", [1])
    assert [label for label, _, _ in log] == ["a"]


# Inside computations, and in eager mode.


def test_variables_of_a_computation_are_made_outside_of_it(evaluate):
    def branch():
        v = tf.get_variable("v", initializer=2.0)
        return v + tf.get_variable("w", [], initializer=tf.ones_initializer())

    assert evaluate(tf.cond(tf.constant(True), branch, lambda: tf.constant(0.0))) == 3.0
    assert [v.name for v in tf.global_variables()] == ["v:0", "w:0"]


def test_in_eager_mode_each_call_makes_a_variable():
    with tf.eager_execution():
        first = tf.get_variable("v", initializer=1.0)
        second = tf.get_variable("v", initializer=2.0)
        assert (float(first), float(second)) == (1.0, 2.0)
    assert tf.get_variable("v", [1]).shape.as_list() == [1]


@pytest.mark.parametrize("make", [tf.get_variable, tf.Variable])
@pytest.mark.parametrize("trainable", [True, False, None])
def test_a_variable_synchronized_on_reading_may_be_trainable(make, trainable):
    """As in 1.15.5, where it is not unless that is asked for."""
    when = tf.VariableSynchronization.ON_READ
    start = {"initializer": 1.0} if make is tf.get_variable else {"initial_value": 1.0}
    variable = make(name="v", trainable=trainable, synchronization=when, **start)
    assert variable.trainable is bool(trainable)
    assert tf.trainable_variables() == [variable] * bool(trainable)


def test_a_regularizer_that_uses_a_tensor_of_the_loop(evaluate):
    def body(i):
        scale = tf.cast(i, tf.float32) + 1.0
        tf.get_variable(
            "v", [2], regularizer=lambda variable: scale * tf.reduce_sum(variable)
        )
        return i + 1

    assert evaluate(tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])) == 3
