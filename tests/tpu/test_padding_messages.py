"""What tpuref says about invalid padding, and what it reports about padding."""

import numpy as np
from tpuref_conformance.clause import same
from tpuref_conformance.probes import fixed_system, padded_shapes
from tpuref_conformance.suite.replicate_checks import ones, vector

from ..messages import refused, require_words


def refused_shapes(tf, exception_type, inputs, maximum_shapes, *words, **kwargs):
    """Require the error of replicate with these shapes, with ``words`` in it."""
    refused(
        exception_type,
        words,
        tf.compat.v1.tpu.replicate,
        lambda *inputs: tf.constant(1.0),
        inputs,
        maximum_shapes=maximum_shapes,
        **kwargs,
    )


def test_padding_spec(tf):
    def require(kind, spec, *words):
        inputs = [[tf.zeros([2])]]
        refused_shapes(tf, kind, inputs, [4], *words, padding_spec=spec)

    require(TypeError, "AUTO", "PaddingSpec or None, got 'AUTO'")
    require(TypeError, True, "PaddingSpec or None, got True")
    require(TypeError, 1.5, "PaddingSpec or None, got 1.5")
    require(ValueError, 7, "must be one of", "AUTO", "POWER_OF_TWO", "got 7")
    require(ValueError, -1, "must be one of", "AUTO", "POWER_OF_TWO", "got -1")


def test_structure_of_shapes(tf):
    x, shape = tf.zeros([2]), tf.TensorShape([4])
    single = ["each replica has 2 inputs; give a list with one shape per input"]
    refused_shapes(tf, ValueError, [[x, x]], shape, "is the single shape", *single)
    refused_shapes(tf, ValueError, [[]], shape, "each replica has 0 inputs")
    words = ["maximum_shapes must be", "a list with one entry per input, got 'x'"]
    refused_shapes(tf, ValueError, [[x]], "x", *words)
    words = ["maximum_shapes must be", "expected 1 shape(s)"]
    refused_shapes(tf, ValueError, [[x]], [shape, shape], *words)
    nest = [[x, {"a": x, "b": [x, x]}]]

    def require(shapes, *words):
        refused_shapes(tf, ValueError, nest, [shape, shapes], *words)

    place = "maximum_shapes[1]"
    require({"a": shape, "b": shape}, place + "['b'] must be", "expected a list")
    keys = [place + " must be", "a dictionary with the keys ['a', 'b']"]
    require({"a": shape, "c": [shape, shape]}, *keys)
    require([shape, shape], *keys)
    require({"a": shape, "b": (shape, shape)}, place + "['b'] must be", "a list, got (")
    require({"a": shape, "b": [shape]}, place + "['b'] must be", "expected 2 shape(s)")
    leaf = [place + "['b'][1] must be", "a shape such as", "got [4]"]
    require({"a": shape, "b": [shape, [4]]}, *leaf)


def test_one_shape(tf):
    def require(kind, entry, *words):
        inputs = [[tf.zeros([2]), tf.zeros([2])]]
        refused_shapes(tf, kind, inputs, [4, entry], "maximum_shapes[1]", *words)

    require(TypeError, "4", "must be a tf.TensorShape", "got str '4'")
    require(TypeError, True, "must be a tf.TensorShape", "got bool True")
    require(TypeError, 4.5, "must be a tf.TensorShape", "got float 4.5")
    require(TypeError, np.array([1.5]), "must contain integers")
    require(TypeError, tf.constant([1.5]), "must contain integers")
    require(TypeError, tf.placeholder(tf.int32, [1]), "value is unknown when")
    require(ValueError, tf.TensorShape(None), "of unknown rank; give as many")
    require(ValueError, np.array([-2]), "has the dimension -2; expected a size of at")


