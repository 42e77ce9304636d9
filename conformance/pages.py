"""The generated pages: every document, statement by statement."""

import glob
import importlib
import inspect
import json
import os

from .documents import DOCUMENTS
from .known import Known
from .outcome import DEVIATES, NOT_APPLICABLE, PASS
from .report import read_report
from .reproduction import location_of

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "results")

_INTRODUCTION = """\
# {title}

<!-- Written by `tpuref conformance pages`; a change by hand is lost. -->

Document `{file}`, held against release {release}. {count} statements, each with the
check that decides it, the code that carries it out, and what it came to on the
subjects for which the document speaks.

| subject | version | Python | results |
| --- | --- | --- | --- |
{subjects}
"""


class RecordedRun:
    """The recorded results of one subject.

    Attributes
    ----------
    subject, version, python : str
    outcomes : dict of str to str
        From clause id to outcome.
    """

    def __init__(self, subject, version, python, outcomes):
        self.subject = subject
        self.version = version
        self.python = python
        self.outcomes = outcomes


def recorded_runs(directory=RESULTS):
    """Return the recorded runs, tpuref's first, then the releases in their order."""
    runs = []
    for path in glob.glob(os.path.join(directory, "*.json")):
        with open(path, encoding="utf-8") as stream:
            runs.append(RecordedRun(**json.load(stream)))
    return sorted(runs, key=_order)


def _order(run):
    numbers = [int(n) if n.isdigit() else 0 for n in run.version.split(".")]
    return (run.subject.startswith("tensorflow"), numbers, run.subject)


def record(report, clauses, directory=RESULTS):
    """Write down the outcomes of every subject that was run; merge partial runs.

    What is recorded of a clause that is not among ``clauses`` any more goes.
    """
    suite = {clause.id for clause in clauses}
    for column in report.columns:
        if column.reason:
            continue
        path = os.path.join(directory, column.name + ".json")
        outcomes = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                outcomes = json.load(stream)["outcomes"]
        outcomes.update({id: one.outcome for id, one in column.results.items()})
        data = {
            "subject": column.name,
            "version": column.version,
            "python": column.header["python"],
            "outcomes": {id: outcomes[id] for id in sorted(suite & set(outcomes))},
        }
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(data, stream, indent=1)
            stream.write("\n")


def write_pages(clauses, directory, report_path=None):
    """Write one page for each document into ``directory``."""
    if report_path is not None:
        record(read_report(report_path), clauses)
    os.makedirs(directory, exist_ok=True)
    for name, text in pages(clauses).items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as stream:
            stream.write(text)


def pages(clauses):
    """Return the text of every page by its file name."""
    runs = recorded_runs()
    return {
        document.file.replace(".txt", ".md"): _page(
            document, [one for one in clauses if one.seed == document.file], runs
        )
        for document in DOCUMENTS
    }


def _page(document, clauses, runs):
    concerned = [run for run in runs if _concerns(run, clauses)]
    subjects = "\n".join(_subject_row(run, clauses) for run in concerned)
    text = _INTRODUCTION.format(
        title=document.title,
        file=document.file,
        release=document.release,
        count=len(clauses),
        subjects=subjects,
    )
    for api in dict.fromkeys(clause.api for clause in clauses):
        text += f"\n## {api}\n\nImplementation: {_implementation(api)}\n"
        for clause in clauses:
            if clause.api == api:
                text += _statement(clause, concerned)
    return text


def _concerns(run, clauses):
    """Tell whether the document speaks about the subject of ``run``."""
    return any(
        run.outcomes.get(one.id, NOT_APPLICABLE) != NOT_APPLICABLE for one in clauses
    )


def _subject_row(run, clauses):
    counts = {}
    for clause in clauses:
        outcome = run.outcomes.get(clause.id)
        if outcome is not None:
            counts[outcome] = counts.get(outcome, 0) + 1
    said = ", ".join(f"{counts[one]} {one}" for one in sorted(counts))
    return f"| {run.subject} | {run.version} | {run.python} | {said} |"


def _statement(clause, runs):
    path, function = location_of(clause)
    lines = ["", f"### {clause.part}/{clause.id.split('/', 2)[2]}", "", clause.says, ""]
    if clause.doubt:
        lines += [f"- doubt: {clause.doubt}"]
    lines += [
        f"- check: [`{function}`](../../conformance/{path}), tier {clause.tier}",
        f"- results: {_results(clause, runs)}",
    ]
    return "\n".join(lines) + "\n"


def _results(clause, runs):
    known, passed, others = Known(), [], []
    for run in runs:
        outcome = run.outcomes.get(clause.id, "not run")
        if outcome == PASS:
            passed.append(run.subject)
        elif outcome == DEVIATES:
            entry = known.of(run.subject).get(clause.id)
            observed = f" (`{entry.observed}`)" if entry is not None else ""
            others.append(f"{run.subject} deviates{observed}")
        else:
            others.append(f"{run.subject} {outcome}")
    return "; ".join(([f"pass on {', '.join(passed)}"] if passed else []) + others)


def _implementation(api):
    """Return a link to the source of what tpuref offers under the name ``api``."""
    found = importlib.import_module("tpuref")
    for name in api.split(".")[1:]:
        if inspect.isclass(found) and not hasattr(found, name):
            break
        found = getattr(found, name)
        if isinstance(found, property):
            found = found.fget
    try:
        file = inspect.getsourcefile(inspect.unwrap(found))
    except TypeError:
        file = inspect.getsourcefile(type(found))
    path = "tpuref/" + file.replace(os.sep, "/").rpartition("/tpuref/")[2]
    return f"[`{path}`](../../src/{path})"
