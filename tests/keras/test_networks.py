"""Networks of the real Keras give what they give on TensorFlow 2.21.

``recorded.json`` is what programs/networks.py printed there: without a strategy, and
with MirroredStrategy on four logical CPUs.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("keras", reason="the extra keras is not installed")

HERE = Path(__file__).parent
RECORDED = json.loads((HERE / "recorded.json").read_text())


def run(strategy, *names, program="networks.py", executor="lockstep"):
    settings = {"TPUREF_EXECUTOR": executor, "TPUREF_PROCESSES": "2"}
    program = HERE / "programs" / program
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(program), "tpuref", strategy, *names],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={"PATH": "", "KERAS_BACKEND": "tensorflow", **settings},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def check(found, recorded):
    assert found.keys() == recorded.keys()
    for name, values in recorded.items():
        assert found[name].keys() == values.keys()
        for key, expected in values.items():
            np.testing.assert_allclose(
                found[name][key], expected, 2e-4, 2e-5, err_msg=f"{name}: {key}"
            )


def test_networks_train_as_on_tensorflow():
    check(run("", *RECORDED["alone"]), RECORDED["alone"])


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_replicas_train_as_on_tensorflow(executor):
    check(run("TPU", *RECORDED["replicas"], executor=executor), RECORDED["replicas"])


@pytest.mark.parametrize("executor", ["lockstep", "pool"])
def test_a_notebook_does_what_it_does_on_tensorflow(executor):
    """Bring-up, TFRecords of images, an application, checkpoints and TensorBoard.

    ``notebook.json`` is what programs/notebook.py printed with TensorFlow 2.21: no
    trace for a batch of another size, and the names of the object graph.
    """
    found = run("TPU", program="notebook.py", executor=executor)
    assert found == json.loads((HERE / "notebook.json").read_text())
