"""The real client of Google's APIs, against the local service."""

import gc
import json
import time
from concurrent import futures

import pytest

from tpuref.testing import FakeClock, FakeCloudTPU, patience
from tpuref.tools.testing import http_answers
from tpuref.tools.testing.discovery import description

from ..pythons import python
from .api_object import CONTRIB, DISTRIBUTE

REASON = "needs the extra: pip install tpuref[cloud]"
discovery = pytest.importorskip("googleapiclient.discovery", reason=REASON)
errors = pytest.importorskip("googleapiclient.errors", reason=REASON)
credentials = pytest.importorskip("google.auth.credentials", reason=REASON)

NODES = "/v1/projects/proj-m/locations/europe-x/nodes"
ANONYMOUS = credentials.AnonymousCredentials()
WORKERS = {"worker": ["10.1.2.3:8470", "10.1.2.4:8470"]}


class Token(credentials.Credentials):  # type: ignore
    """Credentials that show one token."""

    def __init__(self, token):
        super().__init__()
        self.token = token

    def refresh(self, request):
        """Keep the token."""


def asked(cloud, part="/nodes"):
    """The requests for such a path, in order."""
    return [request.path for request in cloud.requests if part in request.path]


@pytest.mark.parametrize("resolver", [CONTRIB, DISTRIBUTE])
def test_a_name_is_looked_up(resolver, cloud):
    made = resolver("node-1", credentials=ANONYMOUS)
    assert asked(cloud) == []
    assert made.cluster_spec().as_dict() == WORKERS
    assert made.master() == "grpc://10.1.2.3:8470"
    assert asked(cloud) == [f"{NODES}/node-1?alt=json"] * 2


@pytest.mark.parametrize("resolver", [CONTRIB, DISTRIBUTE])
def test_given_credentials(resolver, cloud):
    cloud.token = "secret"
    assert resolver("node-1", credentials=Token("secret")).cluster_spec() is not None
    assert cloud.requests[-1].headers["authorization"] == "Bearer secret"
    with pytest.raises(ValueError, match="with the given credentials.*401.*E196"):
        resolver("node-1", credentials=Token("wrong")).cluster_spec()


NOT_OF_TPUS = "does not describe the Cloud TPU API"
PROGRAM = """
import json, sys
import tpuref as tf
resolver = tf.distribute.cluster_resolver.TPUClusterResolver("node-1")
print(json.dumps(resolver.cluster_spec().as_dict()))
"""


def test_default_credentials_of_a_virtual_machine(cloud, tmp_path):
    """Nothing is replaced: google.auth finds the token at the metadata server."""
    cloud.token = "from-the-metadata-server"
    variables = {"CLOUDSDK_CONFIG": str(tmp_path), "HOME": str(tmp_path)}
    done = python("-c", PROGRAM, env=variables | cloud.variables())
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == WORKERS
    assert len(asked(cloud, "/token")) == 1


@pytest.fixture
def no_login(monkeypatch, tmp_path):
    """Nobody has logged in on this machine: only the metadata server has a token."""
    for variable in ("CLOUDSDK_CONFIG", "HOME"):
        monkeypatch.setenv(variable, str(tmp_path))


def found(name):
    """The master of a service of its own, and the tokens that were shown to it."""
    with FakeCloudTPU({name: f"{name}:8470"}) as cloud:
        cloud.token = f"token-of-{name}"
        with cloud.environment():
            master = DISTRIBUTE(name).master()
    asked_for = [r for r in cloud.requests if f"/nodes/{name}?" in r.path]
    return master, [request.headers["authorization"] for request in asked_for]


def test_default_credentials_in_two_threads(no_login):
    names = ["a", "b", "c", "d"]
    with futures.ThreadPoolExecutor(2) as pool:
        assert list(pool.map(found, names)) == [
            (f"grpc://{name}:8470", [f"Bearer token-of-{name}"]) for name in names
        ]


def test_default_credentials_after_the_service(no_login):
    metadata = pytest.importorskip("google.auth.compute_engine._metadata")
    with FakeCloudTPU({"a": "a:8470"}) as cloud:
        with cloud.environment():
            assert DISTRIBUTE("a").master() == "grpc://a:8470"
            assert cloud.host in vars(metadata).values()
        assert cloud.host not in vars(metadata).values()


