"""Every error names the operation, its operands and the user's line."""

import numpy as np
import pytest

import tpuref as tf

from ..messages import line, refused

BUILD = [
    (lambda x: x + tf.constant([1.0, 2.0, 3.0]), ValueError, ["AddV2", "float32[3]"]),
    (lambda x: x + tf.constant(1), TypeError, ["AddV2", "int32[]"]),
    (lambda x: tf.add(x, [1.0, 2.0, 3.0], name="total"), ValueError, ["AddV2 'total'"]),
    (lambda x: tf.concat([x, [[1.0]]], 0), ValueError, ["float32[1,1]"]),
    (lambda x: tf.reshape(x, [3]), ValueError, ["Reshape"]),
    (lambda x: tf.logical_not(x), TypeError, ["LogicalNot"]),
    (lambda x: x[5], ValueError, ["StridedSlice"]),
    (lambda x: tf.reduce_sum(x, 4, name="total"), ValueError,
     ["Sum 'total'", "axis 4 is out"]),
]  # fmt: skip


@pytest.mark.parametrize(("build", "error", "parts"), BUILD)
def test_build_time_errors(build, error, parts):
    x, made = tf.constant([1.0, 2.0], name="given"), line()
    with pytest.raises(error) as caught:
        build(x)
    text = str(caught.value)
    for part in [*parts, "given:0 float32[2]", f"{__file__}:{made}"]:
        assert part in text
    assert f"{__file__}:{build.__code__.co_firstlineno} in <lambda>" in text


def test_run_time_errors_show_operation_operands_and_line():
    i = tf.placeholder(tf.int32, [None])
    chosen, made = tf.gather(tf.constant([10, 20, 30]), i, name="chosen"), line()
    words, run = ["7", "3", "chosen", f"{__file__}:{made}"], tf.Session().run
    error = refused(tf.errors.InvalidArgumentError, words, run, chosen + 1, {i: [0, 7]})
    assert "chosen" in error.op.name
    assert error.site.line == made


def test_shapes_that_show_only_at_run_time():
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    total, made = tf.add(x, y, name="total"), line()
    words = ["float32[2]", "float32[3]", "total", f"{__file__}:{made}"]
    fed = {x: [1.0, 2.0], y: [1.0, 2.0, 3.0]}
    refused(tf.errors.InvalidArgumentError, words, tf.Session().run, total, fed)


def test_the_line_is_that_of_the_caller_of_the_users_function():
    """It is the innermost line of the user's, whatever library calls lie between."""

    def layer(x):
        return tf.sqrt(x)

    y = layer(tf.constant(1.0))
    assert y.op.site.function == "layer"
    assert y.op.site.code == "return tf.sqrt(x)"
    assert next(map(tf.sqrt, [tf.constant(1.0)])).op.site.line == line()


def test_lines_of_operations_built_through_numpy_and_scopes():
    with tf.name_scope("a"), tf.variable_scope("b"):
        x, made = np.sqrt(tf.constant(1.0)), line()
        v, variable_made = tf.get_variable("v", [1]), line()
    z, sum_made = np.sum(x), line()
    assert x.op.site.line == made
    assert v.op.site.line == variable_made
    assert z.op.site.line == sum_made
    assert {t.op.site.filename for t in (x, v, z)} == {__file__}


def test_describe_shows_an_operation_whole():
    text = tf.sqrt(tf.constant([1.0], name="x"), name="root").op.describe()
    assert "'root' (Sqrt) of (x:0 float32[1])" in text
    assert f"{__file__}:" in text
