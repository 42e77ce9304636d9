"""Checks of tf.contrib.cluster_resolver.TPUClusterResolver."""

import copy

from ..clause import clause, same
from . import resolver_checks as checks
from .cloud_stand_ins import CloudTPU, UntouchableAPI, isolated, node
from .page import Page
from .resolver_checks import parameters_of, passes_through, resolved, text

SEED = "002_5797ad2ccd98ef9a.txt"

page = Page("tf.contrib.cluster_resolver.TPUClusterResolver", SEED)

PARAMETERS = [
    "tpu",
    "zone",
    "project",
    "job_name",
    "coordinator_name",
    "coordinator_address",
    "credentials",
    "service",
]

PASS_THROUGH = ["", "local", "grpc://10.240.1.2:8470", "/bns/cell/job/0"]


def contrib(tf):
    """Return the documented class."""
    return tf.contrib.cluster_resolver.TPUClusterResolver


# ---------------------------------------------------------------- class, signature


@page.clause(
    "/name/class",
    tier="surface",
    says="The contrib cluster_resolver package has a public class TPUClusterResolver.",
)
def name_class(tf):
    checks.name_class(tf, contrib(tf))


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
    assert issubclass(contrib(tf), tf.contrib.cluster_resolver.ClusterResolver)


@page.clause(
    "/signature/init-parameters",
    tier="surface",
    says=(
        "The constructor's parameters are, in order, tpu, zone, project, job_name, "
        "coordinator_name, coordinator_address, credentials and service."
    ),
    doubt=(
        "Releases from 1.9 on append discovery_url: what follows the eight is "
        "tolerated."
    ),
)
def init_parameters(tf):
    checks.init_parameters(contrib(tf), PARAMETERS)


@page.clause("/signature/default-tpu", tier="surface", says="tpu is None by default.")
def default_tpu(tf):
    checks.init_default(contrib(tf), "tpu", None)


@page.clause("/signature/default-zone", tier="surface", says="zone is None by default.")
def default_zone(tf):
    checks.init_default(contrib(tf), "zone", None)


@page.clause(
    "/signature/default-project", tier="surface", says="project is None by default."
)
def default_project(tf):
    checks.init_default(contrib(tf), "project", None)


@page.clause(
    "/signature/default-job-name",
    tier="surface",
    says="job_name is 'worker' by default.",
)
def default_job_name(tf):
    checks.init_default(contrib(tf), "job_name", "worker")


@page.clause(
    "/signature/default-coordinator-name",
    tier="surface",
    says="coordinator_name is None by default.",
)
def default_coordinator_name(tf):
    checks.init_default(contrib(tf), "coordinator_name", None)


@page.clause(
    "/signature/default-coordinator-address",
    tier="surface",
    says="coordinator_address is None by default.",
)
def default_coordinator_address(tf):
    checks.init_default(contrib(tf), "coordinator_address", None)


@page.clause(
    "/signature/default-credentials",
    tier="surface",
    says="credentials is the string 'default' by default.",
)
def default_credentials(tf):
    checks.init_default(contrib(tf), "credentials", "default")


@page.clause(
    "/signature/default-service", tier="surface", says="service is None by default."
)
def default_service(tf):
    checks.init_default(contrib(tf), "service", None)


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
    checks.resolves_names_through_api(tf, contrib(tf))


@page.clause(
    "/args:tpu/string", tier="host", says="tpu can be the name of one TPU, as a string."
)
@isolated
def tpu_string(tf):
    checks.tpu_string(tf, contrib(tf))


