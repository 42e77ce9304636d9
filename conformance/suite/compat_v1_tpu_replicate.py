"""Clauses of the page of tf.compat.v1.tpu.replicate (r2.4)."""

import enum

import numpy as np

from ..clause import beyond_the_words, clause, expect_raises, same
from ..probes import (
    fixed_system,
    padded_inputs,
    padded_shapes,
    recorded_xla_options,
    static_shape,
)
from . import replicate_checks as checks
from .page import about


def plus_one_mean(tf):
    """Return the computation of both printed examples."""

    def computation(x):
        x = x + 1
        return tf.math.reduce_mean(x)

    return computation


def basic_example(tf):
    """Build the printed example with static shapes."""
    x = tf.convert_to_tensor([1.0, 2.0, 3.0])
    y = tf.convert_to_tensor([4.0, 5.0, 6.0])
    return tf.compat.v1.tpu.replicate(plus_one_mean(tf), inputs=[[x], [y]])


def advanced_example(tf, inputs, policy="POWER_OF_TWO"):
    """Build the printed example with dynamic shapes."""
    return tf.compat.v1.tpu.replicate(
        plus_one_mean(tf),
        inputs=inputs,
        maximum_shapes=[tf.TensorShape([None, None])],
        padding_spec=getattr(tf.compat.v1.tpu.PaddingSpec, policy),
    )


def matrices(tf):
    """Return two float32 placeholders of shape [None, 2]."""
    return tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 2])


def rows(count, value):
    return np.full([count, 2], value, np.float32)


def sums(tf, x, y, maximum_shape, padding_spec):
    """Build the sums of ``x`` and ``y`` in a replica each."""
    return tf.compat.v1.tpu.replicate(
        tf.reduce_sum,
        [[x], [y]],
        maximum_shapes=[tf.TensorShape(maximum_shape)],
        padding_spec=padding_spec,
    )


def padded_length(tf, first, second, padding_spec):
    """Return the padded length of an input with these sizes in two replicas.

    The computation must see the true elements whatever the padding.
    """
    with tf.Graph().as_default(), fixed_system(tf, 2) as sess:
        x, y = checks.vector(tf), checks.vector(tf)
        out = sums(tf, x, y, [None], padding_spec)
        fed = {x: checks.ones(first), y: checks.ones(second)}
        expected = [[float(first)], [float(second)]]
        same(sess.run(out, fed), expected, call="sum of each input")
        ((length,),) = padded_shapes(tf)
        return length


for _rest, _check in (
    ("args:inputs/indexed-replica-then-input", checks.inputs_indexed),
    ("args:inputs/nested-structure", checks.inputs_nested_structure),
    ("args:maximum_shapes/structure-equals-first-replica", checks.structure_of_shapes),
    ("returns/same-structure", checks.returns_same_structure),
    ("returns/operations-only-give-noop", checks.operations_only_give_noop),
):
    _api = "tf.compat.v1.tpu.replicate"
    clause(f"{_api}/{_rest}")(about(_check, _api))


@clause("tf.compat.v1.tpu.replicate/example/basic-builds")
def example_basic_builds(tf):
    out = basic_example(tf)
    assert isinstance(out, list), f"expected a list, got {out!r}"
    same([len(entry) for entry in out], [1, 1], call="values in each entry")
    for (tensor,) in out:
        same(static_shape(tensor), [])
        same(tensor.dtype.name, "float32")


@clause("tf.compat.v1.tpu.replicate/example/basic-values")
def example_basic_values(tf):
    with fixed_system(tf, 2) as sess:
        same(sess.run(basic_example(tf)), [[3.0], [6.0]])


@clause("tf.compat.v1.tpu.replicate/example/advanced-builds-as-written")
def example_advanced_builds_as_written(tf):
    x, y = matrices(tf)
    same(len(advanced_example(tf, [x, y])), 2, call="entries of the result")


