"""Regions: which part of a graph owns an operation, and what it takes from around."""

from typing import Any

import tpuref as tf
from tpuref.engine.graph.region import BRANCH, LOOP, REPLICATED


def test_operations_belong_to_the_function_that_made_them(graph):
    x = tf.constant(1)
    assert x.op.region is None
    made: list[tf.Tensor] = []

    def branch():
        made.append(tf.constant(2) + x)
        inner = tf.while_loop(lambda i: i < x, lambda i: made.append(i) or i + 1, [0])
        return made[0] + inner

    result = tf.cond(tf.constant(True), branch, lambda: 0)
    assert result.op.region is None
    outer, inner = made[0].op.region, made[1].op.region
    assert (outer.kind, inner.kind) == (BRANCH, LOOP)
    assert inner.outer is outer and outer.outer is None
    assert list(inner.enclosing()) == [inner, outer]
    assert inner.is_within(outer) and inner.is_within(None)
    assert not outer.is_within(inner)
    assert outer.replicated is None
    assert graph.region is None


def test_a_replicated_computation_is_known_to_all_within():
    made: list[tf.Tensor] = []

    def computation(x):
        def branch():
            made.append(x + 1)
            return made[0]

        return tf.cond(x > 0, branch, lambda: x)

    tf.tpu.replicate(computation, [[1], [2]])
    region = made[0].op.region
    assert region.kind == BRANCH
    assert region.replicated.kind == REPLICATED
    assert region.replicated.replicas == 2
    assert made[0].op.get_attr("_tpu_replicate") == region.replicated.name


def test_captured_tensors_come_in_order_of_use_and_once():
    a, b, c = tf.constant(1), tf.constant(2), tf.constant(3)
    holder: list[Any] = []

    def branch():
        holder.append(tf.get_default_graph().region)
        total = b + a + b
        return tf.cond(tf.constant(True), lambda: total + c, lambda: a)

    result = tf.cond(tf.constant(True), branch, lambda: c)
    region = holder[0]
    assert region.captured_tensors() == [b, a, c]
    assert result.op.captured_inputs()[0] is result.op.inputs[0]
    assert set(result.op.captured_inputs()[1:]) == {a, b, c}


def test_operations_awaited_from_within_are_awaited_by_the_whole():
    before = tf.no_op()

    def branch():
        own = tf.no_op()
        with tf.control_dependencies([before, own]):
            return tf.constant(1)

    result = tf.cond(tf.constant(True), branch, lambda: 2)
    assert result.op.blocks[0].awaited_operations() == [before]
    assert before in result.op.all_control_inputs()


def test_regions_have_the_names_of_their_scopes():
    holder = []

    def branch():
        holder.append(tf.get_default_graph().region)
        return tf.constant(1, name="x")

    with tf.name_scope("outer"):
        for _ in range(2):
            tf.cond(tf.constant(True), branch, lambda: 2, name="choice")
    names = ["outer/choice/true", "outer/choice_1/true"]
    assert [region.name for region in holder] == names
    assert [r.operations[0].name for r in holder] == [f"{name}/x" for name in names]
    assert {region.site.filename for region in holder} == {__file__}
