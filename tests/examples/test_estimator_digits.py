"""The example with TPUEstimator learns, goes on, and writes what TensorBoard shows."""

import importlib.util
from pathlib import Path

import pytest

import tpuref as tf

SCRIPT = Path(__file__).parents[2] / "examples" / "estimator_digits.py"

for needed in ("sklearn", "google.protobuf"):
    pytest.importorskip(needed, reason="the example needs the extras of examples")


def test_it_learns_and_goes_on(tmp_path, capsys):
    spec = importlib.util.spec_from_file_location("estimator_digits", SCRIPT)
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    with tf.config.override(executor="lockstep"):
        for steps in (30, 20):
            example.main([f"--folder={tmp_path}", f"--steps={steps}", "--cores=2"])
    first, _, second, digits = capsys.readouterr().out.splitlines()
    assert first.startswith("step 30: ") and second.startswith("step 50: ")
    assert float(second.split()[-1]) > 0.6
    assert len(digits.split()) == 12
    tags = {}
    for path in tmp_path.glob("events.out.tfevents.*"):
        for event in tf.train.summary_iterator(str(path)):
            for value in event.summary.value:
                tags.setdefault(value.tag, set()).add(event.step)
    assert tags["loss_of_all_cores"] == set(range(1, 51))
