"""Compute Engine: the metadata server says where this machine is."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from tpuref.interface.cluster_resolver import metadata
from tpuref.testing import FakeClock, patience

from .api_object import Untouchable
from .statements import CONTRIB, DISTRIBUTE, both, distribute

METADATA = "/computeMetadata/v1/"


def asked(cloud: Any) -> list[str]:
    """What the metadata server was asked for, in order."""
    paths = [request.path for request in cloud.requests]
    return [path.removeprefix(METADATA) for path in paths if METADATA in path]


@both("/args:zone/omitted-or-empty-discovered")
@pytest.mark.parametrize("zone", [None, ""])
def test_the_zone_of_this_machine(
    resolver: Any, zone: Any, service: Any, cloud: Any
) -> None:
    resolver("node-1", zone, "my-project", service=service).cluster_spec()
    assert service.requested == ["projects/my-project/locations/europe-x/nodes/node-1"]
    assert asked(cloud) == ["instance/zone"]


@both("/args:project/omitted-or-empty-discovered")
@pytest.mark.parametrize("project", [None, ""])
def test_the_project_of_this_machine(
    resolver: Any, project: Any, service: Any, cloud: Any
) -> None:
    resolver("node-1", "my-zone", project, service=service).cluster_spec()
    assert service.requested == ["projects/proj-m/locations/my-zone/nodes/node-1"]
    assert asked(cloud) == ["project/project-id"]


@distribute("/behaviour/environment-compute-engine")
def test_compute_engine(resolver: Any, service: Any, cloud: Any, capsys: Any) -> None:
    made = resolver("node-1", service=service)
    assert made.master() == "grpc://10.1.2.3:8470"
    assert service.requested == ["projects/proj-m/locations/europe-x/nodes/node-1"]
    assert asked(cloud) == ["project/project-id", "instance/zone"]
    assert made.environment == ""
    made.explain()
    assert f"zone: 'europe-x', from {cloud.host}" in capsys.readouterr().out


def test_the_required_header_is_sent(service: Any, cloud: Any) -> None:
    DISTRIBUTE("node-1", service=service)
    assert cloud.requests[0].headers["metadata-flavor"] == "Google"


@pytest.mark.parametrize("resolver", [CONTRIB, DISTRIBUTE])
@pytest.mark.parametrize("tpu", ["local", "grpc://1.2.3.4:8470"])
def test_nothing_is_asked_that_need_not_be(resolver: Any, tpu: str, cloud: Any) -> None:
    made = resolver(tpu)
    made.master(), made.cluster_spec(), made.explain()
    assert cloud.requests == []


@both("/args:zone/omitted-or-empty-discovered")
def test_no_metadata_server(resolver: Any, monkeypatch: Any, clock: FakeClock) -> None:
    def refused(*arguments: Any, **options: Any) -> Any:
        raise ConnectionRefusedError("nobody there")

    monkeypatch.setattr(socket, "create_connection", refused)
    with pytest.raises(RuntimeError, match="the project of the TPU is unkn") as caught:
        resolver("node-1", service=Untouchable())
    message = str(caught.value)
    assert "tpu: 'node-1', the name of a Cloud TPU" in message
    assert (
        "no answer from metadata.google.internal after 5 attempts in 1.5 s" in message
    )
    assert "(of at most 3 s)" in message and "nobody there" in message
    assert clock.slept == [0.1, 0.2, 0.4, 0.8]


def test_all_metadata_share_one_budget(service: Any, cloud: Any) -> None:
    clock = FakeClock()
    cloud.fail(503, 4, path="project-id")
    cloud.fail(503, 100, path="instance/zone")
    with patience(metadata=3, clock=clock), pytest.raises(RuntimeError, match="zone"):
        DISTRIBUTE("node-1", service=service)
    assert clock.slept[:4] == [0.1, 0.2, 0.4, 0.8]
    assert sum(clock.slept) < 3


@pytest.mark.parametrize("status", [429, 500, 503, "cut"])
def test_metadata_is_asked_again(
    status: Any, service: Any, cloud: Any, clock: FakeClock
) -> None:
    cloud.fail(status, 2, path="project-id")
    DISTRIBUTE("node-1", service=service).cluster_spec()
    assert service.requested == ["projects/proj-m/locations/europe-x/nodes/node-1"]
    assert clock.slept == [0.1, 0.2]


def test_a_refusal_is_final(service: Any, cloud: Any, clock: FakeClock) -> None:
    cloud.fail(403, path="project-id")
    with pytest.raises(RuntimeError, match="HTTP 403"):
        DISTRIBUTE("node-1", service=service)
    assert clock.slept == []


def test_slow_metadata_cannot_hold_up_the_program(service: Any, cloud: Any) -> None:
    cloud.latency = 30
    with patience(metadata=0.3), pytest.raises(RuntimeError, match="at most 0.3 s"):
        DISTRIBUTE("node-1", service=service)


@pytest.mark.parametrize(
    "project", ["", "a b", "a/../b/", "\u00e9", "x" * 5000, "<html>"]
)
def test_what_the_metadata_server_says_is_checked(
    project: str, service: Any, cloud: Any, clock: FakeClock
) -> None:
    cloud.project = project
    with pytest.raises(RuntimeError, match="is not a valid project") as caught:
        DISTRIBUTE("node-1", service=service)
    assert len(str(caught.value)) < 1000


def test_another_server_is_no_metadata_server(
    service: Any, cloud: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("tpuref.tools.testing.http_answers.FLAVOR", "X-Flavor")
    with pytest.raises(RuntimeError, match="not the answer of a metadata server"):
        DISTRIBUTE("node-1", service=service)


def test_a_broken_variable_is_named(service: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("GCE_METADATA_HOST", "bad host")
    with pytest.raises(RuntimeError, match="'bad host' is neither"):
        DISTRIBUTE("node-1", service=service)


# -- the empty name ------------------------------------------------------------


@distribute("/raises/empty-name-in-google-cloud")
@pytest.mark.parametrize("tpu", ["", [""], b""])
def test_an_empty_name_in_google_cloud(resolver: Any, tpu: Any, cloud: Any) -> None:
    with pytest.raises(RuntimeError, match="machine of Google Cloud"):
        resolver(tpu)
    assert CONTRIB("").master() == ""


@distribute("/raises/empty-name-in-google-cloud", "/args:tpu/empty-string")
def test_an_empty_name_elsewhere(resolver: Any, offline: Any) -> None:
    assert resolver("").master() == ""


def test_google_clouds_machines_are_asked(monkeypatch: Any, cloud: Any) -> None:
    # Undone before the cloud takes its variables away.
    with monkeypatch.context() as patch:
        for variable in metadata.HOST_VARIABLES:
            patch.delenv(variable)
        patch.setattr(metadata, "HOST", cloud.host)
        assert not metadata.in_google_cloud()
        assert cloud.requests == []
        metadata.PRODUCT_NAME.write_text("Google Compute Engine\n")
        assert metadata.in_google_cloud()
        cloud.fail(500, path=METADATA)
        assert not metadata.in_google_cloud()
