"""Checks that the two pages about TPUClusterResolver share.

Each takes the module under test and the resolver class under test. It runs without a
network, a virtual machine of Google Cloud and environment variables, apart from those
that it sets up itself.
"""

import inspect
import re

from ..clause import beyond_the_words, clause, expect_raises, same
from .cloud_stand_ins import (
    CloudTPU,
    GoogleClient,
    Metadata,
    UntouchableAPI,
    counted_servers,
    installed,
    isolated,
    node,
    surroundings,
)
from .page import about

CLASSES = (
    "tf.contrib.cluster_resolver.TPUClusterResolver",
    "tf.distribute.cluster_resolver.TPUClusterResolver",
)
PARAMETERS = [
    "tpu", "zone", "project", "job_name", "coordinator_name", "coordinator_address",
    "credentials", "service",
]  # fmt: skip
PASS_THROUGH = ["", "local", "grpc://10.240.1.2:8470"]
CONTRIB_PASS_THROUGH = [*PASS_THROUGH, "/bns/cell/job/0"]
TWO_HOSTS = ("10.1.2.3:8470", "10.1.2.4:8470")


def resolver_clause(rest, *of_pages):
    """Register the decorated ``check(tf, resolver)`` for the class of either page.

    ``rest`` follows the name of the class. ``of_pages`` has a third argument of the
    check for each page.
    """

    def register(check):
        for number, api in enumerate(CLASSES):
            clause(api + rest)(about(check, api, *of_pages[number : number + 1]))
        return check

    return register


def text(value):
    """Return ``value`` as text.

    The type is the matter of one clause (master/returns/string) and of no other.
    """
    return value.decode("ascii") if isinstance(value, bytes) else value


def resolved(resolver, service, **arguments):
    """Return a resolver of node-1 in project p and zone z that asks ``service``."""
    named = {"tpu": "node-1", "project": "p", "zone": "z", "service": service}
    return resolver(**dict(named, **arguments))


def one_node():
    return CloudTPU({"node-1": node(*TWO_HOSTS)})


def with_coordinator(resolver):
    """Return a resolver of node-1 and the coordinator at 10.0.0.9:2222."""
    return resolved(
        resolver,
        one_node(),
        coordinator_name="coordinator",
        coordinator_address="10.0.0.9:2222",
    )


@resolver_clause("/name/class")
def name_class(tf, resolver):
    assert inspect.isclass(resolver), repr(resolver)
    same(resolver.__name__, "TPUClusterResolver")


@resolver_clause(
    "/signature/init-parameters", PARAMETERS, [*PARAMETERS, "discovery_url"]
)
def init_parameters(tf, resolver, names):
    """Require the constructor to start with ``names``, by position or keyword."""
    parameters = list(inspect.signature(resolver).parameters.values())
    same([parameter.name for parameter in parameters[: len(names)]], names)
    for parameter in parameters:
        assert parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD, (
            f"{parameter.name} must work by position and by keyword, "
            f"but it is {parameter.kind}"
        )


def init_default(tf, resolver, name, expected):
    """Require the constructor's default of ``name``."""
    default = inspect.signature(resolver).parameters[name].default
    assert default is not inspect.Parameter.empty, f"{name} must be given"
    same(default, expected, call=f"default of {name}")


def init_defaults(*classes, **expected):
    """Register a clause about the default of each of these parameters."""
    for api in classes:
        for name, default in expected.items():
            rest = "/signature/default-" + name.replace("_", "-")
            clause(api + rest)(about(init_default, api, name, default))


_LIKE_NONE = ("tpu", "zone", "project", "coordinator_name", "coordinator_address")
init_defaults(*CLASSES, **dict.fromkeys([*_LIKE_NONE, "service"]))
init_defaults(*CLASSES, job_name="worker", credentials="default")
init_defaults(CLASSES[1], discovery_url=None)


def parameters_of(method):
    """Return the names and defaults of a method's parameters without self."""
    parameters = list(inspect.signature(method).parameters.values())[1:]
    empty = inspect.Parameter.empty
    return [
        (p.name, ()) if p.default is empty else (p.name, p.default) for p in parameters
    ]


