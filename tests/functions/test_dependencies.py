"""Operations that wait for others."""

import tpuref as tf

from .values import note, run


def test_group_runs_everything_in_it():
    log = []
    parts = [note(log, "a"), note(log, "b").op, [note(log, "c"), {"k": note(log, "d")}]]
    both = tf.group(*parts, None, name="both")
    assert both.name == "both"
    assert run(both) is None
    assert log == ["a", "b", "c", "d"]
    assert tf.group().type == "NoOp"


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