@clause("tf.compat.v1.tpu.replicate/example/advanced-same-as-wrapped")
def example_advanced_same_as_wrapped(tf):
    with fixed_system(tf, 2) as sess:
        x, y = matrices(tf)
        fed = {x: rows(3, 1.0), y: rows(5, 3.0)}
        as_written = sess.run(advanced_example(tf, [x, y]), fed)
        wrapped = sess.run(advanced_example(tf, [[x], [y]]), fed)
        same(as_written, wrapped, call="inputs=[x, y], as with inputs=[[x], [y]]")
        vectors = [tf.constant([1.0, 2.0]), tf.constant([4.0, 5.0])]
        out = tf.compat.v1.tpu.replicate(lambda x: x + 1.0, vectors)
        same(sess.run(out), [[[2.0, 3.0]], [[5.0, 6.0]]], call="vectors")


@clause("tf.compat.v1.tpu.replicate/example/advanced-values")
def example_advanced_values(tf):
    with fixed_system(tf, 2) as sess:
        x, y = matrices(tf)
        fed = {x: rows(3, 1.0), y: rows(5, 3.0)}
        means = [[2.0], [4.0]]
        same(sess.run(advanced_example(tf, [x, y]), fed), means)
        same(padded_shapes(tf)[-1], (8, 2), call="padded shape under POWER_OF_TWO")
        same(sess.run(advanced_example(tf, [x, y], "AUTO"), fed), means)
        same(padded_shapes(tf)[-1], (5, 2), call="padded shape under AUTO")


@clause("tf.compat.v1.tpu.replicate/behaviour/buckets-avoid-recompilation")
def behaviour_buckets_avoid_recompilation(tf):
    with fixed_system(tf, 2) as sess:
        x, y = matrices(tf)
        out = advanced_example(tf, [[x], [y]])
        compilations = []
        for size in (5, 7, 9):
            sess.run(out, {x: rows(3, 1.0), y: rows(size, 3.0)})
            compilations.append(padded_inputs(tf)[-1].compilations)
        five, seven, nine = compilations
        same(seven, five, call="compilations after 7 rows, as after 5")
        same(nine, five + 1, call="compilations after 9 rows, one more than after 5")


@clause("tf.compat.v1.tpu.replicate/args:padding_spec/enum-member")
def padding_spec_enum_member(tf):
    def build(padding_spec):
        return sums(tf, checks.vector(tf), checks.vector(tf), [None], padding_spec)

    same(len(build(tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO)), 2)
    beyond_the_words()
    expect_raises((TypeError, ValueError), build, "POWER_OF_TWO")


@clause("tf.compat.v1.tpu.replicate/args:padding_spec/applies-to-dynamic-inputs")
def padding_spec_applies_to_dynamic_inputs(tf):
    power_of_two = tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO
    same(padded_length(tf, 3, 5, power_of_two), 8)
    same(padded_length(tf, 3, 5, None), 5)
    with tf.Graph().as_default(), fixed_system(tf, 2) as sess:
        sess.run(sums(tf, tf.zeros([3]), tf.zeros([3]), [None], power_of_two))
        same(padded_shapes(tf), [(3,)], call="padded shape of equal static sizes")
    with tf.Graph().as_default(), fixed_system(tf, 2) as sess:
        x, y = checks.vector(tf), checks.vector(tf)
        out = tf.compat.v1.tpu.replicate(
            lambda nest, fixed: (tf.reduce_sum(nest["a"]), tf.reduce_sum(fixed)),
            [[{"a": x}, x], [{"a": y}, y]],
            maximum_shapes=[{"a": tf.TensorShape([None])}, tf.TensorShape([6])],
            padding_spec=power_of_two,
        )
        values = sess.run(out, {x: checks.ones(3), y: checks.ones(5)})
        same(values, [[3.0, 3.0], [5.0, 5.0]])
        same(padded_shapes(tf), [(8,), (6,)], call="a nest, and a size that is given")


