"""Checks of what resolvers of tpuref make of an answer of the Cloud TPU API."""

import json

from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.suite.cloud_stand_ins import CloudTPU, HttpError, node
from tpuref_conformance.suite.distribute_cluster_resolver import distribute
from tpuref_conformance.suite.resolver_checks import TWO_HOSTS, one_node, resolved


def answered(tf, answer):
    """Return a resolver of a TPU about which the API answers that."""
    return resolved(distribute(tf), CloudTPU({"node-1": answer}))


def refused(tf, kind, answer):
    """Require that kind of error for both ways to ask, and return its text."""
    expect_raises(kind, answered(tf, answer).master)
    return str(expect_raises(kind, answered(tf, answer).cluster_spec))


def test_words_about_health(tf):
    sick = [
        ({"health": "UNHEALTHY"}, "not healthy: state 'READY', health 'UNHEALTHY';"),
        ({"health": "AILING"}, "not healthy: state 'READY', health 'AILING';"),
        ({"state": "CREATING"}, "not ready: state 'CREATING', health 'HEALTHY';"),
        ({"state": "ready"}, "not ready: state 'ready', health 'HEALTHY';"),
        ({"state": 5}, "not ready: state 5, health 'HEALTHY';"),
        ({"state": "STOPPED", "health": "TIMEOUT"},
         "not ready: state 'STOPPED', health 'TIMEOUT';"),
        ({"health": "TIMEOUT", "healthDescription": "too hot"},
         "not healthy: state 'READY', health 'TIMEOUT' ('too hot');"),
    ]  # fmt: skip
    for fields, words in sick:
        said = refused(tf, RuntimeError, node(*TWO_HOSTS, **fields))
        assert f"TPU 'node-1' is {words} wait until" in said, said
    assert "state None" in refused(tf, RuntimeError, dict(node(*TWO_HOSTS), state=None))
    silent = node(*TWO_HOSTS, state=None, health=None, healthDescription="fine")
    for well in (silent, json.loads(json.dumps(node(*TWO_HOSTS)))):
        same(answered(tf, well).master(), "grpc://10.1.2.3:8470")
    sick = json.loads(json.dumps(node(*TWO_HOSTS, health="TIMEOUT")))
    assert "not healthy: state 'READY'" in refused(tf, RuntimeError, sick)


def test_older_form(tf):
    old = {"ipAddress": "10.1.1.1", "port": "8471"}
    same(answered(tf, old).master(), "grpc://10.1.1.1:8471")
    both = dict(node("10.1.2.3:8470"), **old)
    same(answered(tf, both).cluster_spec().as_dict(), {"worker": ["10.1.2.3:8470"]})


def test_unclear_answer(tf):
    start = "TPU 'node-1': the answer of the Cloud TPU API is malformed"
    for answer, words in [
        (None, "expected a dictionary, got None"),
        ("text", "expected a dictionary, got 'text'"),
        ([{}], "expected a dictionary, got [{}]"),
        ({"networkEndpoints": None}, "networkEndpoints is None"),
        ({"networkEndpoints": "10.1.2.3:1"}, "networkEndpoints is '10.1.2.3:1'"),
        ({"networkEndpoints": {}}, "networkEndpoints is {}"),
        ({"networkEndpoints": [{}, None]}, "networkEndpoints is [{}, None]"),
        (
            {"ipAddress": "10.1.1.1"},
            "endpoint 0: a port must be a number from 1 to 65535",
        ),
        ("x" * 198, "got '" + "x" * 198 + "'"),
        ("x" * 199, "got '" + "x" * 199 + "..."),
        ("x" * 900, "got '" + "x" * 199 + "..."),
    ]:
        said = refused(tf, RuntimeError, answer)
        assert start in said, said
        assert words in said, said
        assert words.endswith("...") == ("..." in said), said


def test_words_about_no_such_tpu(tf):
    said = refused(tf, ValueError, HttpError(404, "Resource was not found"))
    path = "projects/p/locations/z/nodes/node-1"
    assert f"there is no TPU 'node-1': requested '{path}': " in said, said
    assert "404 Resource was not found" in said, said
    assert "to connect to an address" not in said, said
    for answer in ({}, node(), {"state": "READY"}, {"networkEndpoints": []}):
        said = refused(tf, ValueError, answer)
        assert "TPU 'node-1' has no network endpoint" in said, said
    made = resolved(distribute(tf), one_node(), tpu="10.0.0.1:8470")
    said = str(expect_raises(ValueError, made.master))
    assert "to connect to an address use tpu='grpc://10.0.0.1:8470'" in said, said
