"""The report as text for a terminal, and the progress bar."""

import os
import shutil
import sys
import textwrap
import threading

from .outcome import (
    ABSENT,
    CONTRADICTIONS,
    MEANINGS,
    NOT_APPLICABLE,
    OUTCOMES,
    PASS,
    RECORDED,
)
from .report import LETTERS, cell

_WIDTH = 88
_RED, _GREEN, _YELLOW, _PLAIN = "\033[31m", "\033[32m", "\033[33m", "\033[0m"


def coloured(stream):
    """Tell whether ``stream`` is a terminal that may be coloured (see NO_COLOR)."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


class Progress:
    """A bar on a terminal that shows which of ``total`` clauses was decided last."""

    def __init__(self, total, stream=None):
        self._stream = sys.stderr if stream is None else stream
        self._shown = self._stream.isatty()
        self._total = total
        self._done = 0
        self._lock = threading.Lock()

    def __call__(self, subject, result):
        """Count one result."""
        self.count(f"{subject.name} {result.id}")

    def count(self, last):
        """Count one more, and show ``last`` as its name."""
        with self._lock:
            self._done += 1
            if self._shown:
                self._draw(last)

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


def as_text(report, snippet, colour=False, verbose=False):
    """Return the table, and a line for everything that contradicts a statement.

    ``snippet`` takes a clause id and a column and returns the reproduction, which is
    shown if ``verbose``.
    """
    lines = [_subject_line(column) for column in report.columns]
    if report.started():
        lines += ["", *_table(report, colour), "", _legend()]
    failures = []
    for column in report.columns:
        if verbose:
            failures += _in_full(report, column, snippet, colour)
        else:
            failures += [_tinted(_RED, one, colour) for one in _in_short(column)]
        failures += _excused(column, verbose)
    if failures and not verbose:
        failures += [
            "",
            "--verbose explains each failure and shows how to reproduce it",
        ]
    for column in report.columns:
        lines += _reasons(column, verbose)
    lines += ["", *failures] if failures else []
    for complaint in report.complaints:
        lines += ["", *_wrapped("known deviations: ", complaint)]
    return "\n".join(lines) + "\n"


def _subject_line(column):
    if column.reason:
        return f"{column.name} could not be run: {column.reason}"
    decided = len(column.results)
    some = (
        "" if decided == column.clauses else f", {decided} of {column.clauses} clauses"
    )
    return (
        f"{column.name}: {column.module} {column.version}, "
        f"Python {column.header.get('python', '?')}, {column.seconds:.1f} s{some}"
    )


def _table(report, colour):
    head = ["documented name"] + [column.name for column in report.started()]
    names = [[label, *map(cell, counts)] for label, counts in report.names()]
    totals = [[label, *map(cell, counts)] for label, counts in report.totals()]
    rows = [head, *names, *totals]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    rule = "-" * (sum(widths) + 2 * len(widths) - 2)

    def line(row):
        padded = [row[0].ljust(widths[0])]
        padded += [text.rjust(widths[i]) for i, text in enumerate(row) if i]
        return "  ".join(padded)

    body = [_tinted(_colour_of(row), line(row), colour) for row in names]
    return [line(head), rule, *body, rule, *map(line, totals)]


def _tinted(code, text, colour):
    return code + text + _PLAIN if colour else text


def _colour_of(row):
    bad = {LETTERS[one] for one in CONTRADICTIONS}
    marks = {mark[-1] for text in row[1:] for mark in text.split()}
    if marks & bad:
        return _RED
    return _YELLOW if marks & {LETTERS[one] for one in RECORDED} else _GREEN


def _legend():
    parts = ["a plain number passed"]
    parts += [f"{LETTERS[one]} {one}" for one in OUTCOMES if one != PASS]
    return textwrap.fill(", ".join(parts), _WIDTH)


def _in_short(column):
    """Return a line for each failure, and one for all of a missing name."""
    lines, absent = [], {}
    for result in column.failures():
        if result.outcome == ABSENT:
            absent.setdefault(result.message, []).append(result.id)
        else:
            said = " ".join(result.message.split())
            lines.append(f"{column.name}: {result.outcome}: {result.id}: {said}")
    for message, ids in absent.items():
        count = f"{len(ids)} clause{'' if len(ids) == 1 else 's'}"
        lines.append(f"{column.name}: {ABSENT}: {message} ({count})")
    return lines


def _excused(column, verbose):
    """Return what does not hold beyond the words of the documents."""
    excused = column.excused_failures()
    if not excused:
        return []
    many = f"{len(excused)} clause{'' if len(excused) == 1 else 's'}"
    lines = [
        f"{column.name}: beyond the words: {many} that the documents do not state in "
        "so many words; --beyond makes them fail"
    ]
    if verbose:
        lines += [
            f"  {one.id}: {one.outcome}: {' '.join(one.message.split())}"
            for one in excused
        ]
    return lines


def _reasons(column, verbose):
    """Return why clauses were not applicable; all of them if ``verbose``."""
    lines = []
    for reason, ids in column.not_applicable().items():
        if reason:
            count = f"{len(ids)} clause{'' if len(ids) == 1 else 's'}"
            lines += _wrapped(f"{NOT_APPLICABLE}: ", f"{reason} ({count})")
            lines += [f"    {id}" for id in ids] if verbose else []
    return ["", f"{column.name}:", *lines] if lines else []


def _in_full(report, column, snippet, colour):
    lines = []
    for result in column.failures():
        lines += ["", *_failure(report, column, result, colour)]
        if result.outcome != ABSENT:  # there is nothing to run
            lines += [f"  reproduction, for {_interpreter(column)}:", ""]
            lines += _indented(snippet(result.id, column))
    return lines[1:]


def _interpreter(column):
    return column.header.get("interpreter", "the interpreter of " + column.name)


def _failure(report, column, result, colour):
    (statement,) = [one for one in report.statements if one.id == result.id]
    lines = [_tinted(_RED, f"{column.name}: {result.outcome}: {result.id}", colour)]
    lines += _wrapped(f"according to {statement.authority}: ", statement.says)
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
