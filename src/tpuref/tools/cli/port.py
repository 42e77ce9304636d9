"""The command ``tpuref port``: the names of ``tf`` in a program, and missing ones."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from tpuref.tools.cli.failure import fail

if TYPE_CHECKING:
    from tpuref.tools.porting.program import Program
    from tpuref.tools.porting.report import Entry
    from tpuref.tools.porting.rewrite import Rewrite

NAME = "port"
HELP = "list the names of tf that a program uses, and those that tpuref lacks"
DESCRIPTION = (
    "List the names of tf that scripts and notebooks use, without "
    "running them: which tpuref has, which it lacks, and what to do."
)
EPILOG = """examples:
  tpuref port train.py             list its names of tf, and which are missing
  tpuref port models notebooks     check all scripts and notebooks in two folders,
                                   with a table of those that are made to be run
  tpuref port --write train.py     change its import lines as well

Nothing is run. The exit status is 1 if a name is missing, or if --write could not
change an import line."""


def add(port: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    port.add_argument("--json", action="store_true", help="print JSON")
    port.add_argument(
        "--write",
        action="store_true",
        help="change import lines to those of tpuref, if it has all their names",
    )
    port.add_argument(
        "places",
        nargs="+",
        metavar="SCRIPT_OR_FOLDER",
        type=Path,
        help="a script, a notebook, or a folder of them",
    )


def run(options: argparse.Namespace) -> int:
    """Print the names that programs use, and return the exit status."""
    from tpuref.tools.porting.source import files

    paths = [path for place in options.places for path in files(place)]
    if not paths:
        places = " ".join(map(str, options.places))
        return fail(NAME, f"there are no scripts or notebooks in {places}")
    programs = []
    status = 0
    for path in dict.fromkeys(paths):
        try:
            programs.append(_read_program(path, options.write))
        except (OSError, ValueError) as error:
            status = fail(NAME, f"cannot read {path}: {error}")
    for _, rewrite in programs:
        if rewrite is not None:
            try:
                rewrite.save()
            except OSError as error:
                status = fail(NAME, f"cannot write {error.filename}: {error.strerror}")
    entries = _entries([program for program, _ in programs])
    report = _report_as_json if options.json else _report_as_text
    print(report(programs, entries))
    refused = any(rewrite is not None and rewrite.refusals for _, rewrite in programs)
    missing = any(program.missing for program, _ in programs)
    return status or int(refused or missing or any(entry.stops for entry in entries))


def _entries(programs: list[Program]) -> list[Entry]:
    """Return the entry scripts, with the modules that their imports reach."""
    from tpuref.tools.porting.imports import follow, is_entry
    from tpuref.tools.porting.program import read_program
    from tpuref.tools.porting.report import Entry
    from tpuref.tools.porting.source import read

    known = {program.path.resolve(): program for program in programs}
    entries = []
    for program in programs:
        if len(programs) > 1 and not (program.names and is_entry(read(program.path))):
            continue
        imports = follow(program.path)
        for path in imports.modules:
            if path.resolve() not in known:
                known[path.resolve()] = read_program(read(path))
        modules = [known[path.resolve()] for path in imports.modules]
        entries.append(Entry(program, imports, modules))
    return entries


def _read_program(path: Path, write: bool) -> tuple[Program, Rewrite | None]:
    """Return a program with its names, and the changes of its import lines."""
    from tpuref.tools.porting.program import read_program
    from tpuref.tools.porting.release import fixed_release
    from tpuref.tools.porting.rewrite import rewrite
    from tpuref.tools.porting.source import read

    source = read(path)
    program = read_program(source)
    return program, rewrite(source, fixed_release(program)) if write else None


def _report_as_json(
    programs: list[tuple[Program, Rewrite | None]], entries: list[Entry]
) -> str:
    from tpuref.tools.porting.report import imports_dict, program_dict, summary

    every = {
        "files": [program_dict(program, rewrite) for program, rewrite in programs],
        "imports": [imports_dict(entry) for entry in entries],
        "summary": summary([program for program, _ in programs]),
    }
    return json.dumps(every, indent=2)


def _report_as_text(
    programs: list[tuple[Program, Rewrite | None]], entries: list[Entry]
) -> str:
    from tpuref.tools.porting import report

    paragraphs = [
        report.rewrite_text(program, rewrite)
        for program, rewrite in programs
        if rewrite
    ]
    users = [program for program, _ in programs if program.names]
    paragraphs += [report.program_text(program) for program in users]
    if len(programs) == 1:
        paragraphs += [
            report.imports_text(one.program.path, one.imports, one.modules)
            for one in entries
        ]
    elif entries:
        paragraphs.append(report.table_text(entries))
    paragraphs.append(report.summary_text([program for program, _ in programs]))
    return "\n\n".join(filter(None, paragraphs))
