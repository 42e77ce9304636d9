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

SEED = "004_1530f51430af0bea.txt"

page = Page("tf.distribute.cluster_resolver.TPUClusterResolver", SEED)

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


@page.clause(
    "/name/class",
    tier="surface",
    says="The distribute package has a public class TPUClusterResolver.",
)
def name_class(tf):
    checks.name_class(tf, distribute(tf))


@page.clause(
    "/name/compat-alias",
    tier="surface",
    says="The class has a second path, below tf.compat.v1.",
)
def compat_alias(tf):
    resolver = distribute(tf)
    alias = tf.compat.v1.distribute.cluster_resolver.TPUClusterResolver
    assert alias is resolver, f"{alias!r} is not {resolver!r}"


@page.clause(
    "/inherits/cluster-resolver",
    tier="surface",
    says="It is a ClusterResolver.",
    doubt=(
        "Two pages give two classes with different methods: two public classes, each "
        "below the ClusterResolver of its own package."
    ),
)
def inherits(tf):
    assert issubclass(distribute(tf), tf.distribute.cluster_resolver.ClusterResolver)


@page.clause(
    "/signature/init-parameters",
    tier="surface",
    says=(
        "The constructor's parameters are, in order, tpu, zone, project, job_name, "
        "coordinator_name, coordinator_address, credentials, service and discovery_url."
    ),
)
def init_parameters(tf):
    checks.init_parameters(distribute(tf), PARAMETERS)


@page.clause("/signature/default-tpu", tier="surface", says="tpu is None by default.")
def default_tpu(tf):
    checks.init_default(distribute(tf), "tpu", None)


@page.clause("/signature/default-zone", tier="surface", says="zone is None by default.")
def default_zone(tf):
    checks.init_default(distribute(tf), "zone", None)


@page.clause(
    "/signature/default-project", tier="surface", says="project is None by default."
)
def default_project(tf):
    checks.init_default(distribute(tf), "project", None)


@page.clause(
    "/signature/default-job-name",
    tier="surface",
    says="job_name is 'worker' by default.",
)
def default_job_name(tf):
    checks.init_default(distribute(tf), "job_name", "worker")


@page.clause(
    "/signature/default-coordinator-name",
    tier="surface",
    says="coordinator_name is None by default.",
)
def default_coordinator_name(tf):
    checks.init_default(distribute(tf), "coordinator_name", None)


@page.clause(
    "/signature/default-coordinator-address",
    tier="surface",
    says="coordinator_address is None by default.",
)
def default_coordinator_address(tf):
    checks.init_default(distribute(tf), "coordinator_address", None)


@page.clause(
    "/signature/default-credentials",
    tier="surface",
    says="credentials is the string 'default' by default.",
)
def default_credentials(tf):
    checks.init_default(distribute(tf), "credentials", "default")


@page.clause(
    "/signature/default-service", tier="surface", says="service is None by default."
)
def default_service(tf):
    checks.init_default(distribute(tf), "service", None)


@page.clause(
    "/signature/default-discovery-url",
    tier="surface",
    says="discovery_url is None by default.",
)
def default_discovery_url(tf):
    checks.init_default(distribute(tf), "discovery_url", None)


# ---------------------------------------------------------------- names


@page.clause(
    "/behaviour/resolves-names-through-api",
    tier="host",
    says="It asks the Cloud TPU API for the addresses and ports behind a TPU's name.",
    doubt=(
        "The API definition file that the page wants dates from the alpha service: "
        "what service or discovery delivers is that definition."
    ),
)
@isolated
def resolves_names_through_api(tf):
    checks.resolves_names_through_api(tf, distribute(tf))


@page.clause(
    "/args:tpu/string", tier="host", says="tpu can be the name of one TPU, as a string."
)
@isolated
def tpu_string(tf):
    checks.tpu_string(tf, distribute(tf))


@page.clause(
    "/args:tpu/no-lists-yet",
    tier="host",
    says="Lists of several TPUs may be supported one day, they are not yet.",
    doubt=(
        "The other page takes lists: here one of a single name, as releases do; more "
        "names are NotImplementedError."
    ),
)
@isolated
def no_lists_yet(tf):
    resolver = distribute(tf)
    for names in (["a", "b"], ["node-1", "node-2", "node-3"], ["node-1", "node-1"]):
        expect_raises(
            NotImplementedError, resolved, resolver, UntouchableAPI(), tpu=names
        )
    one = resolved(resolver, checks.one_node(), tpu=["node-1"])
    same(text(one.master()), "grpc://10.1.2.3:8470")


@page.clause(
    "/args:tpu/empty-string",
    tier="host",
    says="The empty string names no Cloud TPU: it becomes the session master.",
    doubt=(
        "Inside Google Cloud the page has RuntimeError for it: so elsewhere; given "
        "explicitly it does not fall back to the environment."
    ),
)
@isolated
def tpu_empty_string(tf):
    resolver = distribute(tf)
    passes_through(resolver, "")
    with surroundings(TPU_NAME="node-1"):
        passes_through(resolver, "")


