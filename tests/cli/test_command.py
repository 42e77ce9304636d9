"""The tpuref command as a whole."""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from tpuref.base.version import __version__
from tpuref.tools.benchmarks.command import BENCHMARKS
from tpuref.tools.cli import COMMANDS, bench, main

NAMES = [command.NAME for command in COMMANDS]


def test_without_a_command_it_prints_help(capsys: Any) -> None:
    assert main([]) == 2
    text = capsys.readouterr().out
    for name in [*NAMES, "conformance"]:
        assert f"\n    {name}" in text
    assert "examples:" in text


def test_the_arguments_of_the_process_are_the_default(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(sys, "argv", ["tpuref", "explain", "E021"])
    assert main() == 0
    assert "TPUREF-E021" in capsys.readouterr().out


def test_the_version(capsys: Any) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["--version"])
    assert raised.value.code == 0
    assert capsys.readouterr().out == f"tpuref {__version__}\n"


@pytest.mark.parametrize("name", NAMES)
def test_the_help_of_a_command_has_an_example(name: str, capsys: Any) -> None:
    with pytest.raises(SystemExit) as raised:
        main([name, "--help"])
    assert raised.value.code == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: tpuref {name}")
    examples = text.partition("example")[2]
    assert f"tpuref {name}" in examples


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "--cores", "two", "x.py"],
        ["run", "--cores", "2", "--topology", "1x1x2", "x.py"],
        ["run", "--executor", "abacus", "x.py"],
        ["bench", "speed"],
        ["completion", "powershell"],
        ["--no-such-option"],
        ["no-such-command"],
    ],
)
def test_wrong_usage(arguments: list[str], capsys: Any) -> None:
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 2
    assert "usage: tpuref" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("written", "meant"),
    [("docter", "doctor"), ("topologie", "topology"), ("conformence", "conformance")],
)
def test_a_mistyped_command(written: str, meant: str, capsys: Any) -> None:
    with pytest.raises(SystemExit):
        main([written])
    assert f"did you mean {meant}?" in capsys.readouterr().err


def test_the_help_imports_little() -> None:
    script = (
        "import sys\nfrom tpuref.tools.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in sys.modules if m in ('numpy', 'ml_dtypes', 'asyncio')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_all_benchmarks_can_be_named() -> None:
    assert tuple(BENCHMARKS) == bench.BENCHMARKS


# -- conformance ---------------------------------------------------------------


def test_conformance_hands_its_arguments_to_the_suite(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    received: list[Any] = []
    suite = types.ModuleType("tpuref_conformance")
    suite.main = lambda arguments: (received.append(arguments), 3)[1]  # type: ignore
    monkeypatch.setitem(sys.modules, "tpuref_conformance", suite)
    assert main(["conformance", "--list", "tf.tpu"]) == 3
    assert received == [["--list", "tf.tpu"]]


def test_without_the_suite_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setitem(sys.modules, "tpuref_conformance", None)
    assert main(["conformance"]) == 2
    assert "not installed" in capsys.readouterr().err


def test_a_reader_that_has_enough() -> None:
    command = [sys.executable, "-m", "tpuref", "explain"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["topology", "--svg", "no/such/mesh.svg"],
        ["trace", "-o", "no/such/trace.json", "program.py"],
        ["bench", "--quick", "--write-docs", "no/such"],
        ["conformance", "--smoke", "--json", "no/such/report.json"],
        ["port", "--write", "program.py"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_cannot_be_written(
    arguments: list[str],
    script: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Any,
) -> None:
    def refuse(path: Path, data: bytes) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    script("import tensorflow as tf\n")
    monkeypatch.setattr(Path, "write_bytes", refuse)  # root may write everywhere
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith(f"tpuref {arguments[0]}: ")


def test_run_without_a_script(capsys: Any) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["run", "--cores", "2"])
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "tpuref run: error: the following arguments are required: SCRIPT"
