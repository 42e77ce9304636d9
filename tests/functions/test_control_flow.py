"""Branches and loops."""

import pytest

import tpuref as tf

from ..messages import line, refused
from .values import Pair, note, run

# cond: values.


def test_a_branch_may_return_what_is_around_it_or_plain_values(evaluate):
    p = tf.placeholder(tf.bool, [])
    x = tf.constant(3.0)
    assert run(tf.cond(p, lambda: x, lambda: 4.0), {p: True}) == 3.0
    assert run(tf.cond(p, lambda: x, lambda: 4.0), {p: False}) == 4.0
    v = tf.Variable(7.0)
    assert evaluate(tf.cond(p, lambda: v, lambda: x), {p: True}) == 7.0


@pytest.mark.parametrize("choice", [True, False])
def test_structures_come_back_as_the_branches_have_them(choice):
    p = tf.placeholder(tf.bool, [])

    def branch(sign):
        return {
            "b": [tf.constant(sign), (tf.constant(2.0 * sign),)],
            "a": Pair(sign, []),
        }

    found = run(tf.cond(p, lambda: branch(1), lambda: branch(-1)), {p: choice})
    sign = 1 if choice else -1
    assert found == {"b": [sign, (2.0 * sign,)], "a": Pair(sign, [])}
    assert list(found) == ["b", "a"]
    assert isinstance(found["a"], Pair)


def test_a_list_of_one_is_unpacked_unless_strict():
    p = tf.constant(True)
    assert isinstance(tf.cond(p, lambda: [1], lambda: [2]), tf.Tensor)
    assert isinstance(tf.cond(p, lambda: (1,), lambda: (2,)), tf.Tensor)
    kept = tf.cond(p, lambda: [1], lambda: [2], strict=True)
    assert isinstance(kept, list)
    assert run(kept) == [1]
    assert run(tf.cond(p, lambda: [1, 2], lambda: [3, 4])) == [1, 2]


def test_shapes_that_differ_become_partly_unknown():
    p = tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: tf.zeros([2, 3]), lambda: tf.ones([4, 3]))
    assert y.shape.as_list() == [None, 3]
    z = tf.cond(p, lambda: tf.zeros([2]), lambda: tf.ones([2, 2]))
    assert z.shape.ndims is None
    assert run([y, z], {p: False})[0].shape == (4, 3)


# cond: effects.


def test_only_the_branch_taken_has_effects(evaluate):
    p = tf.placeholder(tf.bool, [])
    v = tf.Variable(0)
    log = []

    def add(number):
        with tf.control_dependencies([note(log, number)]):
            return v.assign_add(number)

    y = tf.cond(p, lambda: add(1), lambda: add(100))
    assert evaluate(y, {p: True}) == 1
    assert evaluate(y, {p: False}) == 101
    assert evaluate(v) == 101
    assert log == [1, 100]


def test_branches_may_return_operations(evaluate):
    p = tf.placeholder(tf.bool, [])
    v = tf.Variable(0)
    step = tf.cond(p, lambda: v.assign(5).op, tf.no_op)
    assert isinstance(step, tf.Operation)
    both = tf.cond(p, lambda: (v.assign(7).op, 1), lambda: (tf.no_op(), 2))
    evaluate(step, {p: False})
    assert evaluate(v) == 0
    evaluate(step, {p: True})
    assert evaluate(v) == 5
    assert evaluate(both, {p: True}) == (None, 1)
    assert evaluate(v) == 7


def test_dependencies_around_a_cond_run_first():
    log = []
    with tf.control_dependencies([note(log, "before")]):
        y = tf.cond(tf.constant(True), lambda: note(log, "branch"), lambda: 2)
    run(y)
    assert log == ["before", "branch"]


# cond: errors.


@pytest.mark.parametrize(
    ("pred", "error", "message"),
    [
        (True, TypeError, "Python bool"),
        (1, TypeError, "must be bool"),
        (1.0, TypeError, "must be bool"),
        ([True, False], ValueError, "must be a scalar"),
    ],
)
def test_predicates_that_do_not_work(pred, error, message):
    with pytest.raises(error, match=f"tf.cond: .*{message}"):
        tf.cond(pred, lambda: 1, lambda: 2)


