"""tf.train.ClusterSpec: what tpuref adds to the releases."""

from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.suite.train_cluster_spec import JOBS


def test_rules(tf):
    spec = tf.train.ClusterSpec(JOBS)
    same(spec.jobs, ["ps", "worker"])
    same(list(spec.as_dict()), ["ps", "worker"])
    same(tf.train.ClusterSpec({b"w": [b"a:1"]}).as_dict(), {"w": ["a:1"]})
    for index in (-1, -2):
        expect_raises(TypeError, tf.train.ClusterSpec, {"w": {index: "a:1"}})
    same(tf.train.ClusterSpec({"w": []}).job_tasks("w"), [])
    same(tf.train.ClusterSpec({"w": []}).as_dict(), {"w": []})
    same(len({spec, tf.train.ClusterSpec(spec)}), 1)
    message = spec.as_cluster_def()
    same([list(job.tasks) for job in message.job], [[0, 2], [0, 1]])


def test_texts(tf):
    spec = tf.train.ClusterSpec({"worker": ["a:1"], "ps": {2: "c:1"}})
    same(repr(spec), "ClusterSpec({'ps': {2: 'c:1'}, 'worker': ['a:1']})")
    error = expect_raises(ValueError, spec.num_tasks, "chief")
    assert "no job 'chief'; its jobs are ['ps', 'worker']" in str(error), error
    error = expect_raises(ValueError, spec.task_address, "ps", 1)
    assert "job 'ps' has no task 1; its tasks are [2]" in str(error), error
    error = expect_raises(TypeError, tf.train.ClusterSpec, {"w": {-1: "a:1"}})
    assert "job 'w' has the task -1: 'a:1'" in str(error), error