@clause("tf.compat.v1.tpu.replicate/args:padding_spec/power-of-two-buckets")
def padding_spec_power_of_two_buckets(tf):
    power_of_two = tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO
    buckets = {2: 2, 3: 4, 4: 4, 5: 8, 8: 8, 9: 16, 17: 32, 65: 128, 100: 128}
    for largest, bucket in sorted(buckets.items()):
        length = padded_length(tf, 1, largest, power_of_two)
        same(length, bucket, call=f"bucket of the largest size {largest}")
    with fixed_system(tf, 2) as sess:
        x, y = (tf.placeholder(tf.float32, [None, None]) for _ in range(2))
        out = sums(tf, x, y, [None, None], power_of_two)
        values = sess.run(out, {x: np.ones([3, 5]), y: np.ones([2, 3])})
        same(values, [[15.0], [6.0]], call="sum of each input")
        same(padded_shapes(tf), [(4, 8)], call="padded shape of 3x5 and 2x3")
    with tf.Graph().as_default(), fixed_system(tf, 2) as sess:
        x, y = (tf.placeholder(tf.float32, [None, None]) for _ in range(2))
        out = sums(tf, x, y, [None, 6], power_of_two)
        sess.run(out, {x: np.ones([3, 5]), y: np.ones([2, 3])})
        same(padded_shapes(tf), [(4, 6)], call="padded shape, 6 of it given")


@clause("tf.compat.v1.tpu.replicate/args:padding_spec/none-is-auto")
def padding_spec_none_is_auto(tf):
    same(padded_length(tf, 3, 5, None), 5)
    same(padded_length(tf, 3, 5, tf.compat.v1.tpu.PaddingSpec.AUTO), 5)


@clause("tf.compat.v1.tpu.replicate/args:xla_options/instance")
def xla_options_instance(tf):
    def build(xla_options):
        return tf.compat.v1.tpu.replicate(
            lambda x: x + 1, [[1.0]], xla_options=xla_options
        )

    same(len(build(tf.compat.v1.tpu.XLAOptions())), 1)
    passed_on = []
    for choice in (True, False):
        with tf.Graph().as_default():
            build(tf.compat.v1.tpu.XLAOptions(use_spmd_for_xla_partitioning=choice))
            passed_on.append(repr(recorded_xla_options(tf)))
    assert "True" in passed_on[0] and "False" in passed_on[1], passed_on
    expect_raises(TypeError, build, {"use_spmd_for_xla_partitioning": True})
    expect_raises(TypeError, build, "use_spmd_for_xla_partitioning")


@clause("tf.compat.v1.tpu.replicate/args:xla_options/none-default-options")
def xla_options_none_default_options(tf):
    def recorded(xla_options):
        with tf.Graph().as_default():
            tf.compat.v1.tpu.replicate(
                lambda x: x + 1, [[1.0]], xla_options=xla_options
            )
            return recorded_xla_options(tf)

    same(recorded(None), recorded(tf.compat.v1.tpu.XLAOptions()))
    without = tf.compat.v1.tpu.XLAOptions(use_spmd_for_xla_partitioning=False)
    assert recorded(None) != recorded(without), "the default options turn SPMD off"


@clause("tf.compat.v1.tpu.replicate/raises/unequal-input-count")
def raises_unequal_input_count(tf):
    a, b, c = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
    replicate = tf.compat.v1.tpu.replicate
    for inputs in ([[a], [b, c]], [[a, b], [c]], [[], [a]], [[a], [b], []]):
        expect_raises(ValueError, replicate, lambda *arguments: a, inputs)


@clause("tf.compat.v1.tpu.replicate/raises/argument-count-mismatch")
def raises_argument_count_mismatch(tf):
    a, b = tf.constant(1.0), tf.constant(2.0)
    replicate = tf.compat.v1.tpu.replicate
    expect_raises(ValueError, replicate, lambda x, y: x, [[a]])
    expect_raises(ValueError, replicate, lambda x: x, [[a, b]])
    expect_raises(ValueError, replicate, lambda: b, [[a]])
    expect_raises(ValueError, replicate, lambda x, y, *, z: x, [[a, b], [a, b], [a, b]])
    same(len(replicate(lambda x, y=1: x, [[a]])), 1)
    same(len(replicate(lambda *arguments: arguments[0], [[a, b]])), 1)


