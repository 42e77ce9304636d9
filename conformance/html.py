"""The report as one HTML page that needs nothing else."""

import os
from html import escape

from .documents import name_of
from .outcome import MEANINGS, NOT_APPLICABLE, OUTCOMES, PASS, REPRODUCED
from .report import LETTERS, cell

_HERE = os.path.dirname(os.path.abspath(__file__))


def as_html(report, snippet):
    """Return the page; ``snippet(id, column)`` returns the reproduction of a result."""
    wrong = {statement.id for statement in report.disagreements()}
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<title>Conformance</title>",
            f"<style>\n{_read('report.css')}</style>",
            "</head>",
            "<body>",
            "<h1>Conformance to the documents</h1>",
            f"<p>Run of {escape(report.created)}.</p>",
            _subjects(report),
            _complaints(report),
            "<h2>Documented names</h2>",
            _table(report),
            f"<p>{_legend()}</p>",
            "<h2>Clauses, those that a subject contradicts first</h2>",
            *(
                _clause(report, one, one.id in wrong, snippet)
                for one in sorted(report.statements, key=lambda s: s.id not in wrong)
            ),
            "</body>",
            "</html>",
            "",
        ]
    )


def _read(name):
    with open(os.path.join(_HERE, name), encoding="utf-8") as stream:
        return stream.read()


def _subjects(report):
    items = []
    for column in report.columns:
        facts = column.reason or (
            f"{column.module} {column.version}, "
            f"Python {column.header.get('python', '?')}, "
            f"NumPy {column.header.get('numpy', '?')}, {column.seconds:.1f} s"
        )
        kind = ' class="error"' if column.reason else ""
        items.append(f"<li{kind}><b>{escape(column.name)}</b>: {escape(facts)}</li>")
    return "<ul>\n" + "\n".join(items) + "\n</ul>"


def _complaints(report):
    if not report.complaints:
        return ""
    items = "\n".join(f"<li>{escape(one)}</li>" for one in report.complaints)
    return f'<h2>Known deviations</h2>\n<ul class="error">\n{items}\n</ul>'


def _table(report):
    heads = "".join(f'<th scope="col">{escape(c.name)}</th>' for c in report.started())
    names = [(f"<code>{escape(api)}</code>", counts) for api, counts in report.names()]
    rows = [
        f"<tr><td>{label}</td>{_cells(counts)}</tr>"
        for label, counts in [*names, *report.totals()]
    ]
    return (
        '<div class="scroll" tabindex="0" role="region" aria-label="counts"><table>\n'
        f'<thead><tr><th scope="col">name</th>{heads}</tr></thead>\n'
        "<tbody>\n" + "\n".join(rows) + "\n</tbody></table></div>"
    )


def _cells(counts_of_each):
    cells = []
    for counts in counts_of_each:
        worst = next((one for one in _BY_WEIGHT if counts[one]), PASS)
        said = ", ".join(f"{counts[one]} {one}" for one in OUTCOMES if counts[one])
        cells.append(f'<td class="{worst}" title="{said}">{cell(counts)}</td>')
    return "".join(cells)


_BY_WEIGHT = (
    "crash", "timeout", "error", "fail", "absent", "deviates", "differs", "pass",
    "needs-tpu", "not-applicable",
)  # fmt: skip


def _legend():
    parts = [
        f"<b>{LETTERS[one]}</b> {one}: {MEANINGS[one]}"
        for one in OUTCOMES
        if one != PASS
    ]
    return "A plain number passed; " + "; ".join(parts) + "."


def _clause(report, statement, wrong, snippet):
    results = [
        (c, c.results[statement.id])
        for c in report.columns
        if statement.id in c.results
    ]
    marks = "".join(
        f'<span class="{result.outcome}">{escape(column.name)}: {result.outcome}</span>'
        for column, result in results
        if result.outcome != NOT_APPLICABLE and (result.outcome != PASS or wrong)
    )
    return "\n".join(
        [
            "<details>",
            f"<summary>{escape(statement.id)}{marks}</summary>",
            "<div>",
            f"<p>{escape(statement.says)}</p>",
            _facts(statement, results),
            *_reproductions(statement, results, snippet),
            "</div>",
            "</details>",
        ]
    )


def _facts(statement, results):
    facts = [
        ("document", name_of(statement.document)),
        ("part", f"{statement.part}, tier {statement.tier}"),
        ("source", statement.authority),
    ]
    if statement.doubt:
        facts.append(("doubt", statement.doubt))
    elsewhere = [c.name for c, result in results if result.outcome == NOT_APPLICABLE]
    if elsewhere:
        facts.append((NOT_APPLICABLE, "\n".join(elsewhere)))
    for column, result in results:
        if result.outcome == NOT_APPLICABLE:
            continue
        parts = [result.outcome, result.message]
        parts += [f"evidence: {result.evidence}"] if result.evidence else []
        parts += result.trace + [result.detail]
        facts.append((column.name, "\n".join(part for part in parts if part)))
    items = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(fact).replace(chr(10), '<br>')}</dd>"
        for name, fact in facts
    )
    return f"<dl>{items}</dl>"


def _reproductions(statement, results, snippet):
    """Return a script for each subject that contradicts the statement."""
    scripts = {}
    for column, result in results:
        if result.outcome in REPRODUCED:
            scripts.setdefault(snippet(statement.id, column), []).append(column.name)
    return [
        f"<p>Reproduction for {escape(', '.join(names))}:</p>\n"
        f"<pre>{escape(script)}</pre>"
        for script, names in scripts.items()
    ]
