"""The site writes into its pages all that belongs there, set as it reads it."""

import inspect
import pydoc
import re
from pathlib import Path

from tpuref.tools.error_catalogue import ENTRIES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_each_error_code_is_on_its_page(written):
    page = written("errors.md", (DOCS / "errors.md").read_text())
    assert "<!-- error codes -->" not in page
    for entry in ENTRIES:
        assert page.count(f"### {entry.code}: {entry.title}\n") == 1
        assert page.count(f'<a id="{entry.code[-4:]}"></a>') == 1
        assert entry.meaning in page and entry.program in page


def test_prompts_stand_under_examples(written):
    """Elsewhere the prompt >>> would be set as a quotation in a quotation."""
    pages = sorted((DOCS / "api").glob("*.md"))
    shown = "".join(written(f"api/{page.name}", page.read_text()) for page in pages)
    paths = re.findall(r"^::: (\S+)$", shown, re.MULTILINE)
    texts = {path: inspect.getdoc(pydoc.locate(path)) or "" for path in paths}
    assert sum(">>>" in text for text in texts.values()) > 100
    for path, text in texts.items():
        before, prompt, _ = text.partition(">>>")
        assert not prompt or "Examples\n--------\n" in before, path
