"""The docstrings that the site shows are set as it reads them."""

import inspect
import pydoc
import re
from pathlib import Path

PAGES = sorted((Path(__file__).resolve().parents[2] / "docs" / "api").glob("*.md"))


def test_prompts_stand_under_examples(written):
    """Elsewhere the prompt >>> would be set as a quotation in a quotation."""
    shown = "".join(written(f"api/{page.name}", page.read_text()) for page in PAGES)
    paths = re.findall(r"^::: (\S+)$", shown, re.MULTILINE)
    texts = {path: inspect.getdoc(pydoc.locate(path)) or "" for path in paths}
    assert sum(">>>" in text for text in texts.values()) > 100
    for path, text in texts.items():
        before, prompt, _ = text.partition(">>>")
        assert not prompt or "Examples\n--------\n" in before, path
