"""The tpuref command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tpuref as tf
from tpuref.cli import main
from tpuref.cli.doctor import memory_bytes, usable_cpus
from tpuref.version import __version__


@pytest.fixture(autouse=True)
def restored(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Undo what a command does to this process."""
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    with tf.config.override(topology=None, cores=None):
        yield


def script(folder: Path, text: str) -> str:
    path = folder / "program.py"
    path.write_text(text)
    return str(path)


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


def run_report(folder: Path, capsys: Any, *arguments: str, after: Any = ()) -> Any:
    assert main(["run", *arguments, script(folder, REPORT), *after]) == 0
    return json.loads(capsys.readouterr().out)


# -- run -----------------------------------------------------------------------


def test_a_script_runs_as_the_main_program(tmp_path: Path, capsys: Any) -> None:
    report = run_report(tmp_path, capsys, after=["--steps", "5", "-v", "x"])
    assert report["name"] == "__main__"
    assert report["argv"] == ["--steps", "5", "-v", "x"]
    assert report["folder"] == str(tmp_path)
    assert report["mesh"] == [2, 2, 2]


def test_the_topology_is_chosen(tmp_path: Path, capsys: Any) -> None:
    assert run_report(tmp_path, capsys, "--topology", "4x1x2")["mesh"] == [4, 1, 2]


def test_the_number_of_cores_is_chosen(tmp_path: Path, capsys: Any) -> None:
    assert run_report(tmp_path, capsys, "--cores", "3")["cores"] == 3


def test_the_executor_is_chosen(tmp_path: Path, capsys: Any) -> None:
    report = run_report(tmp_path, capsys, "--executor", "lockstep")
    assert report["executor"] == "lockstep"


def test_a_script_may_import_its_neighbours(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "neighbour_of_program.py").write_text("VALUE = 17\n")
    path = script(tmp_path, "import neighbour_of_program as n; print(n.VALUE)")
    assert main(["run", path]) == 0
    assert capsys.readouterr().out == "17\n"


def test_the_status_of_a_script_is_that_of_the_command(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["run", script(tmp_path, "import sys; sys.exit(5)")])
    assert raised.value.code == 5


def test_an_error_of_a_script_comes_out(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        main(["run", script(tmp_path, "1 / 0")])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--topology", "2x2"], "2x2"),
        (["--topology", "0x1x1"], "0x1x1"),
        (["--topology", "abc"], "abc"),
        (["--cores", "0"], "from 1 up"),
        (["--cores", "-4"], "from 1 up"),
    ],
)
def test_sizes_that_do_not_exist(
    arguments: list[str], message: str, tmp_path: Path, capsys: Any
) -> None:
    assert main(["run", *arguments, script(tmp_path, "")]) == 2
    captured = capsys.readouterr()
    assert message in captured.err and captured.err.startswith("tpuref run: ")
    assert captured.out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "--cores", "two", "x.py"],
        ["run", "--cores", "2", "--topology", "1x1x2", "x.py"],
        ["run", "--executor", "abacus", "x.py"],
        ["--no-such-option"],
        ["no-such-command"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: Any) -> None:
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 2
    assert "usage: tpuref" in capsys.readouterr().err


def test_a_script_that_does_not_exist(tmp_path: Path, capsys: Any) -> None:
    assert main(["run", str(tmp_path / "none.py")]) == 2
    assert "there is no file" in capsys.readouterr().err


def test_as_a_process(tmp_path: Path) -> None:
    environment = {**os.environ, "TPUREF_CORES": "5"}
    environment.pop("TPUREF_TOPOLOGY", None)
    done = subprocess.run(
        [sys.executable, "-m", "tpuref", "run", script(tmp_path, REPORT), "a"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    report = json.loads(done.stdout)
    assert report["cores"] == 5 and report["argv"] == ["a"]


# -- doctor --------------------------------------------------------------------


def test_doctor_tells_what_is_in_use(capsys: Any) -> None:
    with tf.config.override(topology="3x1x2"):
        assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    facts = dict(line.split("  ", 1) for line in text.splitlines())
    facts = {name.strip(): value.strip() for name, value in facts.items()}
    assert facts["tpuref"] == __version__
    assert facts["topology"].startswith("3x1x2, 6 cores")
    assert int(facts["usable CPUs"]) == usable_cpus() >= 1
    assert facts["memory"].endswith("GiB")
    assert {"python", "platform", "numpy", "ml_dtypes", "kernels", "executor"} <= set(
        facts
    )


def test_doctor_speaks_json(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TPUREF_TIMEOUT", "60")
    assert main(["doctor", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["topology"].startswith("2x2x2, 8 cores")
    assert facts["settings"]["TPUREF_TIMEOUT"] == "60"
    assert facts["kernels"] in ("python", "cython")


def test_cpus_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert usable_cpus() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert usable_cpus() == 1


def test_memory_is_in_bytes() -> None:
    assert memory_bytes() > 2**20


# -- conformance ---------------------------------------------------------------


def test_conformance_hands_its_arguments_to_the_suite(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    received: list[Any] = []
    suite = types.ModuleType("tpuref_conformance")
    suite.main = lambda arguments: (received.append(arguments), 3)[1]
    monkeypatch.setitem(sys.modules, "tpuref_conformance", suite)
    assert main(["conformance", "--list", "tf.tpu"]) == 3
    assert received == [["--list", "tf.tpu"]]


def test_without_the_suite_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setitem(sys.modules, "tpuref_conformance", None)
    assert main(["conformance"]) == 2
    assert "not installed" in capsys.readouterr().err


# -- the command itself --------------------------------------------------------


def test_without_a_command_it_prints_help(capsys: Any) -> None:
    assert main([]) == 2
    text = capsys.readouterr().out
    assert "run" in text and "doctor" in text and "conformance" in text


def test_the_arguments_of_the_process_are_the_default(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(sys, "argv", ["tpuref", "doctor"])
    assert main() == 0
    assert __version__ in capsys.readouterr().out


def test_the_version(capsys: Any) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["--version"])
    assert raised.value.code == 0
    assert capsys.readouterr().out == f"tpuref {__version__}\n"
