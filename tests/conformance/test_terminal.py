"""The progress bar, and when there are colours."""

import io
import re
from types import SimpleNamespace

import pytest
from tpuref_conformance.markdown import as_markdown
from tpuref_conformance.outcome import Result
from tpuref_conformance.report import Column, Report
from tpuref_conformance.statements import Statement
from tpuref_conformance.terminal import Progress, as_text, coloured


class Terminal(io.StringIO):
    def isatty(self):
        return True


SUBJECT = SimpleNamespace(name="tpuref")
STATEMENT = Statement("tf.a/b/c", "document", "0.txt", "run", "Says.")


def report(outcome):
    column = Column(
        [Result("tf.a/b/c", outcome)],
        name="tpuref",
        module="tpuref",
        strict=True,
        header={"version": "1.0"},
        reason="",
        seconds=0.0,
        settings={},
        clauses=1,
    )
    return Report([STATEMENT], [column])


def test_the_bar_counts_on_a_terminal_and_goes_away(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    stream = Terminal()
    bar = Progress(4, stream)
    bar(SUBJECT, Result("tf.a/b/c", "pass"))
    assert "[######..................] 1/4 tpuref tf.a/b/c" in stream.getvalue()
    bar.close()
    assert stream.getvalue().endswith("\r" + " " * 79 + "\r")


def test_there_is_no_bar_elsewhere():
    stream = io.StringIO()
    bar = Progress(4, stream)
    bar(SUBJECT, Result("tf.a/b/c", "pass"))
    bar.close()
    assert stream.getvalue() == ""


def test_colours_are_for_terminals_without_no_color(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert coloured(Terminal()) and not coloured(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not coloured(Terminal())


@pytest.mark.parametrize(
    ("outcome", "colour"), [("pass", "\033[32m"), ("fail", "\033[31m")]
)
def test_rows_are_coloured_by_what_they_hold(outcome, colour):
    def snippet(id, column):
        return "pass"

    text = as_text(report(outcome), snippet, colour=True, verbose=True)
    assert f"{colour}tf.a" in text
    assert "\033" not in as_text(report(outcome), snippet)


def test_what_is_beyond_the_words_does_not_fail_a_stranger_but_is_told():
    beyond = Statement("tf.a/b/d", "document", "0.txt", "run", "Says.", "Why.", True)
    whole = report("pass")
    (column,) = whole.columns
    column.results["tf.a/b/d"] = Result("tf.a/b/d", "fail", "no")
    whole = Report([STATEMENT, beyond], [column])
    assert whole.exit_status == 1
    column.excused = ["tf.a/b/d"]
    text = as_text(whole, str, verbose=True)
    assert whole.exit_status == 0
    assert re.search(r"^stated by documents +1$", text, re.MULTILINE)
    assert re.search(r"^beyond the words +1F$", text, re.MULTILINE)
    assert "beyond the words: 1 clause " in text and "tf.a/b/d: fail: no" in text


def test_reasons_of_what_is_not_applicable_are_told():
    whole = report("pass")
    (column,) = whole.columns
    column.strict = False
    column.results["tf.a/b/c"] = Result("tf.a/b/c", "not-applicable", "no tf.z")
    assert "not-applicable: no tf.z (1 clause)" in as_text(whole, str)
    assert "    tf.a/b/c" in as_text(whole, str, verbose=True).split("\n")
    assert "- no tf.z: `tf.a/b/c`" in as_markdown(whole, str)
