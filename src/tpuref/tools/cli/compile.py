"""The command ``tpuref compile``: asks the TPU compiler about a script's programs."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tpuref.tools.cli.failure import fail
from tpuref.tools.cli.run import add_program

if TYPE_CHECKING:
    from tpuref.tools.tpu_compiler.targets import Target

NAME = "compile"
HELP = "compile a script's programs for a TPU that is not there"
DESCRIPTION = """\
Run the first steps of SCRIPT here, and compile its replicated programs for
each TARGET with Google's TPU compiler, the package libtpu: whether they
compile and fit, their memory, operations, estimated time, and padding by
tiles. Nothing is executed on a TPU."""
EPILOG = """examples:
  tpuref compile --for v3-8 train.py
  tpuref compile --for v2-8,v5e-4,v6e-4 --json report.json train.py --steps 100
  tpuref compile --for v3-8 --sweep batch_size=64,128,256 train.py

The exit status is 0 if all programs compile and fit, 1 if not, and 2 if the
command was not understood."""


def add(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument(
        "--for",
        dest="targets",
        metavar="TARGET[,TARGET...]",
        required=True,
        help="a TPU, such as v2-8, v3-8, v4-8, v5e-4, v5p-8 or v6e-4",
    )
    command.add_argument(
        "--steps",
        type=int,
        default=2,
        metavar="N",
        help="end the script when a program has run N times; 2 by default",
    )
    command.add_argument(
        "--no-run",
        action="store_true",
        help="end the script when its first program is about to run",
    )
    command.add_argument(
        "--sweep",
        metavar="FLAG=VALUE[,VALUE...]",
        help="run the script once for each value of one of its flags; print a table",
    )
    command.add_argument("--json", metavar="FILE", help="write the report as JSON")
    command.add_argument("--html", metavar="FILE", help="write the report as a page")
    command.add_argument(
        "--deadline",
        type=float,
        default=600.0,
        metavar="SECONDS",
        help="how long the script, and each compilation, may take; 600 by default",
    )
    add_program(command)


def run(options: argparse.Namespace) -> int:
    """Compile, print the report, and return the exit status."""
    from tpuref.tools.tpu_compiler.jobs import require_compiler
    from tpuref.tools.tpu_compiler.page import as_page
    from tpuref.tools.tpu_compiler.sweep import as_table, values_of
    from tpuref.tools.tpu_compiler.targets import targets_of
    from tpuref.tools.tpu_compiler.text import as_text, succeeded

    try:
        targets = targets_of(options.targets)
        flag, values = values_of(options.sweep)
        if options.steps < 1:
            raise ValueError(f"--steps must be at least 1, got {options.steps}")
        if not os.path.exists(options.script):
            raise ValueError(f"there is no file {options.script!r}")
        require_compiler()
    except (ImportError, ValueError) as error:
        return fail(NAME, error)
    try:
        reports = [
            {
                "value": value,
                **_report(options, targets, _arguments(options, flag, value)),
            }
            for value in values
        ]
    except _Unfit as error:
        return fail(NAME, error, 1)
    report = reports[0] if flag is None else {"flag": flag, "sweep": reports}
    table = None if flag is None else as_table(flag, reports)
    print(as_text(reports[0]) if table is None else table)
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=2) + "\n")
    if options.html:
        Path(options.html).write_text(as_page(reports, table))
    return 0 if all(map(succeeded, reports)) else 1


class _Unfit(Exception):
    """The script has no program to compile."""


def _arguments(
    options: argparse.Namespace, flag: str | None, value: str | None
) -> list[str]:
    """Return the script's arguments with one value of the swept flag."""
    if flag is None:
        return list(options.arguments)
    kept, given = [], iter(options.arguments)
    for argument in given:
        if argument == flag:
            next(given, None)
        elif not argument.startswith(f"{flag}="):
            kept.append(argument)
    return [*kept, f"{flag}={value}"]


def _report(
    options: argparse.Namespace, targets: list[Target], arguments: list[str]
) -> dict[str, Any]:
    """Run the script once for each number of cores, and compile its programs."""
    from tpuref.tools.tpu_compiler.jobs import compile_all

    with tempfile.TemporaryDirectory(prefix="tpuref-") as folder:
        programs = {
            cores: _programs(options, arguments, cores, Path(folder, str(cores)))
            for cores in dict.fromkeys(target.cores for target in targets)
        }
        wanted = [(target, programs[target.cores]) for target in targets]
        return compile_all(wanted, options.deadline)


def _programs(
    options: argparse.Namespace, arguments: list[str], cores: int, folder: Path
) -> list[dict[str, Any]]:
    """Run the script in a process of its own; return its programs."""
    folder.mkdir()
    release = options.release
    form = [f"--as-tensorflow={release}"] if release else []
    form += ["--as-tensorflow"] if options.as_tensorflow else []
    steps = 0 if options.no_run else options.steps
    environment = {**os.environ, "TPUREF_CORES": str(cores)}
    environment.pop("TPUREF_TOPOLOGY", None)
    words = [str(folder), str(steps), *form, options.script, *arguments]
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "tpuref.tools.cli.capture", *words],
            env=environment,
            timeout=options.deadline,
        )
    except subprocess.TimeoutExpired as error:
        raise _Unfit(
            f"{options.script} took longer than {options.deadline:g} s on {cores} "
            "cores; give smaller --steps, or a longer --deadline"
        ) from error
    try:
        index = json.loads((folder / "index.json").read_text())
    except OSError:
        index = {"programs": [], "built": "it did not start"}
    if index["programs"]:
        programs: list[dict[str, Any]] = index["programs"]
        return programs
    raise _Unfit(
        f"{options.script} ran no replicated program on {cores} cores, and ended "
        f"with status {ended.returncode}: {index['built']}. Build one with "
        "tf.tpu.replicate, tf.tpu.shard, tf.tpu.rewrite, TPUEstimator or TPUStrategy"
    )
