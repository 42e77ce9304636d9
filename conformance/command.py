"""The command: choose subjects and clauses, run them, report."""

import argparse
import fnmatch
import importlib
import json
import os
import sys

from . import beginning, html, junit, markdown, terminal
from .catalogue import (
    UnknownSubject,
    any_module,
    default_subject,
    find_subject,
    subject_names,
)
from .coverage import Coverage
from .difference import differences, summary
from .environment import CannotBuild, build
from .known import Known
from .report import (
    EXIT_COULD_NOT_RUN,
    EXIT_FAILED,
    EXIT_PASSED,
    BadReport,
    Column,
    Report,
    read_report,
)
from .reproduction import snippet
from .runner import CLAUSE_TIME, Runner, judging
from .statements import TIERS, statements
from .suite import load_checks, load_clauses

#: Characters of scripts in one report.
_SCRIPTS = 400000

_EPILOG = """
other commands:
  coverage            statements without a check, checks without a statement
  env NAME==VERSION   build the environment of a release
  init MODULE         write a subject file, and with --tox a tox.ini and a workflow

at the top of a checkout:
  mutants             run the deliberately wrong variants of tpuref
  pages               write a page for each document, with the recorded results
  record REPORT       take the results of a JSON report into maintenance/results.csv

The exit status is 0 when nothing failed, 1 when something did, 2 when a subject could
not be run.
"""


def parser():
    """Return the parser of the command, which completion in a shell asks as well."""
    parser = argparse.ArgumentParser(
        prog="tpuref conformance",
        description="Run the documented statements against tpuref or another subject.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_subjects(parser.add_argument_group("subjects"))
    _add_choice(parser.add_argument_group("clauses"))
    _add_output(parser.add_argument_group("output"))
    return parser


def _add_subjects(group):
    group.add_argument(
        "--subject",
        metavar="NAME",
        action="append",
        help="may be repeated; a module, its subject file, or one of "
        + ", ".join(subject_names()),
    )
    group.add_argument("--module", metavar="NAME", help="any module, as a subject")
    group.add_argument(
        "--python", metavar="INTERPRETER", help="the interpreter of --module"
    )
    group.add_argument(
        "--include-releases",
        action="store_true",
        help="judge subjects other than tpuref also by what releases of TensorFlow do "
        "where a document is silent",
    )
    group.add_argument(
        "--beyond",
        action="store_true",
        help="fail also where a clause asks for more than the words of a document",
    )


def _add_choice(group):
    group.add_argument(
        "--api", metavar="NAME", help="only this documented name; * and ? are wildcards"
    )
    group.add_argument(
        "--clause", metavar="ID", help="only this clause; * and ? are wildcards"
    )
    group.add_argument("--tier", choices=TIERS, help="only clauses of this tier")
    group.add_argument(
        "--smoke", action="store_true", help="a few clauses of every document (5 s)"
    )


def _add_output(group):
    group.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="explain each failure, and show a script that reproduces it",
    )
    group.add_argument(
        "--list", action="store_true", help="print the clauses instead of running them"
    )
    group.add_argument(
        "--timeout",
        metavar="SECONDS",
        type=float,
        default=CLAUSE_TIME,
        help="time for one clause (default: %(default)g)",
    )
    group.add_argument(
        "--json",
        metavar="FILE",
        nargs="?",
        const="-",
        help="write the report, or the list, as JSON to FILE, or print it instead",
    )
    group.add_argument("--junit", metavar="FILE", help="write JUnit XML")
    group.add_argument("--html", metavar="FILE", help="write one HTML page")
    group.add_argument("--markdown", metavar="FILE", help="write Markdown")
    group.add_argument(
        "--diff",
        metavar=("OLD", "NEW"),
        nargs=2,
        help="compare two JSON reports instead of running; exit 1 if they differ",
    )


