"""``pytest conformance``: every clause as a test, on tpuref in this process."""

import pytest
from tpuref_conformance.judge import judge
from tpuref_conformance.outcome import PASS
from tpuref_conformance.reproduction import snippet
from tpuref_conformance.suite import load_clauses

import tpuref


@pytest.mark.parametrize("clause", load_clauses(), ids=lambda clause: clause.id)
def test_clause(clause):
    result = judge(clause, tpuref)
    assert result.outcome == PASS, (
        f"{result.outcome}: {result.message}\n"
        f"according to {clause.authority}: {clause.says}\n\n{snippet(clause)}"
    )