@pytest.mark.parametrize(
    ("result", "other", "error", "message"),
    [
        (lambda: 1, lambda: 2.0, ValueError, r"int32\[\].*float32\[\]"),
        (lambda: [1, 2], lambda: [1], ValueError, "tf.cond"),
        (lambda: [1, 2], lambda: (1, 2), ValueError, "tf.cond"),
        (lambda: {"a": 1}, lambda: {"b": 1}, ValueError, "tf.cond"),
        (lambda: tf.no_op(), lambda: 1, ValueError, "tf.cond"),
        (lambda: None, lambda: 1, ValueError, "true_fn returned None"),
        (lambda: 1, lambda: None, ValueError, "false_fn returned None"),
    ],
)
def test_branches_have_to_agree(result, other, error, message):
    with pytest.raises(error, match=message):
        tf.cond(tf.constant(True), result, other)


def test_after_a_failing_branch_the_graph_builds_on(graph):
    def fail():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tf.cond(tf.constant(True), fail, lambda: 1)
    assert graph.region is None
    assert run(tf.constant(1) + 1) == 2


# while_loop: values.


def test_a_single_variable_comes_bare_unless_told_otherwise():
    bare = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
    assert isinstance(bare, tf.Tensor)
    listed = tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [0])
    assert isinstance(listed, tf.Tensor)
    kept = tf.while_loop(
        lambda i: i < 3, lambda i: [i + 1], [0], return_same_structure=True
    )
    assert isinstance(kept, list)
    assert run([bare, listed, kept]) == [3, 3, [3]]


def test_loop_variables_are_nested():
    start = [0, {"b": Pair(1.0, (2.0,)), "a": [3]}]

    def body(i, nest):
        left, (right,) = nest["b"]
        return [i + 1, {"b": Pair(left * 2, (right + left,)), "a": [nest["a"][0] - 1]}]

    found = run(tf.while_loop(lambda i, nest: i < 3, body, start))
    assert found == [3, {"b": Pair(8.0, (9.0,)), "a": [0]}]
    assert list(found[1]) == ["b", "a"]


def test_one_structure_of_several_comes_in_its_list():
    found = tf.while_loop(
        lambda pair: pair.left < 3,
        lambda pair: [Pair(pair.left + 1, pair.right * 2)],
        [Pair(0, 1)],
    )
    assert run(found) == [Pair(3, 8)]


def up_to_five(limit):
    """Count to 5, in at most so many turns."""
    return tf.while_loop(
        lambda i: i < 5, lambda i: i + 1, [0], maximum_iterations=limit
    )


@pytest.mark.parametrize(("limit", "expected"), [(0, 0), (1, 1), (3, 3), (99, 5)])
def test_a_loop_ends_at_the_maximum_of_iterations(limit, expected):
    assert run(up_to_five(limit)) == expected
    assert run(up_to_five(tf.constant(2))) == 2


def test_the_maximum_has_to_be_known():
    with pytest.raises(ValueError, match="maximum_iterations"):
        up_to_five(tf.placeholder(tf.int32, []))
    with pytest.raises(TypeError, match="maximum_iterations"):
        up_to_five(1.5)


def test_random_numbers_differ_from_turn_to_turn():
    _, seen = tf.while_loop(
        lambda i, seen: i < 4,
        lambda i, seen: (i + 1, tf.concat([seen, tf.random_uniform([1])], 0)),
        (0, tf.zeros([0])),
        (tf.TensorShape([]), tf.TensorShape([None])),
    )
    assert len(set(run(seen).tolist())) == 4


# while_loop: shapes.


def test_invariants_let_a_shape_change():
    i, rows = tf.while_loop(
        lambda i, rows: i < 3,
        lambda i, rows: [i + 1, tf.concat([rows, rows], 0)],
        [0, tf.ones([1, 2])],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])],
    )
    assert rows.shape.as_list() == [None, 2]
    assert run(rows).shape == (8, 2)
    assert i.shape.as_list() == []


