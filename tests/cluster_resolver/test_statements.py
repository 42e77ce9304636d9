"""Each statement of the two pages has a test that names it."""

from __future__ import annotations

import ast
from pathlib import Path

from .statements import PAGES

HERE = Path(__file__).parent
BY_DECORATOR = {
    "both": list(PAGES),
    "contrib": list(PAGES)[:1],
    "distribute": list(PAGES)[1:],
    "elsewhere": [""],
}


def named(path: Path) -> set[str]:
    """The statements in the decorators of a module's tests."""
    found: set[str] = set()
    for function in ast.walk(ast.parse(path.read_text())):
        for call in getattr(function, "decorator_list", []):
            kind = getattr(getattr(call, "func", None), "id", None)
            for page in BY_DECORATOR.get(kind or "", []):
                found |= {page + ast.literal_eval(a) for a in call.args}
    return found


def test_each_statement_has_a_test_and_each_name_is_a_statement() -> None:
    statements = (HERE / "statements.txt").read_text().split()
    assert len(set(statements)) == 127
    tested = set().union(*map(named, HERE.glob("test_*.py")))
    assert tested == set(statements)
