"""Variables: values that last from run to run of one session."""

import numpy as np
import pytest

import tpuref as tf

from ..messages import line, refused


def test_name_shape_dtype_and_operation(graph):
    with tf.name_scope("layer"):
        v = tf.Variable([[1.0, 2.0]], name="w")
    assert v.name == "layer/w:0"
    assert v.op.name == "layer/w"
    assert v.op.type == "VariableV2"
    assert v.shape.as_list() == v.get_shape().as_list() == [1, 2]
    assert v.dtype == tf.float32
    assert v.graph is graph
    assert v.trainable
    assert v.device == ""
    assert v.initial_value.dtype == tf.float32
    assert v.initializer.type == "Assign"
    assert "layer/w:0" in repr(v) and "(1, 2)" in repr(v) and "float32" in repr(v)


@pytest.mark.parametrize(
    ("initial", "dtype", "expected"),
    [
        (1, None, tf.int32),
        (1.0, None, tf.float32),
        (np.float64(1), None, tf.float64),
        (True, None, tf.bool),
        ("a", None, tf.string),
        (1, tf.float32, tf.float32),
        (1.0, tf.bfloat16, tf.bfloat16),
    ],
)
def test_the_dtype_is_that_of_the_initial_value(initial, dtype, expected, session):
    v = tf.Variable(initial, dtype=dtype)
    session.run(v.initializer)
    assert v.dtype == expected
    assert np.asarray(session.run(v)).dtype == expected or expected == tf.string


def test_the_initial_value_may_be_a_function_a_tensor_or_of_another_variable(evaluate):
    calls = []

    def initial():
        calls.append(1)
        return tf.constant([1.0, 2.0]) * 3.0

    v, w = tf.Variable(initial), tf.Variable(tf.ones([2]) + 1.0)
    u = tf.Variable(v * 10.0)
    found = [x.tolist() for x in evaluate([v, w, u])]
    assert found == [[3.0, 6.0], [2.0, 2.0], [30.0, 60.0]]
    assert calls == [1]
    assert [x.name for x in (v, u)] == ["Variable:0", "Variable_2:0"]


def test_the_shape_of_the_initial_value_has_to_be_known(session):
    x = tf.placeholder(tf.float32, [None])
    with pytest.raises(ValueError, match=r"value .*float32\[\?\].* known shape"):
        tf.Variable(x)
    v = tf.Variable(x, validate_shape=False)
    assert v.shape.ndims is None
    session.run(v.initializer, {x: [1.0, 2.0]})
    assert session.run(v).tolist() == [1.0, 2.0]
    assert session.run(v.assign([[1.0, 2.0]])).tolist() == [[1.0, 2.0]]
    w = tf.Variable(x, shape=[None])
    session.run(w.initializer, {x: [1.0, 2.0, 3.0]})
    assert session.run(w).tolist() == [1.0, 2.0, 3.0]


def test_reading_before_initialising_names_the_variable_and_the_place(session):
    v = tf.Variable(1.0, name="weight")
    y, made = v + 1.0, line()
    words = ["'weight'", "tf.global_variables_initializer()", f"{__file__}:{made}"]
    error = refused(tf.errors.FailedPreconditionError, words, session.run, y)
    assert error.op.name == "weight/read"
    for fetch in (v, v.assign_add(1.0), v.assign_sub(1.0)):
        with pytest.raises(tf.errors.FailedPreconditionError, match="weight"):
            session.run(fetch)


def test_being_initialised_can_be_asked(session):
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    known, asked = v.is_initialized(), tf.is_variable_initialized(v)
    assert session.run([known, asked]) == [False, False]
    session.run([v.initializer, w.assign(4.0)])  # an assignment initialises too
    assert session.run([known, asked]) == [True, True]
    assert type(session.run(known)) is np.bool_
    assert session.run(w) == 4.0
    session.run(v.assign_add(5.0))
    session.run(v.initializer)
    assert session.run(v) == 1.0