def test_invariants_may_be_nested_and_of_unknown_rank():
    found = tf.while_loop(
        lambda i, pair: i < 2,
        lambda i, pair: (i + 1, Pair(tf.expand_dims(pair.left, 0), pair.right)),
        (0, Pair(tf.constant(1), tf.constant(2))),
        (tf.TensorShape([]), Pair(tf.TensorShape(None), tf.TensorShape([]))),
    )
    assert found[1].left.shape.ndims is None
    assert run(found)[1].left.tolist() == [[1]]


def test_a_shape_that_changes_needs_an_invariant():
    loop = lambda x: tf.size(x) < 5, lambda x: tf.concat([x, x], 0), [tf.ones([1])]
    words = ["float32[1]", "float32[2]", "shape_invariants"]
    refused(ValueError, words, tf.while_loop, *loop)


@pytest.mark.parametrize(
    ("invariants", "message"),
    [
        ([tf.TensorShape([3])], "does not have the invariant shape"),
        ([tf.TensorShape([2, 2])], "does not have the invariant shape"),
        ([tf.TensorShape([2]), tf.TensorShape([2])], "2 shapes for 1 loop variables"),
    ],
)
def test_invariants_that_do_not_hold(invariants, message):
    with pytest.raises(ValueError, match=message):
        tf.while_loop(
            lambda x: x[0] < 1.0, lambda x: x + 1.0, [tf.zeros([2])], invariants
        )


# while_loop: errors.


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((1, lambda i: i, [0]), TypeError, "callable"),
        ((lambda i: i < 1, None, [0]), TypeError, "callable"),
        ((lambda i: i < 1, lambda i: i, []), ValueError, "at least one"),
        ((lambda i: i < 1, lambda i: i, 0), ValueError, "must be a list"),
        ((lambda i: i, lambda i: i, [0]), TypeError, "must be bool"),
        ((lambda i: [True, False], lambda i: i, [0]), ValueError, "scalar"),
        ((lambda i: i < 1, lambda i: (i, i), [0]), ValueError, "loop_vars"),
        ((lambda i, j: i < 1, lambda i, j: [i], [0, 0]), ValueError, "loop_vars"),
        ((lambda i, j: i < 1, lambda i, j: i, [0, 0]), ValueError, "loop_vars"),
        ((lambda i: i < 1, lambda i: i + 0.5, [0]), TypeError, "AddV2"),
        (
            (lambda i: i < 1, lambda i: tf.cast(i, tf.float32), [0]),
            TypeError,
            "element type cannot change",
        ),
        ((lambda i: i < 1, lambda i: None, [0]), ValueError, "None"),
    ],
)
def test_loops_that_do_not_work(arguments, error, message):
    with pytest.raises(error, match=message):
        tf.while_loop(*arguments)


def test_an_error_in_a_turn_names_the_operation_and_its_line():
    made = []

    def body(i):
        made.append(line() + 1)
        return i + 6 // (3 - i)

    loop = tf.while_loop(lambda i: i < 10, body, [3])
    words = ["zero", f"{__file__}:{made[0]}"]
    error = refused(tf.errors.InvalidArgumentError, words, run, loop)
    assert error.op.name == "while/body/floordiv"


def test_control_flow_runs_at_once_in_eager_mode(eager):
    x = tf.constant(3)
    called = []
    y = tf.cond(x > 2, lambda: x * 10, lambda: called.append("false") or x)
    assert (int(y), called) == (30, [])
    assert int(tf.while_loop(lambda i: i < 10, lambda i: i + x, [0])) == 12
    limited = tf.while_loop(
        lambda i: i < 10, lambda i: [i + x], [0], maximum_iterations=2
    )
    assert int(limited) == 6
    pair = tf.while_loop(
        lambda i, n: i < 2,
        lambda i, n: (i + 1, tf.concat([n, n], 0)),
        (0, tf.ones([1])),
    )
    assert pair[1].shape.as_list() == [4]
    with pytest.raises(TypeError, match="element type"):
        tf.while_loop(lambda i: i < 2, lambda i: tf.cast(i, tf.float32), [0])


