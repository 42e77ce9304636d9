"""Checks of tf.tpu.bfloat16_scope and tf.tpu.bfloat16_scope_dyn."""

import contextlib
import inspect

import numpy as np

from ..clause import clause, same
from .tf_tpu_page import function_clause


@function_clause("tf.tpu.bfloat16_scope/signature/no-parameters")
def no_parameters(tf, bfloat16_scope):
    for parameter in inspect.signature(bfloat16_scope).parameters.values():
        optional = parameter.default is not inspect.Parameter.empty
        variadic = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        assert optional or variadic, f"{parameter.name} is required"
    bfloat16_scope()


@function_clause("tf.tpu.bfloat16_scope/returns/context-manager")
def context_manager(tf, bfloat16_scope):
    scope = bfloat16_scope()
    for method in ("__enter__", "__exit__"):
        assert hasattr(scope, method), f"{scope!r} has no {method}"
    with scope:
        pass


@function_clause("tf.tpu.bfloat16_scope/behaviour/get-variable-reads-bfloat16")
def get_variable_reads_bfloat16(tf, bfloat16_scope):
    with bfloat16_scope():
        read = tf.get_variable("w", [2], dtype=tf.bfloat16)
    tensor = tf.convert_to_tensor(read)
    same(tensor.dtype.name, "bfloat16")
    same(tensor.shape.as_list(), [2])
    with bfloat16_scope(), tf.variable_scope("", reuse=True):
        again = tf.get_variable("w", [2], dtype=tf.bfloat16)
    same(tf.convert_to_tensor(again).dtype.name, "bfloat16")
    with bfloat16_scope(), tf.variable_scope("outer"):
        first = tf.get_variable("first", [3], dtype=tf.bfloat16)
        with bfloat16_scope(), tf.variable_scope("inner"):
            second = tf.get_variable("second", [4], tf.bfloat16, trainable=False)
        third = tf.get_variable("third", [], dtype=tf.bfloat16)
    for read in (first, second, third):
        same(tf.convert_to_tensor(read).dtype.name, "bfloat16")
    stored = {v.op.name.rpartition("/")[2]: v for v in tf.global_variables()}
    shapes = {name: v.shape.as_list() for name, v in stored.items()}
    same(shapes, {"w": [2], "first": [3], "second": [4], "third": []})
    same({v.dtype.base_dtype.name for v in stored.values()}, {"float32"})
    trainable = [v.op.name.rpartition("/")[2] for v in tf.trainable_variables()]
    same(sorted(trainable), ["first", "third", "w"])
    with bfloat16_scope():
        tf.get_variable(
            "kept", [5], tf.bfloat16, collections=["mine"], regularizer=tf.reduce_sum
        )
    same([v.shape.as_list() for v in tf.get_collection("mine")], [[5]])
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    same(len(losses), 1, call="losses of a regularizer")


@function_clause("tf.tpu.bfloat16_scope/behaviour/custom-getter-stores-float32")
def stores_float32(tf, bfloat16_scope):
    # Near 1, bfloat16 has steps of 2**-7: both values lie halfway between two of them
    # and go to the one whose last bit is zero.
    with bfloat16_scope():
        down = tf.get_variable(
            "w", [], tf.bfloat16, initializer=tf.constant_initializer(1 + 2.0**-8)
        )
        up = tf.get_variable(
            "u", [], tf.bfloat16, initializer=tf.constant_initializer(1 + 3 * 2.0**-8)
        )
    stored = {variable.op.name: variable for variable in tf.global_variables()}
    same(stored["w"].dtype.base_dtype.name, "float32")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        same(session.run(stored["w"]), 1.00390625)
        same(np.float32(session.run(down)), 1.0)
        same(session.run(stored["u"]), 1.01171875)
        same(np.float32(session.run(up)), 1.015625)


@function_clause("tf.tpu.bfloat16_scope/behaviour/float32-request-untouched")
def float32_untouched(tf, bfloat16_scope):
    with bfloat16_scope():
        variables = [tf.get_variable("a", [2]), tf.get_variable("b", [2], tf.float32)]
    for variable in variables:
        _require_uncast(tf, variable, "float32")


@function_clause("tf.tpu.bfloat16_scope/behaviour/only-get-variable")
def only_get_variable(tf, bfloat16_scope):
    with bfloat16_scope():
        variable = tf.Variable(tf.zeros([1], tf.bfloat16))
    _require_uncast(tf, variable, "bfloat16")


def _require_uncast(tf, variable, dtype):
    """Require a variable of this dtype, and not the tensor of a cast."""
    assert isinstance(variable, tf.Variable), f"not a variable: {variable!r}"
    same(variable.dtype.base_dtype.name, dtype)


@function_clause("tf.tpu.bfloat16_scope/behaviour/ends-with-block")
def ends_with_block(tf, bfloat16_scope):
    with bfloat16_scope():
        pass
    _require_uncast(tf, tf.get_variable("after", [1], tf.bfloat16), "bfloat16")
    with contextlib.suppress(KeyError), bfloat16_scope():
        raise KeyError("leave")
    _require_uncast(tf, tf.get_variable("after_error", [1], tf.bfloat16), "bfloat16")
    with bfloat16_scope():
        with contextlib.suppress(KeyError), bfloat16_scope():
            raise KeyError("leave the inner scope")
        still = tf.get_variable("still", [1], tf.bfloat16)
    same(tf.convert_to_tensor(still).dtype.name, "bfloat16")
    same(
        {v.op.name: v.dtype.base_dtype.name for v in tf.global_variables()}["still"],
        "float32",
    )


@clause("tf.tpu.bfloat16_scope_dyn/signature/no-parameters")
def dyn_no_parameters(tf):
    no_parameters(tf, tf.tpu.bfloat16_scope_dyn)
