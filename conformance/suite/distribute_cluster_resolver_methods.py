"""Checks of the methods of tf.distribute.cluster_resolver.TPUClusterResolver."""

from ..clause import expect_raises, same
from . import resolver_checks as checks
from .cloud_stand_ins import (
    CloudTPU,
    Metadata,
    counted_servers,
    hosts,
    isolated,
    node,
    reachable,
    surroundings,
    too_late,
)
from .distribute_cluster_resolver import PASS_THROUGH, distribute, page
from .resolver_checks import parameters_of, passes_through, resolved, text

# ---------------------------------------------------------------- cluster_spec


@page.clause(
    ".cluster_spec/signature/no-parameters",
    tier="surface",
    says="cluster_spec has no parameters.",
)
def cluster_spec_no_parameters(tf):
    same(parameters_of(distribute(tf).cluster_spec), [])


@page.clause(
    ".cluster_spec/behaviour/asks-api-every-time",
    tier="host",
    says="Every call asks the API again and gives its newest answer.",
)
@isolated
def asks_api_every_time(tf):
    checks.asks_api_every_time(tf, distribute(tf))


@page.clause(
    ".cluster_spec/returns/cluster-spec",
    tier="host",
    says="It returns a ClusterSpec of the hosts that the API reports, or None.",
    doubt="The page does not locate the class: tf.train.ClusterSpec.",
)
@isolated
def returns_cluster_spec(tf):
    checks.returns_cluster_spec(tf, distribute(tf))


@page.clause(
    ".cluster_spec/returns/none-possible",
    tier="host",
    says="It may return None instead of a ClusterSpec.",
    doubt=(
        "When is not said, releases from 2.2 on never do: for the strings that become "
        "the session master."
    ),
)
@isolated
def cluster_spec_none_possible(tf):
    checks.no_cluster_spec(distribute(tf), PASS_THROUGH)


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
    checks.unhealthy(tf, distribute(tf))


# ---------------------------------------------------------------- master


@page.clause(
    ".master/signature/parameters",
    tier="surface",
    says=(
        "master has the parameters task_type, task_id and rpc_layer, all None if "
        "omitted."
    ),
)
def master_parameters(tf):
    same(
        parameters_of(distribute(tf).master),
        [("task_type", None), ("task_id", None), ("rpc_layer", None)],
    )


@page.clause(
    ".master/args:task_type/selects-job",
    tier="host",
    says="task_type is the type, that is the job, of the task that is meant.",
    doubt=(
        "One of the two without the other is not discussed, releases ignore it: "
        "task_id is then 0; an unknown job is ValueError."
    ),
)
@isolated
def master_task_type(tf):
    made = with_coordinator(distribute(tf))
    same(text(made.master("coordinator", 0)), "grpc://10.0.0.9:2222")
    same(text(made.master(task_type="coordinator")), "grpc://10.0.0.9:2222")
    same(text(made.master(task_type="worker", task_id=0)), "grpc://10.1.2.3:8470")
    expect_raises(ValueError, made.master, task_type="ps", task_id=0)


def with_coordinator(resolver):
    return resolved(
        resolver,
        checks.one_node(),
        coordinator_name="coordinator",
        coordinator_address="10.0.0.9:2222",
    )


@page.clause(
    ".master/args:task_id/selects-task",
    tier="host",
    says="task_id is the index of the task that is meant.",
    doubt=(
        "Releases look at it together with task_type only: alone it counts in the job "
        "of the TPUs; an index beyond it is ValueError."
    ),
)
@isolated
def master_task_id(tf):
    made = with_coordinator(distribute(tf))
    same(text(made.master("worker", 1)), "grpc://10.1.2.4:8470")
    expect_raises(ValueError, made.master, "worker", 2)
    same(text(made.master(task_id=1)), "grpc://10.1.2.4:8470")
    expect_raises(ValueError, made.master, task_id=2)


@page.clause(
    ".master/args:rpc_layer/protocol-prefix",
    tier="host",
    says="rpc_layer is the protocol spoken with the TPUs.",
    doubt="Releases 2.x answer grpc whatever it is: it is the prefix, grpc by default.",
)
@isolated
def master_rpc_layer(tf):
    made = resolved(distribute(tf), checks.one_node())
    same(text(made.master(rpc_layer=None)), "grpc://10.1.2.3:8470")
    same(text(made.master(rpc_layer="grpc")), "grpc://10.1.2.3:8470")
    same(text(made.master(rpc_layer="foo")), "foo://10.1.2.3:8470")


