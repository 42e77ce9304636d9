"""The runner, the report and the command, against tiny subjects of known quality."""

from __future__ import annotations

import json
import sys
from types import ModuleType

import pytest
from tpuref_conformance import command, main
from tpuref_conformance.clause import Clause, Unavailable, same
from tpuref_conformance.report import Report
from tpuref_conformance.runner import run
from tpuref_conformance.subject import DEFAULT_SUBJECT


def _doubles(tf):
    same(tf.double(2), 4, call="double(2)")


def _counts_calls(tf):
    if not hasattr(tf, "calls"):
        raise Unavailable("no tf.calls, which is needed to count")


CLAUSES = [
    Clause("tf.double/returns/twice", "000.txt", "run", "Doubles.", None, _doubles),
    Clause("tf.double/probe/calls", "000.txt", "build", "Once.", "?", _counts_calls),
]


def subject(double=None, **names):
    module = ModuleType("fake_subject")
    vars(module).update(names)
    if double is not None:
        module.double = double
    return module


def crash(number):
    raise MemoryError("no room")


def leave(number):
    sys.exit(3)


RIGHT = subject(lambda number: 2 * number, calls=1, __version__="1.2")
WRONG = subject(lambda number: number, calls=1)
CRASHING = subject(crash, calls=1)
LEAVING = subject(leave, calls=1)
INCOMPLETE = subject(calls=1)
BLIND = subject(lambda number: 2 * number)


@pytest.mark.parametrize(
    ("tf", "outcomes", "message"),
    [
        (RIGHT, ["pass", "pass"], ""),
        (WRONG, ["fail", "pass"], "double(2): expected 4, got 2"),
        (CRASHING, ["error", "pass"], "MemoryError: no room"),
        (LEAVING, ["error", "pass"], "SystemExit: 3"),
        (INCOMPLETE, ["error", "pass"], "AttributeError: "),
        (BLIND, ["pass", "unavailable"], ""),
    ],
)
def test_outcome_of_each_kind_of_subject(tf, outcomes, message):
    results = run(CLAUSES, tf)
    assert [result.outcome for result in results] == outcomes
    assert results[0].message.startswith(message)


def test_a_failure_shows_where_it_happened():
    (result, _) = run(CLAUSES, WRONG)
    assert any("in _doubles: same(tf.double(2), 4" in call for call in result.trace)
    text = Report("fake_subject", "1", [result]).as_text()
    assert "fail: tf.double/returns/twice" in text
    assert "got: double(2): expected 4, got 2" in text
    assert "--clause 'tf.double/returns/twice'" in text


def test_each_check_has_a_graph_of_its_own():
    entered = []

    class Graph:
        def as_default(self):
            entered.append(self)
            return memoryview(b"")

    run(CLAUSES, subject(lambda number: 2 * number, Graph=Graph))
    assert len(set(entered)) == len(CLAUSES)


@pytest.mark.parametrize(
    ("tf", "status"), [(RIGHT, 0), (WRONG, 1), (CRASHING, 1), (INCOMPLETE, 1)]
)
def test_exit_status_of_a_report(tf, status):
    assert Report("other", "1", run(CLAUSES, tf)).exit_status == status


def test_unavailable_fails_only_for_the_default_subject():
    results = run(CLAUSES, BLIND)
    assert Report("other", "1", results).exit_status == 0
    report = Report(DEFAULT_SUBJECT, "1", results)
    assert report.exit_status == 1
    assert "unavailable: tf.double/probe/calls" in report.as_text()


def test_table_counts_by_documented_name():
    lines = Report("other", "1", run(CLAUSES, WRONG)).as_text().splitlines()
    rows = [line.split() for line in lines if line.startswith(("tf.double ", "all "))]
    assert rows == [["tf.double", "2", "1", "1", "0"], ["all", "2", "1", "1", "0"]]


@pytest.fixture
def fake(monkeypatch):
    def install(module):
        monkeypatch.setitem(sys.modules, "fake_subject", module)
        monkeypatch.setattr(command, "registered", lambda: CLAUSES)
        return ["--subject", "fake_subject"]

    return install


@pytest.mark.parametrize(("tf", "status"), [(RIGHT, 0), (BLIND, 0), (WRONG, 1)])
def test_command_runs_a_subject(fake, capsys, tf, status):
    assert main(fake(tf)) == status
    assert "subject: fake_subject" in capsys.readouterr().out


def test_command_without_a_subject_could_not_run(capsys):
    assert main(["--subject", "there_is_no_such_module"]) == 2
    assert "cannot be imported" in capsys.readouterr().err


def test_command_without_a_clause_could_not_run(capsys):
    assert main(["--clause", "tf.no/such/clause"]) == 2
    assert "no clause fits" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("choice", "clauses"),
    [
        (["--clause", "*/twice"], 1),
        (["--tier", "build"], 1),
        (["--api", "tf.double"], 2),
    ],
)
def test_command_selects(fake, capsys, choice, clauses):
    assert main([*fake(RIGHT), "--list", *choice]) == 0
    assert len(capsys.readouterr().out.splitlines()) == clauses


def test_command_writes_json(fake, tmp_path):
    file = tmp_path / "run.json"
    assert main([*fake(WRONG), "--json", str(file)]) == 1
    written = json.loads(file.read_text())
    assert written["exit_status"] == 1
    assert written["counts"] == {"pass": 1, "fail": 1, "unavailable": 0, "error": 0}
    assert [one["outcome"] for one in written["clauses"]] == ["fail", "pass"]


def test_a_subject_without_any_name_fails_every_clause_of_the_suite(monkeypatch):
    monkeypatch.setitem(sys.modules, "fake_subject", ModuleType("fake_subject"))
    assert main(["--subject", "fake_subject", "--api", "tf.compat.v1.tpu.*"]) == 1
