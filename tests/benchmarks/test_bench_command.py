"""The bench command measures, verifies and writes; it need not be fast."""

import json
import math
import sys

import numpy as np
import pytest

import tpuref as tf
from tpuref.tools.benchmarks import (
    all_reduce,
    chain,
    contest,
    machine,
    models,
    steps,
    whole_programs,
)
from tpuref.tools.benchmarks.contest import Withdrawn, interleaved
from tpuref.tools.benchmarks.extent import Extent
from tpuref.tools.benchmarks.peers import process
from tpuref.tools.benchmarks.programs import runs
from tpuref.tools.benchmarks.table import Goal, Row, Table
from tpuref.tools.cli import main


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """Make every benchmark as small as it can be."""
    monkeypatch.setattr(Extent, "rounds", 2)
    monkeypatch.setattr(machine, "MOVED_BYTES", 1 << 20)
    monkeypatch.setattr(all_reduce, "CORES", (2,))
    monkeypatch.setattr(all_reduce, "QUICK_SIZES", (4, 64))
    monkeypatch.setattr(all_reduce, "counts", lambda size: (2, 2))
    monkeypatch.setattr(all_reduce, "QUICK_NARROW_SIZE", 64)
    monkeypatch.setattr(contest, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(steps, "CORES", (2,))
    monkeypatch.setattr(steps, "GROWTH", (1, 2))
    monkeypatch.setattr(steps, "CALLS", dict.fromkeys(steps.CALLS, 1))
    monkeypatch.setattr(whole_programs, "CORES", 2)
    monkeypatch.setattr(whole_programs, "QUICK_STEPS", 1)
    monkeypatch.setattr(runs, "GRAPHS", ())


def test_tables_as_json(monkeypatch, capsys):
    monkeypatch.setattr(Extent, "rounds", 1)
    assert main(["bench", "--quick", "--no-peers", "--json"]) == 0
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    tables = {table["name"]: table for table in record["tables"]}
    assert list(tables) == [
        *("all-reduce", "ring", "bfloat16"),
        *("steps", "steps-xla", "steps-growth", "start", "programs"),
    ]
    assert int(record["machine"]["processors"]) >= 1
    points = [row["point"] for row in tables["ring"]["rows"]]
    assert points == [{"cores": "2", "bytes": size} for size in ("4 B", "64 B")]
    for table in tables.values():
        for row in table["rows"]:
            for seconds in row["seconds"].values():
                assert seconds
                assert all(math.isfinite(value) for value in seconds)
            assert table["name"] in printed.err
    assert tables["steps"]["missing"]["JAX pmap"] == "left out"
    goal, _ = tables["steps"]["rows"][0]["goals"]
    assert (goal["factor"], goal["verdict"]) == (None, "not measured")


def test_a_page(tmp_path, capsys):
    command = ["bench", "start", "--quick", "--no-peers", "--write-docs"]
    (tmp_path / "performance.md").write_text("# Mine\n\nkept\n")
    assert main([*command, str(tmp_path)]) == 0
    assert main([*command, str(tmp_path)]) == 0
    assert "shutdown" in capsys.readouterr().out
    text = (tmp_path / "performance.md").read_text()
    assert text.startswith("# Mine\n\nkept\n")
    assert text.count("## Starting and shutting down a system") == 1
    assert "| start | 2 |" in text
    files = [path.name for path in (tmp_path / "performance").iterdir()]
    assert files == ["start.json"]
    record = json.loads((tmp_path / "performance" / "start.json").read_text())
    assert len(record["rows"][0]["seconds"]["tpuref"]) == 2


def test_an_unknown_benchmark(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["bench", "flops"])
    message = "there is no benchmark 'flops'; choose from all-reduce, steps"
    assert message in capsys.readouterr().err


def test_wrong_sums_are_not_timed(monkeypatch):
    monkeypatch.setattr(chain, "contribution", lambda rank, n: np.zeros(n, np.float32))
    with pytest.raises(AssertionError, match="Mismatched elements"):
        main(["bench", "all-reduce", "--quick", "--no-peers"])


def test_a_peer_that_is_not_installed(monkeypatch, capsys, tmp_path):
    """A table whose rows all need it is empty, and says why."""
    monkeypatch.setitem(process.REQUIRED, "jax", "no_such_package")
    assert main(["bench", "steps", "--quick", "--write-docs", str(tmp_path)]) == 0
    reason = "not installed; pip install 'tpuref[bench]'"
    assert f"xla: {reason}" in capsys.readouterr().out
    page = (tmp_path / "performance.md").read_text()
    empty = page.partition("<!-- begin steps-xla -->\n")[2].partition("<!-- end")[0]
    assert empty.startswith("| xla |") and reason in empty


@pytest.mark.parametrize("kind", models.MODELS)
def test_a_model_that_learns_what_numpy_says(kind):
    with steps._step(kind, 2, "lockstep") as once:
        assert sum(loss for (loss,) in once()) > 1.0
    model = models.MODELS[kind]()
    loss = float(
        model.loss(np, models.convolved, model.weights, model.inputs, model.labels)
    )
    still = model.weights
    with pytest.raises(AssertionError):
        models.verify(model, loss, still)


def test_turns_and_withdrawal():
    calls = []

    def measure(name):
        def once():
            calls.append(name)
            if name == "b" and len(calls) > 3:
                raise Withdrawn
            return 1.0

        return once

    samples = interleaved({name: measure(name) for name in "abc"}, rounds=3)
    assert "".join(calls) == "abcabcac"
    assert samples == {"a": [1.0] * 3, "c": [1.0] * 3}


def test_cells_of_a_table():
    missing = {"gone": "not there; ask"}
    table = Table("t", "T", ["own", "other", "gone"], missing=missing)
    goal = Goal("other", factor=1.5, target=2.0)
    samples = {"own": [2e-6, 2e-6, 9.0], "other": [3e-6] * 3}
    table.rows.append(Row({"cores": "2"}, samples, floor=1e-6, goals=[goal]))
    head, line = table.cells()
    expected = {"cores": "2", "own": "2.00 us", "other": "3.00 us"}
    expected |= {"gone": "not there", "floor": "1.00 us", "reached": "50 %"}
    expected |= {"against": "other", "times": "1.50", "target": "2"}
    expected["verdict"] = "missed by 25 %"
    assert dict(zip(head, line, strict=True)) == expected
    assert table.as_text().endswith("gone: not there; ask")


SERVER = """
import json, sys
print(json.dumps({{"release": "2.21"}}), flush=True)
for line in sys.stdin:
    name, steps = json.loads(line)
    print(json.dumps({{"losses": [{loss}] * steps}}), flush=True)
"""


def tensorflow_of_loss(loss, tmp_path):
    """An interpreter whose TensorFlow finds this loss in every step."""
    served = tmp_path / "served.py"
    served.write_text(SERVER.format(loss=loss))
    interpreter = tmp_path / "python"
    interpreter.write_text(f"#!/bin/sh\nexec {sys.executable} {served}\n")
    interpreter.chmod(0o755)
    return str(interpreter)


def test_programs_beside_a_tensorflow(tmp_path, capsys):
    """The losses of a TF 2 loop are compared before anything is timed."""
    wrong = tensorflow_of_loss(1.0, tmp_path)
    with pytest.raises(AssertionError, match="pool"):
        main(["bench", "programs", "--quick", "--tensorflow", wrong])
    assert "programs: digits" not in capsys.readouterr().err


def test_programs_train_as_in_tensorflow():
    """The losses of two steps of TensorFlow 1.15.5."""
    losses = {"bert": [7.758826733, 7.837999344], "lstm": [2.302717686, 2.295733929]}
    for name, expected in losses.items():
        with tf.config.override(executor="lockstep", cores=2):
            np.testing.assert_allclose(runs.graph(tf, name, 2)(2), expected, rtol=1e-5)
            tf.Session().run(tf.tpu.shutdown_system())
