"""The command ``tpuref port``: what a program takes from ``tf``, and what to do."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuref.tools.porting.program import Program
    from tpuref.tools.porting.rewrite import Rewrite

NAME = "port"

Commands = argparse._SubParsersAction  # the type has no public name

_EPILOG = """examples:
  tpuref port train.py             the names that it takes, and which are missing
  tpuref port models notebooks     of all scripts and notebooks in two folders
  tpuref port --write train.py     change its import lines as well

Nothing is run. The exit status is 1 where a name is missing, or an import line that
--write should have changed stays as it is."""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command to those of ``tpuref``."""
    port = commands.add_parser(
        NAME,
        help="list what a program takes from tf, and what tpuref lacks",
        description="List the names that scripts and notebooks take from tf, without "
        "running them: which tpuref has, which it lacks, and what to do.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    port.add_argument("--json", action="store_true", help="print JSON")
    port.add_argument(
        "--write",
        action="store_true",
        help="change the import lines to those of tpuref, where it has all their names",
    )
    port.add_argument(
        "places",
        nargs="+",
        metavar="SCRIPT_OR_FOLDER",
        type=Path,
        help="a script, a notebook, or a folder of them",
    )


def run(options: argparse.Namespace) -> int:
    """Print what the programs take, and return the exit status."""
    from tpuref.tools.porting.source import files

    paths = [path for place in options.places for path in files(place)]
    if not paths:
        places = " ".join(map(str, options.places))
        return _failed(f"there are no scripts or notebooks in {places}")
    found = []
    status = 0
    for path in dict.fromkeys(paths):
        try:
            found.append(_examined(path, options.write))
        except (OSError, ValueError) as error:
            status = _failed(f"cannot read {path}: {error}")
    for _, rewrite in found:
        if rewrite is not None:
            try:
                rewrite.save()
            except OSError as error:
                status = _failed(f"cannot write {error.filename}: {error.strerror}")
    print(_dumped(found) if options.json else _listed(found))
    stays = any(rewrite is not None and rewrite.refusals for _, rewrite in found)
    return status or int(stays or any(program.missing for program, _ in found))


def _failed(message: str) -> int:
    print(f"tpuref port: {message}", file=sys.stderr)
    return 2


def _examined(path: Path, write: bool) -> tuple[Program, Rewrite | None]:
    """Return the names of a program, and how its import lines are to change."""
    from tpuref.tools.porting.program import read_program
    from tpuref.tools.porting.release import fixed_release
    from tpuref.tools.porting.rewrite import rewrite
    from tpuref.tools.porting.source import read

    source = read(path)
    program = read_program(source)
    return program, rewrite(source, fixed_release(program)) if write else None


def _dumped(found: list[tuple[Program, Rewrite | None]]) -> str:
    from tpuref.tools.porting.report import program_dict, summary

    every = {
        "files": [program_dict(program, rewrite) for program, rewrite in found],
        "summary": summary([program for program, _ in found]),
    }
    return json.dumps(every, indent=2)


def _listed(found: list[tuple[Program, Rewrite | None]]) -> str:
    from tpuref.tools.porting.report import program_text, rewrite_text, summary_text

    paragraphs = [
        rewrite_text(program, rewrite) for program, rewrite in found if rewrite
    ]
    taking = [program for program, _ in found if program.names]
    paragraphs += [program_text(program) for program in taking]
    paragraphs.append(summary_text([program for program, _ in found]))
    return "\n\n".join(filter(None, paragraphs))