def test_values_belong_to_their_session():
    v = tf.Variable(1.0)
    own = tf.ConfigProto(isolate_session_state=True)  # as those of one process are
    first, second = tf.Session(config=own), tf.Session(config=own)
    first.run(v.initializer)
    first.run(v.assign_add(1.0))
    with pytest.raises(tf.errors.FailedPreconditionError):
        second.run(v)
    second.run(v.initializer)
    assert (first.run(v), second.run(v)) == (2.0, 1.0)


def test_assignments_give_the_new_value(session):
    v = tf.Variable([1.0, 2.0])
    session.run(v.initializer)
    for changed, expected in (
        (v.assign([5.0, 6.0]), [5.0, 6.0]),
        (v.assign_add([1.0, 1.0]), [6.0, 7.0]),
        (v.assign_sub([2.0, 2.0]), [4.0, 5.0]),
        (tf.assign(v, [0.0, 0.0]), [0.0, 0.0]),
        (tf.assign_add(v, [1.0, 2.0]), [1.0, 2.0]),
        (tf.assign_sub(v, [1.0, 1.0]), [0.0, 1.0]),
    ):
        assert session.run(changed).tolist() == session.run(v).tolist() == expected
    step = v.assign([2.0, 2.0], read_value=False)
    assert isinstance(step, tf.Operation)
    assert session.run(step) is None
    assert session.run(v).tolist() == [2.0, 2.0]


def test_reads_and_writes_of_one_run_come_in_program_order(session):
    v = tf.Variable(1.0)
    before = v.read_value()
    doubled = v.assign(v * 2.0)
    between = v.value()
    raised = v.assign_add(10.0)
    after = v + 0.0
    session.run(v.initializer)
    found = session.run([after, raised, between, doubled, before])
    assert found == [12.0, 12.0, 2.0, 2.0, 1.0]


@pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub"])
def test_assigning_what_does_not_fit(method):
    change = getattr(tf.Variable([1.0, 2.0], name="v"), method)
    with pytest.raises(ValueError, match=r"'v'.*float32\[2\].*float32\[3\]"):
        change([1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match=r"(?s)'v'.*float32\[2\].*int32\[2\].*tf.cast"):
        change(tf.constant([1, 2]))
    with pytest.raises(TypeError, match=r"'n' holds int32\[\], .* float32\[\]"):
        tf.Variable(1, name="n").assign(2.5)


def test_assigning_another_shape_at_run_time_fails_there(session):
    v = tf.Variable([1.0, 2.0], name="v")
    x = tf.placeholder(tf.float32)
    changed, made = v.assign(x), line()
    words, fed = ["'v'", "[3]", f"{__file__}:{made}"], {x: [1.0, 2.0, 3.0]}
    refused(tf.errors.InvalidArgumentError, words, session.run, changed, fed)
    assert session.run(changed, {x: [3.0, 4.0]}).tolist() == [3.0, 4.0]


def test_load_gives_a_value_and_leaves_the_graph_alone(graph):
    v = tf.Variable([1.0, 2.0])
    before = graph.version
    array = np.array([5.0, 6.0], np.float32)
    with tf.Session() as session:
        v.load([3.0, 4.0])
        assert session.run(v).tolist() == [3.0, 4.0]
        v.load(array, session)
        array[:] = 0.0
        assert v.eval().tolist() == v.eval(session).tolist() == [5.0, 6.0]
        with pytest.raises(ValueError, match="shape"):
            v.load([1.0])
    assert graph.version == before
    with pytest.raises(ValueError, match="no current session"):
        v.load([1.0, 2.0])


def test_a_variable_is_used_in_its_graph_only():
    v, made = tf.Variable(1.0, name="v"), line()
    uses = [v.read_value, lambda: v.assign(1.0), lambda: v + 1, v.is_initialized]
    with tf.Graph().as_default():
        for use in uses:
            refused(ValueError, ["'v'", f"{__file__}:{made}", "another graph"], use)


def test_an_initial_value_from_within_a_computation_is_refused():
    def branch():
        return tf.Variable(tf.constant(1.0)).read_value()

    with pytest.raises(tf.errors.InaccessibleTensorError, match="branch of tf.cond"):
        tf.cond(tf.constant(True), branch, lambda: tf.constant(0.0))
