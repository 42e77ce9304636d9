"""The command: choose a subject and clauses, run them, report."""

import argparse
import fnmatch
import json
import sys

from . import subject
from .clause import TIERS, registered
from .report import EXIT_COULD_NOT_RUN, EXIT_PASSED, Report
from .runner import run
from .suite import load_clauses


def _parser():
    parser = argparse.ArgumentParser(
        prog="tpuref conformance",
        description="Run the documented statements against a module. The exit status "
        "is 0 when nothing failed, 1 when something did, 2 when nothing could run.",
    )
    parser.add_argument(
        "--subject",
        metavar="MODULE",
        default=subject.DEFAULT_SUBJECT,
        help="the module under test (default: %(default)s)",
    )
    parser.add_argument(
        "--api", metavar="NAME", help="only this documented name; * and ? are wildcards"
    )
    parser.add_argument(
        "--clause", metavar="ID", help="only this clause; * and ? are wildcards"
    )
    parser.add_argument("--tier", choices=TIERS, help="only clauses of this tier")
    parser.add_argument(
        "--list", action="store_true", help="print the clauses instead of running them"
    )
    parser.add_argument("--json", metavar="FILE", help="write the results to FILE")
    return parser


def select(clauses, api=None, clause=None, tier=None):
    """Return the clauses that fit every pattern that is given."""
    return [
        one
        for one in clauses
        if (api is None or fnmatch.fnmatchcase(one.api, api))
        and (clause is None or fnmatch.fnmatchcase(one.id, clause))
        and (tier is None or one.tier == tier)
    ]


def main(argv=None):
    """Run the command with the arguments ``argv`` and return its exit status."""
    options = _parser().parse_args(argv)
    load_clauses()
    chosen = select(registered(), options.api, options.clause, options.tier)
    if not chosen:
        print("no clause fits; --list shows all of them", file=sys.stderr)
        return EXIT_COULD_NOT_RUN
    if options.list:
        for one in chosen:
            print(f"{one.tier:<8} {one.id}")
        return EXIT_PASSED
    return _run(options.subject, chosen, options.json)


def _run(name, chosen, json_file):
    try:
        tf = subject.load(name)
    except subject.SubjectError as error:
        print(error, file=sys.stderr)
        return EXIT_COULD_NOT_RUN
    report = Report(name, subject.version_of(tf), run(chosen, tf))
    print(report.as_text(), end="")
    if json_file is not None:
        with open(json_file, "w", encoding="utf-8") as stream:
            json.dump(report.as_json(), stream, indent=1)
            stream.write("\n")
    return report.exit_status
