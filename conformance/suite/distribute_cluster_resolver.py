"""Checks of tf.distribute.cluster_resolver.TPUClusterResolver."""

from ..clause import beyond_the_words, expect_raises, same
from . import resolver_checks as checks
from .cloud_stand_ins import (
    CloudTPU,
    GoogleClient,
    Metadata,
    UntouchableAPI,
    installed,
    isolated,
    surroundings,
)
from .page import Page
from .resolver_checks import passes_through, resolved, text

page = Page("tf.distribute.cluster_resolver.TPUClusterResolver")

TEMPLATE = "mock://somewhere/{api}/{apiVersion}"


def distribute(tf):
    """Return the documented class."""
    return tf.distribute.cluster_resolver.TPUClusterResolver


@page.clause("/name/compat-alias")
def compat_alias(tf):
    resolver = distribute(tf)
    alias = tf.compat.v1.distribute.cluster_resolver.TPUClusterResolver
    assert alias is resolver, f"{alias!r} is not {resolver!r}"


@page.clause("/inherits/cluster-resolver")
def inherits(tf):
    assert issubclass(distribute(tf), tf.distribute.cluster_resolver.ClusterResolver)


@page.clause("/args:tpu/no-lists-yet")
@isolated
def no_lists_yet(tf):
    resolver = distribute(tf)
    for names in (["a", "b"], ["node-1", "node-2", "node-3"], ["node-1", "node-1"]):
        expect_raises(
            NotImplementedError, resolved, resolver, UntouchableAPI(), tpu=names
        )
    one = resolved(resolver, checks.one_node(), tpu=["node-1"])
    same(text(one.master()), "grpc://10.1.2.3:8470")


@page.clause("/args:tpu/empty-string")
@isolated
def tpu_empty_string(tf):
    resolver = distribute(tf)
    passes_through(resolver, "")
    beyond_the_words()
    with surroundings(TPU_NAME="node-1"):
        passes_through(resolver, "")


@page.clause("/args:tpu/bns-not-special")
@isolated
def tpu_bns_not_special(tf):
    service = CloudTPU({})
    made = resolved(distribute(tf), service, tpu="/bns/cell/job/0")
    expect_raises(ValueError, made.master)
    assert service.requested, "the name was not looked up"


@page.clause("/behaviour/environment-compute-engine")
@isolated
def environment_compute_engine(tf):
    service = checks.one_node()
    with surroundings(Metadata(project="proj-m", zone="projects/1/zones/europe-x")):
        made = distribute(tf)(tpu="node-1", service=service)
        same(text(made.master()), "grpc://10.1.2.3:8470")
    same(set(service.requested), {"projects/proj-m/locations/europe-x/nodes/node-1"})


@page.clause("/behaviour/environment-kubernetes-engine")
@isolated
def environment_kubernetes_engine(tf):
    checks.environment_endpoints(tf, distribute(tf))


@page.clause("/behaviour/environment-google-internal")
@isolated
def environment_google_internal(tf):
    for name in ("local", ""):
        made = distribute(tf)(tpu=name)
        same(text(made.master()), name)
        same(made.environment, "google")


@page.clause(".environment/property/current-environment")
@isolated
def current_environment(tf):
    resolver = distribute(tf)
    same(resolver(tpu="grpc://10.1.2.3:8470").environment, "")
    same(resolver(tpu="local").environment, "google")
    same(resolver(tpu="").environment, "google")
    same(resolved(resolver, checks.one_node()).environment, "")
    with surroundings(KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS="grpc://10.1.2.3:8470"):
        made = resolver()
        same(made.environment, "")
    expect_raises(AttributeError, setattr, made, "environment", "google")


@page.clause("/raises/empty-name-in-google-cloud")
@isolated
def empty_name_in_google_cloud(tf):
    resolver = distribute(tf)
    with surroundings(Metadata()):
        expect_raises(RuntimeError, resolver, tpu="")
        expect_raises(RuntimeError, resolver, "", zone="z", project="p")
        expect_raises(RuntimeError, resolver, tpu=[""])
    same(text(resolver(tpu="").master()), "")


@page.clause("/args:discovery_url/template")
@isolated
def discovery_url_template(tf):
    built = built_api(distribute(tf), discovery_url=TEMPLATE)
    url = built["discoveryServiceUrl"]
    same(url, TEMPLATE)
    filled = url.format(api=built["serviceName"], apiVersion=built["version"])
    assert filled.startswith("mock://somewhere/tpu/v1"), filled


def built_api(resolver, **arguments):
    """Return the arguments with which a query built its API object."""
    client = GoogleClient(checks.one_node())
    with installed(client):
        resolved(resolver, None, **arguments).cluster_spec()
    return client.built[-1]


@page.clause("/args:discovery_url/environment-overrides")
@isolated
def discovery_url_environment_overrides(tf):
    resolver = distribute(tf)
    other = "mock://environment/{api}/{apiVersion}"
    client = GoogleClient(checks.one_node())
    with installed(client):
        with surroundings(TPU_API_DISCOVERY_URL=other):
            made = resolved(resolver, None, discovery_url=TEMPLATE)
        made.cluster_spec()
        same(client.built[-1]["discoveryServiceUrl"], other)
        resolved(resolver, None, discovery_url=TEMPLATE).cluster_spec()
        same(client.built[-1]["discoveryServiceUrl"], TEMPLATE)
