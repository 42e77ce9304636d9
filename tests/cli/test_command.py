"""The tpuref command as a whole, and the exit status of ``tpuref launch``."""

import re
import subprocess
import sys
import types
from pathlib import Path

import pytest

from tpuref.base.version import __version__
from tpuref.tools.benchmarks.command import BENCHMARKS
from tpuref.tools.cli import COMMANDS, bench, main
from tpuref.tools.cli.launch import _exit_status

from ..pythons import python

NAMES = [command.NAME for command in COMMANDS]


def test_without_a_command_it_prints_help(capsys):
    assert main([]) == 2
    text = capsys.readouterr().out
    for name in [*NAMES, "conformance"]:
        assert f"\n    {name}" in text
    assert "examples:" in text
    assert tuple(BENCHMARKS) == bench.BENCHMARKS


def test_the_arguments_of_the_process_are_the_default(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["tpuref", "explain", "E021"])
    assert main() == 0
    assert "TPUREF-E021" in capsys.readouterr().out


def exited(capsys, *arguments):
    """Return the status with which the command exits, and what it has printed."""
    with pytest.raises(SystemExit) as raised:
        main(list(arguments))
    printed = capsys.readouterr()
    return raised.value.code, printed.out + printed.err


def test_the_version(capsys):
    assert exited(capsys, "--version") == (0, f"tpuref {__version__}\n")


def test_the_page_of_the_command_lists_all():
    page = Path(__file__).parents[2] / "docs" / "command.md"
    listed = re.findall(r"^\| \[([\w-]+)\]\(", page.read_text(), re.MULTILINE)
    assert sorted(listed) == sorted([*NAMES, "conformance"])


@pytest.mark.parametrize("name", NAMES)
def test_the_help_of_a_command_has_an_example(name, capsys):
    status, text = exited(capsys, name, "--help")
    assert status == 0
    assert text.startswith(f"usage: tpuref {name}")
    assert f"tpuref {name}" in text.partition("example")[2]


WRONG = ["run", "run --cores two x.py", "run --cores 2 --topology 1x1x2 x.py"]
WRONG += ["run --executor abacus x.py", "bench speed", "completion powershell"]
WRONG += ["--no-such-option", "no-such-command"]


@pytest.mark.parametrize("arguments", WRONG)
def test_wrong_usage(arguments, capsys):
    status, text = exited(capsys, *arguments.split())
    assert status == 2 and "usage: tpuref" in text


@pytest.mark.parametrize(
    ("written", "meant"),
    [("docter", "doctor"), ("topologie", "topology"), ("conformence", "conformance")],
)
def test_a_mistyped_command(written, meant, capsys):
    assert f"did you mean {meant}?" in exited(capsys, written)[1]


def test_the_help_imports_little():
    script = (
        "import sys\nfrom tpuref.tools.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in sys.modules if m in ('numpy', 'ml_dtypes', 'asyncio')])"
    )
    assert python("-c", script, check=True).stdout.splitlines()[-1] == "[]"


def test_conformance_hands_its_arguments_to_the_suite(monkeypatch, capsys):
    received, suite = [], types.ModuleType("tpuref_conformance")
    suite.main = lambda arguments: (received.append(arguments), 3)[1]
    monkeypatch.setitem(sys.modules, "tpuref_conformance", suite)
    assert main(["conformance", "--list", "tf.tpu"]) == 3
    assert received == [["--list", "tf.tpu"]]
    monkeypatch.setitem(sys.modules, "tpuref_conformance", None)
    assert main(["conformance"]) == 2
    assert "not installed" in capsys.readouterr().err


def test_a_reader_that_has_enough():
    command = [sys.executable, "-m", "tpuref", "explain"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1


WRITING = ["topology --svg no/such/mesh.svg", "trace -o no/such/trace.json program.py"]
WRITING += ["bench --quick --write-docs no/such", "port --write program.py"]
WRITING += ["conformance --smoke --json no/such/report.json"]


@pytest.mark.parametrize("arguments", WRITING)
def test_what_cannot_be_written(arguments, script, tmp_path, monkeypatch, capsys):
    def refuse(path, data):
        raise PermissionError(13, "Permission denied", str(path))

    script("import tensorflow as tf\n")
    monkeypatch.setattr(Path, "write_bytes", refuse)  # root may write everywhere
    monkeypatch.chdir(tmp_path)
    assert main(arguments.split()) == 2
    assert capsys.readouterr().err.startswith(f"tpuref {arguments.split()[0]}: ")


def test_run_without_a_script(capsys):
    status, text = exited(capsys, "run", "--cores", "2")
    assert status == 2
    message = "tpuref run: error: the following arguments are required: SCRIPT"
    assert text.splitlines()[-1] == message


@pytest.mark.parametrize(
    ("statuses", "reported"),
    [
        ([0, 0, 0], 0),
        ([0, 7, 1], 7),
        ([1, 7], 1),
        ([-15, 1], 143),
        ([1, 0, -9, 1], 137),
        ([7, -6], 7),
    ],
)
def test_a_launch_has_the_status_of_the_cause(statuses, reported):
    """Launches are tested in tests/xla."""
    assert _exit_status(statuses) == reported
