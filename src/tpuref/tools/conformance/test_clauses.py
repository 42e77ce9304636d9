"""Every clause as a test of one subject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tpuref_conformance.outcome import NEEDS_TPU, NOT_APPLICABLE, PASS, RECORDED
from tpuref_conformance.reproduction import snippet

if TYPE_CHECKING:
    from tpuref_conformance.clause import Clause
    from tpuref_conformance.runner import Line


def test_clause(
    clause: Clause, line: Line, subject: Any, pytestconfig: pytest.Config
) -> None:
    """The subject satisfies the clause, or deviates as recorded."""
    result = line.ask(clause)
    if result.outcome in RECORDED:
        pytest.xfail(f"{result.outcome}: {result.message} ({result.evidence})")
    if result.outcome in (NEEDS_TPU, NOT_APPLICABLE):
        pytest.skip(result.message)
    if result.outcome != PASS and clause.beyond and not subject.beyond:
        pytest.xfail(f"beyond the words of the document: {result.message}")
    if result.outcome != PASS:
        said = f"{result.outcome}: {result.message}"
        said += f"\naccording to {clause.authority}: {clause.says}"
        if pytestconfig.get_verbosity() > 0:
            facts = (subject.settings, subject.served, subject.described)
            said += f"\n\n{snippet(clause, subject.module, *facts)}"
        pytest.fail(said, pytrace=False)
