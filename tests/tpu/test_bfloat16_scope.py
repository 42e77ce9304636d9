"""tf.tpu.bfloat16_scope, and the rounding of the cast behind it."""

import ml_dtypes
import numpy as np
import pytest

import tpuref as tf


def test_the_default_dtype_of_a_scope_counts_as_a_request():
    with tf.tpu.bfloat16_scope(), tf.variable_scope("s", dtype=tf.bfloat16):
        w = tf.get_variable("w", [2])
    (stored,) = tf.global_variables()
    assert (w.dtype, stored.name, stored.dtype) == (tf.bfloat16, "s/w:0", tf.float32)


def test_names_are_those_of_the_releases():
    with tf.tpu.bfloat16_scope():
        tf.get_variable("w", [1], tf.bfloat16)
        with tf.variable_scope("in"):
            tf.get_variable("w", [1], tf.bfloat16)
    with tf.variable_scope("out"), tf.tpu.bfloat16_scope():
        tf.get_variable("w", [1], tf.bfloat16)
        with tf.variable_scope("in"):
            tf.get_variable("w", [1], tf.bfloat16)
    # The doubled slash is what every release makes of a scope with an empty name.
    names = [v.name for v in tf.global_variables()]
    assert names == ["w:0", "in/w:0", "out//w:0", "out//in/w:0"]


def test_a_bfloat16_variable_made_before_is_not_shared():
    tf.get_variable("w", [2], tf.bfloat16)
    with (
        tf.variable_scope("", reuse=True),
        tf.tpu.bfloat16_scope(),
        pytest.raises(ValueError, match="w"),
    ):
        tf.get_variable("w", [2], tf.bfloat16)


def test_getters_around_and_within_are_called():
    seen = []

    def note(place):
        def getter(getter, name, *args, **kwargs):
            seen.append((place, kwargs["dtype"].name))
            return getter(name, *args, **kwargs)

        return getter

    with (
        tf.variable_scope("a", custom_getter=note("around")),
        tf.tpu.bfloat16_scope(),
        tf.variable_scope("b", custom_getter=note("within")),
    ):
        tf.get_variable("w", [1], tf.bfloat16)
    assert seen == [("within", "bfloat16"), ("around", "float32")]


def test_every_bfloat16_value_survives_the_way_there_and_back():
    patterns = np.arange(65536, dtype=np.uint16)
    wide = tf.cast(tf.constant(patterns.view(ml_dtypes.bfloat16)), tf.float32)
    values, back = tf.Session().run([wide, tf.cast(wide, tf.bfloat16)])
    is_nan = np.isnan(values)
    assert is_nan.sum() == 2 * 127
    assert np.array_equal(values.view(np.uint32)[~is_nan] >> 16, patterns[~is_nan])
    assert np.array_equal(back.view(np.uint16)[~is_nan], patterns[~is_nan])
    assert np.isnan(back[is_nan].astype(np.float32)).all()


@pytest.mark.parametrize("low", [0x0001, 0x7FFF, 0x8000, 0x8001, 0xFFFF])
def test_rounding_is_to_nearest_even_for_every_pattern(low):
    high = np.arange(65536, dtype=np.uint32)
    high = high[(high & 0x7F80) != 0x7F80]  # the finite ones
    rounds_up = low > 0x8000 or (low == 0x8000) & (high % 2 == 1)
    expected = (high + rounds_up).astype(np.uint16)  # the largest round to infinity
    x = tf.constant(((high << 16) | low).view(np.float32))
    found = tf.Session().run(tf.cast(x, tf.bfloat16)).view(np.uint16)
    assert np.array_equal(found, expected)
