"""tf.train.ClusterSpec."""

from __future__ import annotations

from typing import Any

import pytest

import tpuref as tf

JOBS = {"worker": ["w0:1", "w1:1"], "ps": {0: "p0:1", 3: "p3:1"}}


def test_lists_and_dictionaries_of_addresses() -> None:
    spec = tf.train.ClusterSpec(JOBS)
    assert spec.jobs == ["ps", "worker"]
    assert spec.num_tasks("worker") == 2 and spec.num_tasks("ps") == 2
    assert spec.task_indices("ps") == [0, 3]
    assert spec.task_address("worker", 1) == "w1:1"
    assert spec.task_address("ps", 3) == "p3:1"
    assert spec.job_tasks("worker") == ["w0:1", "w1:1"]
    assert spec.job_tasks("ps") == ["p0:1", None, None, "p3:1"]


def test_as_dict_uses_lists_where_no_task_is_missing() -> None:
    assert tf.train.ClusterSpec(JOBS).as_dict() == JOBS
    dense = tf.train.ClusterSpec({"worker": {1: "b:1", 0: "a:1"}})
    assert dense.as_dict() == {"worker": ["a:1", "b:1"]}


def test_a_spec_can_be_made_from_its_forms() -> None:
    spec = tf.train.ClusterSpec(JOBS)
    for form in (spec, spec.as_dict(), spec.as_cluster_def()):
        assert tf.train.ClusterSpec(form) == spec


def test_the_message_lists_jobs_and_tasks_in_order() -> None:
    message = tf.train.ClusterSpec(JOBS).as_cluster_def()
    assert [(job.name, list(job.tasks.items())) for job in message.job] == [
        ("ps", [(0, "p0:1"), (3, "p3:1")]),
        ("worker", [(0, "w0:1"), (1, "w1:1")]),
    ]


def test_a_copy_does_not_change_with_the_original() -> None:
    jobs = {"worker": ["a:1"]}
    spec = tf.train.ClusterSpec(jobs)
    copy = tf.train.ClusterSpec(spec)
    jobs["worker"].append("b:1")
    message = spec.as_cluster_def()
    message.job[0].tasks[7] = "c:1"
    assert spec.num_tasks("worker") == copy.num_tasks("worker") == 1


def test_bytes_are_text() -> None:
    spec = tf.train.ClusterSpec({b"worker": [b"a:1"]})
    assert spec == tf.train.ClusterSpec({"worker": ["a:1"]})


def test_a_message_is_filled_in() -> None:
    message = tf.train.ClusterDef()
    job = message.job.add()
    job.name, job.tasks[1] = "worker", "b:1"
    assert tf.train.ClusterSpec(message).as_dict() == {"worker": {1: "b:1"}}
    assert tf.train.ClusterSpec(message).as_cluster_def() == message


def test_equality_and_hash() -> None:
    one, other = tf.train.ClusterSpec(JOBS), tf.train.ClusterSpec(dict(JOBS))
    assert one == other and hash(one) == hash(other)
    assert one != tf.train.ClusterSpec({"worker": ["w0:1"]})
    assert one != JOBS


def test_an_empty_cluster() -> None:
    empty = tf.train.ClusterSpec({})
    assert not empty and empty.jobs == [] and empty.as_dict() == {}
    assert tf.train.ClusterSpec(JOBS)
    assert tf.train.ClusterSpec({"worker": []}).job_tasks("worker") == []


def test_the_text_shows_the_jobs() -> None:
    text = repr(tf.train.ClusterSpec({"worker": ["a:1"]}))
    assert text == "ClusterSpec({'worker': ['a:1']})"


@pytest.mark.parametrize("cluster", [None, 5, "worker", ["a:1"], [("worker", ["a:1"])]])
def test_what_is_no_cluster(cluster: Any) -> None:
    with pytest.raises(TypeError, match="cluster must be a dictionary"):
        tf.train.ClusterSpec(cluster)


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        ({5: ["a:1"]}, "job name must be text, got 5"),
        ({"worker": "a:1"}, "tasks of job 'worker'"),
        ({"worker": 5}, "tasks of job 'worker'"),
        ({"worker": [5]}, "task 0: 5"),
        ({"worker": {"0": "a:1"}}, "task '0': 'a:1'"),
        ({"worker": {0: None}}, "task 0: None"),
        ({"worker": {-1: "a:1"}}, "task -1: 'a:1'"),
    ],
)
def test_parts_of_the_wrong_type(cluster: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        tf.train.ClusterSpec(cluster)


@pytest.mark.parametrize(
    "ask",
    [
        lambda spec: spec.num_tasks("chief"),
        lambda spec: spec.task_indices("chief"),
        lambda spec: spec.task_address("chief", 0),
        lambda spec: spec.job_tasks("chief"),
    ],
)
def test_an_unknown_job(ask: Any) -> None:
    with pytest.raises(
        ValueError, match=r"no job 'chief'; its jobs are \['ps', 'worker'\]"
    ):
        ask(tf.train.ClusterSpec(JOBS))


@pytest.mark.parametrize("index", [2, -1, "0", []])
def test_an_unknown_task(index: Any) -> None:
    with pytest.raises(ValueError, match=r"has no task .*its tasks are \[0, 1\]"):
        tf.train.ClusterSpec(JOBS).task_address("worker", index)
