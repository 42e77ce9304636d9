"""The argument `tpu`, and what the environment says in its place."""

from __future__ import annotations

import time
from typing import Any

import pytest

import tpuref as tf

from .api_object import NODE_1, Service, Untouchable
from .statements import CONTRIB, DISTRIBUTE, both, contrib, distribute

TWO = "grpc://10.1.2.3:8470,grpc://10.1.2.4:8470"
PLACE = {"project": "p", "zone": "z"}


@both("/args:tpu/string", "/behaviour/resolves-names-through-api")
def test_a_name_is_looked_up(resolver: Any, service: Any) -> None:
    made = resolver(tpu="node-1", service=service, **PLACE)
    assert service.requested == []
    spec = made.cluster_spec().as_dict()
    assert spec == {"worker": ["10.1.2.3:8470", "10.1.2.4:8470"]}
    assert service.requested == ["projects/p/locations/z/nodes/node-1"]


@both(
    "/args:tpu/empty-string",
    "/args:tpu/local",
    "/args:tpu/grpc-prefix",
    "/behaviour/no-cluster-spec-for-pass-through",
    ".master/returns/given-non-tpu-name",
    ".get_master/behaviour/same-as-master",
)
@pytest.mark.parametrize("tpu", ["", "local", "grpc://10.240.1.2:8470"])
def test_what_is_no_name_is_the_master(resolver: Any, tpu: str, offline: Any) -> None:
    made = resolver(tpu=tpu, service=Untouchable())
    assert made.master() == made.get_master() == tpu
    assert type(made.master()) is str
    assert made.cluster_spec() is None


@contrib("/args:tpu/bns-prefix", "/behaviour/no-cluster-spec-for-pass-through")
@pytest.mark.parametrize("tpu", ["/bns/cell/job/0", "/bns/foo/bar:123", "/bnsfoo"])
def test_bns_is_the_master(resolver: Any, tpu: str, offline: Any) -> None:
    made = resolver(tpu=tpu, service=Untouchable())
    assert made.master() == tpu
    assert made.cluster_spec() is None
    assert made.environment == "google"


@distribute("/args:tpu/bns-not-special")
def test_bns_is_looked_up(resolver: Any, service: Any) -> None:
    made = resolver(tpu="/bns/cell/job/0", service=service, **PLACE)
    with pytest.raises(ValueError, match="no TPU '/bns/cell/job/0'"):
        made.master()
    assert service.requested == ["projects/p/locations/z/nodes//bns/cell/job/0"]


@distribute(".cluster_spec/returns/none-possible")
def test_cluster_spec_may_be_none(resolver: Any) -> None:
    assert resolver("local").cluster_spec() is None


@both(".master/returns/string", ".master/example/grpc-address")
def test_the_master_is_text_for_a_session(resolver: Any, offline: Any) -> None:
    with tf.Session(resolver("local").master()) as session:
        assert session.run(tf.constant(5)) == 5
    address = "grpc://10.240.1.2:8470"
    assert resolver(address).master() == address
    assert resolver(address.encode()).master() == address


# As the releases do: the address is the name of a TPU there too.
@both("/args:tpu/string")
@pytest.mark.parametrize("tpu", ["localhost:8470", "1.2.3.4:8470", "LOCAL", "uptc://x"])
def test_other_strings_are_names(resolver: Any, tpu: str) -> None:
    service = Service(**{tpu: NODE_1})
    made = resolver(tpu, service=service, **PLACE)
    assert made.master() == "grpc://10.1.2.3:8470"
    assert service.requested == [f"projects/p/locations/z/nodes/{tpu}"]


def test_an_address_without_protocol_is_told_how_to_write_it(service: Any) -> None:
    made = DISTRIBUTE("10.0.0.1:8470", service=service, **PLACE)
    with pytest.raises(ValueError, match="use tpu='grpc://10.0.0.1:8470'"):
        made.master()


@contrib("/args:tpu/list-of-strings")
def test_a_list_joins_the_endpoints(resolver: Any, service: Any) -> None:
    made = resolver(["node-2", "node-1"], service=service, **PLACE)
    spec = made.cluster_spec().as_dict()
    assert spec == {"worker": ["10.9.9.9:8471", "10.1.2.3:8470", "10.1.2.4:8470"]}
    assert [path[-6:] for path in service.requested] == ["node-2", "node-1"]
    assert made.master() == "grpc://10.9.9.9:8471"
    one = resolver(["node-1"], service=service, **PLACE)
    assert (
        one.cluster_spec()
        == resolver("node-1", service=service, **PLACE).cluster_spec()
    )