@resolver_clause(".cluster_spec/signature/no-parameters")
def cluster_spec_no_parameters(tf, resolver):
    same(parameters_of(resolver.cluster_spec), [])


@resolver_clause("/behaviour/resolves-names-through-api")
@isolated
def resolves_names_through_api(tf, resolver):
    service = one_node()
    spec = resolved(resolver, service).cluster_spec()
    same(spec.as_dict(), {"worker": ["10.1.2.3:8470", "10.1.2.4:8470"]})
    same(service.requested, ["projects/p/locations/z/nodes/node-1"])


@resolver_clause("/args:tpu/string")
@isolated
def tpu_string(tf, resolver):
    service = CloudTPU({"node-1": node("10.1.2.3:8470"), "node-2": node("10.9.9.9:1")})
    spec = resolver("node-1", project="p", zone="z", service=service).cluster_spec()
    same(spec.as_dict(), {"worker": ["10.1.2.3:8470"]})
    same(service.requested, ["projects/p/locations/z/nodes/node-1"])


def passes_through(resolver, name):
    """Require ``name`` to become the session master without being looked up."""
    for arguments in ({}, {"project": "p", "zone": "z"}):
        made = resolver(tpu=name, service=UntouchableAPI(), **arguments)
        same(text(made.master()), name, call=f"master() for tpu={name!r}")


@resolver_clause("/args:tpu/local")
@isolated
def tpu_local(tf, resolver):
    passes_through(resolver, "local")
    with surroundings(Metadata()):
        passes_through(resolver, "local")
    for name in ("local-tpu", "my-local"):
        service = CloudTPU({name: node("10.9.9.9:1")})
        spec = resolved(resolver, service, tpu=name).cluster_spec()
        same(spec.job_tasks("worker"), ["10.9.9.9:1"], call=f"tasks of tpu={name!r}")


@resolver_clause("/args:tpu/grpc-prefix")
@isolated
def tpu_grpc_prefix(tf, resolver):
    passes_through(resolver, "grpc://10.240.1.2:8470")
    for name in ("grpc-tpu", "my-grpc"):
        service = CloudTPU({name: node("10.9.9.9:1")})
        spec = resolved(resolver, service, tpu=name).cluster_spec()
        same(spec.job_tasks("worker"), ["10.9.9.9:1"], call=f"tasks of tpu={name!r}")


@resolver_clause(
    "/behaviour/no-cluster-spec-for-pass-through", CONTRIB_PASS_THROUGH, PASS_THROUGH
)
@isolated
def no_cluster_spec(tf, resolver, names):
    for name in names:
        made = resolver(tpu=name, service=UntouchableAPI())
        same(made.cluster_spec(), None, call=f"cluster_spec() for tpu={name!r}")


@resolver_clause("/args:zone/given")
@isolated
def zone_given(tf, resolver):
    service = one_node()
    with surroundings(Metadata(zone="projects/123/zones/elsewhere")) as metadata:
        resolved(resolver, service, zone="my-zone").cluster_spec()
    same(service.requested, ["projects/p/locations/my-zone/nodes/node-1"])
    same(metadata.requested, [], call="requests to the metadata server")


@resolver_clause("/args:zone/omitted-or-empty-discovered")
@isolated
def zone_discovered(tf, resolver):
    for arguments in ({}, {"zone": None}, {"zone": ""}):
        service = one_node()
        with surroundings(Metadata(zone="projects/1/zones/europe-x")):
            resolver("node-1", project="p", service=service, **arguments).cluster_spec()
        same(service.requested, ["projects/p/locations/europe-x/nodes/node-1"])


@resolver_clause("/args:project/given")
@isolated
def project_given(tf, resolver):
    service = one_node()
    with surroundings(Metadata(project="elsewhere")) as metadata:
        resolved(resolver, service, project="my-project").cluster_spec()
    same(service.requested, ["projects/my-project/locations/z/nodes/node-1"])
    same(metadata.requested, [], call="requests to the metadata server")


