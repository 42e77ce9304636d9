"""The command ``tpuref run``: a script on a chosen topology."""

import argparse
import json
import os
import runpy
import sys
import time
from contextlib import redirect_stdout
from importlib.machinery import PathFinder
from pathlib import Path
from types import TracebackType
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.executors import EXECUTORS
from tpuref.tools.cli.failure import fail

NAME = "run"
HELP = "run a script on a chosen topology"
DESCRIPTION = "Run SCRIPT as python would, on a TPU system of the given size."
AS_TENSORFLOW = "--as-tensorflow"
SETTING = "TPUREF_AS_TENSORFLOW"
EPILOG = """examples:
  tpuref run train.py
  tpuref run --topology 2x2x2 train.py --steps 100
  tpuref run --cores 4 --executor lockstep train.py
  tpuref run --as-tensorflow old_train.py
  tpuref run --as-tensorflow -m models.train --steps 100
  tpuref run --json train.py 2> train.log
  tpuref run --executor xla --coordinator node0:1234 --num-hosts 4 --host 2 train.py

The exit status is that of the script: 1 if it raises an exception, and 2 if it does not
start."""


def add(run: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    run.add_argument(
        "--json",
        action="store_true",
        help="print how the script ended as one JSON object; its own output goes to "
        "standard error",
    )
    run.add_argument(
        "--coordinator",
        metavar="HOST:PORT",
        help="the address that all hosts connect to: a free port of host 0",
    )
    run.add_argument("--num-hosts", type=int, metavar="N", help="the number of hosts")
    run.add_argument("--host", type=int, metavar="I", help="the number of this host")
    run.add_argument(
        "-m",
        dest="module",
        action="store_true",
        help="SCRIPT is the name of a module, which runs as with python -m",
    )
    add_script(run)


def add_script(command: argparse.ArgumentParser) -> None:
    """Add the options for the script and the system."""
    size = command.add_mutually_exclusive_group()
    size.add_argument(
        "--topology", metavar="XxYxC", help="chips along x and y, and cores per chip"
    )
    size.add_argument("--cores", type=int, metavar="N", help="the number of cores")
    command.add_argument("--executor", choices=EXECUTORS, help="runs the replicas")
    add_program(command)


def add_program(command: argparse.ArgumentParser) -> None:
    """Add the arguments for the script alone."""
    command.add_argument(
        AS_TENSORFLOW,
        action="store_true",
        help="let `import tensorflow` mean tpuref, in the script and its children",
    )
    for number in (1, 2):  # argparse would take the script for an optional value
        command.add_argument(
            f"{AS_TENSORFLOW}={number}",
            action="store_const",
            const=number,
            dest="release",
            help=f"the same, with the meaning of TensorFlow {number}",
        )
    command.add_argument("script", metavar="SCRIPT", help="the script to run")
    command.add_argument(
        "arguments",
        nargs=argparse.REMAINDER,
        metavar="ARGUMENT",
        help="the arguments of the script",
    ).required = False  # so that the message about a missing script does not name it


def run(options: argparse.Namespace) -> int:
    """Run the script as the main program, and return the exit status."""
    from tpuref.base.errors import UnavailableError

    try:
        apply_settings(options)
        _join_hosts(options)
    except (ImportError, ValueError, UnavailableError) as error:
        return fail(NAME, error)
    if options.json:
        return _report(options)
    try:
        run_script(options)
    except SystemExit as ended:
        _notify_hosts(ended)
        raise
    return 0


def _join_hosts(options: argparse.Namespace) -> None:
    from tpuref.engine.configuration import config
    from tpuref.engine.runtime.hosts import here

    for name in ("coordinator", "num_hosts", "host"):
        if getattr(options, name) is not None:
            setattr(config, name, getattr(options, name))
    here.member()


def _notify_hosts(ended: SystemExit) -> None:
    """Tell the other hosts of a script that ends with an error."""
    from tpuref.engine.runtime.hosts import here

    if ended.code not in (None, 0):
        status = ended.code if isinstance(ended.code, int) else 1
        here.fail(f"exit status {status}", status)


def run_script(options: argparse.Namespace) -> None:
    """Run the script as the main program, with tracebacks like those of python."""
    path = _file(options)
    sys.argv = [path, *options.arguments]
    folder = "" if _is_module(options) else os.path.dirname(path)
    sys.path.insert(0, os.path.abspath(folder))
    show = sys.excepthook

    def show_from_script(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        error = error.with_traceback(from_script(trace, path, error))
        show(kind, error, error.__traceback__)
        if "no known parent package" in str(error):
            print(_as_module(Path(path).resolve()), file=sys.stderr)

    sys.excepthook = show_from_script
    if _is_module(options):
        runpy.run_module(options.script, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(path, run_name="__main__")


def _as_module(script: Path) -> str:
    """Return how to run a script that is part of a package."""
    folder, names = script.parent, [script.stem]
    while len(names) == 1 or (folder / "__init__.py").is_file():
        folder, names = folder.parent, [folder.name, *names]
    name = ".".join(names)
    return f"Run it as a module of its package: cd {folder}; tpuref run -m {name}"


def _is_module(options: argparse.Namespace) -> bool:
    return getattr(options, "module", False)


def _file(options: argparse.Namespace) -> str:
    """Return the path of the script; ValueError if there is none."""
    if not _is_module(options):
        if not os.path.exists(options.script):
            raise ValueError(f"there is no file {options.script!r}")
        if options.script.endswith(".ipynb"):
            raise ValueError(
                f"{options.script!r} is a notebook; jupyter nbconvert --to script "
                "makes a script of it"
            )
        return str(options.script)
    for name in (options.script, f"{options.script}.__main__"):
        path = _file_of_module(name)
        if path is not None:
            return path
    raise ValueError(
        f"-m {options.script}: there is no such module in {os.getcwd()} or on the "
        "path; run it in the folder that has its first package"
    )


def _file_of_module(name: str) -> str | None:
    """Return the file of a module; its packages are not imported."""
    path: list[str] | None = [os.getcwd(), *sys.path]
    spec = None
    for part in name.split("."):
        spec = None if path is None else PathFinder.find_spec(part, path)
        if spec is None:
            return None
        path = spec.submodule_search_locations and [*spec.submodule_search_locations]
    is_package = spec is not None and spec.submodule_search_locations is not None
    return None if spec is None or is_package else spec.origin


def from_script(
    trace: TracebackType | None, path: str, error: BaseException
) -> TracebackType | None:
    """Return a traceback that starts at the script, if it reaches the script."""
    # A syntax error of the script has no frame in it; its message names the line.
    first = trace
    while first is not None and first.tb_frame.f_code.co_filename != path:
        first = first.tb_next
    names_script = isinstance(error, SyntaxError) and error.filename == path
    return first if first or names_script else trace


def apply_settings(options: argparse.Namespace) -> None:
    """Apply the options: topology, executor, and ``import tensorflow`` as tpuref.

    ValueError if the system is invalid or there is no script; ImportError if the real
    TensorFlow was imported before.
    """
    from tpuref.engine.configuration import config
    from tpuref.engine.runtime.topology.topology import Topology

    if options.topology is not None:
        Topology.parse_mesh(options.topology)
        config.topology = options.topology
    if options.cores is not None:
        config.cores = options.cores
    if options.executor is not None:
        config.executor = options.executor
    _take_place_of_tensorflow(options, _file(options))


def _take_place_of_tensorflow(options: argparse.Namespace, path: str) -> None:
    """Let TensorFlow be tpuref, where the options or the environment say so."""
    if not (options.as_tensorflow or options.release or os.environ.get(SETTING)):
        return
    from tpuref.tools import as_tensorflow

    as_tensorflow.refuse_if_loaded()
    release = options.release or as_tensorflow.release_in_environment()
    as_tensorflow.install(release or _release_of(path))


def _release_of(script: str) -> int | None:
    """Return the release that a script is written for, and say so."""
    from tpuref.tools.porting.program import read_program
    from tpuref.tools.porting.release import release_of
    from tpuref.tools.porting.source import read

    try:
        release = release_of(read_program(read(Path(script))))
    except (OSError, ValueError):  # running it says what is wrong
        return None
    print(
        f"tpuref run: {script} is written for {release.text}; {AS_TENSORFLOW}=1 or =2 "
        "chooses",
        file=sys.stderr,
    )
    return release.number


def _report(options: argparse.Namespace) -> int:
    """Run the script, print a JSON report, and return its exit status."""
    begin, status, fault = time.monotonic(), 0, None
    try:
        with redirect_stdout(sys.stderr):
            run_script(options)
    except SystemExit as ended:
        status = _exit_status(ended)
        _notify_hosts(ended)
    except Exception as error:
        sys.excepthook(type(error), error, error.__traceback__)
        status, fault = 1, _error_fields(error)
    seconds = round(time.monotonic() - begin, 3)
    report = {"script": options.script, "status": status, "seconds": seconds}
    print(json.dumps({**report, "error": fault}, indent=2))
    return status


def _exit_status(ended: SystemExit) -> int:
    """Return the exit status that python gives to ``sys.exit(code)``."""
    if ended.code is None or isinstance(ended.code, int):
        return ended.code or 0
    print(ended.code, file=sys.stderr)
    return 1


def _error_fields(error: Exception) -> dict[str, Any]:
    code = codes.PATTERN.search(str(error))
    return {
        "type": type(error).__name__,
        "message": str(error),
        "code": None if code is None else code[0],
    }
