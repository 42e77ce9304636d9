"""tpuref completion: what a shell asks and gets."""

import os
import subprocess
import sys

import pytest

from tpuref.tools.cli import main


def completions(line, folder):
    """Return what bash would offer after `line`."""
    command = folder / "tpuref"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tpuref "$@"\n')
    command.chmod(0o755)
    asked = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9"}
    asked |= {"_ARGCOMPLETE": "1", "_ARGCOMPLETE_SHELL": "bash"}
    path = f"{folder}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", "tpuref 8>&1 9>/dev/null >/dev/null 2>&1"],
        env=os.environ | asked | {"PATH": path, "_ARGCOMPLETE_IFS": "\n"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return [word.strip() for word in done.stdout.splitlines()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "_ARGCOMPLETE" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True, timeout=60)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("tpuref expl", "explain"),
        ("tpuref run --exec", "--executor"),
        ("tpuref run --executor lock", "lockstep"),
        ("tpuref explain TPUREF-E02", "TPUREF-E021"),
        ("tpuref bench --no-p", "--no-peers"),
        ("tpuref bench all", "all-reduce"),
        ("tpuref port --wr", "--write"),
        ("tpuref conf", "conformance"),
        ("tpuref conformance --inc", "--include-releases"),
        ("tpuref conformance --tier b", "build"),
        ("tpuref explain E02", "E021"),
        ("tpuref explain e02", "e021"),
        ("tpuref run --as", "--as-tensorflow"),
    ],
)
def test_what_a_shell_offers(line, offered, tmp_path):
    assert offered in completions(line, tmp_path)
