"""Checks of tf.distribute.cluster_resolver.TPUClusterResolver."""

from ..clause import expect_raises, same
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

PARAMETERS = [
    "tpu",
    "zone",
    "project",
    "job_name",
    "coordinator_name",
    "coordinator_address",
    "credentials",
    "service",
    "discovery_url",
]

PASS_THROUGH = ["", "local", "grpc://10.240.1.2:8470"]

TEMPLATE = "mock://somewhere/{api}/{apiVersion}"


def distribute(tf):
    """Return the documented class."""
    return tf.distribute.cluster_resolver.TPUClusterResolver


# ---------------------------------------------------------------- class, signature


@page.clause("/name/class")
def name_class(tf):
    checks.name_class(tf, distribute(tf))


@page.clause("/name/compat-alias")
def compat_alias(tf):
    resolver = distribute(tf)
    alias = tf.compat.v1.distribute.cluster_resolver.TPUClusterResolver
    assert alias is resolver, f"{alias!r} is not {resolver!r}"


@page.clause("/inherits/cluster-resolver")
def inherits(tf):
    assert issubclass(distribute(tf), tf.distribute.cluster_resolver.ClusterResolver)


@page.clause("/signature/init-parameters")
def init_parameters(tf):
    checks.init_parameters(distribute(tf), PARAMETERS)


@page.clause("/signature/default-tpu")
def default_tpu(tf):
    checks.init_default(distribute(tf), "tpu", None)


@page.clause("/signature/default-zone")
def default_zone(tf):
    checks.init_default(distribute(tf), "zone", None)


@page.clause("/signature/default-project")
def default_project(tf):
    checks.init_default(distribute(tf), "project", None)


@page.clause("/signature/default-job-name")
def default_job_name(tf):
    checks.init_default(distribute(tf), "job_name", "worker")


@page.clause("/signature/default-coordinator-name")
def default_coordinator_name(tf):
    checks.init_default(distribute(tf), "coordinator_name", None)


@page.clause("/signature/default-coordinator-address")
def default_coordinator_address(tf):
    checks.init_default(distribute(tf), "coordinator_address", None)


@page.clause("/signature/default-credentials")
def default_credentials(tf):
    checks.init_default(distribute(tf), "credentials", "default")


@page.clause("/signature/default-service")
def default_service(tf):
    checks.init_default(distribute(tf), "service", None)


@page.clause("/signature/default-discovery-url")
def default_discovery_url(tf):
    checks.init_default(distribute(tf), "discovery_url", None)


# ---------------------------------------------------------------- names


@page.clause("/behaviour/resolves-names-through-api")
@isolated
def resolves_names_through_api(tf):
    checks.resolves_names_through_api(tf, distribute(tf))


@page.clause("/args:tpu/string")
@isolated
def tpu_string(tf):
    checks.tpu_string(tf, distribute(tf))


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
    with surroundings(TPU_NAME="node-1"):
        passes_through(resolver, "")


@page.clause("/args:tpu/local")
@isolated
def tpu_local(tf):
    passes_through(distribute(tf), "local")


@page.clause("/args:tpu/grpc-prefix")
@isolated
def tpu_grpc_prefix(tf):
    passes_through(distribute(tf), "grpc://10.240.1.2:8470")


@page.clause("/args:tpu/bns-not-special")
@isolated
def tpu_bns_not_special(tf):
    service = CloudTPU({})
    made = resolved(distribute(tf), service, tpu="/bns/cell/job/0")
    expect_raises(ValueError, made.master)
    assert service.requested, "the name was not looked up"


@page.clause("/behaviour/no-cluster-spec-for-pass-through")
@isolated
def no_cluster_spec_for_pass_through(tf):
    checks.no_cluster_spec(distribute(tf), PASS_THROUGH)


@page.clause("/args:zone/given")
@isolated
def zone_given(tf):
    checks.zone_given(tf, distribute(tf))


@page.clause("/args:zone/omitted-or-empty-discovered")
@isolated
def zone_discovered(tf):
    checks.zone_discovered(tf, distribute(tf))


@page.clause("/args:project/given")
@isolated
def project_given(tf):
    checks.project_given(tf, distribute(tf))


@page.clause("/args:project/omitted-or-empty-discovered")
@isolated
def project_discovered(tf):
    checks.project_discovered(tf, distribute(tf))


@page.clause("/name/env-tpu-name")
@isolated
def environment_tpu_name(tf):
    checks.environment_tpu_name(tf, distribute(tf))


# ---------------------------------------------------------------- environments


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


# ---------------------------------------------------------------- jobs


@page.clause("/args:job_name/names-the-job")
@isolated
def tpu_job(tf):
    checks.tpu_job(tf, distribute(tf))


@page.clause("/args:coordinator_name/included")
@isolated
def coordinator_included(tf):
    checks.coordinator_included(tf, distribute(tf))


@page.clause("/args:coordinator_name/none-excluded")
@isolated
def coordinator_excluded(tf):
    checks.coordinator_excluded(tf, distribute(tf))


@page.clause("/args:coordinator_address/given-starts-no-server")
@isolated
def address_given_starts_no_server(tf):
    checks.address_given_starts_no_server(tf, distribute(tf))


@page.clause("/args:coordinator_address/none-starts-server")
@isolated
def address_none_starts_server(tf):
    checks.address_none_starts_server(tf, distribute(tf))


@page.clause("/args:coordinator_address/none-without-name-starts-none")
@isolated
def no_name_starts_no_server(tf):
    checks.no_name_starts_no_server(tf, distribute(tf))


# ---------------------------------------------------------------- the API object


@page.clause("/args:credentials/none-is-default")
@isolated
def credentials_default(tf):
    checks.credentials_default(tf, distribute(tf))


@page.clause("/args:credentials/given-used")
@isolated
def credentials_given(tf):
    checks.credentials_given(tf, distribute(tf))


@page.clause("/args:credentials/ignored-with-service")
@isolated
def credentials_ignored_with_service(tf):
    checks.credentials_ignored_with_service(tf, distribute(tf))


@page.clause("/args:service/custom-object")
@isolated
def service_used(tf):
    checks.service_used(tf, distribute(tf))


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


@page.clause("/raises/import-error")
@isolated
def import_error(tf):
    checks.import_error(tf, distribute(tf))


@page.clause("/raises/no-tpus")
@isolated
def no_tpus(tf):
    checks.no_tpus(tf, distribute(tf))
