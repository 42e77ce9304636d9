"""cluster_spec and master: what the API answers, and what is made of it."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import tpuref as tf

from .api_object import NODE_1, NODE_2, HttpError, Service, node
from .statements import CONTRIB, DISTRIBUTE, both, contrib, distribute

PLACE = {"project": "p", "zone": "z"}


def answered(answer: Any, resolver: Any = DISTRIBUTE) -> Any:
    """A resolver of a TPU about which the API answers that."""
    return resolver("n", service=Service(n=answer), **PLACE)


@both("/args:job_name/names-the-job")
def test_job_name(resolver: Any, service: Any) -> None:
    made = resolver("node-1", service=service, job_name="tpu_worker", **PLACE)
    assert made.cluster_spec().jobs == ["tpu_worker"]
    assert made.master() == "grpc://10.1.2.3:8470"


@distribute(".get_job_name/returns/job-name")
@pytest.mark.parametrize("tpu", ["node-1", "local", "grpc://1.2.3.4:8470"])
def test_get_job_name(resolver: Any, tpu: str, service: Any) -> None:
    assert resolver(tpu, service=service, **PLACE).get_job_name() == "worker"
    made = resolver(tpu, service=service, job_name="w", **PLACE)
    assert made.get_job_name() == "w"


def test_a_job_name_is_text(service: Any) -> None:
    with pytest.raises(TypeError, match="job_name must be text"):
        DISTRIBUTE("node-1", service=service, job_name=None, **PLACE)


@both("/args:zone/given", "/args:project/given")
def test_a_given_place_is_asked_for(resolver: Any, service: Any, offline: Any) -> None:
    resolver("node-1", "my-zone", "my-project", service=service).cluster_spec()
    assert service.requested == ["projects/my-project/locations/my-zone/nodes/node-1"]


@both("/args:service/custom-object", "/args:credentials/ignored-with-service")
def test_a_service_of_ones_own(
    resolver: Any, service: Any, no_client: Any, offline: Any
) -> None:
    made = resolver("node-1", service=service, credentials=object(), **PLACE)
    made.cluster_spec()
    assert len(service.requested) == 1


@both(".cluster_spec/returns/cluster-spec")
def test_the_hosts_are_in_the_order_reported(resolver: Any) -> None:
    spec = answered(node("b:2", "a:1", "::1:3"), resolver).cluster_spec()
    assert isinstance(spec, tf.train.ClusterSpec)
    assert spec.job_tasks("worker") == ["b:2", "a:1", "[::1]:3"]


@both(".cluster_spec/behaviour/asks-api-every-time")
def test_the_api_is_asked_every_time(resolver: Any, service: Any) -> None:
    made = resolver("node-1", service=service, **PLACE)
    made.cluster_spec()
    service.answers["node-1"] = NODE_2
    assert made.cluster_spec().as_dict() == {"worker": ["10.9.9.9:8471"]}
    assert len(service.requested) == 2
    assert made.master() == "grpc://10.9.9.9:8471"
    assert len(service.requested) == 3


@both(
    ".master/returns/first-instance-grpc-path", ".get_master/behaviour/same-as-master"
)
def test_the_master_is_the_first_host(resolver: Any, service: Any) -> None:
    made = resolver(
        "node-1",
        service=service,
        coordinator_name="a",
        coordinator_address="c:1",
        **PLACE,
    )
    assert made.master() == made.get_master() == "grpc://10.1.2.3:8470"


@both(".master/example/normal-case-address")
def test_the_address_of_the_page(resolver: Any) -> None:
    assert answered(node("1.2.3.4:8470"), resolver).master() == "grpc://1.2.3.4:8470"


def test_the_older_form_of_an_address() -> None:
    made = answered({"ipAddress": "10.1.1.1", "port": "8470"})
    assert made.master() == "grpc://10.1.1.1:8470"
    both_forms = NODE_1 | {"ipAddress": "9.9.9.9", "port": "1"}
    assert answered(both_forms).master() == "grpc://10.1.2.3:8470"


# -- TPUs that cannot be used --------------------------------------------------


@both(".cluster_spec/raises/unhealthy")
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"health": "UNHEALTHY"}, "TPU 'n' is not healthy.*'READY'.*'UNHEALTHY'"),
        ({"health": "UNHEALTHY_TENSORFLOW"}, "not healthy"),
        ({"health": "TIMEOUT"}, "not healthy"),
        ({"health": "HEALTH_UNSPECIFIED"}, "not healthy"),
        ({"state": "CREATING"}, "TPU 'n' is not ready: state 'CREATING'"),
        ({"state": "PREEMPTED"}, "state 'PREEMPTED'"),
        ({"state": "STATE_UNSPECIFIED"}, "state 'STATE_UNSPECIFIED'"),
        ({"state": "ready"}, "state 'ready'"),
        ({"state": 5}, "state 5"),
        ({"state": "CREATING", "health": "TIMEOUT"}, "not ready"),
        ({"health": "TIMEOUT", "healthDescription": "too hot"}, "too hot"),
    ],
)
def test_unhealthy_and_not_ready(resolver: Any, fields: Any, message: str) -> None:
    made = answered(NODE_1 | fields, resolver)
    for ask in (made.cluster_spec, made.master):
        with pytest.raises(RuntimeError, match=message):
            ask()


@both(".cluster_spec/raises/unhealthy")
@pytest.mark.parametrize("missing", ["state", "health"])
def test_what_is_not_said_is_no_trouble(resolver: Any, missing: str) -> None:
    fields = {key: value for key, value in NODE_1.items() if key != missing}
    assert answered(fields, resolver).cluster_spec() is not None


def test_a_state_of_null_is_unknown() -> None:
    with pytest.raises(RuntimeError, match="state None"):
        answered(NODE_1 | {"state": None}).cluster_spec()


@both(".master/raises/no-such-tpu")
@pytest.mark.parametrize("answer", [HttpError(404), {}, node(), {"state": "READY"}])
def test_no_such_tpu(resolver: Any, answer: Any) -> None:
    made = answered(answer, resolver)
    for ask in (made.master, made.cluster_spec):
        with pytest.raises(ValueError, match="TPU 'n'"):
            ask()


@both(".master/raises/no-such-tpu")
@pytest.mark.parametrize(
    "error",
    [HttpError(400), KeyError("k"), RuntimeError("r"), ValueError("v"), OSError("o")],
)
def test_a_tpu_that_cannot_be_looked_up(resolver: Any, error: Exception) -> None:
    kind = type(error).__name__
    match = rf"no TPU 'n': requested 'projects/p/.*/n'.*{kind}: .*E062"
    for ask in ("master", "cluster_spec", "num_accelerators"):
        with pytest.raises(ValueError, match=match) as caught:
            getattr(answered(error, resolver), ask)()
        assert caught.value.__cause__ is error


class Forbidden(Exception):
    """As google.api_core raises it."""

    code = 403


@both(".master/raises/no-such-tpu")
@pytest.mark.parametrize(
    ("error", "credentials"),
    [
        (HttpError(401), "default"),
        (HttpError(403), None),
        (PermissionError("p"), "default"),
        (Forbidden("f"), "default"),
    ],
)
def test_a_tpu_that_must_not_be_seen(
    resolver: Any, error: Exception, credentials: Any
) -> None:
    with pytest.raises(ValueError, match=r"credentials.*TPUREF-E196") as caught:
        answered(error, resolver).master()
    assert caught.value.__cause__ is error
    assert "no access to TPU 'n'" in str(caught.value)


def test_an_answer_that_is_no_json() -> None:
    with pytest.raises(RuntimeError, match="TPU 'n': .* it is not JSON"):
        answered(json.JSONDecodeError("no value", "", 0)).cluster_spec()


def test_an_object_that_is_no_api() -> None:
    with pytest.raises(RuntimeError, match="does not answer projects"):
        DISTRIBUTE("n", service=object(), **PLACE).cluster_spec()


@contrib("/args:tpu/list-of-strings")
def test_one_of_a_list_is_missing(resolver: Any, service: Any) -> None:
    made = resolver(["node-1", "node-3"], service=service, **PLACE)
    with pytest.raises(ValueError, match="no TPU 'node-3'"):
        made.cluster_spec()


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "text",
        [NODE_1],
        {"networkEndpoints": None},
        {"networkEndpoints": "10.1.2.3:8470"},
        {"networkEndpoints": [None]},
        {"networkEndpoints": [{}]},
        {"networkEndpoints": [{"ipAddress": "10.1.2.3"}]},
        {"networkEndpoints": [{"port": 8470}]},
        {"networkEndpoints": [{"ipAddress": "10.1.2.3", "port": 0}]},
        {"networkEndpoints": [{"ipAddress": "10.1.2.3", "port": True}]},
        {"networkEndpoints": [{"ipAddress": "10.1.2.3", "port": 8470.0}]},
        {"networkEndpoints": [{"ipAddress": "10.1.2.3", "port": "0x1"}]},
        {"networkEndpoints": [{"ipAddress": "10.1.2.3,evil:1", "port": 1}]},
        {"networkEndpoints": [{"ipAddress": "evil@host/", "port": 1}]},
        {"networkEndpoints": [{"ipAddress": "", "port": 1}]},
        {"ipAddress": "10.1.1.1"},
        {"ipAddress": "a" * 300, "port": 1},
    ],
)
def test_an_answer_that_makes_no_sense(answer: Any) -> None:
    with pytest.raises(
        RuntimeError, match="TPU 'n': the answer .* malformed"
    ) as caught:
        answered(answer).cluster_spec()
    assert len(str(caught.value)) < 500


# -- master(task_type, task_id, rpc_layer) -------------------------------------


def with_coordinator(service: Any) -> Any:
    return DISTRIBUTE(
        "node-1",
        service=service,
        coordinator_name="coordinator",
        coordinator_address="10.0.0.9:2222",
        **PLACE,
    )


@distribute(".master/args:task_type/selects-job")
def test_task_type(resolver: Any, service: Any) -> None:
    made = with_coordinator(service)
    assert made.master("coordinator", 0) == "grpc://10.0.0.9:2222"
    assert made.master("coordinator") == "grpc://10.0.0.9:2222"
    assert made.master("worker") == "grpc://10.1.2.3:8470"
    with pytest.raises(ValueError, match="no job 'ps'"):
        made.master("ps", 0)


@distribute(".master/args:task_id/selects-task")
@pytest.mark.parametrize("task_id", [2, -1, "1"])
def test_task_id(resolver: Any, task_id: Any, service: Any) -> None:
    made = with_coordinator(service)
    assert made.master(task_id=1) == "grpc://10.1.2.4:8470"
    assert made.master("worker", 1) == "grpc://10.1.2.4:8470"
    with pytest.raises(ValueError, match="has no task"):
        made.master(task_id=task_id)


@distribute(".master/args:rpc_layer/protocol-prefix")
def test_rpc_layer(resolver: Any, service: Any) -> None:
    made = with_coordinator(service)
    assert made.master(rpc_layer="grpc") == "grpc://10.1.2.3:8470"
    assert made.master(rpc_layer=None) == "grpc://10.1.2.3:8470"
    assert made.master(rpc_layer="") == "grpc://10.1.2.3:8470"
    assert made.master(rpc_layer="foo") == "foo://10.1.2.3:8470"
    assert made.master("worker", 1, "foo") == "foo://10.1.2.4:8470"


@distribute(".master/returns/given-non-tpu-name")
def test_a_given_master_stays_as_it_is(resolver: Any) -> None:
    for tpu in ("local", "grpc://1.2.3.4:8470,grpc://5.6.7.8:8471"):
        assert resolver(tpu).master("ps", 7, "foo") == tpu


# -- the rest ------------------------------------------------------------------


@contrib(".__deepcopy__/behaviour/copy-is-usable")
def test_a_deep_copy_is_the_resolver(resolver: Any, service: Any) -> None:
    made = resolver("node-1", service=service, **PLACE)
    assert copy.deepcopy(made) is made
    assert copy.deepcopy({"resolver": made})["resolver"] is made
    again = DISTRIBUTE("local")
    assert copy.deepcopy(again) is again


@distribute(".environment/property/current-environment")
def test_environment(resolver: Any, service: Any) -> None:
    assert resolver("local").environment == "google"
    assert resolver("").environment == "google"
    assert resolver("grpc://1.2.3.4:8470").environment == ""
    made = resolver("node-1", service=service, **PLACE)
    assert made.environment == ""
    with pytest.raises(AttributeError):
        made.environment = "google"


@distribute("/behaviour/environment-google-internal")
@pytest.mark.parametrize("tpu", ["local", ""])
def test_attached_tpus(resolver: Any, tpu: str, offline: Any) -> None:
    made = resolver(tpu)
    assert made.master() == tpu
    assert made.environment == "google"


def test_the_two_kinds_answer_alike(service: Any) -> None:
    one = CONTRIB("node-1", service=service, **PLACE)
    other = DISTRIBUTE("node-1", service=service, **PLACE)
    assert one.cluster_spec() == other.cluster_spec()
    assert one.master() == other.master()
