"""Every documented statement has its clause, and every clause its statement."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from tpuref_conformance import main, registered
from tpuref_conformance.coverage import Coverage
from tpuref_conformance.documents import DOCUMENTS
from tpuref_conformance.statements import Change, changes, documented
from tpuref_conformance.suite import load_clauses

INVENTORY = Path(__file__).resolve().parents[3] / "shared" / "clauses.json"


def of(document, entries):
    return [one for one in entries if one.seed == document.file]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda one: one.number)
def test_nothing_is_missing_on_either_side(document):
    load_clauses()
    clauses = of(document, registered())
    here = {one.id for one in [*clauses, *of(document, documented())]}
    recorded = [change for change in changes() if change.id in here]
    coverage = Coverage(of(document, documented()), clauses, recorded)
    assert (coverage.unchecked, coverage.undocumented, coverage.idle) == ([], [], [])


def test_the_command_finds_nothing(capsys):
    assert main(["coverage"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "documented statements without a check: none",
        "checks without a documented statement: none",
        "recorded changes that are none: none",
    ]


def test_the_command_lists_what_is_missing(monkeypatch, capsys):
    monkeypatch.setattr("tpuref_conformance.command.documented", lambda: [])
    assert main(["coverage"]) == 1
    text = capsys.readouterr().out
    assert "documented statements without a check: none" in text
    assert "  tf.tpu.core/name/exists" in text


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda one: one.number)
def test_clauses_are_of_the_document_and_tier_of_their_statement(document):
    load_clauses()
    clauses = {one.id: one for one in registered()}
    for statement in documented():
        if statement.seed == document.file and statement.id in clauses:
            clause = clauses[statement.id]
            assert (clause.seed, clause.tier) == (statement.seed, statement.tier)


def test_the_list_is_the_inventory():
    if not INVENTORY.exists():
        pytest.skip("the inventory of statements is not beside this repository")
    entries = json.loads(INVENTORY.read_text(encoding="utf-8"))
    ours = {one.id: (one.seed, one.tier) for one in documented()}
    assert ours == {entry["id"]: (entry["seed"], entry["tier"]) for entry in entries}


def named(*ids):
    return [SimpleNamespace(id=id) for id in ids]


def test_what_is_missing_is_listed():
    coverage = Coverage(named("a", "b"), named("b", "c"), [])
    assert (coverage.unchecked, coverage.undocumented) == (["a"], ["c"])
    assert not coverage.complete
    assert coverage.lines()[:2] == ["documented statements without a check: 1", "  a"]


def test_recorded_changes_count():
    recorded = [
        Change("merged", "a", ["b"], "same"),
        Change("split", "d", ["e", "f"], "two facts"),
        Change("added", "g", [], "of our own"),
    ]
    coverage = Coverage(named("a", "b", "d"), named("b", "e", "f", "g"), recorded)
    assert coverage.complete


def test_changes_that_are_none_are_listed():
    recorded = [
        Change("merged", "a", ["b"], "but a has a check"),
        Change("added", "g", [], "but g is not there"),
    ]
    coverage = Coverage(named("a", "b"), named("a", "b"), recorded)
    assert coverage.idle == ["a", "g"]


def test_changes_are_read(tmp_path):
    path = tmp_path / "CHANGES"
    path.write_text(
        "# comment\nmerged x/y/z into a/b/c: same\n"
        "split d/e/f into d/e/g, d/e/h: two\nadded i/j/k: why not\n"
    )
    merged, split, added = changes(path)
    assert (merged.into, split.into, added.into) == (["a/b/c"], ["d/e/g", "d/e/h"], [])
    assert added.reason == "why not"


@pytest.mark.parametrize(
    "line", ["merged a/b/c: to what", "added a/b/c into d/e/f: no"]
)
def test_malformed_changes_are_refused(tmp_path, line):
    path = tmp_path / "CHANGES"
    path.write_text(line)
    with pytest.raises(ValueError, match="CHANGES:1"):
        changes(path)
