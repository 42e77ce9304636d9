"""Optional values: in loops and branches, and without a value."""

import pytest

import tpuref as tf


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

    _, total, left = tf.while_loop(
        lambda turn, total, taken: (turn < limit) & taken.has_value(),
        body,
        [tf.constant(0), Optional.empty(None), numbers.get_next_as_optional()],
    )
    return total, left.has_value()


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(("limit", "last", "left"), [(2, 11, True), (9, 12, False)])
def test_optionals_are_loop_variables(traced, limit, last, left, eager):
    call = tf.function(optionals) if traced else optionals
    total, more = call(iter(tf.data.Dataset.range(10, 13)), limit)
    assert total.has_value() and int(total.get_value()["sum"]) == last
    assert bool(more) == left


def test_an_optional_without_a_value_has_none(eager):
    taken = tf.function(iter(tf.data.Dataset.range(0)).get_next_as_optional)()
    assert not taken.has_value()
    empty = tf.experimental.Optional.empty(taken.element_spec)
    with pytest.raises(tf.errors.InvalidArgumentError, match="has_value"):
        empty.get_value()
    with pytest.raises(ValueError, match="element_spec"):
        tf.experimental.Optional.empty(None).filled()