@resolver_clause("/args:project/omitted-or-empty-discovered")
@isolated
def project_discovered(tf, resolver):
    for arguments in ({}, {"project": None}, {"project": ""}):
        service = one_node()
        with surroundings(Metadata(project="proj-m")):
            resolver("node-1", zone="z", service=service, **arguments).cluster_spec()
        same(service.requested, ["projects/proj-m/locations/z/nodes/node-1"])


@resolver_clause("/name/env-tpu-name")
@isolated
def environment_tpu_name(tf, resolver):
    with surroundings(TPU_NAME="node-1"):
        made = resolver(project="p", zone="z", service=one_node())
        same(text(made.master()), "grpc://10.1.2.3:8470")
        given = resolver(tpu="grpc://1.2.3.4:8470", service=UntouchableAPI())
        same(text(given.master()), "grpc://1.2.3.4:8470")
        made = resolved(resolver, one_node(), tpu=None, job_name="tpus")
        same(made.cluster_spec().as_dict(), {"tpus": list(TWO_HOSTS)})


def environment_endpoints(tf, resolver):
    endpoints = "grpc://10.1.2.3:8470,grpc://10.1.2.4:8470"
    with surroundings(
        Metadata(), KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS=endpoints
    ) as metadata:
        made = resolver(service=UntouchableAPI())
        same(text(made.master()), "grpc://10.1.2.3:8470")
        addresses = made.cluster_spec().job_tasks("worker")
        same([text(address) for address in addresses], list(TWO_HOSTS))
        same(metadata.requested, [], call="requests to the metadata server")
        named = resolver(
            job_name="tpus",
            coordinator_name="first",
            coordinator_address="10.0.0.9:2222",
            service=UntouchableAPI(),
        )
        spec = named.cluster_spec()
        same(sorted(spec.jobs), ["first", "tpus"])
        same([text(one) for one in spec.job_tasks("tpus")], list(TWO_HOSTS))
        same([text(one) for one in spec.job_tasks("first")], ["10.0.0.9:2222"])
        same(text(named.master()), "grpc://10.1.2.3:8470")


@resolver_clause("/args:job_name/names-the-job")
@isolated
def tpu_job(tf, resolver):
    made = resolved(resolver, one_node(), job_name="tpu_worker")
    same(made.cluster_spec().jobs, ["tpu_worker"])
    same(made.cluster_spec().job_tasks("tpu_worker"), list(TWO_HOSTS))


@resolver_clause("/args:coordinator_name/included")
@isolated
def coordinator_included(tf, resolver):
    at = "10.0.0.9:2222"
    for name in ("coordinator", "chief"):
        made = resolved(
            resolver, one_node(), coordinator_name=name, coordinator_address=at
        )
        same(made.cluster_spec().as_dict(), {"worker": list(TWO_HOSTS), name: [at]})


@resolver_clause("/args:coordinator_name/none-excluded")
@isolated
def coordinator_excluded(tf, resolver):
    for address in (None, "10.0.0.9:2222"):
        beyond_the_words(address is not None)
        made = resolved(
            resolver, one_node(), coordinator_name=None, coordinator_address=address
        )
        same(made.cluster_spec().jobs, ["worker"])


@resolver_clause("/args:coordinator_address/given-starts-no-server")
@isolated
def address_given_starts_no_server(tf, resolver):
    with counted_servers(tf) as started:
        made = with_coordinator(resolver)
        same(made.cluster_spec().job_tasks("coordinator"), ["10.0.0.9:2222"])
        same(len(started), 0, call="servers started")


@resolver_clause("/args:coordinator_address/none-starts-server")
@isolated
def address_none_starts_server(tf, resolver):
    with counted_servers(tf, port=4711) as started, surroundings(Metadata()):
        made = resolved(resolver, one_node(), coordinator_name="coordinator")
        for _ in range(2):
            (address,) = made.cluster_spec().job_tasks("coordinator")
            assert re.match(r"^[A-Za-z0-9.-]+:4711$", text(address)), (
                f"expected host:4711, got {address!r}"
            )
        same(len(started), 1, call="servers started")


