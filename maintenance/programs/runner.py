"""Runs programs of the manifest from copies of their texts."""

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import typing
from pathlib import Path

SECONDS = 400
"""The deadline of each command."""


class Result(typing.NamedTuple):
    """How a program ended."""

    ended: bool
    seconds: float
    output: str  # of the last command that ran
    reason: str  # why it did not end, or nothing


class Unavailable(Exception):
    """The text of a program, or a module that it needs, is not on this computer."""


def run(program, texts, folder, executor="pool", python="", tracer=()):
    """Run a program below an empty `folder`, and return its `Result`.

    `texts` has the repositories.  With `python`, that interpreter's TensorFlow runs
    the program without a TPU.  `tracer` is a script, with arguments, that runs the
    program's scripts.
    """
    for repository in (program.repository, *dict(program.uses)):
        if not Path(texts, repository).is_dir():
            raise Unavailable(f"{texts} has no {repository}")
    for module in () if python else program.needs:
        if importlib.util.find_spec(module) is None:
            raise Unavailable(f"{program.name} needs pip install {module}")
    copy, data, out = (Path(folder, name) for name in ("text", "data", "out"))
    shutil.copytree(str(Path(texts, program.repository)), str(copy))
    for repository, below in program.uses:
        shutil.copytree(str(Path(texts, repository)), str(copy / below))
    for edit in program.edits:
        _apply(edit, copy)
    data = copy / program.data if program.data else data
    for empty in (data, out):
        empty.mkdir(exist_ok=True)
    if program.recipe is not None:
        program.recipe(data)
    environment = _environment(program, copy, executor, python)
    environment["KERAS_HOME"] = str(data / "keras")
    begin = time.monotonic()
    output = ""
    for command in program.commands:
        words = _on(program, shlex.split(command), python)
        words = [word.format(data=data, out=out) for word in words]
        words[0] = _script(copy / program.folder, words[0])
        done = subprocess.run(
            [*_interpreter(program, python, tracer), *words],
            cwd=str(copy / program.folder),
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
        output = done.stdout.decode("utf-8", "replace")
        if done.returncode:
            reason = f"exit status {done.returncode} of {command}"
            return Result(False, time.monotonic() - begin, output, reason)
    reason = _lacking(program.end, output, Path(folder))
    return Result(not reason, time.monotonic() - begin, output, reason)


def _script(folder, name):
    """Return the name of a script; the code of a notebook is written as one."""
    if not name.endswith(".ipynb"):
        return name
    cells = json.loads((folder / name).read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    (folder / name).with_suffix(".py").write_text("\n".join(code), encoding="utf-8")
    return name[: -len("ipynb")] + "py"


def _apply(edit, copy):
    """Replace the line that the edit names; in a notebook, each such line."""
    path = copy / edit.path
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        old, new = (json.dumps(line)[1:-1] for line in (edit.line, edit.becomes))
        assert old in text, edit
        path.write_text(text.replace(old, new), encoding="utf-8")
        return
    lines = text.split("\n")
    (at,) = [i for i, line in enumerate(lines) if line.strip() == edit.line]
    indentation = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines[at] = indentation + edit.becomes
    path.write_text("\n".join(lines), encoding="utf-8")


def _interpreter(program, python, tracer):
    if python:
        return [python, *tracer]
    started = [sys.executable, "-m", "tpuref", "run", "--cores", str(program.cores)]
    started.append(f"--as-tensorflow={program.release}")
    return [*started, *tracer]


def _on(program, words, python):
    """Return the arguments for tpuref, or for TensorFlow without a TPU."""
    if not python:
        return words
    return list(filter(None, (dict(program.on_tensorflow).get(w, w) for w in words)))


def _environment(program, copy, executor, python):
    paths = [str(copy / path) for path in program.path]
    environment = {**os.environ, "TPU_NAME": "local", "TF_CPP_MIN_LOG_LEVEL": "1"}
    environment.pop("TPUREF_AS_TENSORFLOW", None)
    if python:
        environment.pop("TPU_NAME")
    else:
        environment["TPUREF_EXECUTOR"] = executor
    if paths:
        environment["PYTHONPATH"] = os.pathsep.join(paths)
    return environment


def _lacking(end, output, folder):
    """Return the missing parts of the program's end, or nothing."""
    if end.text and not re.search(end.text, output):
        return f"its output has no {end.text!r}"
    for pattern in end.files:
        if not any(folder.glob(pattern)):
            return f"it wrote no {pattern}"
    return ""
