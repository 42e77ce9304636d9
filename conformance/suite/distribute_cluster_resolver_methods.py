"""Checks of the methods of tf.distribute.cluster_resolver.TPUClusterResolver."""

from ..clause import beyond_the_words, expect_raises, same
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
from .distribute_cluster_resolver import distribute, page
from .resolver_checks import parameters_of, passes_through, resolved, text


@page.clause(".cluster_spec/returns/none-possible")
def cluster_spec_none_possible(tf):
    checks.no_cluster_spec(tf, distribute(tf), checks.PASS_THROUGH)


@page.clause(".master/signature/parameters")
def master_parameters(tf):
    same(
        parameters_of(distribute(tf).master),
        [("task_type", None), ("task_id", None), ("rpc_layer", None)],
    )


@page.clause(".master/args:task_type/selects-job")
@isolated
def master_task_type(tf):
    made = checks.with_coordinator(distribute(tf))
    same(text(made.master("coordinator", 0)), "grpc://10.0.0.9:2222")
    same(text(made.master(task_type="coordinator")), "grpc://10.0.0.9:2222")
    same(text(made.master(task_type="worker", task_id=0)), "grpc://10.1.2.3:8470")
    beyond_the_words()
    expect_raises(ValueError, made.master, task_type="ps", task_id=0)


@page.clause(".master/args:task_id/selects-task")
@isolated
def master_task_id(tf):
    made = checks.with_coordinator(distribute(tf))
    same(text(made.master("worker", 1)), "grpc://10.1.2.4:8470")
    beyond_the_words()
    expect_raises(ValueError, made.master, "worker", 2)
    same(text(made.master(task_id=1)), "grpc://10.1.2.4:8470")
    expect_raises(ValueError, made.master, task_id=2)


@page.clause(".master/args:rpc_layer/protocol-prefix")
@isolated
def master_rpc_layer(tf):
    made = resolved(distribute(tf), checks.one_node())
    same(text(made.master(rpc_layer=None)), "grpc://10.1.2.3:8470")
    same(text(made.master(rpc_layer="grpc")), "grpc://10.1.2.3:8470")
    same(text(made.master(rpc_layer="foo")), "foo://10.1.2.3:8470")
    same(text(made.master("worker", 1, "foo")), "foo://10.1.2.4:8470")
    same(text(made.master()), "grpc://10.1.2.3:8470", call="master() afterwards")


@page.clause(".master/returns/given-non-tpu-name")
@isolated
def given_non_tpu_name(tf):
    for name in checks.PASS_THROUGH:
        passes_through(distribute(tf), name)
    given = distribute(tf)("grpc://10.240.1.2:8470", service=checks.UntouchableAPI())
    same(text(given.master(rpc_layer="http")), "grpc://10.240.1.2:8470")


@page.clause(".get_job_name/returns/job-name")
@isolated
def get_job_name(tf):
    resolver = distribute(tf)
    same(parameters_of(resolver.get_job_name), [])
    same(resolved(resolver, checks.one_node()).get_job_name(), "worker")
    same(resolved(resolver, checks.one_node(), job_name="w").get_job_name(), "w")
    same(resolver(tpu="grpc://1.2.3.4:8470", job_name="v").get_job_name(), "v")


def count(accelerators):
    """Return the number in an answer of num_accelerators.

    Its type is the matter of one clause (returns/cores-per-worker) and of no other:
    releases answer {'TPU': number}.
    """
    return accelerators["TPU"] if isinstance(accelerators, dict) else accelerators


@page.clause(".num_accelerators/signature/parameters")
def num_accelerators_parameters(tf):
    same(
        parameters_of(distribute(tf).num_accelerators),
        [("task_type", None), ("task_id", None), ("config_proto", None)],
    )


@page.clause(".num_accelerators/returns/cores-per-worker")
@isolated
def num_accelerators_per_worker(tf):
    resolver = distribute(tf)
    with reachable(tf, hosts(8, 8)):
        same(resolved(resolver, checks.one_node()).num_accelerators(), 8)
    with reachable(tf, hosts(2)):
        same(resolved(resolver, checks.one_node()).num_accelerators(), 2)