@page.clause(
    "/args:tpu/list-of-strings",
    tier="host",
    says="tpu can be a list of names, all of which are used.",
    doubt=(
        "Releases take lists of one name only: the addresses of all are joined in the "
        "order of the list, and master() is the first one."
    ),
)
@isolated
def tpu_list_of_strings(tf):
    resolver = contrib(tf)
    service = CloudTPU({"a": node("10.1.1.1:1", "10.1.1.2:1"), "b": node("10.2.2.2:2")})
    one = resolved(resolver, service, tpu=["b"])
    same(one.cluster_spec().as_dict(), {"worker": ["10.2.2.2:2"]})
    both = resolved(resolver, service, tpu=["b", "a"])
    tasks = both.cluster_spec().job_tasks("worker")
    same(tasks, ["10.2.2.2:2", "10.1.1.1:1", "10.1.1.2:1"])
    same(text(both.master()), "grpc://10.2.2.2:2")
    assert "projects/p/locations/z/nodes/a" in service.requested, service.requested


@page.clause(
    "/args:tpu/empty-string",
    tier="host",
    says="The empty string names no Cloud TPU: it becomes the session master.",
)
@isolated
def tpu_empty_string(tf):
    passes_through(contrib(tf), "")


@page.clause(
    "/args:tpu/local",
    tier="host",
    says="'local' names no Cloud TPU: it becomes the session master.",
    doubt="Later releases change the string: 'local' stays 'local'.",
)
@isolated
def tpu_local(tf):
    passes_through(contrib(tf), "local")


@page.clause(
    "/args:tpu/grpc-prefix",
    tier="host",
    says=(
        "What starts with 'grpc://' names no Cloud TPU: it becomes the session master."
    ),
)
@isolated
def tpu_grpc_prefix(tf):
    passes_through(contrib(tf), "grpc://10.240.1.2:8470")


@page.clause(
    "/args:tpu/bns-prefix",
    tier="host",
    says="What starts with '/bns' names no Cloud TPU: it becomes the session master.",
)
@isolated
def tpu_bns_prefix(tf):
    passes_through(contrib(tf), "/bns/cell/job/0")


@page.clause(
    "/behaviour/no-cluster-spec-for-pass-through",
    tier="host",
    says="No ClusterSpec is propagated for the strings that become the master.",
    doubt=(
        "Releases give an empty or a one-worker ClusterSpec for some of them: None for "
        "all, and addresses only for endpoints from the environment."
    ),
)
@isolated
def no_cluster_spec_for_pass_through(tf):
    checks.no_cluster_spec(contrib(tf), PASS_THROUGH)


@page.clause("/args:zone/given", tier="host", says="A zone that is given is queried.")
@isolated
def zone_given(tf):
    checks.zone_given(tf, contrib(tf))


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
    checks.zone_discovered(tf, contrib(tf))


@page.clause(
    "/args:project/given", tier="host", says="A project that is given is queried."
)
@isolated
def project_given(tf):
    checks.project_given(tf, contrib(tf))


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
    checks.project_discovered(tf, contrib(tf))


@page.clause(
    "/name/env-tpu-name",
    tier="host",
    says="Without tpu, the name comes from the environment variable TPU_NAME.",
    doubt=(
        "The page is silent, releases from 1.9 on do so: the endpoints of Kubernetes "
        "first, then TPU_NAME, and a given tpu before both."
    ),
    versions=("1.9", "1.15"),
)
@isolated
def environment_tpu_name(tf):
    checks.environment_tpu_name(tf, contrib(tf))


@page.clause(
    "/name/env-gke-endpoints",
    tier="host",
    says=(
        "Without tpu, KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS of the environment names the "
        "addresses."
    ),
    doubt="The page is silent: read as releases from 1.10 on do, all endpoints listed.",
    versions=("1.10", "1.15"),
)
@isolated
def environment_endpoints(tf):
    checks.environment_endpoints(tf, contrib(tf))


# ---------------------------------------------------------------- jobs


@page.clause(
    "/args:job_name/names-the-job",
    tier="host",
    says="The TPUs are the tasks of the job called job_name.",
)
@isolated
def tpu_job(tf):
    checks.tpu_job(tf, contrib(tf))


@page.clause(
    "/args:coordinator_name/included",
    tier="host",
    says="With a coordinator_name, the ClusterSpec has a job of that name.",
)
@isolated
def coordinator_included(tf):
    checks.coordinator_included(tf, contrib(tf))


