"""The local Cloud TPU service, asked over HTTP without Google's client."""

import contextlib
import http.client
import json
import os
import socket
import struct
import threading

import pytest

from tpuref.testing import FakeClock, FakeCloudTPU, Node, patience

NODES = "/v1/projects/fake-project/locations/us-central1-b/nodes"


@pytest.fixture
def cloud():
    with FakeCloudTPU({"a": "10.0.0.1:8470", "b": ["10.0.0.2", "h:1"]}) as running:
        yield running


def get(cloud, path, **headers):
    """Status, content and headers of the answer."""
    connection = http.client.HTTPConnection(cloud.host, timeout=60)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("GET", path, headers=named)
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    is_json = "json" in (response.getheader("Content-Type") or "")
    return response.status, json.loads(body) if is_json else body, response.headers


def metadata(cloud, path):
    status, body, headers = get(
        cloud, f"/computeMetadata/v1/{path}", Metadata_Flavor="Google"
    )
    assert headers["Metadata-Flavor"] == "Google"
    return body if status == 200 else status


def test_a_node(cloud):
    status, answer, _ = get(cloud, NODES + "/b")
    assert status == 200
    assert answer == {
        "name": "projects/fake-project/locations/us-central1-b/nodes/b",
        "state": "READY",
        "health": "HEALTHY",
        "networkEndpoints": [
            {"ipAddress": "10.0.0.2", "port": 8470},
            {"ipAddress": "h", "port": 1},
        ],
    }


def test_the_nodes_and_their_pages(cloud):
    _, answer, _ = get(cloud, NODES)
    assert [node["name"][-1] for node in answer["nodes"]] == ["a", "b"]
    assert "nextPageToken" not in answer
    _, first, _ = get(cloud, NODES + "?pageSize=1")
    _, second, _ = get(cloud, f"{NODES}?pageSize=1&pageToken={first['nextPageToken']}")
    assert [n["name"][-1] for n in first["nodes"] + second["nodes"]] == ["a", "b"]
    assert "nextPageToken" not in second
    assert get(cloud, NODES + "?pageSize=x")[0] == 400
    assert get(cloud, NODES + "?pageSize=0")[0] == 400


def test_a_node_is_what_its_attributes_say(cloud):
    node = cloud.nodes["a"]
    node.state, node.health = "PREEMPTED", None
    node.fields["acceleratorType"] = "v2-8"
    answer = get(cloud, NODES + "/a")[1]
    assert answer["state"] == "PREEMPTED" and "health" not in answer
    assert answer["acceleratorType"] == "v2-8"
    node.old_form = True
    answer = get(cloud, NODES + "/a")[1]
    assert (answer["ipAddress"], answer["port"]) == ("10.0.0.1", "8470")
    assert "networkEndpoints" not in answer


@pytest.mark.parametrize(
    "path",
    [
        NODES + "/c",
        NODES.replace("fake-project", "other") + "/a",
        NODES.replace("us-central1-b", "other") + "/a",
        NODES.replace("v1", "v9") + "/a",
        "/discovery/v1/apis/cpu/v1/rest",
        "/discovery/v1/apis/tpu/v9/rest",
        "/$discovery/rest?version=v9",
        "/v1",
    ],
)
def test_what_there_is_not(path, cloud):
    status, answer, _ = get(cloud, path)
    assert status == 404
    assert answer["error"]["code"] == 404 and answer["error"]["status"] == "NOT_FOUND"


def test_a_token_is_wanted(cloud):
    cloud.token = "secret"
    assert get(cloud, NODES + "/a")[0] == 401
    assert get(cloud, NODES + "/a", Authorization="Bearer other")[0] == 401
    assert get(cloud, NODES + "/a", authorization="Bearer secret")[0] == 200
    token = json.loads(
        json.dumps(metadata(cloud, "instance/service-accounts/default/token"))
    )
    assert token["access_token"] == "secret"


@pytest.mark.parametrize(
    "path", ["/discovery/v1/apis/tpu/v1/rest", "/$discovery/rest?version=v1"]
)
def test_the_description_leads_back_here(path, cloud):
    answer = get(cloud, path)[1]
    assert answer["rootUrl"] == f"http://{cloud.host}/"
    assert answer["id"] == "tpu:v1"


def test_a_client_that_breaks_off(cloud, capfd):
    host, _, port = cloud.host.rpartition(":")
    reset = struct.pack("ii", 1, 0)
    for content in (b"", b"GET ", b"GET / HTTP/1.1\r\nA: b\r\n"):
        with socket.create_connection((host, int(port)), 60) as connection:
            connection.sendall(content)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
    assert get(cloud, NODES)[0] == 200
    cloud.stop()
    assert capfd.readouterr().err == ""


def test_nodes_may_be_set_as_they_are_given(cloud):
    cloud.nodes["c"] = "10.0.0.3:1"
    cloud.nodes |= {"d": ["h:1", "h:2"]}
    cloud.nodes.setdefault("e", Node("h:3"))
    assert [len(cloud.nodes[name].addresses) for name in "cde"] == [1, 2, 1]
    assert len(get(cloud, NODES)[1]["nodes"]) == 5
    with pytest.raises(ValueError, match="testing.Node"):
        cloud.nodes["f"] = "a b"
    for name, wrong in (("f", 5), ("f", [5]), (5, "h:1"), ("f", None)):
        with pytest.raises(TypeError, match="FakeCloudTPU: nodes"):
            cloud.nodes[name] = wrong
    assert "f" not in cloud.nodes


