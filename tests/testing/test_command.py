"""tpuref fake-cloud-tpu."""

import http.client
import json
import re
import signal
import subprocess
import sys

import pytest

from tpuref.tools.cli import main

NODES = "/v1/projects/p/locations/z/nodes"
ARGUMENTS = [
    *["--node", "a=10.0.0.1:8470,10.0.0.2:8470", "--node", "b=10.0.0.3:1"],
    *["--project", "p", "--zone", "z", "--state", "CREATING"],
]


def get(host, path):
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", path)
    response = connection.getresponse()
    body = json.loads(response.read())
    connection.close()
    return response.status, body


def test_it_serves_until_interrupted():
    command = [sys.executable, "-m", "tpuref", "fake-cloud-tpu", *ARGUMENTS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        try:
            found = re.fullmatch(
                r"export GCE_METADATA_HOST=(127\.0\.0\.1:\d+)\n", lines[1]
            )
            assert found is not None, lines
            host = found[1]
            url = f"http://{host}/discovery/v1/apis/{{api}}/{{apiVersion}}/rest"
            assert lines[0] == f"export TPU_API_DISCOVERY_URL='{url}'\n"
            assert get(host, NODES)[0] == 200
            answer = get(host, NODES + "/a")[1]
            assert answer["state"] == "CREATING"
            assert [e["ipAddress"] for e in answer["networkEndpoints"]] == [
                "10.0.0.1",
                "10.0.0.2",
            ]
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0
        finally:
            process.kill()


def test_the_variables_as_json():
    command = [sys.executable, "-m", "tpuref", "fake-cloud-tpu", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            variables = json.loads(process.stdout.readline())
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=120) == 0
            assert process.stdout.read() == ""
        finally:
            process.kill()
    assert variables["GCE_METADATA_HOST"].startswith("127.0.0.1:")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--node", "a"], "--node must be NAME=HOST:PORT"),
        (["--node", "=a:1"], "--node must be NAME=HOST:PORT"),
        (["--node", "a="], "--node"),
        (["--node", "a=b:0"], "a port must be a number from 1 to 65535"),
        (["--port", "70000"], "port"),
    ],
)
def test_what_is_wrong_is_told(arguments, message, capsys):
    assert main(["fake-cloud-tpu", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("tpuref fake-cloud-tpu: ") and captured.out == ""
    assert message in captured.err


def test_help_shows_the_defaults(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["fake-cloud-tpu", "--help"])
    assert ended.value.code == 0
    told = " ".join(capsys.readouterr().out.split())
    for default in ("READY", "HEALTHY", "fake-project", "us-central1-b", "a free one"):
        assert f"{default})" in told
