"""The hooks of the site, as mkdocs loads them."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest

SITE = Path(__file__).resolve().parents[2] / "docs" / "site"


@pytest.fixture
def hooks(monkeypatch):
    """docs/site/hooks.py."""
    pytest.importorskip("mkdocs", reason="the site needs pip install --group docs")
    monkeypatch.syspath_prepend(SITE)
    spec = importlib.util.spec_from_file_location("hooks", SITE / "hooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def written(hooks):
    """A function that gives the text of a page as the site shows it."""

    def of(name, text):
        page = SimpleNamespace(file=SimpleNamespace(src_uri=name))
        return hooks.on_page_markdown(text, page)

    return of