def select(clauses, api=None, clause=None, tier=None, smoke=False):
    """Return the clauses that fit every pattern that is given."""
    chosen = [
        one
        for one in clauses
        if (api is None or fnmatch.fnmatchcase(one.api, api))
        and (clause is None or fnmatch.fnmatchcase(one.id, clause))
        and (tier is None or one.tier == tier)
    ]
    return _smoke(chosen) if smoke else chosen


def _smoke(clauses):
    """Return every surface clause, and the first of each other tier per document."""
    seen, few = set(), []
    for clause in clauses:
        kind = (clause.document, clause.tier)
        if clause.tier == "surface" or kind not in seen:
            few.append(clause)
        seen.add(kind)
    return few


def main(argv=None):
    """Run the command with the arguments ``argv`` and return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in _COMMANDS:
        return _COMMANDS[arguments[0]](arguments[1:])
    if arguments and arguments[0] in _OF_MAINTAINERS:
        return _in_a_checkout(arguments[0], arguments[1:])
    options = parser().parse_args(arguments)
    if options.diff is not None:
        return _diff(*options.diff)
    for path in (options.json, options.junit, options.html, options.markdown):
        if not _writable(path):
            return _could_not_run(f"{path} cannot be written")
    clauses = load_clauses()
    chosen = select(clauses, options.api, options.clause, options.tier, options.smoke)
    if not chosen:
        return _could_not_run("no clause fits; --list shows all of them")
    if options.list:
        return _list(chosen, options.json, options.verbose)
    try:
        subjects = _subjects(options)
    except UnknownSubject as error:
        return _could_not_run(error)
    for subject in subjects:
        if not judging(subject, chosen):
            return _could_not_run(
                f"{subject.name}: none of these clauses is for it; what documents say "
                "is, and with --include-releases what releases do"
            )
    return _run(subjects, clauses, chosen, options)


def _list(clauses, json_path, verbose):
    if json_path == "-":
        print(_as_text([one.as_json() for one in clauses]), end="")
        return EXIT_PASSED
    for one in clauses:
        print(f"{one.source:<8} {one.tier:<8} {one.id}")
        if verbose:
            print("\n" + snippet(one))
    _write_file(json_path, lambda: _as_text([one.as_json() for one in clauses]))
    return EXIT_PASSED


def _as_text(data):
    return json.dumps(data, indent=1) + "\n"


def _writable(path):
    if path in (None, "-"):
        return True
    if os.path.exists(path):
        return os.path.isfile(path) and os.access(path, os.W_OK)
    return os.access(os.path.dirname(path) or ".", os.W_OK)


def _could_not_run(reason):
    print(f"tpuref conformance: {reason}", file=sys.stderr)
    return EXIT_COULD_NOT_RUN


def _subjects(options):
    names = options.subject or []
    subjects = [find_subject(name) for name in dict.fromkeys(names)]
    if options.module is not None:
        subjects.append(any_module(options.module, options.python))
    elif options.python is not None:
        raise UnknownSubject("--python goes with --module")
    subjects = subjects or [default_subject()]
    for subject in subjects:
        if options.include_releases and "release" not in subject.sources:
            subject.sources += ("release",)
        subject.beyond = subject.beyond or options.beyond
    return subjects


def _run(subjects, clauses, chosen, options):
    known = Known()
    try:
        for subject in subjects:
            if subject.known is not None:
                known.add(subject.name, subject.known)
    except ValueError as error:
        return _could_not_run(error)
    progress = terminal.Progress(sum(len(judging(one, chosen)) for one in subjects))
    runner = Runner(chosen, known, progress, options.timeout)
    try:
        runs = runner.run(subjects)
    except KeyboardInterrupt:
        return _could_not_run("interrupted")
    finally:
        progress.close()
    complaints = [line for run in runs for line in known.complaints(run, clauses)]
    judged = {clause.id for run in runs for clause in run.clauses}
    report = Report(
        [clause for clause in chosen if clause.id in judged],
        [Column.of(run) for run in runs],
        complaints,
    )
    _write(report, _reproduction(subjects, chosen), options)
    return report.exit_status


def _reproduction(subjects, clauses):
    """Return the function that writes a clause of a column as a script."""
    by_name = {subject.name: subject for subject in subjects}
    by_id = {clause.id: clause for clause in clauses}

    def reproduction(id, column):
        subject = by_name[column.name]
        return snippet(
            by_id[id], column.module, column.settings, subject.served, subject.described
        )

    return reproduction


def _shortened(reproduction):
    """Return ``reproduction`` for one report, which stays below a megabyte."""
    left = [_SCRIPTS]

    def script(id, column):
        text = reproduction(id, column)
        left[0] -= len(text)
        if left[0] >= 0:
            return text
        return f"# tpuref conformance --list --verbose --clause {id}\n"

    return script


def _write(report, reproduction, options):
    if options.json == "-":
        print(_as_text(report.as_json()), end="")
    else:
        colour = terminal.coloured(sys.stdout)
        print(terminal.as_text(report, reproduction, colour, options.verbose), end="")
        _write_file(options.json, lambda: _as_text(report.as_json()))
    _write_file(options.junit, lambda: junit.as_junit(report))
    _write_file(options.html, lambda: html.as_html(report, _shortened(reproduction)))
    _write_file(
        options.markdown, lambda: markdown.as_markdown(report, _shortened(reproduction))
    )


def _write_file(path, text):
    if path is not None:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text())


def _diff(old_path, new_path):
    try:
        old, new = read_report(old_path), read_report(new_path)
    except (BadReport, OSError) as error:
        return _could_not_run(error)
    changed = differences(old, new)
    print("\n".join(changed + summary(old, new)))
    return EXIT_FAILED if changed else EXIT_PASSED


def _coverage(arguments):
    parser = argparse.ArgumentParser(
        prog="tpuref conformance coverage",
        description="List statements without a check, checks without a statement, "
        "sentences of documents without a statement, and statements whose words, "
        "document, tier or versions cannot be right.",
    )
    parser.add_argument(
        "--documents",
        metavar="DIRECTORY",
        help="where the documents are; without them, their sentences are not counted",
    )
    options = parser.parse_args(arguments)
    coverage = Coverage(statements(), load_checks())
    try:
        coverage.look_into_documents(options.documents)
    except OSError as error:
        return _could_not_run(error)
    print("\n".join(coverage.lines()))
    return EXIT_PASSED if coverage.complete else EXIT_FAILED


def _say(line):
    print(line, flush=True)


def _env(arguments):
    parser = argparse.ArgumentParser(
        prog="tpuref conformance env",
        description="Build the environment of a release from its constraint file.",
        epilog="The exit status is 2 when one could not be built. Environments are "
        "kept in $TPUREF_CONFORMANCE_CACHE, by default ~/.cache/tpuref-conformance.",
    )
    parser.add_argument("requirement", metavar="NAME==VERSION", nargs="+")
    parser.add_argument(
        "--within", metavar="SECONDS", type=float, help="give up after that time"
    )
    options = parser.parse_args(arguments)
    status = EXIT_PASSED
    for requirement in options.requirement:
        try:
            print(build(requirement, _say, options.within))
        except CannotBuild as error:
            status = _could_not_run(error)
    return status


def _in_a_checkout(name, arguments):
    """Run a command of the maintainers, which the installed package does not have."""
    module = _OF_MAINTAINERS[name]
    if not os.path.isfile(os.path.join(*module.split(".")) + ".py"):
        return _could_not_run(
            f"{name} is for the top of a checkout of the project; the mutants and the "
            "recorded results are in its folder maintenance"
        )
    sys.path.insert(0, os.getcwd())
    return importlib.import_module(module).main(arguments)


_COMMANDS = {"coverage": _coverage, "env": _env, "init": beginning.main}
_OF_MAINTAINERS = {
    "mutants": "maintenance.mutants.command",
    "pages": "maintenance.pages",
    "record": "maintenance.results",
}
