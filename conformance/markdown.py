"""The report as Markdown."""

from .outcome import MEANINGS, OUTCOMES, PASS, REPRODUCED
from .report import LETTERS, cell


def as_markdown(report, snippet):
    """Return the table of counts and every disagreement as Markdown.

    ``snippet(id, column)`` returns the reproduction of a result.
    """
    lines = ["# Conformance", "", f"Run of {report.created}.", ""]
    for column in report.columns:
        state = column.reason or (
            f"version {column.version}, Python {column.header.get('python', '?')}, "
            f"{column.seconds:.0f} s"
        )
        lines.append(f"- {column.name}: {state}")
    lines += ["", *table(report), ""]
    lines.append("A plain number passed. " + "; ".join(_meanings()) + ".")
    for statement in report.disagreements():
        lines += ["", f"## `{statement.id}`", "", statement.says, ""]
        lines += [_result_line(c, statement) for c in report.columns if not c.reason]
        lines += _script(report, statement, snippet)
    for column in report.columns:
        lines += _reasons(column)
    for complaint in report.complaints:
        lines += ["", f"- known deviations: {complaint}"]
    return "\n".join(lines) + "\n"


def _reasons(column):
    """Return why clauses were not applicable, as a list."""
    reasons = {one: ids for one, ids in column.not_applicable().items() if one}
    if not reasons:
        return []
    lines = ["", f"## Not applicable to {column.name}", ""]
    for reason, ids in reasons.items():
        names = ", ".join(f"`{id}`" for id in ids)
        lines.append(f"- {_plain(reason)}: {names}")
    return lines


def table(report):
    """Return the lines of the table: documented names by subjects."""
    subjects = [column.name for column in report.started()]
    lines = [_row(["documented name", *subjects]), _row(["---"] * (1 + len(subjects)))]
    lines += [_row([f"`{api}`", *map(cell, counts)]) for api, counts in report.names()]
    return lines + [
        _row([label, *map(cell, counts)]) for label, counts in report.totals()
    ]


def _row(cells):
    return "| " + " | ".join(cells) + " |"


def _meanings():
    return [
        f"`{LETTERS[one]}` {one}: {MEANINGS[one]}" for one in OUTCOMES if one != PASS
    ]


def _result_line(column, statement):
    result = column.results.get(statement.id)
    if result is None:
        return f"- {column.name}: not run"
    text = f": {result.message}" if result.message else ""
    evidence = f" (evidence: {result.evidence})" if result.evidence else ""
    return f"- {column.name}: {result.outcome}{_plain(text)}{evidence}"


def _script(report, statement, snippet):
    """Return the reproduction for the first subject that contradicts a statement."""
    for column in report.columns:
        result = None if column.reason else column.results.get(statement.id)
        if result is not None and result.outcome in REPRODUCED:
            return ["", "```python", *snippet(statement.id, column).splitlines(), "```"]
    return []


def _plain(text):
    return text.replace("|", "\\|").replace("<", "&lt;")
