"""tf.train.ClusterSpec: what tpuref adds to the releases."""

from tpuref_conformance.clause import expect_raises, same


def test_texts(tf):
    spec = tf.train.ClusterSpec({"worker": ["a:1"], "ps": {2: "c:1"}})
    same(repr(spec), "ClusterSpec({'ps': {2: 'c:1'}, 'worker': ['a:1']})")
    error = expect_raises(ValueError, spec.num_tasks, "chief")
    assert "no job 'chief'; its jobs are ['ps', 'worker']" in str(error), error
    error = expect_raises(ValueError, spec.task_address, "ps", 1)
    assert "job 'ps' has no task 1; its tasks are [2]" in str(error), error
    error = expect_raises(TypeError, tf.train.ClusterSpec, {"w": {-1: "a:1"}})
    assert "job 'w' has the task -1: 'a:1'" in str(error), error
