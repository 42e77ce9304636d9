"""Checks of tf.contrib.cluster_resolver.TPUClusterResolver."""

import copy

from ..clause import clause, same
from . import resolver_checks as checks
from .cloud_stand_ins import CloudTPU, UntouchableAPI, isolated, node
from .page import Page
from .resolver_checks import parameters_of, passes_through, resolved, text

page = Page("tf.contrib.cluster_resolver.TPUClusterResolver")


def contrib(tf):
    """Return the documented class."""
    return tf.contrib.cluster_resolver.TPUClusterResolver


@page.clause("/inherits/cluster-resolver")
def inherits(tf):
    assert issubclass(contrib(tf), tf.contrib.cluster_resolver.ClusterResolver)


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
    named = {"job_name": "tpus", "coordinator_name": "c", "coordinator_address": "x:1"}
    jobs = resolved(resolver, service, tpu=["a", "b"], **named).cluster_spec().as_dict()
    same(jobs, {"tpus": tasks[1:] + tasks[:1], "c": ["x:1"]})
    three = {f"node-{i}": node(f"10.1.1.{i}:1") for i in range(3)}
    three = resolved(resolver, CloudTPU(three), tpu=["node-2", "node-0", "node-1"])
    tasks = three.cluster_spec().job_tasks("worker")
    same(tasks, ["10.1.1.2:1", "10.1.1.0:1", "10.1.1.1:1"])


@page.clause("/args:tpu/empty-string")
@isolated
def tpu_empty_string(tf):
    passes_through(contrib(tf), "")


@page.clause("/args:tpu/bns-prefix")
@isolated
def tpu_bns_prefix(tf):
    for name in ("/bns/cell/job/0", "/bnsx/job", "/bns"):
        passes_through(contrib(tf), name)


@page.clause("/name/env-gke-endpoints")
@isolated
def environment_endpoints(tf):
    checks.environment_endpoints(tf, contrib(tf))


# ---------------------------------------------------------------- master


@page.clause(".master/signature/no-parameters")
def master_no_parameters(tf):
    required = [
        name for name, default in parameters_of(contrib(tf).master) if not default
    ]
    same(required, [], call="required parameters of master")


@page.clause(".master/returns/given-non-tpu-name")
@isolated
def given_non_tpu_name(tf):
    for name in checks.CONTRIB_PASS_THROUGH:
        passes_through(contrib(tf), name)


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
