"""Checks of tf.train.ClusterSpec, which the resolvers return.

Neither page about resolvers describes it. What is checked is what releases 1.8, 1.11
and 1.15 were seen to do, and a few rules of tpuref's own.
"""

import collections

from ..clause import expect_raises, same
from .page import Page

page = Page("tf.train.ClusterSpec")


JOBS = {"worker": ["a:1", "b:1"], "ps": {2: "c:1", 0: "d:1"}}


@page.clause("/methods/jobs-and-tasks")
def jobs_and_tasks(tf):
    spec = tf.train.ClusterSpec(JOBS)
    same(sorted(spec.jobs), ["ps", "worker"])
    same(spec.num_tasks("worker"), 2)
    same(spec.num_tasks("ps"), 2)
    same(spec.task_indices("worker"), [0, 1])
    same(spec.task_indices("ps"), [0, 2])
    same(tf.train.ClusterSpec({"worker": []}).num_tasks("worker"), 0)


@page.clause("/methods/addresses")
def addresses(tf):
    spec = tf.train.ClusterSpec(JOBS)
    same(spec.task_address("worker", 0), "a:1")
    same(spec.task_address("worker", 1), "b:1")
    same(spec.task_address("ps", 2), "c:1")
    same(spec.job_tasks("worker"), ["a:1", "b:1"])
    same(spec.job_tasks("ps"), ["d:1", None, "c:1"])
    same(tf.train.ClusterSpec({"ps": {1: "x:1"}}).job_tasks("ps"), [None, "x:1"])


@page.clause("/raises/unknown-job-or-task")
def unknown_job_or_task(tf):
    spec = tf.train.ClusterSpec(JOBS)
    for ask in (spec.num_tasks, spec.task_indices, spec.job_tasks):
        expect_raises(ValueError, ask, "chief")
    expect_raises(ValueError, spec.task_address, "chief", 0)
    expect_raises(ValueError, spec.task_address, "worker", 2)
    expect_raises(ValueError, spec.task_address, "ps", 1)


@page.clause("/methods/as-dict")
def as_dict(tf):
    same(tf.train.ClusterSpec(JOBS).as_dict(), JOBS)
    dense = tf.train.ClusterSpec({"worker": {1: "b:1", 0: "a:1"}})
    same(dense.as_dict(), {"worker": ["a:1", "b:1"]})
    same(tf.train.ClusterSpec({"worker": {1: "b:1"}}).as_dict(), {"worker": {1: "b:1"}})
    twelve = ["h:%d" % index for index in range(12)]
    same(tf.train.ClusterSpec({"w": twelve}).as_dict(), {"w": twelve})
    same(tf.train.ClusterSpec({"w": ("a:1", "b:1")}).as_dict(), {"w": ["a:1", "b:1"]})
    same(tf.train.ClusterSpec({}).as_dict(), {})


@page.clause("/methods/as-cluster-def")
def as_cluster_def(tf):
    message = tf.train.ClusterSpec(JOBS).as_cluster_def()
    assert isinstance(message, tf.train.ClusterDef), repr(message)
    jobs = [(job.name, dict(job.tasks)) for job in message.job]
    same([name for name, _ in jobs], ["ps", "worker"])
    same([tasks for _, tasks in jobs], [{0: "d:1", 2: "c:1"}, {0: "a:1", 1: "b:1"}])
    (job,) = tf.train.ClusterSpec({b"ps": [b"x:1"]}).as_cluster_def().job
    same((job.name, dict(job.tasks)), ("ps", {0: "x:1"}))


@page.clause("/args:cluster/forms")
def forms(tf):
    spec = tf.train.ClusterSpec(JOBS)
    for form in (spec, spec.as_dict(), spec.as_cluster_def()):
        same(tf.train.ClusterSpec(form).as_dict(), JOBS)
    message = tf.train.ClusterDef()
    job = message.job.add()
    job.name, job.tasks[1] = "worker", "b:1"
    same(tf.train.ClusterSpec(message).as_dict(), {"worker": {1: "b:1"}})
    second = message.job.add()
    second.name, second.tasks[0] = "ps", "c:1"
    same(tf.train.ClusterSpec(message).as_dict(), {"worker": {1: "b:1"}, "ps": ["c:1"]})
    ordered = collections.OrderedDict([("worker", ["a:1"]), ("ps", ["c:1"])])
    same(tf.train.ClusterSpec(ordered).num_tasks("ps"), 1)


@page.clause("/raises/no-cluster")
def no_cluster(tf):
    for cluster in (None, 5, "worker", ["a:1"], [("worker", ["a:1"])]):
        expect_raises(TypeError, tf.train.ClusterSpec, cluster)
    for cluster in [
        {5: ["a:1"]},
        {"worker": "a:1"},
        {"worker": b"a:1"},
        {"worker": 5},
        {"worker": None},
        {"worker": {"a:1"}},
        {"worker": [5]},
        {"worker": ["a:1", None]},
        {"worker": {"0": "a:1"}},
        {"worker": {0: None}},
    ]:
        expect_raises(TypeError, tf.train.ClusterSpec, cluster)


@page.clause("/methods/comparison")
def comparison(tf):
    spec = tf.train.ClusterSpec(JOBS)
    same(equal(spec, tf.train.ClusterSpec(spec)), (True, False))
    other = tf.train.ClusterSpec(dict(JOBS, worker={1: "b:1", 0: "a:1"}))
    same(equal(spec, other), (True, False))
    for cluster in [
        {},
        {"worker": ["a:1", "b:1"]},
        dict(JOBS, worker=["a:1"]),
        dict(JOBS, worker=["a:1", "c:1"]),
        dict(JOBS, ps={0: "d:1", 1: "c:1"}),
        dict(JOBS, chief=["e:1"]),
    ]:
        same(equal(spec, tf.train.ClusterSpec(cluster)), (False, True))
    same(equal(spec, 5), (False, True))
    same((bool(spec), bool(tf.train.ClusterSpec({}))), (True, False))


def equal(one, other):
    """Return what both operators of comparison say."""
    return one == other, one != other


@page.clause("/behaviour/independent-of-what-it-was-made-from")
def independent(tf):
    tasks = {0: "a:1"}
    jobs = {"ps": tasks, "worker": ["a:1"]}
    spec = tf.train.ClusterSpec(jobs)
    copy = tf.train.ClusterSpec(spec)
    jobs["worker"].append("b:1")
    tasks[1] = "b:1"
    spec.as_cluster_def().job[0].tasks[7] = "c:1"
    for one in (spec, copy):
        same(one.as_dict(), {"ps": ["a:1"], "worker": ["a:1"]})
