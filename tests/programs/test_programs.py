"""Whole programs that others wrote, kept outside of the repository, run to their end.

``TPUREF_PROGRAMS`` names a folder with ``programs.json``: a list of programs, each with
its ``name``, its ``folder``, its ``arguments`` (the first is the script, ``{out}`` an
empty directory), the ``text`` that its output has, and perhaps modules that it needs,
in ``path``.  Only import lines of the programs are changed.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = os.environ.get("TPUREF_PROGRAMS", "")
SECONDS = 900


def programs():
    if not FOLDER:
        return []
    return list(json.loads(Path(FOLDER, "programs.json").read_text()))


@pytest.mark.skipif(not FOLDER, reason="TPUREF_PROGRAMS names no folder of programs")
@pytest.mark.parametrize("program", programs(), ids=lambda program: program["name"])
def test_a_program_runs_to_its_end(program, tmp_path):
    arguments = [text.replace("{out}", str(tmp_path)) for text in program["arguments"]]
    paths = [str(Path(FOLDER, path)) for path in program.get("path", [])]
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=Path(FOLDER, program["folder"]),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert program["text"] in done.stdout, done.stdout[-4000:]
