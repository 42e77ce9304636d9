"""The script that type checkers read (tox -e typing) also runs."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import tpuref as tf
from tpuref.names import table

SCRIPT = Path(__file__).with_name("user_script.py")


def test_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    functions = runpy.run_path(str(SCRIPT))
    assert functions["sums"]() == [3.0] * 4
    assert functions["resolve"]("grpc://localhost:1") == "grpc://localhost:1"
    functions["train"]()
    with tf.Session() as session:
        assert functions["topology"](session) == 8
    functions["data"]()


def test_its_estimator_trains(tmp_path: Path) -> None:
    pytest.importorskip("safetensors")
    estimator = runpy.run_path(str(SCRIPT))["estimate"](str(tmp_path))
    assert estimator.get_variable_value("global_step") == 2


def test_its_program_for_tensorflow_2_runs() -> None:
    script = f"import runpy; print(runpy.run_path({str(SCRIPT)!r})"
    script += "['train_as_in_tensorflow_2']())"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert 0 < float(done.stdout) < 1


def test_completion_offers_public_names_alone() -> None:
    assert set(dir(tf)) == public_names(api)
    for namespace in (tf.tpu, tf.train, tf.contrib.tpu, tf.data, tf.compat.v1):
        assert set(dir(namespace)) == public_names(namespace)
        assert not {"annotations", "codes", "coded", "np"} & set(dir(namespace))


def test_editors_see_each_package_of_tf() -> None:
    """A name that only an import in a circle leads to is none to pyright."""
    text = Path(tf.__file__).read_text()
    listed = [*Path(api.__file__).read_text().splitlines()]
    listed += Path(tf.compat.v1.__file__).read_text().splitlines()
    packages = [line for line in listed if line.startswith("from tpuref import ")]
    for line in packages:
        if not line.split()[-1].startswith("_"):
            assert f"    {line}\n" in text
