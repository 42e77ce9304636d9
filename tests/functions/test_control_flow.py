"""Order, branches, loops and calls of Python."""

import sys
from typing import Any, NamedTuple

import numpy as np
import pytest

import tpuref as tf

from .values import run


class Pair(NamedTuple):
    left: Any
    right: Any


def line():
    return sys._getframe(1).f_lineno


def note(log, label):
    """Return a tensor that notes when it is evaluated."""

    def write():
        log.append(label)
        return 0

    tensor = tf.py_func(write, [], tf.int32)
    return tensor


# no_op, group, tuple, with_dependencies.


def test_group_runs_everything_in_it():
    log = []
    parts = [note(log, "a"), note(log, "b").op, [note(log, "c"), {"k": note(log, "d")}]]
    both = tf.group(*parts, None, name="both")
    assert both.name == "both"
    assert run(both) is None
    assert log == ["a", "b", "c", "d"]
    assert tf.group().type == "NoOp"
    with pytest.raises(TypeError, match="expected a tensor"):
        tf.group(3)


def test_a_tuple_is_available_when_all_of_it_is():
    log = []
    a, b, c = note(log, "a"), note(log, "b"), note(log, "c").op
    x, none, y, operation = tf.tuple([a, None, b, tf.no_op()], control_inputs=[c])
    assert none is None
    assert isinstance(operation, tf.Operation)
    assert run(x) == 0
    assert sorted(log) == ["a", "b", "c"]
    log.clear()
    run([y, operation])
    assert sorted(log) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="at least one"):
        tf.tuple([None])


# cond: values.


def test_a_branch_may_return_what_is_around_it_or_plain_values():
    p = tf.placeholder(tf.bool, [])
    x = tf.constant(3.0)
    assert run(tf.cond(p, lambda: x, lambda: 4.0), {p: True}) == 3.0
    assert run(tf.cond(p, lambda: x, lambda: 4.0), {p: False}) == 4.0
    v = tf.Variable(7.0)
    y = tf.cond(p, lambda: v, lambda: x)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(y, {p: True}) == 7.0


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


def test_only_the_branch_taken_has_effects():
    p = tf.placeholder(tf.bool, [])
    v = tf.Variable(0)
    log = []

    def add(number):
        with tf.control_dependencies([note(log, number)]):
            return v.assign_add(number)

    y = tf.cond(p, lambda: add(1), lambda: add(100))
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(y, {p: True}) == 1
        assert session.run(y, {p: False}) == 101
        assert session.run(v) == 101
    assert log == [1, 100]


def test_branches_may_return_operations():
    p = tf.placeholder(tf.bool, [])
    v = tf.Variable(0)
    step = tf.cond(p, lambda: v.assign(5).op, tf.no_op)
    assert isinstance(step, tf.Operation)
    both = tf.cond(p, lambda: (v.assign(7).op, 1), lambda: (tf.no_op(), 2))
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(step, {p: False})
        assert session.run(v) == 0
        session.run(step, {p: True})
        assert session.run(v) == 5
        assert session.run(both, {p: True}) == (None, 1)
        assert session.run(v) == 7


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


@pytest.mark.parametrize(("limit", "expected"), [(0, 0), (1, 1), (3, 3), (99, 5)])
def test_a_loop_ends_at_the_maximum_of_iterations(limit, expected):
    loop = tf.while_loop(
        lambda i: i < 5, lambda i: i + 1, [0], maximum_iterations=limit
    )
    assert run(loop) == expected
    known = tf.while_loop(
        lambda i: i < 5, lambda i: i + 1, [0], maximum_iterations=tf.constant(2)
    )
    assert run(known) == 2


def test_the_maximum_has_to_be_known():
    n = tf.placeholder(tf.int32, [])
    with pytest.raises(ValueError, match="maximum_iterations"):
        tf.while_loop(lambda i: i < 5, lambda i: i + 1, [0], maximum_iterations=n)
    with pytest.raises(TypeError, match="maximum_iterations"):
        tf.while_loop(lambda i: i < 5, lambda i: i + 1, [0], maximum_iterations=1.5)


