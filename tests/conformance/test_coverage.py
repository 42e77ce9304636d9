"""Every inventoried statement has its clause, and every clause its statement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tpuref_conformance import registered
from tpuref_conformance.suite import load_clauses

INVENTORY = Path(__file__).resolve().parents[3] / "shared" / "clauses.json"


def inventoried(document: str) -> dict[str, dict[str, str]]:
    if not INVENTORY.exists():
        pytest.skip("the inventory of clauses is not beside this repository")
    entries = json.loads(INVENTORY.read_text(encoding="utf-8"))
    return {
        entry["id"]: entry for entry in entries if entry["seed"].startswith(document)
    }


def written(document: str) -> dict[str, object]:
    load_clauses()
    return {one.id: one for one in registered() if one.seed.startswith(document)}


@pytest.mark.parametrize("document", ["000", "003"])
def test_every_statement_has_one_clause(document):
    statements, clauses = set(inventoried(document)), set(written(document))
    assert sorted(statements - clauses) == []
    assert sorted(clauses - statements) == []


@pytest.mark.parametrize("document", ["000", "003"])
def test_clauses_say_what_the_inventory_says(document):
    clauses = written(document)
    for identifier, entry in inventoried(document).items():
        clause = clauses.get(identifier)
        if clause is not None:
            assert (clause.api, clause.part) == (entry["api"], entry["part"])
            assert (clause.seed, clause.tier) == (entry["seed"], entry["tier"])
