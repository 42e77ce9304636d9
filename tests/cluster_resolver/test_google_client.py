"""The real client of Google's APIs, against the local service."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from concurrent import futures
from typing import Any

import pytest

from tpuref.testing import FakeClock, FakeCloudTPU, http_answers, patience
from tpuref.testing.discovery import description

from .api_object import Service
from .statements import CONTRIB, DISTRIBUTE, both, distribute

REASON = "needs the extra: pip install tpuref[gcp]"
discovery = pytest.importorskip("googleapiclient.discovery", reason=REASON)
errors = pytest.importorskip("googleapiclient.errors", reason=REASON)
credentials = pytest.importorskip("google.auth.credentials", reason=REASON)

NODES = "/v1/projects/proj-m/locations/europe-x/nodes"
WORKERS = {"worker": ["10.1.2.3:8470", "10.1.2.4:8470"]}


def anonymous() -> Any:
    """Credentials that show nothing."""
    return credentials.AnonymousCredentials()


class Token(credentials.Credentials):  # type: ignore
    """Credentials that show one token."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self.token = token

    def refresh(self, request: Any) -> None:
        """Keep the token."""


def asked(cloud: Any, part: str = "/nodes") -> list[str]:
    """The requests for such a path, in order."""
    return [request.path for request in cloud.requests if part in request.path]


@both("/behaviour/resolves-names-through-api")
def test_a_name_is_looked_up(resolver: Any, cloud: Any) -> None:
    made = resolver("node-1", credentials=anonymous())
    assert asked(cloud) == []
    assert made.cluster_spec().as_dict() == WORKERS
    assert made.master() == "grpc://10.1.2.3:8470"
    assert asked(cloud) == [f"{NODES}/node-1?alt=json"] * 2


def test_several_names(cloud: Any) -> None:
    made = CONTRIB(["node-2", "node-1"], credentials=anonymous())
    joined = ["10.9.9.9:8471", "10.1.2.3:8470", "10.1.2.4:8470"]
    assert made.cluster_spec().as_dict() == {"worker": joined}


@both("/args:service/custom-object")
def test_a_service_that_the_client_built(resolver: Any, cloud: Any) -> None:
    service = discovery.build(
        "tpu",
        "v1",
        credentials=anonymous(),
        discoveryServiceUrl=cloud.discovery_url,
        cache_discovery=False,
    )
    before = len(asked(cloud, "/discovery/"))
    made = resolver("node-1", service=service)
    assert made.cluster_spec().as_dict() == WORKERS
    assert len(asked(cloud, "/discovery/")) == before
    service.close()


@both("/args:credentials/given-used")
def test_given_credentials(resolver: Any, cloud: Any) -> None:
    cloud.token = "secret"
    assert resolver("node-1", credentials=Token("secret")).cluster_spec() is not None
    assert cloud.requests[-1].headers["authorization"] == "Bearer secret"
    with pytest.raises(ValueError, match="with the given credentials.*401.*E196"):
        resolver("node-1", credentials=Token("wrong")).cluster_spec()


@both("/args:credentials/none-is-default")
@pytest.mark.parametrize("given", [None, "default"])
def test_default_credentials(
    resolver: Any, given: Any, cloud: Any, monkeypatch: Any
) -> None:
    scopes: list[Any] = []

    def default(**options: Any) -> Any:
        scopes.append(options["scopes"])
        return Token("mine"), "a-project"

    monkeypatch.setattr("google.auth.default", default)
    cloud.token = "mine"
    assert resolver("node-1", credentials=given).cluster_spec() is not None
    assert [list(s) for s in scopes] == [
        ["https://www.googleapis.com/auth/cloud-platform"]
    ]


PROGRAM = """
import json, sys
import tpuref as tf
resolver = tf.distribute.cluster_resolver.TPUClusterResolver("node-1")
print(json.dumps(resolver.cluster_spec().as_dict()))
"""


