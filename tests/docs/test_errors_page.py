"""The page of error codes has all that the catalogue has."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from tpuref.error_catalogue import ENTRIES

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the site is built with."""
    pytest.importorskip("mkdocs", reason="the site needs pip install tpuref[docs]")
    monkeypatch.syspath_prepend(DOCS / "site")
    path = DOCS / "site" / "hooks.py"
    spec = importlib.util.spec_from_file_location("hooks", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_code_is_on_the_page(hooks: Any) -> None:
    page = hooks.on_page_markdown((DOCS / "errors.md").read_text())
    assert "<!-- error codes -->" not in page
    for entry in ENTRIES:
        assert page.count(f"### {entry.code}: {entry.title}\n") == 1
        assert page.count(f'<a id="{entry.code[-4:]}"></a>') == 1
        assert entry.meaning in page and entry.program in page