@page.clause(
    ".master/returns/first-instance-grpc-path",
    tier="host",
    says="Normally it is the grpc path of the first instance in the ClusterSpec.",
    doubt="With a coordinator, the first instance is the first task of job_name.",
)
@isolated
def first_instance(tf):
    checks.first_instance(tf, distribute(tf))


@page.clause(
    ".master/returns/given-non-tpu-name",
    tier="host",
    says="A string that is no name of a TPU is returned as it was given.",
    doubt="'local' too stays as it is.",
)
@isolated
def given_non_tpu_name(tf):
    for name in PASS_THROUGH:
        passes_through(distribute(tf), name)


@page.clause(
    ".master/example/normal-case-address",
    tier="host",
    says="A TPU at the printed address has the printed grpc path.",
)
@isolated
def normal_case_address(tf):
    checks.normal_case_address(tf, distribute(tf))


@page.clause(
    ".master/example/grpc-address",
    tier="host",
    says="A resolver of the printed grpc address returns just that address.",
)
@isolated
def grpc_address(tf):
    checks.grpc_address(tf, distribute(tf))


@page.clause(
    ".master/returns/string",
    tier="host",
    says="It is a string with which a session can be made.",
    doubt="Up to 1.12 some are bytes: always str.",
)
@isolated
def master_is_string(tf):
    checks.master_is_string(tf, distribute(tf))


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
    checks.no_such_tpu(tf, distribute(tf))


@page.clause(
    ".get_master/behaviour/same-as-master",
    tier="host",
    says="get_master has no parameters and gives what master gives.",
    doubt="The entry has no text: an older name of master.",
)
@isolated
def get_master(tf):
    checks.get_master_same_as_master(distribute(tf), ["grpc://10.240.1.2:8470"])


@page.clause(
    ".get_job_name/returns/job-name",
    tier="host",
    says="get_job_name has no parameters and returns the name of the TPUs' job.",
    doubt=(
        "The entry has no text, and 1.15 answers None for some: always the job_name of "
        "the constructor."
    ),
)
@isolated
def get_job_name(tf):
    resolver = distribute(tf)
    same(parameters_of(resolver.get_job_name), [])
    same(resolved(resolver, checks.one_node()).get_job_name(), "worker")
    same(resolved(resolver, checks.one_node(), job_name="w").get_job_name(), "w")
    same(resolver(tpu="grpc://1.2.3.4:8470", job_name="v").get_job_name(), "v")


# ---------------------------------------------------------------- num_accelerators


def count(accelerators):
    """Return the number in an answer of num_accelerators.

    Its type is the matter of one clause (returns/cores-per-worker) and of no other:
    releases answer {'TPU': number}.
    """
    return accelerators["TPU"] if isinstance(accelerators, dict) else accelerators


@page.clause(
    ".num_accelerators/signature/parameters",
    tier="surface",
    says=(
        "num_accelerators has the parameters task_type, task_id and config_proto, all "
        "None if omitted."
    ),
)
def num_accelerators_parameters(tf):
    same(
        parameters_of(distribute(tf).num_accelerators),
        [("task_type", None), ("task_id", None), ("config_proto", None)],
    )


@page.clause(
    ".num_accelerators/returns/cores-per-worker",
    tier="host",
    says="It returns the number of TPU cores of each worker.",
    doubt="Releases return {'TPU': 8}: the number, as the page has it.",
)
@isolated
def num_accelerators_per_worker(tf):
    resolver = distribute(tf)
    with reachable(tf, hosts(8, 8)):
        same(resolved(resolver, checks.one_node()).num_accelerators(), 8)
    with reachable(tf, hosts(2)):
        same(resolved(resolver, checks.one_node()).num_accelerators(), 2)


@page.clause(
    ".num_accelerators/behaviour/connects-and-counts",
    tier="host",
    says="It connects to the master, lists all of its devices and counts.",
    doubt="Which devices count is not said: those of type TPU.",
)
@isolated
def num_accelerators_counts(tf):
    with reachable(tf, hosts(2)) as master:
        same(count(resolved(distribute(tf), checks.one_node()).num_accelerators()), 2)
    same([target for target, _ in master.opened], ["grpc://10.1.2.3:8470"])
    same(master.listed, 1, call="listings of the devices")


@page.clause(
    ".num_accelerators/behaviour/verifies-equal-hosts",
    tier="host",
    says="It verifies that every host has as many devices as the others.",
)
@isolated
def num_accelerators_equal_hosts(tf):
    resolver = distribute(tf)
    with reachable(tf, hosts(4, 4)):
        same(count(resolved(resolver, checks.one_node()).num_accelerators()), 4)
    made = resolved(resolver, checks.one_node())
    for cores in ((4, 4, 3), (4, 3, 4), (1, 2)):
        with reachable(tf, hosts(*cores)):
            expect_raises(RuntimeError, made.num_accelerators)


