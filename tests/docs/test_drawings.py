"""The pictures of the documentation are those that docs/site/drawings.py draws."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
IMAGES = DOCS / "images"


DRAWINGS = SimpleNamespace(**runpy.run_path(str(DOCS / "site" / "drawings.py")))
AGAIN = "is another picture now: python docs/site/drawings.py"


@pytest.mark.parametrize("name", DRAWINGS.DRAWINGS)
def test_the_picture_is_up_to_date(name):
    stored = (IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    assert stored == DRAWINGS.DRAWINGS[name](), f"{name}.svg {AGAIN}"


def test_every_picture_is_shown_and_drawn():
    pages = "".join(page.read_text() for page in DOCS.rglob("*.md"))
    drawn = {f"{name}.svg" for name in (*DRAWINGS.DRAWINGS, "losses")}
    assert {file.name for file in IMAGES.glob("*.svg")} == drawn
    for name in drawn:
        assert f"images/{name})" in pages, f"no page shows {name}"
