"""The generated pages: every document, statement by statement."""

import importlib
import inspect
import os

from .documents import DOCUMENTS
from .known import Known
from .outcome import DEVIATES, NOT_APPLICABLE, PASS
from .reproduction import location_of
from .results import read_results

_INTRODUCTION = """\
# {title}

<!-- Written by `tpuref conformance pages`; a change by hand is lost. -->

What `{file}` says, which describes release {release}: {stated} statements. With them
stand {done} about what releases do and the document leaves out, and {promised} of
tpuref's own. Each names the check that decides it, and its result on each subject that
it applies to; each documented name leads to the code behind it.

| subject | version | Python | results |
| --- | --- | --- | --- |
{subjects}
"""


def write_pages(clauses, directory):
    """Write one page for each document into ``directory``."""
    os.makedirs(directory, exist_ok=True)
    for name, text in pages(clauses).items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as stream:
            stream.write(text)


def pages(clauses):
    """Return the text of every page by its file name."""
    runs = read_results()
    return {
        document.file.replace(".txt", ".md"): _page(
            document, [one for one in clauses if one.document == document.file], runs
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
        stated=sum(one.source == "document" for one in clauses),
        done=sum(one.source == "release" for one in clauses),
        promised=sum(one.source == "tpuref" for one in clauses),
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
    if clause.source != "document":
        lines += [f"- source: {clause.authority}"]
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
        outcome = run.outcomes.get(clause.id)
        if outcome == PASS:
            passed.append(run.subject)
        elif outcome == DEVIATES:
            entry = known.entry(run.subject, clause.id)
            observed = f" (`{entry.observed}`)" if entry is not None else ""
            others.append(f"{run.subject} deviates{observed}")
        elif outcome is not None:
            others.append(f"{run.subject} {outcome}")
    parts = ([f"pass on {', '.join(passed)}"] if passed else []) + others
    return "; ".join(parts) or "none"


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
