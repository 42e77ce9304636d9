"""maximum_shapes, padding_spec and the report of what was padded."""

import numpy as np
import pytest
from tpuref_conformance.clause import same

import tpuref as tf

from ..messages import refused

AUTO = tf.compat.v1.tpu.PaddingSpec.AUTO
POWER_OF_TWO = tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO


def vectors():
    return [tf.placeholder(tf.float32, [None]) for _ in range(2)]


def test_fed_sizes_have_to_fit(session):
    x, y = vectors()
    out = tf.tpu.replicate(lambda v: v, [[x], [y]], maximum_shapes=[4])
    words = ["input[0]: replica 1 has shape [5]", "exceeds the 4 of maximum_shapes [4]"]
    fed = {x: np.ones(2), y: np.ones(5)}
    refused(tf.errors.InvalidArgumentError, words, session.run, out, fed)


def test_the_rank_is_checked_at_evaluation_too(session):
    x = tf.placeholder(tf.float32, [None])
    y = tf.py_func(lambda a: a.reshape([1, -1]), [x], tf.float32)
    y.set_shape([None])  # which is wrong
    out = tf.tpu.replicate(lambda v: v, [[x], [y]], maximum_shapes=[4])
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected rank 1"):
        session.run(out, {x: [1.0]})


@pytest.mark.parametrize("spec", [AUTO, POWER_OF_TWO])
@pytest.mark.parametrize("maximum", [None, 16])
def test_results_are_those_of_the_unpadded_data(spec, maximum, session):
    x, y = (tf.placeholder(tf.float32, [None, 2]) for _ in range(2))

    def computation(v):
        return {
            "same": v,
            "mean": tf.reduce_mean(v),
            "max": tf.reduce_max(v, axis=0),
            "min": tf.reduce_min(v),
            "product": tf.reduce_prod(v),
            "shape": tf.shape(v),
            "matmul": tf.matmul(v, v, transpose_b=True),
            "softmax": tf.nn.softmax(v, axis=0),
        }

    out = tf.tpu.replicate(
        computation,
        [[x], [y]],
        maximum_shapes=[tf.TensorShape([maximum, None])],
        padding_spec=spec,
    )
    rng = np.random.default_rng(5)
    feed = {x: -1 - rng.random([3, 2]), y: -1 - rng.random([5, 2])}
    for result, data in zip(session.run(out, feed), feed.values(), strict=True):
        alone = session.run(computation(tf.constant(data, tf.float32)))
        for key, value in alone.items():
            assert np.array_equal(result[key], value), key


@pytest.mark.parametrize("dtype", [tf.bool, tf.int32, tf.bfloat16, tf.complex64])
def test_every_dtype_is_padded_with_zeros(dtype, session):
    x, y = (tf.placeholder(dtype, [None]) for _ in range(2))
    out = tf.tpu.replicate(lambda v: v, [[x], [y]], maximum_shapes=[-1])
    feed = {x: np.ones(1), y: np.ones(3)}
    feed = {k: v.astype(dtype.as_numpy_dtype) for k, v in feed.items()}
    with tf.config.override(padding_visible=True):
        (first,), (second,) = session.run(out, feed)
    assert first.dtype == dtype.as_numpy_dtype
    assert first.astype(np.complex128).tolist() == [1.0, 0.0, 0.0]
    assert second.astype(np.complex128).tolist() == [1.0, 1.0, 1.0]


def test_visible_padding_is_seen_in_static_and_true_shapes(session):
    seen = []

    def computation(v):
        seen.append(v.shape.as_list())
        return tf.shape(v)

    a = tf.zeros([2, 3])
    with tf.config.override(padding_visible=True):
        out = tf.tpu.replicate(
            computation, [[a], [a]], maximum_shapes=[np.array([4, -1])]
        )
        assert session.run(out)[1][0].tolist() == [4, 3]
    assert seen == [[None, None]]


def test_the_report_tells_shapes_waste_and_the_cause(evaluate):
    inputs = [tf.placeholder(tf.float32, [None, None]) for _ in range(3)]
    out = tf.tpu.replicate(
        tf.reduce_sum, [[x] for x in inputs], maximum_shapes=[np.array([-1, 4])]
    )
    shapes = [(2, 3), (5, 1), (5, 2)]
    evaluate(out, {x: np.ones(s) for x, s in zip(inputs, shapes, strict=True)})
    (record,) = tf.padding_report().inputs
    assert record.true_shapes == tuple(shapes)
    assert record.padded_shape == (5, 4)
    assert record.forced_by == (1, None)  # the first of the largest; the size was given
    assert record.waste == pytest.approx(1 - (6 + 5 + 10) / (3 * 20))
    assert record.operation.endswith("TPUReplicate")
    text = str(tf.padding_report())
    assert (
        "[5, 4]" in text and "65% waste" in text and "dimension 0 by replica 1" in text
    )