@clause("tf.compat.v1.tpu.replicate/raises/static-shape-mismatch")
def raises_static_shape_mismatch(tf):
    def build(first, second, maximum_shape):
        inputs = [[tf.zeros(first)], [tf.zeros(second)]]
        return tf.compat.v1.tpu.replicate(
            tf.reduce_sum, inputs, maximum_shapes=[tf.TensorShape(maximum_shape)]
        )

    expect_raises(ValueError, build, [3], [5], [4])
    expect_raises(ValueError, build, [2, 3], [2, 5], [None, 4])
    expect_raises(ValueError, build, [5], [5], [4])
    expect_raises(ValueError, build, [5], [3], [4])
    wide = [tf.zeros([3]), {"a": (tf.zeros([2, 6]),)}]
    shapes = [tf.TensorShape([3]), {"a": (tf.TensorShape([None, 5]),)}]
    replicate = tf.compat.v1.tpu.replicate
    expect_raises(
        ValueError, replicate, lambda x, nest: x, [wide, wide], maximum_shapes=shapes
    )
    expect_raises(ValueError, build, [2, 2], [2, 2], [2])


@clause("tf.compat.v1.tpu.replicate/raises/structure-mismatch")
def raises_structure_mismatch(tf):
    def build(value, maximum_shapes):
        return tf.compat.v1.tpu.replicate(
            lambda x: tf.constant(0.0),
            [[value], [value]],
            maximum_shapes=maximum_shapes,
        )

    tensor, shape = checks.vector(tf), tf.TensorShape([4])
    same(len(build(tensor, [shape])), 2)
    same(len(build({"a": tensor}, [{"a": shape}])), 2)
    expect_raises(ValueError, build, tensor, [shape, shape])
    expect_raises(ValueError, build, tensor, [{"a": shape}])
    expect_raises(ValueError, build, {"a": tensor}, [shape])
    expect_raises(ValueError, build, {"a": tensor}, [{"b": shape}])
    expect_raises(ValueError, build, {"a": tensor}, [{"a": shape, "b": shape}])
    expect_raises(ValueError, build, {"a": tensor, "b": tensor}, [{"a": shape}])
    expect_raises(ValueError, build, [tensor, tensor], [[shape]])
    expect_raises(ValueError, build, [tensor], [[shape, shape]])
    for deeper in ([shape], {"b": shape}, [[shape]]):
        expect_raises(ValueError, build, tensor, [deeper])
        expect_raises(ValueError, build, {"a": tensor}, [{"a": deeper}])


@clause("tf.compat.v1.tpu.PaddingSpec/name/exists")
def padding_spec_exists(tf):
    assert issubclass(tf.compat.v1.tpu.PaddingSpec, enum.Enum)


@clause("tf.compat.v1.tpu.PaddingSpec/property/power-of-two")
def padding_spec_has_power_of_two(tf):
    same(tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO.name, "POWER_OF_TWO")


@clause("tf.compat.v1.tpu.PaddingSpec/property/auto")
def padding_spec_has_auto(tf):
    same(tf.compat.v1.tpu.PaddingSpec.AUTO.value, 0)
    same(tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO.value, 1)


@clause("tf.compat.v1.tpu.XLAOptions/name/exists")
def xla_options_exists(tf):
    assert isinstance(tf.compat.v1.tpu.XLAOptions(), tf.compat.v1.tpu.XLAOptions)


@clause("tf.math.reduce_mean/name/exists")
def reduce_mean_exists(tf):
    mean = tf.math.reduce_mean(tf.constant([1.0, 2.0, 3.0]))
    with tf.Session() as sess:
        same(sess.run(mean), 2.0)
