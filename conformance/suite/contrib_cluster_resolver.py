"""Checks of tf.contrib.cluster_resolver.TPUClusterResolver."""

import copy

from ..clause import clause, same
from . import resolver_checks as checks
from .cloud_stand_ins import CloudTPU, UntouchableAPI, isolated, node
from .page import Page
from .resolver_checks import parameters_of, passes_through, resolved, text

page = Page("tf.contrib.cluster_resolver.TPUClusterResolver")

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


@page.clause("/name/class")
def name_class(tf):
    checks.name_class(tf, contrib(tf))


@page.clause("/inherits/cluster-resolver")
def inherits(tf):
    assert issubclass(contrib(tf), tf.contrib.cluster_resolver.ClusterResolver)


@page.clause("/signature/init-parameters")
def init_parameters(tf):
    checks.init_parameters(contrib(tf), PARAMETERS)


@page.clause("/signature/default-tpu")
def default_tpu(tf):
    checks.init_default(contrib(tf), "tpu", None)


@page.clause("/signature/default-zone")
def default_zone(tf):
    checks.init_default(contrib(tf), "zone", None)


@page.clause("/signature/default-project")
def default_project(tf):
    checks.init_default(contrib(tf), "project", None)


@page.clause("/signature/default-job-name")
def default_job_name(tf):
    checks.init_default(contrib(tf), "job_name", "worker")


@page.clause("/signature/default-coordinator-name")
def default_coordinator_name(tf):
    checks.init_default(contrib(tf), "coordinator_name", None)


@page.clause("/signature/default-coordinator-address")
def default_coordinator_address(tf):
    checks.init_default(contrib(tf), "coordinator_address", None)


@page.clause("/signature/default-credentials")
def default_credentials(tf):
    checks.init_default(contrib(tf), "credentials", "default")


@page.clause("/signature/default-service")
def default_service(tf):
    checks.init_default(contrib(tf), "service", None)


# ---------------------------------------------------------------- names


@page.clause("/behaviour/resolves-names-through-api")
@isolated
def resolves_names_through_api(tf):
    checks.resolves_names_through_api(tf, contrib(tf))


@page.clause("/args:tpu/string")
@isolated
def tpu_string(tf):
    checks.tpu_string(tf, contrib(tf))


@page.clause("/args:tpu/list-of-strings")
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


@page.clause("/args:tpu/empty-string")
@isolated
def tpu_empty_string(tf):
    passes_through(contrib(tf), "")


@page.clause("/args:tpu/local")
@isolated
def tpu_local(tf):
    passes_through(contrib(tf), "local")


@page.clause("/args:tpu/grpc-prefix")
@isolated
def tpu_grpc_prefix(tf):
    passes_through(contrib(tf), "grpc://10.240.1.2:8470")


@page.clause("/args:tpu/bns-prefix")
@isolated
def tpu_bns_prefix(tf):
    passes_through(contrib(tf), "/bns/cell/job/0")


@page.clause("/behaviour/no-cluster-spec-for-pass-through")
@isolated
def no_cluster_spec_for_pass_through(tf):
    checks.no_cluster_spec(contrib(tf), PASS_THROUGH)


@page.clause("/args:zone/given")
@isolated
def zone_given(tf):
    checks.zone_given(tf, contrib(tf))


@page.clause("/args:zone/omitted-or-empty-discovered")
@isolated
def zone_discovered(tf):
    checks.zone_discovered(tf, contrib(tf))


@page.clause("/args:project/given")
@isolated
def project_given(tf):
    checks.project_given(tf, contrib(tf))


@page.clause("/args:project/omitted-or-empty-discovered")
@isolated
def project_discovered(tf):
    checks.project_discovered(tf, contrib(tf))


@page.clause("/name/env-tpu-name")
@isolated
def environment_tpu_name(tf):
    checks.environment_tpu_name(tf, contrib(tf))


@page.clause("/name/env-gke-endpoints")
@isolated
def environment_endpoints(tf):
    checks.environment_endpoints(tf, contrib(tf))


# ---------------------------------------------------------------- jobs


@page.clause("/args:job_name/names-the-job")
@isolated
def tpu_job(tf):
    checks.tpu_job(tf, contrib(tf))


@page.clause("/args:coordinator_name/included")
@isolated
def coordinator_included(tf):
    checks.coordinator_included(tf, contrib(tf))


@page.clause("/args:coordinator_name/none-excluded")
@isolated
def coordinator_excluded(tf):
    checks.coordinator_excluded(tf, contrib(tf))