@page.clause(
    "/args:tpu/local",
    tier="host",
    says="'local' names no Cloud TPU: it becomes the session master.",
    doubt="Later releases change the string: 'local' stays 'local'.",
)
@isolated
def tpu_local(tf):
    passes_through(distribute(tf), "local")


@page.clause(
    "/args:tpu/grpc-prefix",
    tier="host",
    says=(
        "What starts with 'grpc://' names no Cloud TPU: it becomes the session master."
    ),
)
@isolated
def tpu_grpc_prefix(tf):
    passes_through(distribute(tf), "grpc://10.240.1.2:8470")


@page.clause(
    "/args:tpu/bns-not-special",
    tier="host",
    says="What starts with '/bns' is not among the strings that become the master.",
    doubt="The other page lists it: each page literally, so here it is looked up.",
)
@isolated
def tpu_bns_not_special(tf):
    service = CloudTPU({})
    made = resolved(distribute(tf), service, tpu="/bns/cell/job/0")
    expect_raises(ValueError, made.master)
    assert service.requested, "the name was not looked up"


@page.clause(
    "/behaviour/no-cluster-spec-for-pass-through",
    tier="host",
    says="No ClusterSpec is propagated for the strings that become the master.",
    doubt=(
        "Releases from 2.2 on make a one-worker ClusterSpec of them: None for all, and "
        "addresses only for endpoints from the environment."
    ),
)
@isolated
def no_cluster_spec_for_pass_through(tf):
    checks.no_cluster_spec(distribute(tf), PASS_THROUGH)


@page.clause("/args:zone/given", tier="host", says="A zone that is given is queried.")
@isolated
def zone_given(tf):
    checks.zone_given(tf, distribute(tf))


@page.clause(
    "/args:zone/omitted-or-empty-discovered",
    tier="host",
    says=(
        "A zone that is omitted or empty is the one of the virtual machine, as its "
        "metadata service tells."
    ),
    doubt="How the service is reached is not said: by HTTP, at its known host names.",
)
@isolated
def zone_discovered(tf):
    checks.zone_discovered(tf, distribute(tf))


@page.clause(
    "/args:project/given", tier="host", says="A project that is given is queried."
)
@isolated
def project_given(tf):
    checks.project_given(tf, distribute(tf))


@page.clause(
    "/args:project/omitted-or-empty-discovered",
    tier="host",
    says=(
        "A project that is omitted or empty is the one of the virtual machine, as its "
        "metadata service tells."
    ),
    doubt="How the service is reached is not said: by HTTP, at its known host names.",
)
@isolated
def project_discovered(tf):
    checks.project_discovered(tf, distribute(tf))


@page.clause(
    "/name/env-tpu-name",
    tier="host",
    says="Without tpu, the name comes from the environment variable TPU_NAME.",
    doubt=(
        "The page is silent, releases do so: the endpoints of Kubernetes first, then "
        "TPU_NAME, and a given tpu before both."
    ),
)
@isolated
def environment_tpu_name(tf):
    checks.environment_tpu_name(tf, distribute(tf))


# ---------------------------------------------------------------- environments


@page.clause(
    "/behaviour/environment-compute-engine",
    tier="host",
    says="It works on Compute Engine.",
)
@isolated
def environment_compute_engine(tf):
    service = checks.one_node()
    with surroundings(Metadata(project="proj-m", zone="projects/1/zones/europe-x")):
        made = distribute(tf)(tpu="node-1", service=service)
        same(text(made.master()), "grpc://10.1.2.3:8470")
    same(set(service.requested), {"projects/proj-m/locations/europe-x/nodes/node-1"})


@page.clause(
    "/behaviour/environment-kubernetes-engine",
    tier="host",
    says="It works on Kubernetes Engine.",
    doubt=(
        "How that environment is recognised is not said: by the variable "
        "KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS; neither API nor metadata are touched."
    ),
)
@isolated
def environment_kubernetes_engine(tf):
    checks.environment_endpoints(tf, distribute(tf))


@page.clause(
    "/behaviour/environment-google-internal",
    tier="host",
    says="It works inside Google.",
    doubt=(
        "No rule is given: TPUs attached to the machine itself, asked for as 'local' "
        "or the empty string."
    ),
)
@isolated
def environment_google_internal(tf):
    for name in ("local", ""):
        made = distribute(tf)(tpu=name)
        same(text(made.master()), name)
        same(made.environment, "google")


@page.clause(
    ".environment/property/current-environment",
    tier="host",
    says="environment tells where the program runs.",
    doubt=(
        "The values are not listed: 'google' inside Google and the empty string "
        "elsewhere, as the base class of the release has it; it cannot be set."
    ),
)
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


