"""Regions: which part of a graph owns an operation, and what it takes from around."""

import tpuref as tf
from tpuref.engine.graph.region import BRANCH, REPLICATED


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


def test_operations_awaited_from_within_are_awaited_by_the_whole():
    before = tf.no_op()

    def branch():
        with tf.control_dependencies([before, tf.no_op()]):
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
