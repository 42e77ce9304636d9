"""Replacements within a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Replacement(NamedTuple):
    """New text for a piece of a text."""

    start: int  # where the piece begins and ends
    end: int
    new: str

    def moved(self, distance: int) -> Replacement:
        """Return it for a text that begins elsewhere."""
        return Replacement(self.start + distance, self.end + distance, self.new)


def replaced(text: str, replacements: Iterable[Replacement]) -> str:
    """Return a text after replacements, which do not overlap.

    >>> replaced("import tensorflow", [Replacement(7, 17, "tpuref")])
    'import tpuref'
    """
    pieces = []
    end = 0
    for start, stop, new in sorted(replacements):
        pieces += [text[end:start], new]
        end = stop
    return "".join([*pieces, text[end:]])
