"""The example with TPUEstimator learns, goes on, and writes what TensorBoard shows."""

import runpy
from pathlib import Path

import pytest

import tpuref as tf

SCRIPT = Path(__file__).parents[2] / "examples" / "estimator_digits.py"

pytest.importorskip("sklearn", reason="the example needs the extra 'examples'")


def test_it_learns_and_goes_on(tmp_path, capsys):
    main = runpy.run_path(str(SCRIPT))["main"]
    with tf.config.override(executor="lockstep"):
        for steps in (30, 20):
            main([f"--folder={tmp_path}", f"--steps={steps}", "--cores=2"])
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
