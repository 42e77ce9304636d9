"""The command tpuref trace."""

import gzip
import json
import sys

import pytest

import tpuref as tf
from tpuref.engine.runtime.meaning import recording
from tpuref.tools.cli import main

from .trace_format import checked_tracks

SCRIPT = """
import sys
import tpuref as tf
print("the script says", sys.argv[1:])
outputs = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1.0], [2.0]])
with tf.Session() as session:
    print(session.run(outputs)[0][0])
if "fail" in sys.argv:
    raise KeyError("from the script")
if "leave" in sys.argv:
    sys.exit(3)
"""

LOOP = """
import tpuref as tf
outputs = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1.0], [2.0]])
with tf.Session() as session:
    session.run(tf.constant(1.0))  # no step
    for _ in range(6):
        session.run(outputs)
"""


@pytest.fixture(autouse=True)
def restored(monkeypatch, tmp_path):
    """Undo what a command does to this process; begin in a folder with the scripts."""
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").write_text(SCRIPT)
    (tmp_path / "loop.py").write_text(LOOP)
    with tf.config.override(topology=None, cores=None):
        yield
    assert recording.active() is None


def tracks(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt") as file:
        return checked_tracks(json.load(file))


def test_a_summary_follows_what_the_script_prints(capsys):
    assert main(["trace", "program.py", "--steps", "5"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("the script says ['--steps', '5']\n3.0\n")
    rows = [line.split() for line in out.splitlines()]
    assert ["core", "busy", "waiting", "idle", "events"] in rows
    assert [row[:2] for row in rows if row[:1] == ["core"]][1:] == [
        ["core", "0"],
        ["core", "1"],
    ]
    assert any(row[-2:] == ["CrossReplicaSum", "program.py:5"] for row in rows)
    assert "8 bytes contributed to collectives" in out
    assert out.endswith("the trace: trace.json.gz\n")
    assert list(tracks("trace.json.gz")) == ["MainThread", "core 0", "core 1"]


def test_json_is_all_there_is_on_standard_output(capsys):
    options = ["--cores", "2", "--executor", "lockstep", "-o", "here.json", "--json"]
    assert main(["trace", *options, "program.py"]) == 0
    printed = capsys.readouterr()
    assert printed.err == "the script says []\n3.0\n"
    summary = json.loads(printed.out)
    assert summary["file"] == "here.json" and len(summary["cores"]) == 2
    assert set(summary["cores"][0]) == {
        *("core", "busy", "waiting", "idle", "events", "dropped")
    }
    (operation,) = (o for o in summary["operations"] if o["type"] == "CrossReplicaSum")
    assert operation["count"] == 2 and operation["bytes"] == 8
    assert summary["collective_bytes"] == 8 and summary["transferred_bytes"] == 0
    assert "core 1" in tracks("here.json")


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [("fail", KeyError, "from the script"), ("leave", SystemExit, "3")],
)
def test_a_script_that_fails_leaves_its_trace(how, error, message, capsys):
    with pytest.raises(error, match=message):
        main(["trace", "program.py", how])
    assert "the trace: trace.json" in capsys.readouterr().out
    assert "core 1" in tracks("trace.json.gz")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent.py"], "there is no file 'absent.py'"),
        (["-o", "nowhere/t.json", "program.py"], "nowhere/t.json"),
        (["--topology", "2x", "program.py"], "2x"),
    ],
)
def test_what_cannot_be_traced(capsys, arguments, message):
    assert main(["trace", *arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("tpuref trace: ") and message in printed.err


def test_only_some_steps_are_recorded(capsys):
    command = ["trace", "--cores", "2", "--executor", "lockstep", "--json"]
    for steps, recorded in {"1:1": 1, "2:4": 3, "6:9": 1}.items():
        assert main([*command, "--steps", steps, "loop.py"]) == 0
        summary = json.loads(capsys.readouterr().out)
        (total,) = (o for o in summary["operations"] if o["type"] == "CrossReplicaSum")
        assert total["count"] == 2 * recorded
    assert main([*command, "--steps", "9:12", "loop.py"]) != 0
    assert "the script has 6 calls of Session.run" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*command, "--steps", "4:2", "loop.py"])


def test_summary_by_type(capsys):
    command = ["trace", "--cores", "2", "--executor", "lockstep", "--summary"]
    assert main([*command, "--steps", "2:3", "loop.py"]) == 0
    rows = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    cells = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert ["type", "time", "share", "waiting", "calls", "outputs", "floor"] in cells
    (total,) = (row for row in cells if row[:1] == ["CrossReplicaSum"])
    assert total[4:6] == ["4", "16 bytes"]