def test_random_numbers_differ_from_turn_to_turn():
    def body(i, seen):
        return i + 1, tf.concat([seen, tf.random_uniform([1])], 0)

    _, seen = tf.while_loop(
        lambda i, seen: i < 4,
        body,
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
    with pytest.raises(
        ValueError, match=r"float32\[1\].*float32\[2\].*shape_invariants"
    ):
        tf.while_loop(
            lambda x: tf.size(x) < 5, lambda x: tf.concat([x, x], 0), [tf.ones([1])]
        )


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

    with pytest.raises(tf.errors.InvalidArgumentError, match="(?i)zero") as caught:
        run(tf.while_loop(lambda i: i < 10, body, [3]))
    assert caught.value.op.name == "while/body/floordiv"
    assert f"{__file__}:{made[0]}" in str(caught.value)


# py_func.


def test_python_is_called_with_arrays_when_the_graph_runs():
    seen = []

    def double(x, y):
        seen.append((type(x), type(y), x.dtype))
        return x * 2 + y

    x = tf.placeholder(tf.float32)
    y = tf.py_func(double, [x, 1.0], tf.float32, name="double")
    assert y.op.name == "double"
    assert y.dtype == tf.float32
    assert y.shape.ndims is None
    assert seen == []
    assert run(y, {x: [1.0, 2.0]}).tolist() == [3.0, 5.0]
    assert seen == [(np.ndarray, np.float32, np.float32)]


def test_a_function_without_results_comes_as_an_operation():
    log = []
    call = tf.py_func(lambda x: log.append(int(x)), [tf.constant(3)], [], name="call")
    assert isinstance(call, tf.Operation)
    assert tf.Session().run(call) is None
    assert (call.name, log) == ("call", [3])
    with tf.eager_execution():
        assert tf.py_func(lambda x: log.append(int(x)), [tf.constant(4)], []) == []
    assert log == [3, 4]


def test_what_the_function_does_to_its_arrays_stays_there():
    buffer = np.zeros(2, np.float32)

    def spoil(x):
        x += 1
        buffer[:] = x
        return buffer

    v = tf.Variable([1.0, 2.0])
    calls = [tf.py_func(spoil, [v], tf.float32) for _ in range(2)]
    with tf.Session() as session:
        session.run(v.initializer)
        found = session.run(calls)
        buffer[:] = 0
        assert [value.tolist() for value in found] == [[2.0, 3.0]] * 2
        assert session.run(v).tolist() == [1.0, 2.0]


def test_print_shows_its_data_at_every_evaluation(capsys):
    x = tf.constant([1, 2, 3, 4])
    y = tf.Print(x, [x, tf.constant("text"), 2.5], "x is ", summarize=2)
    assert (y.dtype, y.shape.as_list()) == (tf.int32, [4])
    assert capsys.readouterr().err == ""
    session = tf.Session()
    for _ in range(2):
        assert session.run(y).tolist() == [1, 2, 3, 4]
    shown = capsys.readouterr()
    assert shown.err == "x is [1 2...][text][2.5]\n" * 2
    assert shown.out == ""


def test_print_shows_three_elements_by_default(capsys):
    run(tf.Print(tf.constant(0), [tf.range(9), tf.range(3)]))
    assert capsys.readouterr().err == "[0 1 2...][0 1 2]\n"


def test_assert_fails_at_run_time_with_its_data():
    x = tf.placeholder(tf.int32, [None])
    check, made = tf.Assert(tf.reduce_all(x > 0), [x, "positive"], 2, "check"), line()
    assert isinstance(check, tf.Operation)
    session = tf.Session()
    assert session.run(check, {x: [1]}) is None
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(check, {x: [3, -1, 2]})
    assert "[3 -1...] [positive]" in str(caught.value)
    assert caught.value.op.name == "check"
    assert f"{__file__}:{made}" in str(caught.value)


def test_assert_needs_every_element_and_a_bool():
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.Assert([True, False], ["all"]))
    with pytest.raises((TypeError, ValueError), match="bool"):
        tf.Assert(tf.constant(1), [])


def leaked(build):
    """Return what a function kept while it was called by `build`."""
    kept = []

    def keep(value):
        kept.append(value)
        return value

    build(keep)
    return kept[0]


