"""tpuref fake-cloud-tpu, for other programs; tests/testing has the service itself."""

import json
import signal
import subprocess
import sys

import pytest

from tpuref.tools.cli import main


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


@pytest.mark.parametrize("node", ["my-tpu", "=10.1.2.3:8470", "my-tpu="])
def test_a_node_that_cannot_be(node, capsys):
    assert main(["fake-cloud-tpu", "--node", node]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("tpuref fake-cloud-tpu: ") and captured.out == ""
