"""The hooks of the site, as mkdocs loads them."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

SITE = Path(__file__).resolve().parents[2] / "docs" / "site"


@pytest.fixture
def hooks(monkeypatch: pytest.MonkeyPatch) -> Any:
    """docs/site/hooks.py."""
    pytest.importorskip("mkdocs", reason="the site needs pip install tpuref[docs]")
    monkeypatch.syspath_prepend(SITE)
    spec = importlib.util.spec_from_file_location("hooks", SITE / "hooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def written(hooks: Any) -> Callable[[str, str], str]:
    """A function that gives the text of a page as the site shows it."""

    def of(name: str, text: str) -> str:
        page = SimpleNamespace(file=SimpleNamespace(src_uri=name))
        shown: str = hooks.on_page_markdown(text, page)
        return shown

    return of
