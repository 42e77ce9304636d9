"""The recorded results: one table, with a line for clauses of one name that agree.

``results.csv`` has the name, the clauses of it with these outcomes, and a column for
each subject. The first lines are the subjects' names, their versions and the Pythons
that ran them. ``-`` stands for not-applicable; a field is empty where a clause does not
judge a subject.
"""

import argparse
import csv
import sys
from pathlib import Path

from tpuref_conformance.outcome import NOT_APPLICABLE
from tpuref_conformance.report import BadReport, read_report
from tpuref_conformance.suite import load_clauses

RESULTS = Path(__file__).with_name("results.csv")
_BRIEF = {NOT_APPLICABLE: "-"}
_FULL = {brief: full for full, brief in _BRIEF.items()}


class RecordedRun:
    """The recorded results of one subject: outcomes by the ids of the clauses."""

    def __init__(self, subject, version, python, outcomes):
        self.subject = subject
        self.version = version
        self.python = python
        self.outcomes = outcomes


def read_results(path=RESULTS):
    """Return the recorded runs, in the order of the columns."""
    with open(path, encoding="utf-8", newline="") as stream:
        subjects, versions, pythons, *rows = csv.reader(stream)
    runs = []
    for column in range(2, len(subjects)):
        outcomes = {
            f"{row[0]}/{clause}": _FULL.get(row[column], row[column])
            for row in rows
            for clause in row[1].split(" ")
            if row[column]
        }
        facts = (subjects[column], versions[column], pythons[column])
        runs.append(RecordedRun(*facts, outcomes))
    return runs


def write_results(runs, ids, path=RESULTS):
    """Write the outcomes of the clauses ``ids``, in the order of their first ones."""
    lines = {}
    for id in ids:
        name, _, clause = id.partition("/")
        outcomes = (run.outcomes.get(id, "") for run in runs)
        line = name, *(_BRIEF.get(one, one) for one in outcomes)
        lines.setdefault(line, []).append(clause)
    with open(path, "w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["name", "clauses", *(run.subject for run in runs)])
        table.writerow(["version", "", *(run.version for run in runs)])
        table.writerow(["python", "", *(run.python for run in runs)])
        for (name, *outcomes), clauses in lines.items():
            table.writerow([name, " ".join(clauses), *outcomes])


def record(report, clauses, path=RESULTS):
    """Take the outcomes of a report into the table.

    What it holds of clauses that the report has not stays; of clauses that are not in
    the suite any more, it goes.
    """
    runs = {run.subject: run for run in read_results(path)}
    for column in report.columns:
        if column.reason:
            continue
        run = runs.setdefault(column.name, RecordedRun(column.name, "", "", {}))
        run.version, run.python = column.version, column.header["python"]
        run.outcomes.update({id: one.outcome for id, one in column.results.items()})
    write_results(sorted(runs.values(), key=_order), [one.id for one in clauses], path)


def _order(run):
    """Sort tpuref first, then the releases from the oldest to the newest."""
    numbers = [int(n) if n.isdigit() else 0 for n in run.version.split(".")]
    return (run.subject.startswith("tensorflow"), numbers, run.subject)


def main(arguments):
    """Take the results of a report into the table, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="tpuref conformance record",
        description="Take the results of a JSON report into maintenance/results.csv.",
    )
    parser.add_argument("report", metavar="REPORT", help="as --json wrote it")
    options = parser.parse_args(arguments)
    try:
        record(read_report(options.report), load_clauses())
    except (BadReport, OSError) as error:
        print(f"tpuref conformance: {error}", file=sys.stderr)
        return 2
    return 0