def test_default_credentials_of_a_virtual_machine(cloud: Any, tmp_path: Any) -> None:
    """Nothing is replaced: google.auth finds the token at the metadata server."""
    cloud.token = "from-the-metadata-server"
    variables = os.environ | {"CLOUDSDK_CONFIG": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=variables | cloud.variables(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == WORKERS
    assert len(asked(cloud, "/token")) == 1


@pytest.fixture
def no_login(monkeypatch: Any, tmp_path: Any) -> None:
    """Nobody has logged in on this machine: only the metadata server has a token."""
    for variable in ("CLOUDSDK_CONFIG", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path))


def found(name: str) -> tuple[str, list[str]]:
    """The master of a service of its own, and the tokens that were shown to it."""
    with FakeCloudTPU({name: f"{name}:8470"}) as cloud:
        cloud.token = f"token-of-{name}"
        with cloud.environment():
            master = DISTRIBUTE(name).master()
    asked_for = [r for r in cloud.requests if f"/nodes/{name}?" in r.path]
    return master, [request.headers["authorization"] for request in asked_for]


def expected(name: str) -> tuple[str, list[str]]:
    return f"grpc://{name}:8470", [f"Bearer token-of-{name}"]


def test_default_credentials_of_one_service_after_another(no_login: None) -> None:
    for name in ("a", "b", "c"):
        assert found(name) == expected(name)


def test_default_credentials_in_two_threads(no_login: None) -> None:
    names = ["a", "b", "c", "d"]
    with futures.ThreadPoolExecutor(2) as pool:
        assert list(pool.map(found, names)) == list(map(expected, names))


def test_default_credentials_after_the_service(no_login: None) -> None:
    metadata = pytest.importorskip("google.auth.compute_engine._metadata")
    with FakeCloudTPU({"a": "a:8470"}) as cloud:
        with cloud.environment():
            assert DISTRIBUTE("a").master() == "grpc://a:8470"
            assert cloud.host in vars(metadata).values()
        assert cloud.host not in vars(metadata).values()


def test_no_default_credentials(cloud: Any, monkeypatch: Any) -> None:
    auth = pytest.importorskip("google.auth.exceptions")

    def default(**options: Any) -> Any:
        raise auth.DefaultCredentialsError("there are none")

    monkeypatch.setattr("google.auth.default", default)
    with pytest.raises(RuntimeError, match="no default credentials .*credentials= or"):
        DISTRIBUTE("node-1").cluster_spec()


def test_credentials_that_come_late(cloud: Any, monkeypatch: Any, clock: Any) -> None:
    auth = pytest.importorskip("google.auth.exceptions")
    errors: list[Exception] = [auth.TransportError("not yet", retryable=True)]

    def default(**options: Any) -> Any:
        if errors:
            raise errors.pop()
        return anonymous(), "a-project"

    monkeypatch.setattr("google.auth.default", default)
    assert DISTRIBUTE("node-1").cluster_spec().as_dict() == WORKERS
    assert clock.slept == [0.1]


def test_who_is_asked_by_default(capsys: Any) -> None:
    DISTRIBUTE("node-1", "z", "p").explain()
    told = capsys.readouterr().out
    assert "asks: tpu.googleapis.com, with default credentials" in told


# -- where the API is described ------------------------------------------------


@distribute("/args:discovery_url/template")
def test_discovery_url(resolver: Any, cloud: Any, monkeypatch: Any) -> None:
    monkeypatch.delenv("TPU_API_DISCOVERY_URL")
    url = f"http://{cloud.host}/discovery/v1/apis/{{api}}/{{apiVersion}}/rest"
    made = resolver("node-1", credentials=anonymous(), discovery_url=url)
    assert made.cluster_spec().as_dict() == WORKERS
    assert asked(cloud, "/discovery/") == ["/discovery/v1/apis/tpu/v1/rest"]


@distribute("/args:discovery_url/environment-overrides")
def test_the_variable_goes_before_the_argument(
    resolver: Any, cloud: Any, monkeypatch: Any
) -> None:
    elsewhere = "http://127.0.0.1:9/{api}/{apiVersion}"
    made = resolver("node-1", credentials=anonymous(), discovery_url=elsewhere)
    monkeypatch.setenv("TPU_API_DISCOVERY_URL", elsewhere)
    assert made.cluster_spec().as_dict() == WORKERS


def test_an_unknown_api(cloud: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv(
        "TPU_API_DISCOVERY_URL", f"http://{cloud.host}/discovery/v1/apis/cpu/v9/rest"
    )
    with pytest.raises(RuntimeError, match="does not describe the Cloud TPU API"):
        DISTRIBUTE("node-1", credentials=anonymous()).cluster_spec()


NO_RESOURCES = description("http://127.0.0.1:9/", "v1") | {"resources": {}}


# Google's client leaves the connection open where a description makes no sense.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("part", "content", "message"),
    [
        ("/discovery/", "<html>", "does not describe the Cloud TPU API"),
        (
            "/discovery/",
            {"rootUrl": "http://a/"},
            "does not describe the Cloud TPU API",
        ),
        ("/discovery/", NO_RESOURCES, "does not answer projects"),
        ("/nodes", "<html>", "'node-1': the answer .* is malformed"),
        ("/nodes", [1], "'node-1': the answer .* is malformed"),
        ("/nodes", None, "'node-1': the answer .* is malformed"),
    ],
)
def test_answers_that_make_no_sense(
    part: str, content: Any, message: str, cloud: Any, monkeypatch: Any
) -> None:
    usual = http_answers.answer

    def answer(cloud: Any, target: str, headers: Any) -> Any:
        return (200, content) if part in target else usual(cloud, target, headers)

    monkeypatch.setattr(http_answers, "answer", answer)
    with pytest.raises(RuntimeError, match=message):
        DISTRIBUTE("node-1", credentials=anonymous()).cluster_spec()
    gc.collect()


# -- the client is missing -----------------------------------------------------


@both("/raises/import-error")
def test_no_client(resolver: Any, service: Any, no_client: Any, offline: Any) -> None:
    place = {"project": "p", "zone": "z"}
    with pytest.raises(ImportError, match=r"`pip install tpuref\[gcp\]`"):
        resolver("node-1", **place)
    with pytest.raises(ImportError, match=r"`pip install tpuref\[gcp\]`"):
        resolver("node-1")
    assert resolver("node-1", service=service, **place).cluster_spec() is not None
    assert resolver("grpc://1.2.3.4:8470").master() == "grpc://1.2.3.4:8470"
    assert resolver("local").master() == "local"


# -- errors of the service -----------------------------------------------------


@both(".master/raises/no-such-tpu")
@pytest.mark.parametrize("name", ["node-9", "/bns/cell/job", "10.0.0.1:8470"])
def test_404(resolver: Any, name: str, cloud: Any, clock: FakeClock) -> None:
    if name.startswith("/bns") and resolver is CONTRIB:
        name = "/cell/job"
    made = resolver(name, credentials=anonymous())
    with pytest.raises(ValueError, match=f"there is no TPU '{name}'"):
        made.master()
    assert clock.slept == []


def test_a_tpu_that_is_deleted(cloud: Any) -> None:
    made = DISTRIBUTE("node-1", credentials=anonymous())
    made.cluster_spec()
    del cloud.nodes["node-1"]
    with pytest.raises(ValueError, match="no TPU 'node-1'"):
        made.cluster_spec()


@pytest.mark.parametrize("status", [400, 401, 403])
def test_errors_that_stay(status: int, cloud: Any, clock: FakeClock) -> None:
    made = DISTRIBUTE("node-1", credentials=Token("any"))
    cloud.fail(status, 3)
    with pytest.raises(ValueError, match=f"{status} when requesting .*/node-1") as e:
        made.cluster_spec()
    assert isinstance(e.value.__cause__, errors.HttpError)
    assert ("with the given credentials" in str(e.value)) is (status != 400)
    assert clock.slept == []


def test_credentials_that_cannot_be_read(cloud: Any, monkeypatch: Any) -> None:
    wrong = KeyError("client_email")

    def default(**options: Any) -> Any:
        raise wrong

    monkeypatch.setattr("google.auth.default", default)
    with pytest.raises(RuntimeError, match="KeyError: 'client_email'.*E196") as caught:
        DISTRIBUTE("node-1").cluster_spec()
    assert caught.value.__cause__ is wrong


def test_credentials_that_have_expired(cloud: Any) -> None:
    exceptions = pytest.importorskip("google.auth.exceptions")

    class Expired(Token):
        def refresh(self, request: Any) -> None:
            raise exceptions.RefreshError("invalid_grant: the token has expired")

    cloud.token = "secret"
    with pytest.raises(ValueError, match=r"credentials.*invalid_grant.*E196"):
        DISTRIBUTE("node-1", credentials=Expired("old")).cluster_spec()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_errors_that_may_pass(status: int, cloud: Any, clock: FakeClock) -> None:
    made = DISTRIBUTE("node-1", credentials=anonymous())
    cloud.fail(status, 3)
    assert made.cluster_spec().as_dict() == WORKERS
    assert clock.slept == [0.1, 0.2, 0.4]
    assert len(asked(cloud)) == 4


def test_a_cut_connection(cloud: Any, clock: FakeClock) -> None:
    made = DISTRIBUTE("node-1", credentials=anonymous())
    cloud.fail("cut", 4)
    assert made.cluster_spec().as_dict() == WORKERS


@pytest.mark.parametrize("status", [429, 500, "cut"])
def test_errors_that_never_pass(status: Any, cloud: Any) -> None:
    clock = FakeClock()
    with patience(api=2, clock=clock):
        made = DISTRIBUTE("node-1", credentials=anonymous())
    cloud.fail(status, 1000)
    with pytest.raises(RuntimeError, match="TPU 'node-1': no answer from") as caught:
        made.cluster_spec()
    message = str(caught.value)
    assert f"from {cloud.host} after 5 attempts in 1.5 s (of at most 2 s)" in message
    assert clock.slept == [0.1, 0.2, 0.4, 0.8]
    assert caught.value.__cause__ is not None


def test_a_host_that_has_no_address(clock: FakeClock) -> None:
    httplib2 = pytest.importorskip("httplib2")
    service = Service(n=httplib2.ServerNotFoundError("no such host"))
    with pytest.raises(RuntimeError, match="no answer from the given service after"):
        DISTRIBUTE("n", "z", "p", service=service).cluster_spec()
    assert 25 < sum(clock.slept) < 30


def test_one_call_has_one_budget(cloud: Any) -> None:
    clock = FakeClock()
    with patience(api=2, clock=clock):
        made = CONTRIB(["node-1", "node-2"], credentials=anonymous())
    cloud.fail(500, 3, path="node-1")
    cloud.fail(500, 1000, path="node-2")
    with pytest.raises(RuntimeError, match="TPU 'node-2': no answer"):
        made.cluster_spec()
    assert sum(clock.slept) < 2
    cloud.nodes.pop("node-2")
    with pytest.raises(RuntimeError, match="node-2"):
        made.cluster_spec()
    assert sum(clock.slept) < 4


@pytest.mark.parametrize("what", ["/discovery/", "/nodes"])
def test_a_slow_service_cannot_hold_up_the_program(what: str, cloud: Any) -> None:
    with patience(api=0.5):
        made = DISTRIBUTE("node-1", credentials=anonymous())
    if what == "/nodes":
        made.cluster_spec()
    cloud.latency = 60
    start = time.monotonic()
    with pytest.raises(RuntimeError, match="of at most 0.5 s.*TimeoutError"):
        made.cluster_spec()
    assert time.monotonic() - start < 30
    cloud.latency = 0
    assert made.cluster_spec().as_dict() == WORKERS


def test_nobody_listens(cloud: Any) -> None:
    clock = FakeClock()
    with patience(api=1, clock=clock):
        made = DISTRIBUTE("node-1", credentials=anonymous())
    host = cloud.host
    cloud.stop()
    with pytest.raises(RuntimeError, match=f"no answer from {host} after 4 attempts"):
        made.cluster_spec()


# -- states --------------------------------------------------------------------


@both(".cluster_spec/raises/unhealthy", ".cluster_spec/behaviour/asks-api-every-time")
def test_states_come_and_go(resolver: Any, cloud: Any) -> None:
    made = resolver("node-1", credentials=anonymous())
    cloud.nodes["node-1"].state = "CREATING"
    with pytest.raises(RuntimeError, match="'node-1' is not ready: state 'CREATING'"):
        made.cluster_spec()
    cloud.nodes["node-1"].state = "READY"
    assert made.cluster_spec().as_dict() == WORKERS
    cloud.nodes["node-1"].health = "UNHEALTHY_TENSORFLOW"
    with pytest.raises(RuntimeError, match="'node-1' is not healthy"):
        made.cluster_spec()
    cloud.nodes["node-1"].health = None
    cloud.nodes["node-1"].addresses = ["10.5.5.5:8470"]
    assert made.master() == "grpc://10.5.5.5:8470"


def test_the_older_form(cloud: Any) -> None:
    cloud.nodes["node-2"].old_form = True
    made = DISTRIBUTE("node-2", credentials=anonymous())
    assert made.master() == "grpc://10.9.9.9:8471"
