"""tf.train.ClusterSpec: what tpuref adds to the releases."""

from tpuref_conformance.clause import same

from ..messages import refused


def test_texts(tf):
    spec = tf.train.ClusterSpec({"worker": ["a:1"], "ps": {2: "c:1"}})
    same(repr(spec), "ClusterSpec({'ps': {2: 'c:1'}, 'worker': ['a:1']})")
    words = ["no job 'chief'; its jobs are ['ps', 'worker']"]
    refused(ValueError, words, spec.num_tasks, "chief")
    words = ["job 'ps' has no task 1; its tasks are [2]"]
    refused(ValueError, words, spec.task_address, "ps", 1)
    words = ["job 'w' has the task -1: 'a:1'"]
    refused(TypeError, words, tf.train.ClusterSpec, {"w": {-1: "a:1"}})