def test_discovery_url(cloud, monkeypatch):
    monkeypatch.delenv("TPU_API_DISCOVERY_URL")
    url = f"http://{cloud.host}/discovery/v1/apis/{{api}}/{{apiVersion}}/rest"
    made = DISTRIBUTE("node-1", credentials=ANONYMOUS, discovery_url=url)
    assert made.cluster_spec().as_dict() == WORKERS
    assert asked(cloud, "/discovery/") == ["/discovery/v1/apis/tpu/v1/rest"]


def test_an_unknown_api(cloud, monkeypatch):
    monkeypatch.setenv(
        "TPU_API_DISCOVERY_URL", f"http://{cloud.host}/discovery/v1/apis/cpu/v9/rest"
    )
    with pytest.raises(RuntimeError, match=NOT_OF_TPUS):
        DISTRIBUTE("node-1", credentials=ANONYMOUS).cluster_spec()


NO_RESOURCES = description("http://127.0.0.1:9/", "v1") | {"resources": {}}


# Google's client leaves the connection open where a description makes no sense.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("part", "content", "message"),
    [
        ("/discovery/", "<html>", NOT_OF_TPUS),
        ("/discovery/", {"rootUrl": "http://a/"}, NOT_OF_TPUS),
        ("/discovery/", NO_RESOURCES, "does not answer projects"),
        ("/nodes", "<html>", "'node-1': the answer .* is malformed"),
        ("/nodes", [1], "'node-1': the answer .* is malformed"),
        ("/nodes", None, "'node-1': the answer .* is malformed"),
    ],
)
def test_answers_that_make_no_sense(part, content, message, cloud, monkeypatch):
    usual = http_answers.answer

    def answer(cloud, target, headers):
        return (200, content) if part in target else usual(cloud, target, headers)

    monkeypatch.setattr(http_answers, "answer", answer)
    with pytest.raises(RuntimeError, match=message):
        DISTRIBUTE("node-1", credentials=ANONYMOUS).cluster_spec()
    gc.collect()


@pytest.mark.parametrize("status", [400, 401, 403])
def test_errors_that_stay(status, cloud, clock):
    made = DISTRIBUTE("node-1", credentials=Token("any"))
    cloud.fail(status, 3)
    with pytest.raises(ValueError, match=f"{status} when requesting .*/node-1") as e:
        made.cluster_spec()
    assert isinstance(e.value.__cause__, errors.HttpError)
    assert ("with the given credentials" in str(e.value)) is (status != 400)
    assert clock.slept == []


def test_credentials_that_have_expired(cloud):
    exceptions = pytest.importorskip("google.auth.exceptions")

    class Expired(Token):
        def refresh(self, request):
            raise exceptions.RefreshError("invalid_grant: the token has expired")

    cloud.token = "secret"
    with pytest.raises(ValueError, match=r"credentials.*invalid_grant.*E196"):
        DISTRIBUTE("node-1", credentials=Expired("old")).cluster_spec()


def test_a_cut_connection(cloud, clock):
    made = DISTRIBUTE("node-1", credentials=ANONYMOUS)
    cloud.fail("cut", 4)
    assert made.cluster_spec().as_dict() == WORKERS


@pytest.mark.parametrize("what", ["/discovery/", "/nodes"])
def test_a_slow_service_cannot_hold_up_the_program(what, cloud):
    with patience(api=0.5):
        made = DISTRIBUTE("node-1", credentials=ANONYMOUS)
    if what == "/nodes":
        made.cluster_spec()
    cloud.latency = 60
    start = time.monotonic()
    with pytest.raises(RuntimeError, match="of at most 0.5 s.*TimeoutError"):
        made.cluster_spec()
    assert time.monotonic() - start < 30
    cloud.latency = 0
    assert made.cluster_spec().as_dict() == WORKERS


def test_nobody_listens(cloud):
    with patience(api=1, clock=FakeClock()):
        made = DISTRIBUTE("node-1", credentials=ANONYMOUS)
    host = cloud.host
    cloud.stop()
    with pytest.raises(RuntimeError, match=f"no answer from {host} after 4 attempts"):
        made.cluster_spec()