def test_inputs_do_not_fit(tf):
    small, wide = tf.zeros([2, 3]), tf.zeros([2, 5])

    def require(inputs, shapes, *words):
        refused_shapes(tf, ValueError, inputs, shapes, *words)

    words = ["inputs[1][0]", "float32[2,5] exceeds", "[2, 4] in dimension 1: 5 > 4"]
    require([[small], [wide]], [tf.TensorShape([2, 4])], *words)
    words = ["inputs[0][1]", "[1, None] in dimension 0: 2 > 1"]
    require([[small, small]], [None, tf.TensorShape([1, None])], *words)
    words = ["inputs[2][0]['a'][1]", "float32[2,5] has rank 2", "shapes [4] has rank 1"]
    nests = [[{"a": [small, tf.zeros([1])]}]] * 2 + [[{"a": [small, wide]}]]
    require(nests, [{"a": [None, tf.TensorShape([4])]}], *words)
    words = ["inputs[0][0]", "float32[1] has rank 1", "shapes [4, 2] has rank 2"]
    require([[tf.zeros([1])]], [tf.TensorShape([4, 2])], *words)
    unknown = tf.placeholder(tf.float32)
    words = ["inputs[1][0]", "unknown rank and cannot be padded to [4]; use set_shape"]
    require([[tf.zeros([1])], [unknown]], [tf.TensorShape([4])], *words)


def test_forms_of_shapes(tf):
    seen = []

    def computation(x):
        seen.append(x.shape.as_list())
        return x

    forms = [tf.TensorShape([2]), tf.compat.v1.Dimension(2), 2, np.int64(2), -1]
    forms += [np.array([2]), np.array(2), tf.constant([2]), tf.constant(2)]
    inputs = [[tf.zeros([2])], [tf.zeros([1])]]
    for shape in forms:
        tf.compat.v1.tpu.replicate(computation, inputs, maximum_shapes=[shape])
        tf.compat.v1.tpu.replicate(computation, inputs, maximum_shapes=shape)
    same(seen, [[None]] * 18)
    none = [[tf.zeros([0])]]
    tf.compat.v1.tpu.replicate(computation, none, maximum_shapes=np.array([0]))
    same(seen[18:], [[0]])


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


def test_buckets_of_static_sizes(tf):
    inputs = [[tf.zeros([3]), tf.zeros([3])], [tf.zeros([5]), tf.zeros([3])]]
    out = tf.compat.v1.tpu.replicate(
        lambda x, y: x,
        inputs,
        maximum_shapes=[tf.TensorShape([None]), tf.TensorShape([None])],
        padding_spec=tf.compat.v1.tpu.PaddingSpec.POWER_OF_TWO,
    )
    with fixed_system(tf, 2) as sess:
        sess.run(out)
    same(padded_shapes(tf), [(8,), (3,)])


def test_report(tf):
    same(str(tf.padding_report()), "no input was padded")
    x, y = vector(tf), vector(tf)
    whole = [tf.zeros([3, 2]), tf.zeros([3, 2])]
    out = tf.compat.v1.tpu.replicate(
        lambda a, b: tf.reduce_sum(a),
        [[x, whole[0]], [y, whole[1]]],
        maximum_shapes=[tf.TensorShape([None]), tf.TensorShape([4, 2])],
    )
    with fixed_system(tf, 2) as sess:
        sess.run(out, {x: ones(1), y: ones(3)})
        sess.run(out, {x: ones(3), y: ones(2)})
        sess.run(out, {x: ones(4), y: ones(1)})
    found = tf.padding_report(tf.get_default_graph())
    same([found.compilations, found.hits], [2, 1])
    first, second = str(found).splitlines()
    operation = found.inputs[0].operation
    words = ["input[0]: [4], [1] padded to [4], 38% waste", "dimension 0 by replica 0;"]
    require_words(first, [operation, *words, "2 compilations, 1 cache hit"])
    words = [
        "input[1]: [3, 2], [3, 2] padded to [4, 2], 25% waste; "
        "2 compilations, 1 cache hit"
    ]
    require_words(second, words)
    other = tf.Graph()
    with other.as_default():
        same(tf.padding_report().inputs, ())
    same(tf.padding_report(other).inputs, ())
