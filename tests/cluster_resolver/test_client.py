"""Checks of how resolvers of tpuref reach the Cloud TPU API with Google's client."""

import sys
import types

from tpuref_conformance.clause import expect_raises, same
from tpuref_conformance.suite.cloud_stand_ins import (
    CloudTPU,
    GoogleClient,
    imported,
    installed,
    node,
    replace,
)
from tpuref_conformance.suite.distribute_cluster_resolver import distribute
from tpuref_conformance.suite.resolver_checks import TWO_HOSTS, one_node, resolved

from ..messages import refused
from .patience_stand_ins import Answers, unhurried

WORKERS = {"worker": list(TWO_HOSTS)}


class FailingClient(GoogleClient):
    """A client that first fails to build an API object, or to fetch credentials."""

    def __init__(self, service, building=(), fetching=()):
        super().__init__(service)
        self._building = list(building)
        self._fetching = list(fetching)

    def application_default(self):
        if self._fetching:
            raise self._fetching.pop(0)
        return super().application_default()

    def build(self, *arguments, **options):
        service = super().build(*arguments, **options)
        if self._building:
            raise self._building.pop(0)
        return service


class DefaultCredentialsError(Exception):
    """The error of google.auth when there are no default credentials."""


class Closing(CloudTPU):
    """An API object that counts how often it was closed."""

    closed = 0

    def close(self):
        self.closed += 1


def test_scope(tf):
    scopes = []

    def default(**options):
        scopes.append(list(options["scopes"]))
        return "mine", "a-project"

    client = GoogleClient(one_node())
    with installed(client), replace(sys.modules["google.auth"], "default", default):
        resolved(distribute(tf), None).cluster_spec()
    same(scopes, [["https://www.googleapis.com/auth/cloud-platform"]])
    same(client.built[0]["credentials"], "mine")


def test_closing(tf):
    built, given = Closing({"node-1": node(*TWO_HOSTS)}), Closing({})
    with installed(GoogleClient(built)):
        made = resolved(distribute(tf), None)
        made.cluster_spec()
        same(built.closed, 1)
        made.master()
        same(built.closed, 2)
    expect_raises(ValueError, resolved(distribute(tf), given).cluster_spec)
    same(given.closed, 0)


def test_trouble_with_credentials(tf):
    client = FailingClient(one_node(), fetching=[DefaultCredentialsError("none")])
    words = ["there are no default credentials for tpu.googleapis.com: none; pass "]
    words.append("credentials= or service=")
    with installed(client):
        refused(RuntimeError, words, resolved(distribute(tf), None).cluster_spec)
    late = ConnectionResetError("not yet")
    client = FailingClient(one_node(), fetching=[late, late])
    with installed(client), unhurried() as clock:
        same(resolved(distribute(tf), None).cluster_spec().as_dict(), WORKERS)
    same(clock.slept, [0.1, 0.2])
    wrong = KeyError("k")
    with installed(FailingClient(one_node(), fetching=[wrong])):
        error = expect_raises(RuntimeError, resolved(distribute(tf), None).cluster_spec)
    assert error.__cause__ is wrong, repr(error)


def test_unknown_host(tf):
    class ServerNotFoundError(Exception):
        pass

    httplib2 = types.ModuleType("httplib2")
    httplib2.ServerNotFoundError = ServerNotFoundError
    service = Answers(ServerNotFoundError("tpu.example"), node(*TWO_HOSTS))
    with imported(httplib2), unhurried() as clock:
        same(resolved(distribute(tf), service).cluster_spec().as_dict(), WORKERS)
    same((service.asked, clock.slept), (2, [0.1]))
