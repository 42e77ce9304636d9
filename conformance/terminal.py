"""The report as text for a terminal, and the progress bar."""

import os
import shutil
import sys
import textwrap
import threading

from .outcome import CONTRADICTIONS, DEVIATES, MEANINGS, OUTCOMES, PASS
from .report import LETTERS, cell

_WIDTH = 88
_SNIPPETS = 10
_RED, _GREEN, _YELLOW, _PLAIN = "\033[31m", "\033[32m", "\033[33m", "\033[0m"


def coloured(stream):
    """Tell whether ``stream`` is a terminal that may be coloured (see NO_COLOR)."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


class Progress:
    """A bar on a terminal that shows the clause that was decided last.

    Parameters
    ----------
    total : int
        Number of results to come.
    stream : file, optional
    """

    def __init__(self, total, stream=None):
        self._stream = sys.stderr if stream is None else stream
        self._shown = self._stream.isatty()
        self._total = total
        self._done = 0
        self._lock = threading.Lock()

    def __call__(self, subject, result):
        """Count one result."""
        with self._lock:
            self._done += 1
            if self._shown:
                self._draw(f"{subject.name} {result.id}")

    def _draw(self, last):
        width = 24
        filled = width * self._done // max(self._total, 1)
        bar = "#" * filled + "." * (width - filled)
        line = f"[{bar}] {self._done}/{self._total} {last}"
        columns = shutil.get_terminal_size().columns
        self._stream.write("\r" + line[: columns - 1].ljust(columns - 1))
        self._stream.flush()

    def close(self):
        """Remove the bar."""
        if self._shown:
            blank = " " * (shutil.get_terminal_size().columns - 1)
            self._stream.write("\r" + blank + "\r")
            self._stream.flush()


def as_text(report, snippet, colour=False):
    """Return the tables, then everything that contradicts a statement.

    Parameters
    ----------
    report : Report
    snippet : callable
        Takes a clause id and a column, returns the reproduction.
    colour : bool, optional
    """
    lines = []
    for column in report.columns:
        lines.append(_subject_line(column, len(report.statements)))
    lines.append("")
    lines += _table(report, colour)
    lines += ["", _legend()]
    shown = 0
    for column in report.columns:
        for result in column.failures():
            lines += ["", *_failure(report, column, result, colour)]
            shown += 1
            if shown <= _SNIPPETS:
                lines += [f"  reproduction, for {_interpreter(column)}:", ""]
                lines += _indented(snippet(result.id, column))
    for complaint in report.complaints:
        lines += ["", *_wrapped("known deviations: ", complaint)]
    return "\n".join(lines) + "\n"


def _subject_line(column, clauses):
    if column.reason:
        return f"{column.name}: could not be run: {column.reason}"
    decided = len(column.results)
    some = "" if decided == clauses else f", {decided} of {clauses} clauses"
    return (
        f"{column.name}: {column.module} {column.version}, "
        f"Python {column.header.get('python', '?')}, {column.seconds:.1f} s{some}"
    )


def _interpreter(column):
    return column.header.get("interpreter", "the interpreter of " + column.name)


def _table(report, colour):
    rows = [["documented name"] + [column.name for column in report.columns]]
    for api in report.apis():
        rows.append([api] + [cell(report.counts(c, api)) for c in report.columns])
    rows.append(["all"] + [cell(report.counts(column)) for column in report.columns])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    rule = "-" * (sum(widths) + 2 * len(widths) - 2)
    lines = []
    for row in rows:
        padded = [row[0].ljust(widths[0])]
        padded += [text.rjust(widths[i]) for i, text in enumerate(row) if i]
        lines.append("  ".join(padded))
    body = [_tinted(line, row, colour) for line, row in zip(lines[1:-1], rows[1:-1])]
    return [lines[0], rule] + body + [rule, lines[-1]]


def _tinted(line, row, colour):
    if not colour:
        return line
    bad = {LETTERS[one] for one in CONTRADICTIONS}
    marks = {mark[-1] for text in row[1:] for mark in text.split()}
    if marks & bad:
        return _RED + line + _PLAIN
    return (_YELLOW if LETTERS[DEVIATES] in marks else _GREEN) + line + _PLAIN


def _legend():
    parts = ["a plain number passed"]
    parts += [f"{LETTERS[one]} {one}" for one in OUTCOMES if one != PASS]
    return textwrap.fill(", ".join(parts), _WIDTH)


def _failure(report, column, result, colour):
    (statement,) = [one for one in report.statements if one.id == result.id]
    title = f"{column.name}: {result.outcome}: {result.id}"
    lines = [_RED + title + _PLAIN if colour else title]
    lines += _wrapped(f"{statement.seed} says: ", statement.says)
    if statement.doubt:
        lines += _wrapped("doubt: ", statement.doubt)
    lines += _wrapped("got: ", f"{result.message} ({MEANINGS[result.outcome]})")
    lines += [f"    at {call}" for call in result.trace]
    if result.detail:
        lines.append("  printed:")
        lines += _indented("\n".join(result.detail.splitlines()[-5:]))
    return lines


def _wrapped(label, text):
    return textwrap.wrap(
        label + text,
        _WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _indented(text):
    return ["    " + line if line else "" for line in text.splitlines()]