def test_unpadded_inputs_count_as_compiled_shapes(evaluate):
    x, y = vectors()
    out = tf.tpu.replicate(
        lambda a, b: tf.reduce_sum(a) + tf.reduce_sum(b),
        [[x, y], [x, y]],
        maximum_shapes=[tf.TensorShape([8]), None],
    )
    for size in (1, 2, 1):
        evaluate(out, {x: np.ones(3), y: np.ones(size)})
    assert tf.padding_report().compilations == 2


def test_the_report_adds_up_over_computations(evaluate):
    x, y = vectors()
    assert str(tf.padding_report()) == "no input was padded"
    for _ in range(2):
        out = tf.tpu.replicate(lambda a, b: None, [[x, y]], maximum_shapes=[4, 4])
        evaluate(out, {x: [1.0], y: [1.0]})
    report = tf.padding_report()
    assert len(report.inputs) == 4 and report.compilations == 2


def refused_shapes(tf, inputs, shapes, *words):
    """Require the error of replicate with these shapes, with ``words`` in it."""

    def replicate():
        tf.compat.v1.tpu.replicate(lambda *x: 1.0, inputs, maximum_shapes=shapes)

    refused(ValueError, words, replicate)


def test_structure_of_shapes(tf):
    x, shape = tf.zeros([2]), tf.TensorShape([4])
    single = ["each replica has 2 inputs; give a list with one shape per input"]
    refused_shapes(tf, [[x, x]], shape, "is the single shape", *single)
    refused_shapes(tf, [[]], shape, "each replica has 0 inputs")
    words = ["maximum_shapes must be", "a list with one entry per input, got 'x'"]
    refused_shapes(tf, [[x]], "x", *words)
    words = ["maximum_shapes must be", "expected 1 shape(s)"]
    refused_shapes(tf, [[x]], [shape, shape], *words)
    nest = [[x, {"a": x, "b": [x, x]}]]

    def require(shapes, *words):
        refused_shapes(tf, nest, [shape, shapes], *words)

    place = "maximum_shapes[1]"
    require({"a": shape, "b": shape}, place + "['b'] must be", "expected a list")
    keys = [place + " must be", "a dictionary with the keys ['a', 'b']"]
    require({"a": shape, "c": [shape, shape]}, *keys)
    require([shape, shape], *keys)
    require({"a": shape, "b": (shape, shape)}, place + "['b'] must be", "a list, got (")
    require({"a": shape, "b": [shape]}, place + "['b'] must be", "expected 2 shape(s)")
    leaf = [place + "['b'][1] must be", "a shape such as", "got [4]"]
    require({"a": shape, "b": [shape, [4]]}, *leaf)


def test_inputs_do_not_fit(tf):
    small, wide = tf.zeros([2, 3]), tf.zeros([2, 5])
    words = ["inputs[1][0]", "float32[2,5] exceeds", "[2, 4] in dimension 1: 5 > 4"]
    refused_shapes(tf, [[small], [wide]], [tf.TensorShape([2, 4])], *words)
    words = ["inputs[0][1]", "[1, None] in dimension 0: 2 > 1"]
    refused_shapes(tf, [[small, small]], [None, tf.TensorShape([1, None])], *words)
    words = ["inputs[2][0]['a'][1]", "float32[2,5] has rank 2", "shapes [4] has rank 1"]
    nests = [[{"a": [small, tf.zeros([1])]}]] * 2 + [[{"a": [small, wide]}]]
    refused_shapes(tf, nests, [{"a": [None, tf.TensorShape([4])]}], *words)
    words = ["inputs[0][0]", "float32[1] has rank 1", "shapes [4, 2] has rank 2"]
    refused_shapes(tf, [[tf.zeros([1])]], [tf.TensorShape([4, 2])], *words)
    unknown = tf.placeholder(tf.float32)
    words = ["inputs[1][0]", "unknown rank and cannot be padded to [4]; use set_shape"]
    refused_shapes(tf, [[tf.zeros([1])], [unknown]], [tf.TensorShape([4])], *words)


def test_static_shapes_of_padded_inputs(tf):
    seen = []

    def computation(x, y):
        seen.append((x.shape.as_list(), y.shape.as_list()))
        return x

    inputs = [
        [tf.zeros([2, 3]), tf.placeholder(tf.float32, [None, 5])],
        [tf.zeros([2, 4]), tf.placeholder(tf.float32, [6, None])],
        [tf.zeros([2, 4]), tf.placeholder(tf.float32, [None, None])],
    ]
    shapes = [tf.TensorShape([2, 4]), None]
    tf.compat.v1.tpu.replicate(computation, inputs, maximum_shapes=shapes)
    same(seen, [([2, None], [6, 5])])
    with tf.config.override(padding_visible=True):
        tf.compat.v1.tpu.replicate(computation, inputs, maximum_shapes=shapes)
    same(seen[1:], [([None, None], [6, 5])])