@resolver_clause("/args:coordinator_address/none-without-name-starts-none")
@isolated
def no_name_starts_no_server(tf, resolver):
    with counted_servers(tf) as started, surroundings(Metadata()):
        for arguments in ({}, {"coordinator_name": None, "coordinator_address": None}):
            made = resolved(resolver, one_node(), **arguments)
            same(made.cluster_spec().jobs, ["worker"])
        same(len(started), 0, call="servers started")


@resolver_clause("/args:credentials/none-is-default")
@isolated
def credentials_default(tf, resolver):
    for arguments in ({"credentials": None}, {"credentials": "default"}, {}):
        client = GoogleClient(one_node())
        with installed(client):
            resolved(resolver, None, **arguments).cluster_spec()
        used = client.built[-1]["credentials"]
        assert used is client.default, f"{arguments}: the API was built with {used!r}"


@resolver_clause("/args:credentials/given-used")
@isolated
def credentials_given(tf, resolver):
    client = GoogleClient(one_node())
    given = object()
    with installed(client):
        resolved(resolver, None, credentials=given).cluster_spec()
    used = client.built[-1]["credentials"]
    assert used is given, f"the API was built with {used!r}"


@resolver_clause("/args:credentials/ignored-with-service")
@isolated
def credentials_ignored_with_service(tf, resolver):
    client = GoogleClient(UntouchableAPI())
    with installed(client):
        for credentials in ("default", None, object()):
            made = resolved(resolver, one_node(), credentials=credentials)
            same(text(made.master()), "grpc://10.1.2.3:8470")
    same(client.built, [], call="API objects built")
    same(client.fetched, 0, call="default credentials fetched")


@resolver_clause("/args:service/custom-object")
@isolated
def service_used(tf, resolver):
    service = one_node()
    client = GoogleClient(UntouchableAPI())
    with installed(client):
        made = resolved(resolver, service)
        same(made.cluster_spec().job_tasks("worker"), list(TWO_HOSTS))
    same(service.requested, ["projects/p/locations/z/nodes/node-1"])
    same(client.built, [], call="API objects built")


@resolver_clause("/raises/import-error")
@isolated
def import_error(tf, resolver):
    with installed(None):
        expect_raises(ImportError, resolver, tpu="node-1", project="p", zone="z")
        expect_raises(ImportError, resolver, "node-1", "z", "p", credentials=object())
        expect_raises(ImportError, resolver, tpu=["node-1"], project="p", zone="z")
        resolved(resolver, one_node()).cluster_spec()
        resolver(tpu="grpc://1.2.3.4:8470").master()
    with installed(None, authentication=True):
        expect_raises(ImportError, resolver, tpu="node-1", project="p", zone="z")


@resolver_clause("/raises/no-tpus")
@isolated
def no_tpus(tf, resolver):
    for arguments in ({}, {"tpu": None}, {"tpu": []}):
        expect_raises(
            ValueError, resolver, service=one_node(), project="p", zone="z", **arguments
        )


@resolver_clause(".cluster_spec/behaviour/asks-api-every-time")
@isolated
def asks_api_every_time(tf, resolver):
    service = one_node()
    made = resolved(resolver, service)
    same(made.cluster_spec().job_tasks("worker"), list(TWO_HOSTS))
    asked = len(service.requested)
    service.answers["node-1"] = node("10.1.2.9:8470")
    same(made.cluster_spec().job_tasks("worker"), ["10.1.2.9:8470"])
    same(len(service.requested), asked + 1, call="requests after the second call")