@page.clause(
    "/args:coordinator_name/none-excluded",
    tier="host",
    says="With coordinator_name None, the ClusterSpec has no coordinator.",
    doubt="An address without a name is not discussed: it is ignored.",
)
@isolated
def coordinator_excluded(tf):
    checks.coordinator_excluded(tf, contrib(tf))


@page.clause(
    "/args:coordinator_address/given-starts-no-server",
    tier="host",
    says="A coordinator_address that is given is used, and no server started.",
)
@isolated
def address_given_starts_no_server(tf):
    checks.address_given_starts_no_server(tf, contrib(tf))


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
    checks.address_none_starts_server(tf, contrib(tf))


@page.clause(
    "/args:coordinator_address/none-without-name-starts-none",
    tier="host",
    says="Without a coordinator_name no server is started, whatever the address.",
)
@isolated
def no_name_starts_no_server(tf):
    checks.no_name_starts_no_server(tf, contrib(tf))


# ---------------------------------------------------------------- the API object


@page.clause(
    "/args:credentials/none-is-default",
    tier="host",
    says="credentials None means the default credentials of the client.",
    doubt="The string 'default' is described nowhere: it means the same as None.",
)
@isolated
def credentials_default(tf):
    checks.credentials_default(tf, contrib(tf))


@page.clause(
    "/args:credentials/given-used",
    tier="host",
    says="Credentials that are given are the ones the API is reached with.",
)
@isolated
def credentials_given(tf):
    checks.credentials_given(tf, contrib(tf))


@page.clause(
    "/args:credentials/ignored-with-service",
    tier="host",
    says="With a service of one's own, credentials are not looked at.",
)
@isolated
def credentials_ignored_with_service(tf):
    checks.credentials_ignored_with_service(tf, contrib(tf))


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
    checks.service_used(tf, contrib(tf))


@page.clause(
    "/raises/import-error",
    tier="host",
    says="Without Google's API client, making a resolver raises ImportError.",
    doubt=(
        "Only where the client is needed: not with a service, nor for strings that are "
        "not looked up."
    ),
)
@isolated
def import_error(tf):
    checks.import_error(tf, contrib(tf))


@page.clause(
    "/raises/no-tpus",
    tier="host",
    says="Making a resolver of no TPU at all raises ValueError.",
    doubt="Environment variables are read before: here there are none.",
)
@isolated
def no_tpus(tf):
    checks.no_tpus(tf, contrib(tf))


# ---------------------------------------------------------------- cluster_spec


@page.clause(
    ".cluster_spec/signature/no-parameters",
    tier="surface",
    says="cluster_spec has no parameters.",
)
def cluster_spec_no_parameters(tf):
    same(parameters_of(contrib(tf).cluster_spec), [])


@page.clause(
    ".cluster_spec/behaviour/asks-api-every-time",
    tier="host",
    says="Every call asks the API again and gives its newest answer.",
)
@isolated
def asks_api_every_time(tf):
    checks.asks_api_every_time(tf, contrib(tf))


@page.clause(
    ".cluster_spec/returns/cluster-spec",
    tier="host",
    says="It returns a ClusterSpec of the hosts that the API reports.",
    doubt="The page does not locate the class: tf.train.ClusterSpec.",
)
@isolated
def returns_cluster_spec(tf):
    checks.returns_cluster_spec(tf, contrib(tf))


@page.clause(
    ".cluster_spec/raises/unhealthy",
    tier="host",
    says="A TPU that is not healthy raises RuntimeError.",
    doubt=(
        "What healthy means is not said: a health that is there is HEALTHY, and a "
        "state that is there READY."
    ),
)
@isolated
def unhealthy(tf):
    checks.unhealthy(tf, contrib(tf))


# ---------------------------------------------------------------- master


@page.clause(
    ".master/signature/no-parameters",
    tier="surface",
    says="master has no parameters.",
    doubt="The later page has three: none may be required.",
)
def master_no_parameters(tf):
    required = [
        name for name, default in parameters_of(contrib(tf).master) if not default
    ]
    same(required, [], call="parameters of master that have to be given")


