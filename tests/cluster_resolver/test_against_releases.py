"""What releases answer, written down from runs of them, and where tpuref differs.

Release 1.11.0 stands for 002_5797ad2ccd98ef9a.txt and 2.2.0, the release of that page,
for 004_1530f51430af0bea.txt. A difference is here because the page says so, or because
the release answers with an error that names nothing.
"""

from __future__ import annotations

from typing import Any

import pytest

from .api_object import Service
from .statements import CONTRIB, DISTRIBUTE

ONE = [{"ipAddress": "10.2.3.4", "port": "8470"}]
FOUR = [{"ipAddress": f"10.2.3.{i}", "port": 8470 + i} for i in range(4)]
FOUND = ["10.2.3.4:8470"]
READY = {"state": "READY", "health": "HEALTHY"}

# (what the API answers, cluster_spec in 1.11.0, in 2.2.0, here if another)
NODES: dict[str, Any] = {
    "endpoints_1": (READY | {"networkEndpoints": ONE}, FOUND, FOUND),
    "endpoints_4": (
        READY | {"networkEndpoints": FOUR},
        ["10.2.3.0:8470", "10.2.3.1:8471", "10.2.3.2:8472", "10.2.3.3:8473"],
        ["10.2.3.0:8470", "10.2.3.1:8471", "10.2.3.2:8472", "10.2.3.3:8473"],
    ),
    "endpoints_and_ip": (
        READY | {"networkEndpoints": ONE, "ipAddress": "9.9.9.9", "port": "1"},
        FOUND,
        FOUND,
    ),
    "deprecated_ip_port": (
        READY | {"ipAddress": "10.1.1.1", "port": "8470"},
        ["10.1.1.1:8470"],
        ["10.1.1.1:8470"],
    ),
    # The page: ValueError where there is no such TPU.
    "endpoints_empty": (READY | {"networkEndpoints": []}, ValueError, [], ValueError),
    "no_address": (READY, KeyError, KeyError, ValueError),
    "empty_dict": ({}, KeyError, RuntimeError, ValueError),
    # An answer that is malformed is an error that says so.
    "no_port": (READY | {"ipAddress": "10.1.1.1"}, KeyError, KeyError, RuntimeError),
    "endpoint_no_port": (
        READY | {"networkEndpoints": [{"ipAddress": "10.2.3.4"}]},
        KeyError,
        KeyError,
        RuntimeError,
    ),
    "endpoint_no_ip": (
        READY | {"networkEndpoints": [{"port": "8470"}]},
        KeyError,
        KeyError,
        RuntimeError,
    ),
    "endpoints_none": (
        READY | {"networkEndpoints": None},
        TypeError,
        TypeError,
        RuntimeError,
    ),
    "none": (None, TypeError, AttributeError, RuntimeError),
    # State.
    "state_creating": (
        READY | {"networkEndpoints": ONE, "state": "CREATING"},
        RuntimeError,
        RuntimeError,
    ),
    "state_none": (
        READY | {"networkEndpoints": ONE, "state": None},
        RuntimeError,
        RuntimeError,
    ),
    "state_lower": (
        READY | {"networkEndpoints": ONE, "state": "ready"},
        RuntimeError,
        RuntimeError,
    ),
    # 2.2.0 wants a state; the page speaks of health only.
    "state_missing": (
        {"networkEndpoints": ONE, "health": "HEALTHY"},
        FOUND,
        RuntimeError,
        FOUND,
    ),
    # The pages: RuntimeError where the TPU is not healthy. 2.2.0 does not look.
    "unhealthy": (
        READY | {"networkEndpoints": ONE, "health": "UNHEALTHY_TENSORFLOW"},
        RuntimeError,
        FOUND,
        RuntimeError,
    ),
    "health_timeout": (
        READY | {"networkEndpoints": ONE, "health": "TIMEOUT"},
        RuntimeError,
        FOUND,
        RuntimeError,
    ),
    "health_missing": ({"networkEndpoints": ONE, "state": "READY"}, FOUND, FOUND),
}


def outcome(ask: Any, *arguments: Any, **named: Any) -> Any:
    """What the call returns, or the class of its error."""
    try:
        return ask(*arguments, **named)
    except Exception as error:
        return type(error)


def workers(resolver: Any, answer: Any) -> Any:
    """The hosts of a TPU about which the API answers that."""
    made = resolver("mytpu", "z", "p", service=Service(mytpu=answer))
    return made.cluster_spec().job_tasks("worker")


def master(resolver: Any, tpu: Any, service: Any) -> Any:
    """The master of a resolver with that argument."""
    return resolver(tpu, "z", "p", service=service).master()


@pytest.mark.parametrize("name", NODES)
def test_nodes(name: str) -> None:
    answer, first, second, *ours = NODES[name]
    for resolver, release in ((CONTRIB, first), (DISTRIBUTE, second)):
        assert outcome(workers, resolver, answer) == (ours[0] if ours else release)


