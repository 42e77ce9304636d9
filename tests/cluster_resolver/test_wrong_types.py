"""Public functions given what they do not take: an error with a code, or a result."""

import math

import pytest
from tpuref_conformance.suite.cloud_stand_ins import CloudTPU

import tpuref as tf
from tpuref.base.error_codes import PATTERN

from .api_object import CONTRIB, DISTRIBUTE, NODE_1, PLACE

WRONG = [
    *(None, 1.5, math.nan, math.inf, 10**40, -1, True, b"", b"\xff", "", "a b", "\0"),
    *([], [None], [1.5], [[]], {}, {"a": 1}, {1: "a"}, {"a": [None]},
        {"a": {"b": "c"}}),
    *({"a": {-1: "c"}}, {b"\xff": ["a:1"]}, {"a": [b"\xff"]}, {"a": {10**40: "a:1"}}),
    *(object(), int, lambda: 1, {"a": {1.5: "b"}}, ("a",), {"a"}, range(3)),
]  # fmt: skip


def named(tpu="n", resolver=DISTRIBUTE, **options):
    return resolver(tpu, **PLACE | {"service": CloudTPU({"n": NODE_1})} | options)


def spec():
    return tf.train.ClusterSpec({"worker": ["a:1", "b:1"], "ps": {2: "c:1"}})


def server(*arguments, **options):
    tf.train.Server(*arguments, start=False, **options).stop()


LOCAL = {"worker": ["localhost:0"]}
CALLS = {
    "tpu of contrib": lambda w: named(w, CONTRIB),
    "tpu of distribute": lambda w: named(w),
    "zone": lambda w: named(zone=w).master(),
    "project": lambda w: named(project=w).master(),
    "job_name": lambda w: DISTRIBUTE("local", job_name=w),
    "coordinator_name": lambda w: named(coordinator_name=w, coordinator_address="a:1"),
    "coordinator_address": lambda w: named(
        coordinator_name="c", coordinator_address=w or "a:1"
    ),
    "service": lambda w: named(service=w or 5).master(),
    "discovery_url": lambda w: DISTRIBUTE("local", discovery_url=w),
    "discovery_url of a name": lambda w: DISTRIBUTE("n", discovery_url=w, **PLACE),
    "master(task_type)": lambda w: named().master(w),
    "master(task_id)": lambda w: named().master(task_id=w),
    "master(rpc_layer)": lambda w: named().master(rpc_layer=w),
    "num_accelerators(config_proto)": lambda w: DISTRIBUTE("local").num_accelerators(
        config_proto=w
    ),
    "ClusterSpec": lambda w: tf.train.ClusterSpec(w),
    "ClusterSpec of a job": lambda w: tf.train.ClusterSpec({"a": w}),
    "ClusterSpec of a task": lambda w: tf.train.ClusterSpec({"a": [w]}),
    "num_tasks": lambda w: spec().num_tasks(w),
    "task_indices": lambda w: spec().task_indices(w),
    "job_tasks": lambda w: spec().job_tasks(w),
    "task_address of a job": lambda w: spec().task_address(w, 0),
    "task_address of a task": lambda w: spec().task_address("worker", w),
    "ClusterDef": lambda w: tf.train.ClusterSpec(tf.train.ClusterDef(w)),
    "ClusterDef of tasks": lambda w: tf.train.ClusterSpec(
        tf.train.ClusterDef([type(spec().as_cluster_def().job[0])("a", w)])
    ),
    "Server": server,
    "Server of an address": lambda w: server({"worker": [w]}),
    "Server(job_name)": lambda w: server(LOCAL, w),
    "Server(task_index)": lambda w: server(LOCAL, "worker", w),
    "Server(protocol)": lambda w: server(LOCAL, "worker", 0, w),
    "Server(config)": lambda w: server(LOCAL, "worker", 0, "grpc", w),
    "Server(credentials)": lambda w: server(LOCAL, credentials=w),
    "Server(token)": lambda w: server(LOCAL, token=w),
    "Server(max_message_bytes)": lambda w: server(LOCAL, max_message_bytes=w),
    "ServerDef": lambda w: server(tf.train.ServerDef(w)),
    "Session": lambda w: tf.Session(w),
    "Session(config)": lambda w: tf.Session(config=w),
    "ConfigProto(cluster_def)": lambda w: tf.Session(
        config=tf.ConfigProto(cluster_def=w)
    ),
    "ConfigProto(rpc_options)": lambda w: tf.Session(
        "grpc://localhost:1", config=tf.ConfigProto(rpc_options=w or 5)
    ),
    "Session.reset": lambda w: tf.Session.reset(w),
}
NEEDS_GRPC = ("Server", "ConfigProto(rpc")


@pytest.mark.parametrize("name", CALLS)
def test_wrong_types(name, clock, monkeypatch):
    if name.startswith(NEEDS_GRPC):
        pytest.importorskip("grpc", reason="needs the extra: pip install tpuref[cloud]")
    monkeypatch.setattr("tpuref.interface.cluster_resolver.metadata.answer", _nobody)
    raw = {}
    for wrong in WRONG:
        try:
            CALLS[name](wrong)
        except Exception as error:
            if not is_typed(error):
                raw[repr(wrong)] = error
    assert raw == {}


def is_typed(error):
    """Whether it is an error of a documented class, with a code."""
    if isinstance(error, NotImplementedError):
        return True
    kinds = (TypeError, ValueError, RuntimeError)
    has_code = PATTERN.search(str(error)) is not None and len(str(error)) < 2000
    return has_code and isinstance(error, (*kinds, tf.errors.OpError))


def _nobody(path):
    raise ConnectionRefusedError("nobody is there")
