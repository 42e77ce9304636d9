"""The arithmetic of docs/collectives.md."""

from __future__ import annotations

import doctest
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "collectives.md"


def test_the_examples_give_what_they_show() -> None:
    failed, tried = doctest.testfile(
        str(DOCUMENT), module_relative=False, encoding="utf-8"
    )
    assert tried > 10 and failed == 0