# (arguments of master with four endpoints, 2.2.0, here if another)
MASTERS: list[Any] = [
    ({}, "grpc://10.2.3.0:8470"),
    ({"task_type": "worker", "task_id": 0}, "grpc://10.2.3.0:8470"),
    ({"task_type": "worker", "task_id": 2}, "grpc://10.2.3.2:8472"),
    ({"task_type": "worker", "task_id": 9}, ValueError),
    ({"task_type": "worker", "task_id": "1"}, ValueError),
    ({"task_type": "worker", "task_id": -1}, ValueError),
    ({"task_type": "ps", "task_id": 0}, ValueError),
    ({"task_type": "worker"}, "grpc://10.2.3.0:8470"),
    ({"task_id": 2}, "grpc://10.2.3.0:8470", "grpc://10.2.3.2:8472"),
    ({"rpc_layer": "grpc"}, "grpc://10.2.3.0:8470"),
    ({"rpc_layer": ""}, "grpc://10.2.3.0:8470"),
    ({"rpc_layer": "foo"}, "grpc://10.2.3.0:8470", "foo://10.2.3.0:8470"),
]


@pytest.mark.parametrize(
    ("arguments", "release", "ours"), [(row[0], row[1], row[-1]) for row in MASTERS]
)
def test_masters(arguments: Any, release: Any, ours: Any) -> None:
    service = Service(mytpu=READY | {"networkEndpoints": FOUR})
    made = DISTRIBUTE("mytpu", "z", "p", service=service)
    assert outcome(made.master, **arguments) == ours
    assert ours == release or "task_id" in arguments or "rpc_layer" in arguments


# (tpu, master in 1.11.0 as text, in 2.2.0, here for each if another)
FORMS: list[Any] = [
    ("grpc://1.2.3.4:8470", "grpc://1.2.3.4:8470", "grpc://1.2.3.4:8470"),
    ("grpc://my.host:1", "grpc://my.host:1", "grpc://my.host:1"),
    ("/bns/foo/bar", "/bns/foo/bar", "grpc://10.2.3.4:8470"),
    ("LOCAL", "grpc://10.2.3.4:8470", "grpc://10.2.3.4:8470"),
    ("localhost:8470", "grpc://10.2.3.4:8470", "grpc://10.2.3.4:8470"),
    ("1.2.3.4:8470", "grpc://10.2.3.4:8470", "grpc://10.2.3.4:8470"),
    ("uptc://x", "grpc://10.2.3.4:8470", "grpc://10.2.3.4:8470"),
    (["grpc://1.2.3.4:8470"], "grpc://1.2.3.4:8470", "grpc://1.2.3.4:8470"),
    (b"mytpu", "grpc://10.2.3.4:8470", "grpc://10.2.3.4:8470"),
    ([], ValueError, ValueError),
    (None, ValueError, ValueError),
    ([None], ValueError, ValueError),
    (("a",), TypeError, AttributeError, TypeError, TypeError),
    (5, TypeError, AttributeError, TypeError, TypeError),
    # The pages: the empty string and 'local' are the master.
    ("", "", ValueError, "", ""),
    ("local", "local", "grpc://10.2.3.4:8470", "local", "local"),
    # 002: a list of strings. 004: perhaps in the future.
    (["a", "b"], NotImplementedError, NotImplementedError,
     "grpc://10.2.3.4:8470", NotImplementedError),
]  # fmt: skip


@pytest.mark.parametrize("row", FORMS)
def test_forms_of_the_argument(row: Any) -> None:
    tpu, first, second, *ours = row
    names = ["mytpu", "/bns/foo/bar", "LOCAL", "localhost:8470", "1.2.3.4:8470"]
    answer = {"networkEndpoints": ONE}
    nodes = dict.fromkeys([*names, "uptc://x", "a", "b"], answer)
    expected = ours or (first, second)
    for resolver, value in zip((CONTRIB, DISTRIBUTE), expected, strict=True):
        assert outcome(master, resolver, tpu, Service(**nodes)) == value


# (variables, master of both releases)
ENVIRONMENTS: list[Any] = [
    ({"TPU_NAME": "mytpu"}, "grpc://10.2.3.4:8470"),
    ({"TPU_NAME": "grpc://1.2.3.4:8470"}, "grpc://1.2.3.4:8470"),
    (
        {"KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS": "grpc://10.120.27.5:8470"},
        "grpc://10.120.27.5:8470",
    ),
    (
        {
            "KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS": "grpc://10.120.27.5:8470",
            "TPU_NAME": "mytpu",
        },
        "grpc://10.120.27.5:8470",
    ),
]


@pytest.mark.parametrize("resolver", [CONTRIB, DISTRIBUTE])
@pytest.mark.parametrize(("variables", "expected"), ENVIRONMENTS)
def test_environments(
    resolver: Any, variables: Any, expected: str, monkeypatch: Any
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    service = Service(mytpu={"networkEndpoints": ONE})
    assert resolver(None, "z", "p", service=service).master() == expected
    given = resolver("grpc://9.9.9.9:1", "z", "p", service=service)
    assert given.master() == "grpc://9.9.9.9:1"


def test_how_often_the_api_is_asked() -> None:
    """By the constructor, two calls of cluster_spec and one of master: 0, 2, 3."""
    for resolver in (CONTRIB, DISTRIBUTE):
        service = Service(mytpu={"networkEndpoints": ONE})
        made = resolver("mytpu", "z", "p", service=service)
        counts = [len(service.requested)]
        made.cluster_spec(), made.cluster_spec()
        counts.append(len(service.requested))
        made.master()
        assert [*counts, len(service.requested)] == [0, 2, 3]
