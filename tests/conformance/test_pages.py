"""The pages in docs/clauses are those that the suite and its results give."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from tpuref_conformance import pages, registered
from tpuref_conformance.clause import Clause
from tpuref_conformance.documents import DOCUMENTS
from tpuref_conformance.outcome import Result
from tpuref_conformance.report import Column, Report
from tpuref_conformance.suite import load_clauses

DOCS = Path(__file__).resolve().parents[2] / "docs" / "clauses"


@pytest.mark.skipif(not DOCS.exists(), reason="the documentation is not here")
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda one: one.number)
def test_the_page_is_as_generated(document):
    load_clauses()
    name = document.file.replace(".txt", ".md")
    generated = pages.pages(registered())[name]
    assert generated == (DOCS / name).read_text(encoding="utf-8"), (
        "run: tpuref conformance pages"
    )


def test_every_link_leads_to_a_file():
    load_clauses()
    for text in pages.pages(registered()).values():
        for part in text.split("](")[1:]:
            target = part.split(")")[0]
            assert (DOCS / target).exists(), target


def test_a_page_shows_statement_check_and_results(tmp_path, monkeypatch):
    recorded = {
        "subject": "tensorflow-1.15.5",
        "version": "1.15.5",
        "python": "3.7.16",
        "outcomes": {"tf.tpu.core/returns/int": "needs-tpu"},
    }
    (tmp_path / "tensorflow-1.15.5.json").write_text(json.dumps(recorded))
    monkeypatch.setattr(pages.recorded_runs, "__defaults__", (str(tmp_path),))
    load_clauses()
    (check,) = {one.check for one in registered() if one.id == "tf.tpu/name/namespace"}
    clause = Clause(
        "tf.tpu.core/returns/int", DOCUMENTS[0].file, "run", "An int.", "Really?", check
    )
    text = pages.pages([clause])["000_04abb9e9288042d8.md"]
    assert "### returns/int\n\nAn int.\n" in text
    assert "- doubt: Really?" in text
    assert "[`namespace`](../../conformance/suite/tf_tpu.py), tier run" in text
    assert "[`tpuref/tpu/cores.py`](../../src/tpuref/tpu/cores.py)" in text
    assert "- results: tensorflow-1.15.5 needs-tpu" in text


def test_every_statement_has_a_result_of_every_recorded_subject():
    load_clauses()
    clauses = {one.id for one in registered()}
    for run in pages.recorded_runs():
        assert set(run.outcomes) == clauses, run.subject


def test_what_is_recorded_of_tpuref_passes_but_for_recorded_deviations():
    for run in pages.recorded_runs():
        if run.subject.startswith("tpuref"):
            assert set(run.outcomes.values()) <= {"pass", "deviates"}, run.subject


def test_partial_runs_are_merged_and_old_clauses_go(tmp_path):
    def recorded(outcomes, clauses):
        column = Column(
            [Result(id, outcome) for id, outcome in outcomes.items()],
            name="mine",
            module="mine",
            strict=False,
            header={"version": "1.0", "python": "3.11"},
            reason="",
            seconds=1.0,
            settings={},
        )
        suite = [SimpleNamespace(id=id) for id in clauses]
        pages.record(Report([], [column]), suite, str(tmp_path))
        return json.loads((tmp_path / "mine.json").read_text())["outcomes"]

    first = recorded({"a": "pass", "b": "fail"}, ["a", "b"])
    assert first == {"a": "pass", "b": "fail"}
    assert recorded({"b": "pass"}, ["a", "b"]) == {"a": "pass", "b": "pass"}
    assert recorded({"c": "pass"}, ["b", "c"]) == {"b": "pass", "c": "pass"}