@contrib("/args:tpu/list-of-strings")
@pytest.mark.parametrize("tpu", ["", "local", "grpc://1.2.3.4:8470", "/bns/cell"])
def test_a_list_holds_names_only(resolver: Any, tpu: str) -> None:
    with pytest.raises(ValueError, match="pass such a string alone"):
        resolver(["node-1", tpu], service=Untouchable(), **PLACE)


@distribute("/args:tpu/no-lists-yet")
def test_several_names_are_for_the_future(resolver: Any, service: Any) -> None:
    with pytest.raises(NotImplementedError, match="list of 2"):
        resolver(["a", "b"], service=service, **PLACE)
    assert resolver(["node-1"], service=service, **PLACE).cluster_spec() is not None


@both("/raises/no-tpus")
def test_no_tpu_at_all(resolver: Any, offline: Any) -> None:
    with pytest.raises(ValueError, match="no TPU is specified") as caught:
        resolver()
    for source in (
        "tpu: not given",
        "KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS: not set",
        "TPU_NAME: not set",
        "TPU_CONFIG: not set",
    ):
        assert source in str(caught.value)
    with pytest.raises(ValueError, match="no TPU is specified: tpu is an empty list"):
        resolver([])
    with pytest.raises(ValueError, match="no TPU is specified"):
        resolver([None])


def test_what_each_source_gave_is_told(monkeypatch: Any) -> None:
    monkeypatch.setenv("TPU_NAME", "")
    monkeypatch.setenv("TPU_CONFIG", "{}")
    monkeypatch.setenv("COLAB_TPU_ADDR", "10.0.0.2:8470")
    with pytest.raises(ValueError, match="no TPU is specified") as caught:
        DISTRIBUTE()
    assert "TPU_NAME: empty" in str(caught.value)
    assert "TPU_CONFIG: set, but has no tpu_node_name" in str(caught.value)
    assert "use tpu='grpc://10.0.0.2:8470'" in str(caught.value)


@pytest.mark.parametrize("resolver", [CONTRIB, DISTRIBUTE])
@pytest.mark.parametrize("tpu", [5, ("a",), {}, 1.5, ["a", 5] and [5]])
def test_what_is_no_text(resolver: Any, tpu: Any) -> None:
    with pytest.raises(TypeError, match="tpu must be text, got"):
        resolver(tpu, service=Untouchable(), **PLACE)


def test_bytes_are_text_in_utf_8(service: Any) -> None:
    made = CONTRIB(b"node-1", b"z", b"p", service=service)
    made.master()
    assert service.requested == ["projects/p/locations/z/nodes/node-1"]
    with pytest.raises(ValueError, match="not UTF-8"):
        CONTRIB(b"\xff", "z", "p", service=service)


@pytest.mark.parametrize("name", ["a?b", "a#b", "a%2Fb", "a b", "a\nb", "a\x00"])
def test_a_name_that_would_change_the_question_is_not_sent(name: str) -> None:
    made = CONTRIB(name, service=Untouchable(), **PLACE)
    with pytest.raises(ValueError, match="a TPU name cannot contain these characters"):
        made.cluster_spec()


# -- the environment -----------------------------------------------------------