@resolver_clause(".cluster_spec/returns/cluster-spec")
@isolated
def returns_cluster_spec(tf, resolver):
    spec = resolved(resolver, one_node()).cluster_spec()
    assert isinstance(spec, tf.train.ClusterSpec), repr(spec)
    same(spec.job_tasks("worker"), ["10.1.2.3:8470", "10.1.2.4:8470"])
    reverse = CloudTPU({"node-1": node("10.1.2.4:8470", "10.1.2.3:8471")})
    spec = resolved(resolver, reverse).cluster_spec()
    same(spec.job_tasks("worker"), ["10.1.2.4:8470", "10.1.2.3:8471"])
    twelve = [f"10.1.2.{20 - i}:8470" for i in range(12)]
    spec = resolved(resolver, CloudTPU({"node-1": node(*twelve)})).cluster_spec()
    same(spec.as_dict(), {"worker": twelve})


@resolver_clause(".cluster_spec/raises/unhealthy")
@isolated
def unhealthy(tf, resolver):
    sick = [
        {"health": "UNHEALTHY_TENSORFLOW"},
        {"health": "UNHEALTHY_MAINTENANCE"},
        {"health": "TIMEOUT"},
        {"state": "CREATING"},
        {"state": "STOPPED", "health": None},
    ]
    for fields in sick:
        service = CloudTPU({"node-1": node(*TWO_HOSTS, **fields)})
        expect_raises(RuntimeError, resolved(resolver, service).cluster_spec)

    def one_of_two_sick():
        nodes = {"a": node("10.1.1.1:1"), "b": node("10.1.1.2:1", **sick[0])}
        resolved(resolver, CloudTPU(nodes), tpu=["a", "b"]).cluster_spec()

    # The class that takes no list raises NotImplementedError, a RuntimeError as well.
    expect_raises(RuntimeError, one_of_two_sick)
    for fields in [{}, {"health": None}, {"health": None, "state": "READY"}]:
        service = CloudTPU({"node-1": node(*TWO_HOSTS, **fields)})
        resolved(resolver, service).cluster_spec()


@resolver_clause(
    ".get_master/behaviour/same-as-master", CONTRIB_PASS_THROUGH, PASS_THROUGH[-1:]
)
@isolated
def get_master_same_as_master(tf, resolver, names):
    same(parameters_of(resolver.get_master), [])
    made = [resolver(tpu=name, service=UntouchableAPI()) for name in names]
    for one in made + [resolved(resolver, one_node())]:
        same(one.get_master(), one.master())


@resolver_clause(".master/returns/first-instance-grpc-path")
@isolated
def first_instance(tf, resolver):
    made = resolved(resolver, one_node())
    for _ in range(3):
        same(text(made.master()), "grpc://10.1.2.3:8470")
    # A coordinator that sorts before the job of the TPUs is not meant.
    made = with_coordinator(resolver)
    same(text(made.master()), "grpc://10.1.2.3:8470")


@resolver_clause(".master/example/normal-case-address")
@isolated
def normal_case_address(tf, resolver):
    service = CloudTPU({"node-1": node("1.2.3.4:8470")})
    same(text(resolved(resolver, service).master()), "grpc://1.2.3.4:8470")


@resolver_clause(".master/example/grpc-address")
@isolated
def grpc_address(tf, resolver):
    made = resolver(tpu="grpc://10.240.1.2:8470", service=UntouchableAPI())
    same(text(made.master()), "grpc://10.240.1.2:8470")


@resolver_clause(".master/returns/string")
@isolated
def master_is_string(tf, resolver):
    for one in (resolved(resolver, one_node()), resolver(tpu="grpc://10.240.1.2:8470")):
        same(type(one.master()), str, call=f"type of {one.master()!r}")
    for name in ("", "local"):
        master = resolver(tpu=name).master()
        same(type(master), str, call=f"type of {master!r}")
        with tf.Session(master) as session:
            same(session.run(tf.constant(3.0)), 3.0)


@resolver_clause(".master/raises/no-such-tpu")
@isolated
def no_such_tpu(tf, resolver):
    for service in [
        CloudTPU({}),
        CloudTPU({"node-2": node(*TWO_HOSTS)}),
        CloudTPU({"node-1": node()}),
    ]:
        expect_raises(ValueError, resolved(resolver, service).master)