@page.clause(
    ".master/returns/first-instance-grpc-path",
    tier="host",
    says="Normally it is the grpc path of the first instance in the ClusterSpec.",
    doubt="With a coordinator, the first instance is the first task of job_name.",
)
@isolated
def first_instance(tf):
    checks.first_instance(tf, contrib(tf))


@page.clause(
    ".master/returns/given-non-tpu-name",
    tier="host",
    says="A string that is no name of a TPU is returned as it was given.",
    doubt="'local' too stays as it is.",
)
@isolated
def given_non_tpu_name(tf):
    for name in PASS_THROUGH:
        passes_through(contrib(tf), name)


@page.clause(
    ".master/example/normal-case-address",
    tier="host",
    says="A TPU at the printed address has the printed grpc path.",
)
@isolated
def normal_case_address(tf):
    checks.normal_case_address(tf, contrib(tf))


@page.clause(
    ".master/example/grpc-address",
    tier="host",
    says="A resolver of the printed grpc address returns just that address.",
)
@isolated
def grpc_address(tf):
    checks.grpc_address(tf, contrib(tf))


@page.clause(
    ".master/returns/string",
    tier="host",
    says="It is a string with which a session can be made.",
    doubt="Up to 1.12 some are bytes: always str.",
)
@isolated
def master_is_string(tf):
    checks.master_is_string(tf, contrib(tf))


@page.clause(
    ".master/raises/no-such-tpu",
    tier="host",
    says="If none of the TPUs exists, master raises ValueError.",
    doubt=(
        "How absence shows is not said: an answer 404, and one without any address."
    ),
)
@isolated
def no_such_tpu(tf):
    checks.no_such_tpu(tf, contrib(tf))


@page.clause(
    ".get_master/behaviour/same-as-master",
    tier="host",
    says="get_master has no parameters and gives what master gives.",
    doubt="The entry has no text: an older name of master.",
)
@isolated
def get_master(tf):
    checks.get_master_same_as_master(contrib(tf), PASS_THROUGH)


# ---------------------------------------------------------------- copies, ClusterSpec


@page.clause(
    ".__deepcopy__/signature/memo",
    tier="surface",
    says="The class defines __deepcopy__ with the parameter memo.",
)
def deepcopy_memo(tf):
    same([name for name, _ in parameters_of(contrib(tf).__deepcopy__)], ["memo"])


@page.clause(
    ".__deepcopy__/behaviour/copy-is-usable",
    tier="host",
    says="A deep copy of a resolver can be used like the resolver.",
    doubt=(
        "The entry has no text: the copy is the resolver itself, since services and "
        "servers cannot be copied."
    ),
)
@isolated
def deepcopy_is_usable(tf):
    resolver = contrib(tf)
    made = resolved(resolver, checks.one_node())
    copied = copy.deepcopy(made)
    assert copied is made, f"{copied!r} is another object than {made!r}"
    inner = copy.deepcopy({"resolver": made})["resolver"]
    same(text(inner.master()), "grpc://10.1.2.3:8470")
    passing = copy.deepcopy(
        resolver(tpu="grpc://1.2.3.4:8470", service=UntouchableAPI())
    )
    same(text(passing.master()), "grpc://1.2.3.4:8470")


@clause(
    "tf.train.ClusterSpec/name/exists",
    seed=SEED,
    tier="surface",
    says="The ClusterSpec that cluster_spec returns is a public class.",
    doubt="Neither page locates it: tf.train.ClusterSpec with its methods of 1.x.",
)
def cluster_spec_class(tf):
    spec = tf.train.ClusterSpec({"worker": ["10.1.2.3:8470", "10.1.2.4:8470"]})
    same(spec.jobs, ["worker"])
    same(spec.as_dict(), {"worker": ["10.1.2.3:8470", "10.1.2.4:8470"]})
    same(spec.job_tasks("worker"), ["10.1.2.3:8470", "10.1.2.4:8470"])
    same(spec.task_address("worker", 1), "10.1.2.4:8470")
