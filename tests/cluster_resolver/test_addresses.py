"""Checks of the addresses that resolvers of tpuref take from elsewhere.

An address comes from the environment or from the Cloud TPU API, and goes into a
ClusterSpec that programs connect to: anything else must be refused.
"""

from tpuref_conformance.clause import same
from tpuref_conformance.suite.cloud_stand_ins import CloudTPU, node, surroundings
from tpuref_conformance.suite.distribute_cluster_resolver import distribute
from tpuref_conformance.suite.resolver_checks import resolved

from ..messages import refused

VARIABLE = "KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS"


def endpoints(tf, text):
    """Return the addresses that the variable of Kubernetes Engine leads to."""
    with surroundings(KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS=text):
        return distribute(tf)().cluster_spec().as_dict()["worker"]


def reported(tf, *entries):
    """Return the addresses that these endpoints of an answer of the API lead to."""
    service = CloudTPU({"node-1": dict(node(), networkEndpoints=list(entries))})
    return resolved(distribute(tf), service).cluster_spec().as_dict()["worker"]


def test_forms_of_endpoints(tf):
    same(endpoints(tf, "grpc://10.1.2.3:8470"), ["10.1.2.3:8470"])
    same(endpoints(tf, "grpc://10.1.2.3"), ["10.1.2.3:8470"])
    same(endpoints(tf, "10.1.2.3:1,10.1.2.4"), ["10.1.2.3:1", "10.1.2.4:8470"])
    same(endpoints(tf, "grpc://[::1]:9, my.host:7"), ["[::1]:9", "my.host:7"])
    same(endpoints(tf, "grpc://[fe80::1]"), ["[fe80::1]:8470"])
    same(endpoints(tf, "fe80::1"), ["[fe80::1]:8470"])
    same(endpoints(tf, "a:1,a:65535"), ["a:1", "a:65535"])
    same(endpoints(tf, "my_host-1.example.:7"), ["my_host-1.example.:7"])
    same(endpoints(tf, "_a:7,1:7,Z9:07"), ["_a:7", "1:7", "Z9:7"])


def test_endpoints_are_checked(tf):
    hosts = ["grpc://", ",", "10.1.2.3:8470,", "a b:1", "a_-:1", "-a:1", "a..b:1"]
    hosts += ["[]:1", "[::1", "[::1]x", "[::1]x9", "[a]b:1", "fe80::1%eth0"]
    hosts += ["a:1\n2", "\u0661.2.3.4:1", "evil@host:1", "a/b:1", "http://a:1"]
    ports = ["a:0", "a:65536", "a:99999", "a:008470", "a:x", "a:", "a:-1", "a:+1"]
    ports += ["a:1 2", "1.2.3.4:\u0661", "[::1]:", "[::1]:0"]
    for text in hosts + ports:
        with surroundings(**{VARIABLE: text}):
            refused(ValueError, [VARIABLE], distribute(tf))
    for text, words in (
        ("a:65536", "a port must be a number from 1 to 65535, got 65536"),
        ("a b", "'a b' is neither an IP address nor a host name"),
    ):
        with surroundings(**{VARIABLE: text}):
            refused(ValueError, [words], distribute(tf))


def test_addresses_of_an_answer_are_checked(tf):
    good = {"ipAddress": "10.1.2.3", "port": 8470}
    bad = [
        {},
        {"ipAddress": "10.1.2.3"},
        {"port": 8470},
        {"ipAddress": "", "port": 1},
        {"ipAddress": 5, "port": 1},
        {"ipAddress": "10.1.2.3,evil:1", "port": 1},
        {"ipAddress": "evil@host/", "port": 1},
        {"ipAddress": "a" * 300, "port": 1},
    ]
    bad += [
        {"ipAddress": "10.1.2.3", "port": port}
        for port in (0, -1, 65536, True, False, 8470.0, "0x1", "", None)
    ]
    for entry in bad:
        words = ["the answer of the Cloud TPU API is malformed", "endpoint 1: "]
        error = refused(RuntimeError, words, reported, tf, good, entry)
        assert len(str(error)) < 500, error