LEAKS = {
    "branch of tf.cond": lambda keep: tf.cond(
        tf.constant(True), lambda: keep(tf.constant(1) + 1), lambda: 2
    ),
    "tf.while_loop": lambda keep: tf.while_loop(
        lambda i: i < 2, lambda i: keep(i + 1), [0]
    ),
    "replicated computation": lambda keep: tf.tpu.rewrite(
        lambda x: keep(x + 1), [tf.constant(1)]
    ),
}


@pytest.mark.parametrize("kind", LEAKS)
def test_a_value_that_leaks_is_refused_with_both_places(kind):
    value = leaked(LEAKS[kind])
    with pytest.raises(tf.errors.InaccessibleTensorError, match=kind) as caught:
        value + 1
    text = str(caught.value)
    assert value.name in text
    assert text.count("test_control_flow.py:") == 2
    for use in (
        lambda: tf.identity(value),
        lambda: tf.no_op() and tf.group(value),
        lambda: tf.stack([value, value]),
        lambda: tf.cond(tf.constant(True), lambda: value, lambda: 0),
        lambda: tf.while_loop(lambda i: True, lambda i: value, [0]),
    ):
        with pytest.raises(tf.errors.InaccessibleTensorError, match=kind):
            use()


@pytest.mark.parametrize("kind", LEAKS)
def test_a_leaked_value_is_neither_fetched_nor_fed_nor_awaited(kind):
    value = leaked(LEAKS[kind])
    with pytest.raises(ValueError, match=f"cannot fetch.*{kind}"):
        run(value)
    with pytest.raises(ValueError, match=f"cannot fetch.*{kind}"):
        run(value.op)
    with pytest.raises(ValueError, match=f"cannot feed.*{kind}"):
        run(tf.constant(0), {value: 1})
    with (
        pytest.raises(tf.errors.InaccessibleTensorError, match=kind),
        tf.control_dependencies([value]),
    ):
        tf.no_op()


def test_control_flow_runs_at_once_in_eager_mode():
    with tf.eager_execution():
        x = tf.constant(3)
        called = []
        y = tf.cond(x > 2, lambda: x * 10, lambda: called.append("false") or x)
        assert (int(y), called) == (30, [])
        total = tf.while_loop(lambda i: i < 10, lambda i: i + x, [0])
        assert int(total) == 12
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


def test_python_and_assertions_run_at_once_in_eager_mode(graph, capsys):
    with tf.eager_execution():
        y = tf.py_func(lambda x: x * 2, [tf.constant(21)], tf.int32)
        assert int(y) == 42
        assert tf.Assert(tf.constant(True), ["never"]) is None
        with pytest.raises(tf.errors.InvalidArgumentError, match="shown"):
            tf.Assert(tf.constant(False), ["shown"])
        assert int(tf.Print(tf.constant(1), ["printed"])) == 1
    assert capsys.readouterr().err == "[printed]\n"
    assert graph.get_operations() == []


def test_py_func_receives_scalars_as_scalars(evaluate):
    """As release 1.15.5 hands them over."""
    seen = []

    def note(*given):
        seen.extend(type(value) for value in given)
        return np.int32(0)

    texts, text = tf.constant([b"a"]), tf.constant(b"abc")
    evaluate(tf.py_func(note, [text, tf.constant(1.5), texts], tf.int32))
    assert seen == [bytes, np.float32, np.ndarray]


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

    def branch(x):
        return tf.cond(x, lambda: 1, lambda: 2)

    def loop(x):
        return tf.while_loop(lambda i: tf.logical_and(x, i < 3), lambda i: i + 1, [0])

    with tf.config.override(executor=executor, cores=1):
        for build in (branch, loop):
            fetched = tf.tpu.rewrite(build, [x])
            for value, given in (([True, False], r"\[2\]"), ([], r"\[0\]")):
                with pytest.raises(
                    tf.errors.InvalidArgumentError,
                    match=rf"must be a scalar, got bool{given}.*E117",
                ):
                    run(fetched, {x: value})
            run(fetched, {x: True})


