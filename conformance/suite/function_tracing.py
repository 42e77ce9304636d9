"""Checks of tf.function: when a function is traced, and what its calls return."""

import numpy as np

from ..clause import expect_raises, same
from ..probes import version_2
from .page import Page

page = Page("tf.function")


def calls(tf, arguments, **settings):
    """Return what each call is traced as (None for no trace), and its value."""
    with version_2(tf) as tf:
        traced = []

        def doubled(x):
            traced.append(x.shape.as_list() if hasattr(x, "shape") else x)
            return x * 2

        function = tf.function(doubled, **settings)
        seen = []
        for argument in arguments(tf):
            before = len(traced)
            value = np.array(function(argument))
            seen.append((traced[-1] if len(traced) > before else None, value.tolist()))
        return seen


@page.clause("/behaviour/one-trace-for-equal-shapes")
def one_trace_for_equal_shapes(tf):
    got = calls(tf, lambda tf: [tf.constant([1, 2]), tf.constant([3, 4])])
    assert got == [([2], [2, 4]), (None, [6, 8])], got


@page.clause("/behaviour/trace-for-each-shape")
def a_trace_for_each_shape(tf):
    def arguments(tf):
        return [tf.constant([1, 2]), tf.constant([1]), tf.constant([5, 6])]

    got = calls(tf, arguments)
    assert got == [([2], [2, 4]), ([1], [2]), (None, [10, 12])], got


@page.clause("/behaviour/trace-for-each-dtype")
def a_trace_for_each_dtype(tf):
    got = calls(tf, lambda tf: [tf.constant(1), tf.constant(1.0), tf.constant(3)])
    assert got == [([], 2), ([], 2.0), (None, 6)], got


@page.clause("/behaviour/trace-for-each-number")
def a_trace_for_each_python_number(tf):
    got = calls(tf, lambda tf: [1, 2, 1])
    assert got == [(1, 2), (2, 4), (None, 2)], got


@page.clause("/behaviour/input-signature")
def one_trace_with_a_signature(tf):
    with version_2(tf) as module:
        signature = [module.TensorSpec([None], module.int32)]

    def arguments(tf):
        return [tf.constant([1, 2]), tf.constant([1]), [4, 5, 6]]

    got = calls(tf, arguments, input_signature=signature)
    assert got == [([None], [2, 4]), (None, [2]), (None, [8, 10, 12])], got


@page.clause("/behaviour/relaxed-shapes")
def relaxed_shapes(tf):
    def arguments(tf):
        return [tf.constant(list(range(size))) for size in (1, 2, 3, 4)]

    got = calls(tf, arguments, experimental_relax_shapes=True)
    shapes, values = zip(*got)
    assert shapes[-1] is None and [None] in shapes, got
    assert values == ([0], [0, 2], [0, 2, 4], [0, 2, 4, 6]), got


@page.clause("/behaviour/variables")
def variables_last_from_call_to_call(tf):
    with version_2(tf) as tf:
        total = tf.Variable(1.0)

        @tf.function
        def add(x):
            total.assign_add(x)
            return total.read_value()

        same([add(tf.constant(k)).numpy() for k in (2.0, 3.0)], np.float32([3, 6]))
        total.assign(10.0)
        same(add(tf.constant(1.0)).numpy(), 11.0)


@page.clause("/behaviour/variables-made-once")
def variables_are_made_once(tf):
    with version_2(tf) as tf:

        @tf.function
        def wrong(x):
            return tf.Variable(1.0) * x

        expect_raises(ValueError, wrong, tf.constant(2.0))


@page.clause("/behaviour/nested")
def functions_call_functions(tf):
    with version_2(tf) as tf:

        @tf.function
        def squared(x):
            return x * x

        @tf.function
        def outer(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = squared(x) + squared(2.0 * x)
            return y, tape.gradient(y, x)

        for x in (1.0, 3.0):
            y, slope = outer(tf.constant(x))
            same((y.numpy(), slope.numpy()), (5.0 * x * x, 10.0 * x))


@page.clause("/behaviour/concrete-function")
def concrete_functions(tf):
    with version_2(tf) as tf:
        traced = []

        @tf.function
        def tripled(x):
            traced.append(1)
            return x * 3.0

        concrete = tripled.get_concrete_function(tf.TensorSpec([2], tf.float32))
        assert len(traced) == 1
        for x in ([1.0, 2.0], [4.0, 5.0]):
            same(np.array(concrete(tf.constant(x))), [3 * x[0], 3 * x[1]])
        assert len(traced) == 1