@page.clause(".num_accelerators/behaviour/connects-and-counts")
@isolated
def num_accelerators_counts(tf):
    with reachable(tf, hosts(2)) as master:
        same(count(resolved(distribute(tf), checks.one_node()).num_accelerators()), 2)
    same([target for target, _ in master.opened], ["grpc://10.1.2.3:8470"])
    same(master.listed, 1, call="listings of the devices")
    with reachable(tf, hosts(4, 4)) as master:
        same(count(distribute(tf)("grpc://10.9.9.9:1").num_accelerators()), 4)
    same([target for target, _ in master.opened], ["grpc://10.9.9.9:1"])


@page.clause(".num_accelerators/behaviour/verifies-equal-hosts")
@isolated
def num_accelerators_equal_hosts(tf):
    resolver = distribute(tf)
    with reachable(tf, hosts(4, 4)):
        same(count(resolved(resolver, checks.one_node()).num_accelerators()), 4)
    made = resolved(resolver, checks.one_node())
    for cores in ((4, 4, 3), (4, 3, 4), (1, 2)):
        with reachable(tf, hosts(*cores)):
            expect_raises(RuntimeError, made.num_accelerators)


@page.clause(".num_accelerators/args:task_type/unused")
@isolated
def num_accelerators_task_type(tf):
    made = resolved(distribute(tf), checks.one_node())
    with reachable(tf, hosts(4, 4)):
        for task_type in (None, "worker", "ps", "nothing"):
            same(count(made.num_accelerators(task_type=task_type)), 4)


@page.clause(".num_accelerators/args:task_id/unused")
@isolated
def num_accelerators_task_id(tf):
    made = resolved(distribute(tf), checks.one_node())
    with reachable(tf, hosts(4, 4)):
        for task_id in (None, 0, 1, 99):
            same(count(made.num_accelerators(task_id=task_id)), 4)


@page.clause(".num_accelerators/args:config_proto/for-connection")
@isolated
def num_accelerators_config_proto(tf):
    made = resolved(distribute(tf), checks.one_node())
    config = tf.ConfigProto()
    with reachable(tf, hosts(4)) as master:
        made.num_accelerators(config_proto=config)
        made.num_accelerators()
    assert master.opened[0][1] is config, repr(master.opened[0])
    assert master.opened[1][1] is not config, repr(master.opened[1])


@page.clause(".num_accelerators/raises/unreachable-after-retries")
@isolated
def num_accelerators_unreachable(tf):
    resolver = distribute(tf)
    for one in [
        resolved(resolver, checks.one_node()),
        resolved(resolver, CloudTPU({"node-1": node("10.1.2.3:8470")})),
        resolver(tpu="grpc://10.1.2.3:8470"),
    ]:
        with reachable(tf, too_late(tf)) as master:
            expect_raises(RuntimeError, one.num_accelerators)
            assert master.listed > 1, "there was one attempt only"


@page.clause(".num_accelerators/raises/unequal-hosts")
@isolated
def num_accelerators_unequal_hosts(tf):
    made = resolved(distribute(tf), checks.one_node())
    for cores in ((4, 2), (1, 8), (4, 4, 3)):
        with reachable(tf, hosts(*cores)):
            expect_raises(RuntimeError, made.num_accelerators)


@page.clause(".__enter__/signature/no-parameters")
def enter_no_parameters(tf):
    same(parameters_of(distribute(tf).__enter__), [])


@page.clause(".__enter__/behaviour/with-statement")
@isolated
def with_statement(tf):
    for name in ("grpc://1.2.3.4:8470", "local"):
        made = distribute(tf)(tpu=name)
        with made as entered:
            assert entered is made, f"{entered!r} is not {made!r}"


@page.clause(".__exit__/signature/parameters")
def exit_parameters(tf):
    names = [name for name, _ in parameters_of(distribute(tf).__exit__)]
    same(names, ["type", "value", "traceback"])


@page.clause(".__exit__/behaviour/does-not-swallow")
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
