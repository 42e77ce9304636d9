"""The generated pages: every document, statement by statement."""

import argparse
import importlib
import inspect
from pathlib import Path

from tpuref_conformance.documents import DOCUMENTS
from tpuref_conformance.known import Known
from tpuref_conformance.outcome import NOT_APPLICABLE, PASS, RECORDED
from tpuref_conformance.suite import load_clauses

from .results import read_results

_INTRODUCTION = """\
# {title}

<!-- Written by `tpuref conformance pages`; a change by hand is lost. -->

What `{file}` says, which describes release {release}: {stated} statements. With them
stand {done} about what releases do and the document leaves out. Each names the check
that decides it, and its result on each subject that it applies to; each documented name
leads to the code behind it.

| subject | version | Python | results |
| --- | --- | --- | --- |
{subjects}
"""


def write_pages(clauses, directory):
    """Write one page for each document into ``directory``."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in pages(clauses).items():
        (directory / name).write_text(text, encoding="utf-8")


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
    text = _INTRODUCTION.format(
        title=document.title,
        file=document.file,
        release=document.release,
        stated=sum(one.source == "document" for one in clauses),
        done=sum(one.source == "release" for one in clauses),
        subjects="\n".join(_subject_row(run, clauses) for run in concerned),
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
    check = inspect.unwrap(clause.check)
    path = f"conformance/suite/{Path(inspect.getsourcefile(check)).name}"
    lines = ["", f"### {clause.part}/{clause.id.split('/', 2)[2]}", "", clause.says, ""]
    if clause.source != "document":
        lines += [f"- source: {clause.authority}"]
    if clause.doubt:
        lines += [f"- doubt: {clause.doubt}"]
    lines += [
        f"- check: [`{check.__name__}`](../../{path}), tier {clause.tier}",
        f"- results: {_results(clause, runs)}",
    ]
    return "\n".join(lines) + "\n"


def _results(clause, runs):
    known, passed, others = Known(), [], []
    for run in runs:
        outcome = run.outcomes.get(clause.id)
        if outcome == PASS:
            passed.append(run.subject)
        elif outcome in RECORDED:
            entry = known.entry(run.subject, clause.id)
            observed = f" (`{entry.observed}`)" if entry is not None else ""
            others.append(f"{run.subject} {outcome}{observed}")
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
    package, _, path = Path(file).as_posix().rpartition("/tpuref/")
    if not package:  # Keras's own, where it is installed
        return f"`{api}`"
    return f"[`tpuref/{path}`](../../src/tpuref/{path})"


def main(arguments):
    """Write the pages, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="tpuref conformance pages",
        description="Write one page for each document, with the recorded results.",
    )
    parser.add_argument("directory", nargs="?", type=Path, default="docs/clauses")
    write_pages(load_clauses(), parser.parse_args(arguments).directory)
    return 0
