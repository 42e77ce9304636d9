"""tpuref run: a script, as python would run it."""

import json
import re

import pytest

from tpuref.engine.configuration import EXECUTORS as CONFIGURED
from tpuref.tools.cli import main
from tpuref.tools.cli.run import EXECUTORS

from ..pythons import python

REPORT = """
import json, sys
import tpuref as tf
with tf.Session() as session:
    topology = tf.contrib.tpu.Topology(
        serialized=session.run(tf.tpu.initialize_system()))
print(json.dumps({
    "name": __name__, "argv": sys.argv[1:], "mesh": topology.mesh_shape.tolist(),
    "cores": topology.num_cores, "executor": tf.config.executor,
    "folder": sys.path[0],
}))
"""


def run_report(script, capsys, *arguments, after=()):
    assert main(["run", *arguments, script(REPORT), *after]) == 0
    return json.loads(capsys.readouterr().out)


def as_process(*arguments, **variables):
    return python(*arguments, env={**variables, "TPUREF_TOPOLOGY": None})


def test_a_script_runs_as_the_main_program(script, tmp_path, capsys):
    report = run_report(script, capsys, after=["--steps", "5", "-v", "x"])
    assert report["name"] == "__main__"
    assert report["argv"] == ["--steps", "5", "-v", "x"]
    assert report["folder"] == str(tmp_path)
    assert report["mesh"] == [2, 2, 2]


@pytest.mark.parametrize(
    ("option", "value", "fact", "expected"),
    [
        ("--topology", "4x1x2", "mesh", [4, 1, 2]),
        ("--cores", "3", "cores", 3),
        ("--executor", "lockstep", "executor", "lockstep"),
    ],
)
def test_settings_are_chosen(script, capsys, option, value, fact, expected):
    assert run_report(script, capsys, option, value)[fact] == expected
    assert EXECUTORS == CONFIGURED


def test_a_script_may_import_its_neighbours(script, tmp_path, capsys):
    (tmp_path / "neighbour_of_program.py").write_text("VALUE = 17\n")
    path = script("import neighbour_of_program as n; print(n.VALUE)")
    assert main(["run", path]) == 0
    assert capsys.readouterr().out == "17\n"


def test_the_status_of_a_script_is_that_of_the_command(script):
    with pytest.raises(SystemExit) as raised:
        main(["run", script("import sys; sys.exit(5)")])
    assert raised.value.code == 5
    with pytest.raises(ZeroDivisionError):
        main(["run", script("1 / 0")])


@pytest.mark.parametrize(
    "last", ["1 / 0", "raise KeyboardInterrupt", "sys.exit('no')", "def (:"]
)
def test_an_error_looks_as_with_python(script, last):
    path = script(f"import sys\n\n\ndef work():\n    {last}\n\n\nwork()\n")
    here, there = as_process("-m", "tpuref", "run", path), as_process(path)
    carets = re.compile(r"^ +[~^]+\n", re.MULTILINE)  # runpy has none for the module
    assert carets.sub("", here.stderr) == carets.sub("", there.stderr)
    assert here.returncode == there.returncode


def test_errors_before_the_script_are_shown_whole(tmp_path):
    (tmp_path / "binary.py").write_bytes(bytes(range(256)))
    done = as_process("-m", "tpuref", "run", str(tmp_path / "binary.py"))
    assert "Traceback" in done.stderr and done.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--topology", "2x2"], "2x2"),
        (["--topology", "0x1x1"], "0x1x1"),
        (["--topology", "abc"], "abc"),
        (["--cores", "0"], "from 1 to 4194304"),
        (["--cores", "-4"], "from 1 to 4194304"),
    ],
)
def test_sizes_that_do_not_exist(arguments, message, script, capsys):
    assert main(["run", *arguments, script("")]) == 2
    captured = capsys.readouterr()
    assert message in captured.err and captured.err.startswith("tpuref run: ")
    assert captured.out == ""


def test_a_script_that_does_not_exist(tmp_path, capsys):
    assert main(["run", str(tmp_path / "none.py")]) == 2
    assert "there is no file" in capsys.readouterr().err


def test_a_notebook_is_not_a_script(tmp_path, capsys):
    (tmp_path / "a.ipynb").write_text("{}")
    assert main(["run", str(tmp_path / "a.ipynb")]) == 2
    assert "jupyter nbconvert --to script" in capsys.readouterr().err


def test_a_relative_import_needs_a_package(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models/train.py").write_text("from . import layers")
    done = as_process("-m", "tpuref", "run", str(tmp_path / "models/train.py"))
    assert f"cd {tmp_path.resolve()}; tpuref run -m models.train" in done.stderr


def test_as_a_process(script):
    done = as_process("-m", "tpuref", "run", script(REPORT), "a", TPUREF_CORES="5")
    report = json.loads(done.stdout)
    assert report["cores"] == 5 and report["argv"] == ["a"]


def test_a_setting_that_is_wrong_from_the_start(script):
    done = as_process("-m", "tpuref", "run", script(""), TPUREF_CORES="many")
    assert done.returncode == 2
    assert done.stderr.startswith("tpuref run: TPUREF_CORES") and "E001" in done.stderr


def test_how_a_script_ended(script, capsys):
    path = script("print('loss 0.5')")
    assert main(["run", "--json", path]) == 0
    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert report.pop("seconds") >= 0
    assert report == {"script": path, "status": 0, "error": None}
    assert captured.err == "loss 0.5\n"


def test_the_error_of_a_script_with_its_code(script, capsys):
    text = "import tpuref as tf\ntf.tpu.shard(lambda x: x, [tf.zeros([3])], 2)\n"
    assert main(["run", "--json", script(text)]) == 1
    captured = capsys.readouterr()
    error = json.loads(captured.out)["error"]
    assert error["type"] == "ValueError" and error["code"] == "TPUREF-E021"
    assert "not divisible" in error["message"]
    assert captured.err.startswith('Traceback (most recent call last):\n  File "')
    assert "runpy" not in captured.err


@pytest.mark.parametrize(
    ("code", "status", "printed"), [("5", 5, ""), ("None", 0, ""), ("'no'", 1, "no\n")]
)
def test_the_status_of_a_script(code, status, printed, script, capsys):
    assert main(["run", "--json", script(f"import sys; sys.exit({code})")]) == status
    captured = capsys.readouterr()
    assert json.loads(captured.out)["status"] == status and captured.err == printed


def test_an_error_without_a_code(script, capsys):
    assert main(["run", "--json", script("1 / 0")]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] is None
