"""The suite and the worker keep to the syntax of the releases' interpreters."""

import ast
from pathlib import Path

import pytest
import tpuref_conformance

PACKAGE = Path(tpuref_conformance.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_syntax_is_old(path):
    # 3.7 is the oldest that the parser knows; it added no syntax that is used here.
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 7))


def test_nothing_of_the_future_is_imported():
    for path in FILES:
        assert "from __future__ import annotations" not in path.read_text(), path
