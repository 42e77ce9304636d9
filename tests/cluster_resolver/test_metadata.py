"""Checks of what resolvers of tpuref make of the metadata server."""

from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.suite.cloud_stand_ins import (
    Metadata,
    UntouchableAPI,
    counted_servers,
    surroundings,
)
from tpuref_conformance.suite.contrib_cluster_resolver import contrib
from tpuref_conformance.suite.distribute_cluster_resolver import distribute
from tpuref_conformance.suite.resolver_checks import one_node, resolved

from tpuref.interface.cluster_resolver import metadata as surrounding

from ..messages import refused
from .patience_stand_ins import TroubledMetadata

GOOGLE = "Google Compute Engine\n"


def placed(tf, **answers):
    """Return the full name that is asked for where the metadata server says so."""
    service = one_node()
    with surroundings(Metadata(**answers)):
        distribute(tf)("node-1", service=service).cluster_spec()
    return service.requested


def machine(product):
    """Let the product name of this machine be in its file; None: there is no file."""
    if product is None:
        surrounding.PRODUCT_NAME.unlink(missing_ok=True)
    else:
        surrounding.PRODUCT_NAME.write_text(product)


def test_questions(tf):
    with surroundings(Metadata()) as metadata:
        made = distribute(tf)("node-1", service=one_node())
        made.cluster_spec()
        made.master()
    same(metadata.requested, ["project/project-id", "instance/zone"])
    same(metadata.connected, [("metadata.google.internal", 80)] * 2)
    with surroundings(Metadata(), GCE_METADATA_HOST="metadata:8080") as metadata:
        distribute(tf)("node-1", None, "p", service=one_node())
    same(metadata.requested, ["instance/zone"])
    same(metadata.connected, [("metadata", 8080)])
    variables = {"GCE_METADATA_HOST": "", "GCE_METADATA_IP": "169.254.169.254"}
    with surroundings(Metadata(), **variables) as metadata:
        distribute(tf)("node-1", "z", service=one_node())
    same(metadata.connected, [("169.254.169.254", 80)])
    with surroundings(Metadata()) as metadata:
        for master in ("local", "grpc://10.1.2.3:8470"):
            distribute(tf)(master).cluster_spec()
    same(metadata.connected, [])


def test_answers_are_checked(tf):
    same(
        placed(tf, project="a.b:c_d-1", zone="projects/1/zones/z-1"),
        ["projects/a.b:c_d-1/locations/z-1/nodes/node-1"],
    )
    same(placed(tf, project="p\n", zone="z"), ["projects/p/locations/z/nodes/node-1"])
    longest = "p" * 255
    assert placed(tf, project=longest)[0].startswith(f"projects/{longest}/")
    for rest in ("/zz", "/zzz"):  # no more than 4096 characters are read
        same(
            placed(tf, project="p", zone="z" * 4093 + rest),
            ["projects/p/locations/zz/nodes/node-1"],
        )
    for wrong in ("", "a b", "a/../b/", "\u00e9", "-p", "p" * 256, "<html>", "a?b"):
        for what in ("project", "zone"):
            words = [f"which is not a valid {what}; pass {what}="]
            refused(RuntimeError, words, placed, tf, **{what: wrong})
    shown = "?" * 80
    words = [f"internal answered '{shown}', which is not a valid project"]
    refused(RuntimeError, words, placed, tf, project="?" * 5000)
    words, api = ["'bad host' is neither"], UntouchableAPI()
    with surroundings(GCE_METADATA_HOST="bad host"):
        refused(RuntimeError, words, distribute(tf), "node-1", service=api)


def test_which_machines(tf):
    nowhere = {"GCE_METADATA_HOST": ""}
    machine(GOOGLE)
    with surroundings(Metadata(), **nowhere):
        expect_raises(RuntimeError, distribute(tf), "")
    machine(GOOGLE)
    with surroundings():
        same(distribute(tf)("").master(), "")
    for product in ("VirtualBox\n", "not Google\n", None):
        machine(product)
        with surroundings(Metadata(), **nowhere) as metadata:
            same(distribute(tf)("").master(), "")
        same(metadata.connected, [])
    machine(None)
    with surroundings(Metadata(), GCE_METADATA_IP="metadata", **nowhere):
        expect_raises(RuntimeError, distribute(tf), "")
    for trouble in ("500 Error", "429 Busy", "403 Forbidden"):
        machine(GOOGLE)
        with surroundings(TroubledMetadata([trouble])):
            same(distribute(tf)("").master(), "")
    machine(GOOGLE)
    with surroundings(GCE_METADATA_HOST="bad host"):
        same(distribute(tf)("").master(), "")


def test_address_of_the_machine(tf):
    def started(resolver, **answers):
        with counted_servers(tf) as servers, surroundings(Metadata(**answers)):
            resolved(resolver, one_node(), coordinator_name="c")
        return [server.definition for server in servers]

    for address, host in (("10.128.1.2", "10.128.1.2:0"), ("fd00::1", "[fd00::1]:0")):
        for resolver in (distribute(tf), contrib(tf)):
            same(started(resolver, address=address), [({"c": [host]}, "c", 0)])
    for wrong in ("10.0.0.1/evil", "a b", ""):
        words = ["metadata instance/network-interfaces/0/ip: "]
        words.append("is neither an IP address nor a host name")
        refused(RuntimeError, words, started, distribute(tf), address=wrong)
    with counted_servers(tf) as servers:
        resolved(distribute(tf), one_node(), coordinator_name="c")
    same(servers[0].definition, ({"c": ["localhost:0"]}, "c", 0))