@page.clause(
    ".num_accelerators/args:task_type/unused",
    tier="host",
    says="task_type changes nothing.",
)
@isolated
def num_accelerators_task_type(tf):
    made = resolved(distribute(tf), checks.one_node())
    with reachable(tf, hosts(4, 4)):
        for task_type in (None, "worker", "ps", "nothing"):
            same(count(made.num_accelerators(task_type=task_type)), 4)


@page.clause(
    ".num_accelerators/args:task_id/unused",
    tier="host",
    says="task_id changes nothing.",
)
@isolated
def num_accelerators_task_id(tf):
    made = resolved(distribute(tf), checks.one_node())
    with reachable(tf, hosts(4, 4)):
        for task_id in (None, 0, 1, 99):
            same(count(made.num_accelerators(task_id=task_id)), 4)


@page.clause(
    ".num_accelerators/args:config_proto/for-connection",
    tier="host",
    says="config_proto is what the connection to the master is made with.",
)
@isolated
def num_accelerators_config_proto(tf):
    made = resolved(distribute(tf), checks.one_node())
    config = tf.ConfigProto()
    with reachable(tf, hosts(4)) as master:
        made.num_accelerators(config_proto=config)
        made.num_accelerators()
    assert master.opened[0][1] is config, repr(master.opened[0])
    assert master.opened[1][1] is not config, repr(master.opened[1])


@page.clause(
    ".num_accelerators/raises/unreachable-after-retries",
    tier="host",
    says="A worker that cannot be reached after further attempts raises RuntimeError.",
    doubt=(
        "How many attempts is not said: at least two, for an exceeded deadline "
        "(releases let other errors out at once)."
    ),
)
@isolated
def num_accelerators_unreachable(tf):
    resolver = distribute(tf)
    made = [
        resolved(resolver, checks.one_node()),
        resolved(resolver, CloudTPU({"node-1": node("10.1.2.3:8470")})),
        resolver(tpu="grpc://10.1.2.3:8470"),
    ]
    for one in made:
        with reachable(tf, too_late(tf)) as master:
            expect_raises(RuntimeError, one.num_accelerators)
            assert master.listed > 1, "there was one attempt only"


@page.clause(
    ".num_accelerators/raises/unequal-hosts",
    tier="host",
    says="Hosts with different numbers of TPU devices raise RuntimeError.",
)
@isolated
def num_accelerators_unequal_hosts(tf):
    made = resolved(distribute(tf), checks.one_node())
    for cores in ((4, 2), (1, 8), (4, 4, 3)):
        with reachable(tf, hosts(*cores)):
            expect_raises(RuntimeError, made.num_accelerators)


# ---------------------------------------------------------------- with statements


@page.clause(
    ".__enter__/signature/no-parameters",
    tier="surface",
    says="The class has __enter__ without parameters.",
)
def enter_no_parameters(tf):
    same(parameters_of(distribute(tf).__enter__), [])


@page.clause(
    ".__enter__/behaviour/with-statement",
    tier="host",
    says="A with statement can open a resolver.",
    doubt="The entry has no text, releases fail: the resolver itself is entered.",
)
@isolated
def with_statement(tf):
    for name in ("grpc://1.2.3.4:8470", "local"):
        made = distribute(tf)(tpu=name)
        with made as entered:
            assert entered is made, f"{entered!r} is not {made!r}"


@page.clause(
    ".__exit__/signature/parameters",
    tier="surface",
    says="The class has __exit__ with the parameters type, value and traceback.",
)
def exit_parameters(tf):
    names = [name for name, _ in parameters_of(distribute(tf).__exit__)]
    same(names, ["type", "value", "traceback"])


@page.clause(
    ".__exit__/behaviour/does-not-swallow",
    tier="host",
    says="An exception leaves the with statement of a resolver.",
    doubt=(
        "The entry has no text: what was started is stopped, the exception goes on, "
        "and the resolver still answers."
    ),
)
@isolated
def exit_does_not_swallow(tf):
    def leave_by(error, made):
        with made:
            raise error

    with counted_servers(tf) as started, surroundings(Metadata()):
        made = resolved(
            distribute(tf), checks.one_node(), coordinator_name="coordinator"
        )
        for error in (KeyError("k"), ValueError("v"), StopIteration()):
            expect_raises(type(error), leave_by, error, made)
        same([server.stopped for server in started], [True])
        same(text(made.master()), "grpc://10.1.2.3:8470")
