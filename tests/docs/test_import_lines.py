"""The table of import lines in the guide to porting says what happens."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "porting.md"
LINES = re.findall(
    r"^\| `((?:import|from) tensorflow[^`]*)` \| `([^`]*)` \|",
    PAGE.read_text(encoding="utf-8"),
    re.MULTILINE,
)


def test_there_are_lines():
    assert len(LINES) > 12


@pytest.mark.parametrize(("written", "becomes"), LINES)
def test_an_import_line(written, becomes):
    if ".keras" in written:
        pytest.importorskip("keras")
    ours = re.sub(r"^(import|from) tensorflow", r"\1 tpuref", written)
    assert becomes == ours
    exec(ours, {})