@both("/name/env-tpu-name")
def test_tpu_name(resolver: Any, service: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("TPU_NAME", "node-1")
    made = resolver(service=service, **PLACE)
    assert made.master() == "grpc://10.1.2.3:8470"
    assert resolver("grpc://1.2.3.4:8470").master() == "grpc://1.2.3.4:8470"


@pytest.mark.parametrize("resolver", [CONTRIB, DISTRIBUTE])
@pytest.mark.parametrize("name", ["grpc://1.2.3.4:8470", "local"])
def test_tpu_name_may_be_a_master(resolver: Any, name: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("TPU_NAME", name)
    assert resolver(service=Untouchable()).master() == name
    assert resolver(service=Untouchable()).cluster_spec() is None


@contrib("/name/env-gke-endpoints")
def test_endpoints_variable(resolver: Any, monkeypatch: Any, offline: Any) -> None:
    monkeypatch.setenv("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", TWO)
    made = resolver(service=Untouchable())
    assert made.master() == "grpc://10.1.2.3:8470"
    spec = made.cluster_spec().as_dict()
    assert spec == {"worker": ["10.1.2.3:8470", "10.1.2.4:8470"]}


@pytest.mark.parametrize("text", ["[", "'x", "x:y/"])
def test_a_long_variable_is_refused_at_once(
    text: str, monkeypatch: Any, offline: Any
) -> None:
    monkeypatch.setenv("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", text * 60_000)
    start = time.process_time()
    with pytest.raises(ValueError, match="E0"):
        DISTRIBUTE(service=Untouchable())
    assert time.process_time() - start < 2.0


@distribute("/behaviour/environment-kubernetes-engine")
def test_kubernetes_engine(resolver: Any, monkeypatch: Any, offline: Any) -> None:
    monkeypatch.setenv("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", TWO)
    made = resolver(service=Untouchable(), job_name="tpus")
    assert made.master() == "grpc://10.1.2.3:8470"
    assert made.master(task_id=1) == "grpc://10.1.2.4:8470"
    spec = made.cluster_spec().as_dict()
    assert spec == {"tpus": ["10.1.2.3:8470", "10.1.2.4:8470"]}
    assert made.environment == ""


@both("/name/env-tpu-name")
def test_endpoints_go_before_the_name(
    resolver: Any, monkeypatch: Any, offline: Any
) -> None:
    monkeypatch.setenv("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", TWO)
    monkeypatch.setenv("TPU_NAME", "node-1")
    assert resolver().master() == "grpc://10.1.2.3:8470"
    assert resolver("grpc://9.9.9.9:1").master() == "grpc://9.9.9.9:1"
    assert resolver("local").master() == "local"


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("grpc://10.1.2.3", ["10.1.2.3:8470"]),
        ("10.1.2.3:1,10.1.2.4", ["10.1.2.3:1", "10.1.2.4:8470"]),
        ("grpc://[::1]:9, my.host:7", ["[::1]:9", "my.host:7"]),
        ("grpc://[fe80::1]", ["[fe80::1]:8470"]),
    ],
)
def test_forms_of_endpoints(text: str, addresses: list[str], monkeypatch: Any) -> None:
    monkeypatch.setenv("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", text)
    assert DISTRIBUTE().cluster_spec().as_dict() == {"worker": addresses}


@pytest.mark.parametrize(
    "text",
    [
        "grpc://",
        "grpc://10.1.2.3:0",
        "10.1.2.3:65536",
        "10.1.2.3:8470,",
        "10.1.2.3:x",
        "a b:1",
        "a_:-1",
        "[::1",
        "[::1]x",
        "[]:1",
        "http://a:1",
        "a:1\n2",
        ",",
        "\u0661.2.3.4:1",
        "1.2.3.4:\u0661",
        "fe80::1%eth0",
    ],
)
def test_endpoints_are_checked(text: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", text)
    with pytest.raises(ValueError, match="KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS"):
        DISTRIBUTE()


def test_tpu_config(service: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv(
        "TPU_CONFIG", '{"tpu_node_name": "node-1", "project": "cp", "zone": "cz"}'
    )
    DISTRIBUTE(service=service).cluster_spec()
    DISTRIBUTE(service=service, project="p").cluster_spec()
    assert service.requested == [
        "projects/cp/locations/cz/nodes/node-1",
        "projects/p/locations/cz/nodes/node-1",
    ]
    monkeypatch.setenv("TPU_NAME", "grpc://1.2.3.4:1")
    assert DISTRIBUTE().master() == "grpc://1.2.3.4:1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "TPU_CONFIG is not JSON"),
        ("[1]", "TPU_CONFIG must be a JSON object, got list"),
        ('{"tpu_node_name": 5}', "TPU_CONFIG: tpu_node_name must be text, got 5"),
        ("[" * 100_000, "TPU_CONFIG is not JSON"),
    ],
)
def test_tpu_config_is_checked(text: str, message: str, monkeypatch: Any) -> None:
    monkeypatch.setenv("TPU_CONFIG", text)
    with pytest.raises(ValueError, match=message):
        DISTRIBUTE()


# -- what is told on success ---------------------------------------------------


def test_explain_prints_where_the_tpu_comes_from(
    service: Any, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setenv("TPU_NAME", "node-1")
    DISTRIBUTE(
        zone="z",
        project="p",
        service=service,
        coordinator_name="c",
        coordinator_address="a:1",
    ).explain()
    assert capsys.readouterr().out == (
        "TPUClusterResolver:\n"
        "  tpu: not given\n"
        "  KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS: not set\n"
        "  TPU_NAME: 'node-1', the name of a Cloud TPU\n"
        "  asks: the given service Service\n"
        "  project: 'p', as given\n"
        "  zone: 'z', as given\n"
        "  coordinator: 'c' at a:1, as given\n"
    )