@page.clause(
    "/raises/empty-name-in-google-cloud",
    tier="host",
    says="An empty TPU name inside Google Cloud raises RuntimeError.",
    doubt=(
        "It clashes with the empty string as a master: that holds elsewhere only; "
        "being inside means that the metadata service answers."
    ),
)
@isolated
def empty_name_in_google_cloud(tf):
    resolver = distribute(tf)
    with surroundings(Metadata()):
        expect_raises(RuntimeError, resolver, tpu="")
        expect_raises(RuntimeError, resolver, "", zone="z", project="p")
        expect_raises(RuntimeError, resolver, tpu=[""])
    same(text(resolver(tpu="").master()), "")


# ---------------------------------------------------------------- jobs


@page.clause(
    "/args:job_name/names-the-job",
    tier="host",
    says="The TPUs are the tasks of the job called job_name.",
)
@isolated
def tpu_job(tf):
    checks.tpu_job(tf, distribute(tf))


@page.clause(
    "/args:coordinator_name/included",
    tier="host",
    says="With a coordinator_name, the ClusterSpec has a job of that name.",
)
@isolated
def coordinator_included(tf):
    checks.coordinator_included(tf, distribute(tf))


@page.clause(
    "/args:coordinator_name/none-excluded",
    tier="host",
    says="With coordinator_name None, the ClusterSpec has no coordinator.",
    doubt="An address without a name is not discussed: it is ignored.",
)
@isolated
def coordinator_excluded(tf):
    checks.coordinator_excluded(tf, distribute(tf))


@page.clause(
    "/args:coordinator_address/given-starts-no-server",
    tier="host",
    says="A coordinator_address that is given is used, and no server started.",
)
@isolated
def address_given_starts_no_server(tf):
    checks.address_given_starts_no_server(tf, distribute(tf))


@page.clause(
    "/args:coordinator_address/none-starts-server",
    tier="host",
    says="A coordinator without an address gets a server, whose address is used.",
    doubt=(
        "When it is started and under which host is open: once for each resolver; host "
        "and port have to be plain text."
    ),
)
@isolated
def address_none_starts_server(tf):
    checks.address_none_starts_server(tf, distribute(tf))


@page.clause(
    "/args:coordinator_address/none-without-name-starts-none",
    tier="host",
    says="Without a coordinator_name no server is started, whatever the address.",
)
@isolated
def no_name_starts_no_server(tf):
    checks.no_name_starts_no_server(tf, distribute(tf))


# ---------------------------------------------------------------- the API object


@page.clause(
    "/args:credentials/none-is-default",
    tier="host",
    says="credentials None means the default credentials of the client.",
    doubt="The string 'default' is described nowhere: it means the same as None.",
)
@isolated
def credentials_default(tf):
    checks.credentials_default(tf, distribute(tf))


@page.clause(
    "/args:credentials/given-used",
    tier="host",
    says="Credentials that are given are the ones the API is reached with.",
)
@isolated
def credentials_given(tf):
    checks.credentials_given(tf, distribute(tf))


@page.clause(
    "/args:credentials/ignored-with-service",
    tier="host",
    says="With a service of one's own, credentials are not looked at.",
)
@isolated
def credentials_ignored_with_service(tf):
    checks.credentials_ignored_with_service(tf, distribute(tf))


@page.clause(
    "/args:service/custom-object",
    tier="host",
    says=(
        "service is an API object such as the discovery function of Google's client "
        "builds; the queries go to it."
    ),
)
@isolated
def service_used(tf):
    checks.service_used(tf, distribute(tf))


@page.clause(
    "/args:discovery_url/template",
    tier="host",
    says=(
        "discovery_url is the template of the discovery service's URL, with a place "
        "for the API and one for its version."
    ),
    doubt="A template without the places is not discussed: it is passed on unchanged.",
)
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


@page.clause(
    "/args:discovery_url/environment-overrides",
    tier="host",
    says="The variable TPU_API_DISCOVERY_URL goes before the argument.",
    doubt="When it is read is not said: when the resolver is made.",
)
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


@page.clause(
    "/raises/import-error",
    tier="host",
    says="Without Google's API client, making a resolver raises ImportError.",
    doubt=(
        "When is not said, releases construct and raise RuntimeError later: at once, "
        "but not with a service, nor for strings that are not looked up."
    ),
)
@isolated
def import_error(tf):
    checks.import_error(tf, distribute(tf))


@page.clause(
    "/raises/no-tpus",
    tier="host",
    says="Making a resolver of no TPU at all raises ValueError.",
    doubt="Environment variables are read before: here there are none.",
)
@isolated
def no_tpus(tf):
    checks.no_tpus(tf, distribute(tf))
