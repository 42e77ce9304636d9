"""``pytest conformance``: every clause as a test, on tpuref in this process."""

import pytest
from tpuref_conformance import registered
from tpuref_conformance.judge import judge
from tpuref_conformance.outcome import PASS
from tpuref_conformance.reproduction import snippet
from tpuref_conformance.suite import load_clauses

import tpuref

load_clauses()


@pytest.mark.parametrize("clause", registered(), ids=lambda clause: clause.id)
def test_clause(clause):
    result = judge(clause, tpuref)
    assert result.outcome == PASS, (
        f"{result.outcome}: {result.message}\n{clause.seed} says: {clause.says}\n\n"
        f"{snippet(clause)}"
    )