def nested(depth, x):
    if depth == 0:
        return x
    return tf.cond(x > 0.0, lambda: nested(depth - 1, x) + 1.0, lambda: x)


def test_branches_63_deep_run(evaluate):
    assert evaluate(nested(63, tf.constant(1.0))) == 64.0


@pytest.mark.parametrize("depth", [64, 300])
def test_branches_too_deep(depth):
    with pytest.raises(ValueError, match=r"nested too deep.*up to 63 deep.*E077"):
        nested(depth, tf.constant(1.0))


def test_loops_too_deep():
    def nested_loops(depth, x):
        if depth == 0:
            return x
        return tf.while_loop(
            lambda y: y < 0.0, lambda y: nested_loops(depth - 1, y), [x]
        )

    with pytest.raises(ValueError, match="nested too deep") as raised:
        nested_loops(64, tf.constant(1.0))
    assert f"the tf.while_loop at {__file__}:" in str(raised.value)


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_a_predicate_that_turns_out_to_be_no_scalar(executor):
    x = tf.placeholder(tf.bool, None)

    def loop(x):
        return tf.while_loop(lambda i: tf.logical_and(x, i < 3), lambda i: i + 1, [0])

    with tf.config.override(executor=executor, cores=1):
        for build in (lambda x: tf.cond(x, lambda: 1, lambda: 2), loop):
            fetched = tf.tpu.rewrite(build, [x])
            for value in ([True, False], []):
                words = [f"must be a scalar, got bool[{len(value)}]", "E117"]
                refused(tf.errors.InvalidArgumentError, words, run, fetched, {x: value})
            run(fetched, {x: True})


def _loop(body):
    return tf.while_loop(lambda i: i < 3, lambda i: (body(i), i + 1)[1], [0])


def _branch(body):
    predicate = tf.placeholder_with_default(True, [])
    return tf.cond(predicate, lambda: (body(3), tf.constant(3))[1], lambda: 0)


@pytest.mark.parametrize(
    "build",
    [_loop, _branch, lambda body: _loop(lambda i: _loop(body))],
    ids=["loop", "branch", "nested"],
)
def test_only_what_is_used_or_acts_runs_in_a_block(build, capfd, evaluate):
    """As TensorFlow: a read of a variable without a value is no error if unused."""
    unset = tf.get_variable("unset", shape=[], use_resource=True)
    count = tf.get_variable("count", initializer=0)

    def body(i):
        unset.read_value() + tf.cast(7 // tf.constant([0])[0], tf.float32)
        tf.while_loop(lambda k: k < 2, lambda k: (unset + 1.0, k + 1)[1:], [0])
        tf.Print(i, [i], "seen ")
        with tf.control_dependencies([count.read_value()]):
            tf.assign_add(count, 1)

    assert evaluate(build(body)) == 3
    turns = evaluate(count)
    assert turns > 0 and capfd.readouterr().err.count("seen [") == turns


def test_what_a_used_operation_waits_for_runs():
    unset = tf.get_variable("unset", shape=[], use_resource=True)

    def body(i):
        with tf.control_dependencies([unset.read_value()]):
            return i + 1

    found = tf.while_loop(lambda i: i < 3, body, [0])
    with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError):
        session.run(found)


def test_branches_and_loops_hand_on_ragged_and_sparse_tensors(session):
    ragged = tf.RaggedTensor.from_row_lengths([1.0, 2.0, 3.0], [2, 1])
    sparse = tf.SparseTensor([[0], [2]], [5, 6], [3])
    chosen = tf.cond(tf.constant(1) > 0, lambda: ragged, lambda: ragged)
    _, kept = tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s), [0, sparse])
    assert session.run(chosen.values).tolist() == [1.0, 2.0, 3.0]
    assert session.run(kept.values).tolist() == [5, 6]