def test_metadata(cloud):
    assert metadata(cloud, "project/project-id") == "fake-project"
    assert metadata(cloud, "instance/zone") == "projects/123456/zones/us-central1-b"
    assert metadata(cloud, "instance/network-interfaces/0/ip") == "127.0.0.1"
    account = "instance/service-accounts/"
    assert metadata(cloud, account + "default/email") == "fake@example.com"
    assert metadata(cloud, account + "fake@example.com/email") == "fake@example.com"
    assert metadata(cloud, "instance/name") == 404
    assert get(cloud, "/")[2]["Metadata-Flavor"] == "Google"


@pytest.mark.parametrize("headers", [{}, {"Metadata_Flavor": "google"}])
def test_metadata_wants_its_header(headers, cloud):
    status, body, _ = get(cloud, "/computeMetadata/v1/instance/zone", **headers)
    assert status == 403 and "Metadata-Flavor: Google is missing" in body


def test_failures_befall_the_requests_they_are_meant_for(cloud):
    cloud.fail(429, 2, path="/nodes/b")
    cloud.fail(500)
    assert get(cloud, NODES + "/a")[0] == 500
    assert [get(cloud, NODES + "/b")[0] for _ in range(3)] == [429, 429, 200]
    assert get(cloud, NODES + "/a")[0] == 200


def test_a_cut_connection(cloud):
    cloud.fail("cut")
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        get(cloud, NODES + "/a")
    assert get(cloud, NODES + "/a")[0] == 200


@pytest.mark.parametrize(
    ("status", "times"), [(200, 1), ("cuts", 1), (500, 0), (None, 1)]
)
def test_what_is_no_failure(status, times, cloud):
    with pytest.raises(ValueError, match="must be an HTTP status from 400 to 599"):
        cloud.fail(status, times)


def test_answers_are_late_but_end_with_the_service(cloud):
    cloud.latency = 600
    ended = threading.Event()

    def ask():
        with contextlib.suppress(OSError, http.client.HTTPException):
            get(cloud, NODES)
        ended.set()

    threading.Thread(target=ask, daemon=True).start()
    while not cloud.requests:
        assert not ended.wait(0.01)
    assert not ended.is_set()
    cloud.stop()
    assert ended.wait(60)


def test_it_runs_within_the_block():
    cloud = FakeCloudTPU()
    with pytest.raises(RuntimeError, match="the service is not running"):
        cloud.host  # noqa: B018
    with cloud:
        host = cloud.host
        with pytest.raises(RuntimeError, match="already running"):
            cloud.start()
    cloud.stop()
    with pytest.raises(OSError):  # noqa: PT011
        http.client.HTTPConnection(host, timeout=5).connect()
    with cloud:
        assert get(cloud, NODES)[1] == {"nodes": []}


def test_the_environment_is_put_back(cloud, monkeypatch):
    monkeypatch.setenv("GCE_METADATA_HOST", "before")
    monkeypatch.delenv("TPU_API_DISCOVERY_URL", raising=False)
    monkeypatch.setenv("no_proxy", "example.com")
    with cloud.environment():
        assert os.environ["GCE_METADATA_HOST"] == cloud.host
        assert os.environ["TPU_API_DISCOVERY_URL"] == cloud.discovery_url
        assert os.environ["no_proxy"] == "example.com,127.0.0.1"
    assert os.environ["GCE_METADATA_HOST"] == "before"
    assert "TPU_API_DISCOVERY_URL" not in os.environ


def test_two_threads_take_turns(cloud, monkeypatch):
    inside, leave = threading.Event(), threading.Event()

    def stay():
        with cloud.environment():
            inside.set()
            leave.wait(60)

    thread = threading.Thread(target=stay, daemon=True)
    thread.start()
    assert inside.wait(60)
    monkeypatch.setattr("tpuref.tools.testing.environment.TURN_SECONDS", 0.1)
    refusal = pytest.raises(RuntimeError, match="another thread is in environment()")
    with refusal, cloud.environment():
        pass
    leave.set()
    thread.join(60)
    with cloud.environment():
        pass


@pytest.mark.parametrize("address", ["a b:1", "a:0", "a:x", ""])
def test_addresses_are_checked(address):
    with pytest.raises(ValueError, match="testing.Node"):
        FakeCloudTPU({"a": address})


def test_the_old_form_has_one_address():
    with pytest.raises(ValueError, match="old_form allows only one address"):
        Node("a:1", "b:1", old_form=True)


def test_patience_is_put_back():
    clock = FakeClock()
    with patience(api=1) as outer:
        with patience(metadata=2, clock=clock) as inner:
            assert (inner.api, inner.metadata, inner.clock) == (1, 2, clock)
        assert outer.metadata == 3.0
    with patience() as usual:
        assert (usual.metadata, usual.api, usual.attempts) == (3.0, 30.0, 5)
