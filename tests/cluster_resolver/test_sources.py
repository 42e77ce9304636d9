"""Checks of where resolvers of tpuref look for a TPU, and what they tell about it."""

import contextlib
import io

from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.suite.cloud_stand_ins import (
    CloudTPU,
    Metadata,
    UntouchableAPI,
    counted_servers,
    node,
    surroundings,
)
from tpuref_conformance.suite.contrib_cluster_resolver import contrib
from tpuref_conformance.suite.distribute_cluster_resolver import distribute
from tpuref_conformance.suite.resolver_checks import one_node, resolved

from ..messages import refused

CONFIG = '{"tpu_node_name": "node-1", "project": "cp", "zone": "cz"}'
ENDPOINTS = "KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS"


def told(made):
    """Return the lines that a resolver prints about itself."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        made.explain()
    return printed.getvalue().splitlines()


def test_order_of_sources(tf):
    variables = {
        ENDPOINTS: "grpc://10.1.1.1:1",
        "TPU_NAME": "grpc://10.1.1.2:2",
        "TPU_CONFIG": '{"tpu_node_name": "grpc://10.1.1.3:3"}',
    }
    with surroundings(**variables):
        same(distribute(tf)("grpc://10.1.1.9:9").master(), "grpc://10.1.1.9:9")
        same(distribute(tf)().master(), "grpc://10.1.1.1:1")
    with surroundings(**dict(variables, **{ENDPOINTS: ""})):
        same(distribute(tf)().master(), "grpc://10.1.1.2:2")
        same(distribute(tf)(tpu=[None]).master(), "grpc://10.1.1.2:2")
        same(distribute(tf)().cluster_spec(), None)
    with surroundings(**dict(variables, TPU_NAME="", **{ENDPOINTS: ""})):
        made = distribute(tf)()
        same(made.master(), "grpc://10.1.1.3:3")
        same(made.cluster_spec(), None)


def test_tpu_config(tf):
    def asked_for(**arguments):
        service = one_node()
        distribute(tf)(service=service, **arguments).cluster_spec()
        return service.requested

    with surroundings(TPU_CONFIG=CONFIG):
        same(asked_for(), ["projects/cp/locations/cz/nodes/node-1"])
        same(asked_for(project="p"), ["projects/p/locations/cz/nodes/node-1"])
        same(asked_for(zone="z"), ["projects/cp/locations/z/nodes/node-1"])
    with surroundings(Metadata(), TPU_CONFIG='{"tpu_node_name": "node-1"}'):
        same(asked_for(), ["projects/proj-m/locations/europe-x/nodes/node-1"])
    for text, words in [
        ("{", "TPU_CONFIG is not JSON"),
        ("[" * 100000, "TPU_CONFIG is not JSON"),
        ("[1]", "TPU_CONFIG must be a JSON object, got list"),
        ('{"tpu_node_name": 5}', "TPU_CONFIG: tpu_node_name must be text, got 5"),
        ('{"tpu_node_name": "n", "zone": 1}', "TPU_CONFIG: zone must be text, got 1"),
        ("{}", "TPU_CONFIG: set, but has no tpu_node_name"),
        ('{"tpu_node_name": ""}', "TPU_CONFIG: set, but has no tpu_node_name"),
        ('{"tpu_node_name": null}', "TPU_CONFIG: set, but has no tpu_node_name"),
    ]:
        with surroundings(TPU_CONFIG=text):
            refused(ValueError, [words], distribute(tf), service=UntouchableAPI())


def test_words_about_no_tpus(tf):
    error = expect_raises(ValueError, distribute(tf))
    same(
        str(error).splitlines()[:5],
        [
            "TPUClusterResolver: no TPU is specified. Tried in turn:",
            "  tpu: not given",
            f"  {ENDPOINTS}: not set",
            "  TPU_NAME: not set",
            "  TPU_CONFIG: not set",
        ],
    )
    same(len(str(error).splitlines()), 6, call="lines of the message")
    with surroundings(TPU_NAME="", COLAB_TPU_ADDR="10.0.0.2:8470"):
        error = expect_raises(ValueError, distribute(tf))
    lines = str(error).splitlines()
    same(lines[3], "  TPU_NAME: empty")
    same(
        lines[5],
        "  COLAB_TPU_ADDR: '10.0.0.2:8470', which is ignored; to connect to it use "
        "tpu='grpc://10.0.0.2:8470'",
    )
    words = ["no TPU is specified: tpu is an empty list"]
    refused(ValueError, words, distribute(tf), tpu=[])


def test_lists(tf):
    same(distribute(tf)(["grpc://10.1.2.3:8470"]).master(), "grpc://10.1.2.3:8470")
    same(resolved(contrib(tf), one_node(), tpu=["node-1"]).get_job_name(), "worker")
    refused(NotImplementedError, ["tpu is a list of 2"], distribute(tf), ["a", "b"])
    for master in ("", "local", "grpc://10.1.2.3:8470", "/bns/cell"):
        for tpus in (["node-1", master], [master, "node-1"]):
            made = {"tpu": tpus, "service": UntouchableAPI()}
            words = [f"tpu lists {master!r}, which is not the name of a Cloud TPU"]
            refused(ValueError, words, contrib(tf), **made)
    both = CloudTPU({"a": node("10.1.1.1:1"), "b": node("10.2.2.2:2")})
    made = resolved(contrib(tf), both, tpu=["b", "a"])
    same(told(made)[1], "  tpu: ['b', 'a'], names of Cloud TPUs")
    unknown = resolved(contrib(tf), both, tpu=["b", "c"])
    refused(ValueError, ["there is no TPU 'c'"], unknown.master)


def test_what_is_a_name(tf):
    for name in ("localhost:8470", "1.2.3.4:8470", "LOCAL", "uptc://x", "grpc:/x"):
        service = CloudTPU({name: node("10.1.2.3:8470")})
        made = resolved(distribute(tf), service, tpu=name)
        same(made.master(), "grpc://10.1.2.3:8470")
        same(service.requested, [f"projects/p/locations/z/nodes/{name}"])
    service = one_node()
    distribute(tf)(b"node-1", b"z", b"p", b"w", service=service).cluster_spec()
    same(service.requested, ["projects/p/locations/z/nodes/node-1"])
    same(distribute(tf)(b"grpc://10.1.2.3:1").master(), "grpc://10.1.2.3:1")
    for wrong in (5, 1.5, ("a",), {}, [5]):
        words = ["TPUClusterResolver: tpu must be text, got "]
        refused(TypeError, words, distribute(tf), wrong)
    words = ["tpu is b'\\xff', which is not UTF-8"]
    refused(ValueError, words, distribute(tf), b"\xff")
    for name in ("zone", "project", "job_name", "coordinator_name"):
        words, given = [f"{name} must be text, got int 5"], {name: 5}
        refused(TypeError, words, resolved, distribute(tf), one_node(), **given)
    given = {"coordinator_name": "c", "coordinator_address": 5}
    expect_raises(TypeError, resolved, distribute(tf), one_node(), **given)


def test_trace(tf):
    same(
        told(distribute(tf)("local")),
        ["TPUClusterResolver:", "  tpu: 'local', passed on as the session's master"],
    )
    with surroundings(Metadata(), TPU_NAME="node-1"):
        given = {"coordinator_name": "c", "coordinator_address": "a:1"}
        made = distribute(tf)(zone="z", service=one_node(), **given)
    same(
        told(made),
        [
            "TPUClusterResolver:",
            "  tpu: not given",
            f"  {ENDPOINTS}: not set",
            "  TPU_NAME: 'node-1', the name of a Cloud TPU",
            "  asks: the given service CloudTPU",
            "  project: not given",
            "  project: 'proj-m', from metadata.google.internal",
            "  zone: 'z', as given",
            "  coordinator: 'c' at a:1, as given",
        ],
    )
    with surroundings(TPU_CONFIG=CONFIG):
        lines = told(distribute(tf)(service=one_node()))
    same(lines[-2], "  project: 'cp', as the environment says")
    with surroundings(**{ENDPOINTS: "10.1.2.3:1,10.1.2.4"}):
        lines = told(distribute(tf)())
    same(lines[-1], f"  {ENDPOINTS}: 10.1.2.3:1, 10.1.2.4:8470")


def test_coordinator_rules(tf):
    named = {"coordinator_name": "c"}
    with counted_servers(tf, port=4711) as started:
        made = resolved(distribute(tf), one_node(), **named)
        same(made.cluster_spec().as_dict()["c"], ["localhost:4711"])
        same(told(made)[-1], "  coordinator: 'c' at localhost:4711, a started server")
        empty = resolved(distribute(tf), one_node(), coordinator_address="", **named)
        same(empty.cluster_spec().as_dict()["c"], ["localhost:4711"])
        same(len(started), 2)
        for address in (None, "10.0.0.9:2222"):
            master = distribute(tf)("local", coordinator_address=address, **named)
            same(master.cluster_spec(), None)
        same(len(started), 2)
        for name in ("worker", " worker ".strip()):
            words = ["coordinator_name and job_name are both 'worker'"]
            given = {"coordinator_name": name}
            refused(ValueError, words, resolved, distribute(tf), one_node(), **given)
        same(len(started), 2)
    with surroundings(**{ENDPOINTS: "10.1.2.3:8470"}):
        for name in ("c", "z"):
            made = distribute(tf)(
                coordinator_name=name, coordinator_address="10.0.0.9:2222"
            )
            expected = {"worker": ["10.1.2.3:8470"], name: ["10.0.0.9:2222"]}
            same(made.cluster_spec().as_dict(), expected)
