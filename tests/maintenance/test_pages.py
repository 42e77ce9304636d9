"""The pages about the documents, and the table of results that they show."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from tpuref_conformance import main
from tpuref_conformance.clause import Clause
from tpuref_conformance.documents import DOCUMENTS
from tpuref_conformance.outcome import Result
from tpuref_conformance.report import Column, Report
from tpuref_conformance.statements import Statement
from tpuref_conformance.suite import load_clauses

from maintenance import pages, results

TOP = Path(__file__).resolve().parents[2]
DOCS = TOP / "docs" / "clauses"
CLAUSES = load_clauses()


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Return the path of an empty table that stands for the recorded results."""
    path = tmp_path / "results.csv"
    path.write_text("name,clauses\nversion,\npython,\n")
    for function in (results.read_results, results.record):
        monkeypatch.setattr(function, "__defaults__", (str(path),))
    return path


def test_the_command_writes_a_page_for_each_document(tmp_path, monkeypatch):
    monkeypatch.chdir(TOP)
    assert main(["pages", str(tmp_path)]) == 0
    assert {path.stem for path in tmp_path.iterdir()} == {
        one.file.removesuffix(".txt") for one in DOCUMENTS
    }


def test_every_link_leads_to_a_file():
    for text in pages.pages(CLAUSES).values():
        for part in text.split("](")[1:]:
            target = Path(os.path.normpath(DOCS / part.split(")")[0]))
            assert target.exists(), target


def test_a_page_shows_statement_check_and_results(table):
    table.write_text(
        "name,clauses,tensorflow-1.15.5\nversion,,1.15.5\npython,,3.7.16\n"
        "tf.tpu.core,returns/int,needs-tpu\n"
    )
    (check,) = {one.check for one in CLAUSES if one.id == "tf.tpu/name/namespace"}
    stated = ("tf.tpu.core/returns/int", "release", DOCUMENTS[0].file, "run", "An int.")
    text = pages.pages([Clause(Statement(*stated, "Really?"), check)])
    text = text["000_04abb9e9288042d8.md"]
    assert "### returns/int\n\nAn int.\n" in text
    assert "- source: releases of TensorFlow\n- doubt: Really?" in text
    assert "[`namespace`](../../conformance/suite/tf_tpu.py), tier run" in text
    file = "tpuref/interface/tpu/cores.py"
    assert f"[`{file}`](../../src/{file})" in text
    assert "- results: tensorflow-1.15.5 needs-tpu" in text


def test_every_clause_has_a_result_of_every_subject_that_it_judges():
    stated = {one.id for one in CLAUSES if one.source != "tpuref"}
    own = {one.id for one in CLAUSES} - stated
    for run in results.read_results():
        tpuref = run.subject.startswith("tpuref")
        assert set(run.outcomes) == (stated | own if tpuref else stated), run.subject


def test_what_is_recorded_of_tpuref_passes_but_for_recorded_deviations():
    for run in results.read_results():
        if run.subject.startswith("tpuref"):
            assert set(run.outcomes.values()) <= {"pass", "deviates"}, run.subject


def test_partial_runs_are_merged_and_old_clauses_go(table):
    def recorded(outcomes, clauses, name="mine"):
        column = Column(
            [Result(id, outcome) for id, outcome in outcomes.items()],
            name=name,
            module=name,
            strict=False,
            header={"version": "1.0", "python": "3.11"},
            reason="",
            seconds=1.0,
            settings={},
            clauses=len(outcomes),
        )
        results.record(Report([], [column]), [SimpleNamespace(id=id) for id in clauses])
        return table.read_text().splitlines()[3:]

    a, b, c = "f/a", "f/b", "f/c"
    assert recorded({a: "pass", b: "fail"}, [a, b]) == ["f,a,pass", "f,b,fail"]
    assert recorded({b: "pass"}, [a, b]) == ["f,a b,pass"]
    assert recorded({c: "not-applicable"}, [b, c]) == ["f,b,pass", "f,c,-"]
    both = recorded({c: "pass"}, [b, c], name="tensorflow-1.0")
    assert both == ["f,b,pass,", "f,c,-,pass"]


def test_the_command_takes_in_a_report(table, tmp_path, monkeypatch):
    report = tmp_path / "report.json"
    main(
        ["--subject", "tpuref-lockstep", "--api", "tf.tpu.core", "--json", str(report)]
    )
    monkeypatch.chdir(TOP)
    assert main(["record", str(report)]) == 0
    assert table.read_text().startswith("name,clauses,tpuref-lockstep\n")
    (run,) = results.read_results()
    assert run.outcomes["tf.tpu.core/returns/device-name-string"] == "pass"
    assert {id.partition("/")[0] for id in run.outcomes} == {"tf.tpu.core"}


def test_a_report_that_is_none_is_refused(table, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(TOP)
    assert main(["record", str(tmp_path / "nowhere.json")]) == 2
    assert "nowhere.json" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["mutants", "pages", "record"])
def test_elsewhere_the_command_asks_for_a_checkout(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    assert main([name]) == 2
    assert f"{name} is for the top of a checkout" in capsys.readouterr().err