@page.clause("/args:coordinator_address/given-starts-no-server")
@isolated
def address_given_starts_no_server(tf):
    checks.address_given_starts_no_server(tf, contrib(tf))


@page.clause("/args:coordinator_address/none-starts-server")
@isolated
def address_none_starts_server(tf):
    checks.address_none_starts_server(tf, contrib(tf))


@page.clause("/args:coordinator_address/none-without-name-starts-none")
@isolated
def no_name_starts_no_server(tf):
    checks.no_name_starts_no_server(tf, contrib(tf))


# ---------------------------------------------------------------- the API object


@page.clause("/args:credentials/none-is-default")
@isolated
def credentials_default(tf):
    checks.credentials_default(tf, contrib(tf))


@page.clause("/args:credentials/given-used")
@isolated
def credentials_given(tf):
    checks.credentials_given(tf, contrib(tf))


@page.clause("/args:credentials/ignored-with-service")
@isolated
def credentials_ignored_with_service(tf):
    checks.credentials_ignored_with_service(tf, contrib(tf))


@page.clause("/args:service/custom-object")
@isolated
def service_used(tf):
    checks.service_used(tf, contrib(tf))


@page.clause("/raises/import-error")
@isolated
def import_error(tf):
    checks.import_error(tf, contrib(tf))


@page.clause("/raises/no-tpus")
@isolated
def no_tpus(tf):
    checks.no_tpus(tf, contrib(tf))


# ---------------------------------------------------------------- cluster_spec


@page.clause(".cluster_spec/signature/no-parameters")
def cluster_spec_no_parameters(tf):
    same(parameters_of(contrib(tf).cluster_spec), [])


@page.clause(".cluster_spec/behaviour/asks-api-every-time")
@isolated
def asks_api_every_time(tf):
    checks.asks_api_every_time(tf, contrib(tf))


@page.clause(".cluster_spec/returns/cluster-spec")
@isolated
def returns_cluster_spec(tf):
    checks.returns_cluster_spec(tf, contrib(tf))


@page.clause(".cluster_spec/raises/unhealthy")
@isolated
def unhealthy(tf):
    checks.unhealthy(tf, contrib(tf))


# ---------------------------------------------------------------- master


@page.clause(".master/signature/no-parameters")
def master_no_parameters(tf):
    required = [
        name for name, default in parameters_of(contrib(tf).master) if not default
    ]
    same(required, [], call="required parameters of master")


@page.clause(".master/returns/first-instance-grpc-path")
@isolated
def first_instance(tf):
    checks.first_instance(tf, contrib(tf))


@page.clause(".master/returns/given-non-tpu-name")
@isolated
def given_non_tpu_name(tf):
    for name in PASS_THROUGH:
        passes_through(contrib(tf), name)


@page.clause(".master/example/normal-case-address")
@isolated
def normal_case_address(tf):
    checks.normal_case_address(tf, contrib(tf))


@page.clause(".master/example/grpc-address")
@isolated
def grpc_address(tf):
    checks.grpc_address(tf, contrib(tf))


@page.clause(".master/returns/string")
@isolated
def master_is_string(tf):
    checks.master_is_string(tf, contrib(tf))


@page.clause(".master/raises/no-such-tpu")
@isolated
def no_such_tpu(tf):
    checks.no_such_tpu(tf, contrib(tf))


@page.clause(".get_master/behaviour/same-as-master")
@isolated
def get_master(tf):
    checks.get_master_same_as_master(contrib(tf), PASS_THROUGH)


# ---------------------------------------------------------------- copies, ClusterSpec


@page.clause(".__deepcopy__/signature/memo")
def deepcopy_memo(tf):
    same([name for name, _ in parameters_of(contrib(tf).__deepcopy__)], ["memo"])


@page.clause(".__deepcopy__/behaviour/copy-is-usable")
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


@clause("tf.train.ClusterSpec/name/exists")
def cluster_spec_class(tf):
    spec = tf.train.ClusterSpec({"worker": ["10.1.2.3:8470", "10.1.2.4:8470"]})
    same(spec.jobs, ["worker"])
    same(spec.as_dict(), {"worker": ["10.1.2.3:8470", "10.1.2.4:8470"]})
    same(spec.job_tasks("worker"), ["10.1.2.3:8470", "10.1.2.4:8470"])
    same(spec.task_address("worker", 1), "10.1.2.4:8470")
