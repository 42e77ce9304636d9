"""Values that leave the branch, loop or replica that computes them."""

import pytest

import tpuref as tf

from .values import run


def leaked(build):
    """Return the tensor that a function keeps when `build` calls it."""
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
    assert text.count("test_leaks.py:") == 2
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
    for fetch in (value, value.op):
        with pytest.raises(ValueError, match=f"cannot fetch.*{kind}"):
            run(fetch)
    with pytest.raises(ValueError, match=f"cannot feed.*{kind}"):
        run(tf.constant(0), {value: 1})
    inaccessible = pytest.raises(tf.errors.InaccessibleTensorError, match=kind)
    with inaccessible, tf.control_dependencies([value]):
        tf.no_op()
