"""The page of error codes has all that the catalogue has."""

from pathlib import Path

from tpuref.tools.error_catalogue import ENTRIES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_each_code_is_on_the_page(written):
    page = written("errors.md", (DOCS / "errors.md").read_text())
    assert "<!-- error codes -->" not in page
    for entry in ENTRIES:
        assert page.count(f"### {entry.code}: {entry.title}\n") == 1
        assert page.count(f'<a id="{entry.code[-4:]}"></a>') == 1
        assert entry.meaning in page and entry.program in page
