"""The page of figures shows the plots that `tpuref bench` has drawn, and needs none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

TABLES = "<!-- end step -->\n\ntext\n\n<!-- end start -->\n"


def test_a_plot_goes_below_its_table(
    hooks: Any, written: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(hooks, "PLOTS", tmp_path)
    assert "![" not in written("performance.md", TABLES)
    (tmp_path / "start.svg").touch()
    page = written("performance.md", TABLES)
    assert page.count("![") == 1
    assert "![Plot: start](performance/start.svg)" in page.partition("text")[2]