def test_ensure_shape_makes_the_static_shape_more_precise():
    x = tf.placeholder(tf.float32, [None, None])
    y = tf.ensure_shape(x, [None, 2])
    assert y.shape.as_list() == [None, 2]
    with tf.Session() as session:
        values = session.run([y, tf.gradients(y * y, x)[0]], {x: [[1.0, 2.0]]})
    assert [value.tolist() for value in values] == [[[1, 2]], [[2, 4]]]


@pytest.mark.parametrize("value", [[[1.0, 2.0, 3.0]], [1.0, 2.0], 3.0])
def test_ensure_shape_refuses_other_shapes(value):
    y = tf.ensure_shape(tf.placeholder(tf.float32, name="x"), [None, 2])
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="must be"),
    ):
        session.run(y, {"x:0": value})
    with pytest.raises(ValueError, match=r"does not have the shape \(2, 2\)"):
        tf.ensure_shape(tf.zeros([2, 3]), [2, 2])


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
def test_only_what_is_used_or_acts_runs_in_a_block(build, capfd):
    """As TensorFlow: a read of a variable without a value is no error if unused."""
    unset = tf.get_variable("unset", shape=[], use_resource=True)
    count = tf.get_variable("count", initializer=0)

    def body(i):
        unset.read_value() + tf.cast(7 // tf.constant([0])[0], tf.float32)
        tf.while_loop(lambda k: k < 2, lambda k: (unset + 1.0, k + 1)[1:], [0])
        tf.Print(i, [i], "seen ")
        with tf.control_dependencies([count.read_value()]):
            tf.assign_add(count, 1)

    found = build(body)
    with tf.Session() as session:
        session.run(count.initializer)
        assert session.run(found) == 3
        turns = session.run(count)
    assert turns > 0 and capfd.readouterr().err.count("seen [") == turns


def test_what_a_used_operation_waits_for_runs():
    unset = tf.get_variable("unset", shape=[], use_resource=True)

    def body(i):
        with tf.control_dependencies([unset.read_value()]):
            return i + 1

    found = tf.while_loop(lambda i: i < 3, body, [0])
    with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError):
        session.run(found)


def optionals(numbers, limit):
    """Add the elements of an iterator in a loop that hands optionals on."""
    Optional = tf.experimental.Optional

    def body(turn, total, taken):
        added = tf.cond(
            taken.has_value(),
            lambda: Optional.from_value({"sum": taken.get_value()}),
            lambda: total,
        )
        return turn + 1, added, numbers.get_next_as_optional()

    nothing = Optional.empty(None)
    _, total, left = tf.while_loop(
        lambda turn, total, taken: (turn < limit) & taken.has_value(),
        body,
        [tf.constant(0), nothing, numbers.get_next_as_optional()],
    )
    return total, left.has_value()


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(("limit", "last", "left"), [(2, 11, True), (9, 12, False)])
def test_optionals_are_loop_variables(traced, limit, last, left):
    with tf.eager_execution():
        numbers = iter(tf.data.Dataset.range(10, 13))
        call = tf.function(optionals) if traced else optionals
        total, more = call(numbers, limit)
        assert total.has_value() and int(total.get_value()["sum"]) == last
        assert bool(more) == left


def test_an_optional_without_a_value_has_none():
    with tf.eager_execution():
        numbers = iter(tf.data.Dataset.range(0))
        taken = tf.function(numbers.get_next_as_optional)()
        assert not taken.has_value()
        empty = tf.experimental.Optional.empty(taken.element_spec)
        with pytest.raises(tf.errors.InvalidArgumentError, match="has_value"):
            empty.get_value()
        with pytest.raises(ValueError, match="element_spec"):
            tf.experimental.Optional.empty(None).filled()


def test_branches_and_loops_hand_on_ragged_and_sparse_tensors():
    ragged = tf.RaggedTensor.from_row_lengths([1.0, 2.0, 3.0], [2, 1])
    sparse = tf.SparseTensor([[0], [2]], [5, 6], [3])
    chosen = tf.cond(tf.constant(1) > 0, lambda: ragged, lambda: ragged)
    _, kept = tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s), [0, sparse])
    with tf.Session() as session:
        assert session.run(chosen.values).tolist() == [1.0, 2.0, 3.0]
        assert session.run(kept.values).tolist() == [5, 6]
