"""The coordinator: named or not, at a given address or at a server that is started."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from .api_object import Untouchable
from .statements import CONTRIB, DISTRIBUTE, both, distribute

WORKERS = ["10.1.2.3:8470", "10.1.2.4:8470"]
NODE = {"tpu": "node-1", "project": "p", "zone": "z"}


@both(
    "/args:coordinator_name/included",
    "/args:coordinator_address/given-starts-no-server",
)
def test_name_and_address(resolver: Any, service: Any, servers: Any) -> None:
    made = resolver(
        service=service,
        coordinator_name="coordinator",
        coordinator_address="10.0.0.9:2222",
        **NODE,
    )
    spec = made.cluster_spec().as_dict()
    assert spec == {"worker": WORKERS, "coordinator": ["10.0.0.9:2222"]}
    assert servers == []


@both("/args:coordinator_address/none-starts-server")
@pytest.mark.parametrize("address", [None, ""])
def test_name_without_address(
    resolver: Any, address: Any, service: Any, servers: Any, offline: Any
) -> None:
    made = resolver(
        service=service, coordinator_name="c", coordinator_address=address, **NODE
    )
    assert [(server.name, server.host) for server in servers] == [("c", "localhost")]
    for _ in range(2):
        spec = made.cluster_spec().as_dict()
        assert spec == {"worker": WORKERS, "c": ["localhost:2222"]}
    assert len(servers) == 1
    assert made.master() == "grpc://10.1.2.3:8470"


@both("/args:coordinator_name/none-excluded")
def test_address_without_name(resolver: Any, service: Any, servers: Any) -> None:
    made = resolver(service=service, coordinator_address="10.0.0.9:2222", **NODE)
    assert made.cluster_spec().as_dict() == {"worker": WORKERS}
    assert servers == []


@both("/args:coordinator_address/none-without-name-starts-none")
def test_neither(resolver: Any, service: Any, servers: Any) -> None:
    made = resolver(service=service, **NODE)
    assert made.cluster_spec().jobs == ["worker"]
    assert servers == []


@both("/behaviour/no-cluster-spec-for-pass-through")
@pytest.mark.parametrize("tpu", ["", "local", "grpc://1.2.3.4:8470"])
@pytest.mark.parametrize("address", [None, "10.0.0.9:2222"])
def test_a_given_master_has_no_coordinator(
    resolver: Any, tpu: str, address: Any, servers: Any
) -> None:
    made = resolver(
        tpu,
        service=Untouchable(),
        coordinator_name="c",
        coordinator_address=address,
    )
    assert made.cluster_spec() is None
    assert servers == []


def test_kubernetes_engine_has_a_coordinator(
    servers: Any, monkeypatch: Any, offline: Any
) -> None:
    monkeypatch.setenv("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", "grpc://10.1.2.3:8470")
    spec = DISTRIBUTE(coordinator_name="c").cluster_spec().as_dict()
    assert spec == {"worker": ["10.1.2.3:8470"], "c": ["localhost:2222"]}


def test_in_google_cloud_it_has_the_address_of_the_machine(
    service: Any, servers: Any, cloud: Any, capsys: Any
) -> None:
    cloud.address = "10.128.1.2"
    made = CONTRIB("node-1", service=service, coordinator_name="c")
    assert servers[0].host == "10.128.1.2"
    assert made.cluster_spec().as_dict()["c"] == ["10.128.1.2:2222"]
    made.explain()
    told = capsys.readouterr().out
    assert "coordinator: 'c' at 10.128.1.2:2222, a started server" in told


def test_the_address_of_the_machine_is_checked(
    service: Any, servers: Any, cloud: Any
) -> None:
    cloud.address = "10.0.0.1/evil"
    with pytest.raises(RuntimeError, match="neither an IP address"):
        CONTRIB("node-1", service=service, coordinator_name="c")
    assert servers == []


def test_it_may_not_stand_in_the_place_of_the_tpus(service: Any, servers: Any) -> None:
    with pytest.raises(ValueError, match="both 'worker'"):
        CONTRIB(service=service, coordinator_name="worker", **NODE)
    assert servers == []


@pytest.mark.parametrize("argument", ["coordinator_name", "coordinator_address"])
def test_name_and_address_are_text(argument: str, service: Any, servers: Any) -> None:
    arguments: Any = {"coordinator_name": "c", argument: 5}
    with pytest.raises(TypeError, match=f"{argument} must be text"):
        DISTRIBUTE(service=service, **NODE, **arguments)


# -- the end of a server -------------------------------------------------------


@distribute(".__enter__/behaviour/with-statement")
def test_a_resolver_in_a_with_statement(resolver: Any) -> None:
    made = resolver(tpu="local")
    with made as entered:
        assert entered is made


@distribute(".__exit__/behaviour/does-not-swallow")
def test_the_end_of_the_block(resolver: Any, service: Any, servers: Any) -> None:
    made = resolver(service=service, coordinator_name="c", **NODE)
    with pytest.raises(KeyError), made:
        raise KeyError("inside")
    assert servers[0].stops == 1
    assert made.cluster_spec().as_dict()["worker"] == WORKERS
    assert made.master("c") == "grpc://localhost:2222"
    with made:
        pass
    assert servers[0].stops == 1


def test_a_given_address_has_no_end(service: Any) -> None:
    arguments: Any = {"coordinator_name": "c", "coordinator_address": "a:1"}
    with DISTRIBUTE(service=service, **NODE, **arguments):
        pass


@both("/args:coordinator_address/none-starts-server")
def test_the_server_ends_with_the_resolver(
    resolver: Any, service: Any, servers: Any
) -> None:
    made = resolver(service=service, coordinator_name="c", **NODE)
    assert servers[0].stops == 0
    del made
    gc.collect()
    assert servers[0].stops == 1
