"""Whether output may have colours, and the few that are used."""

from __future__ import annotations

import os
import sys


def is_coloured() -> bool:
    """Return whether standard output is a terminal that takes colours.

    It is not where ``NO_COLOR`` is set to anything, or ``TERM`` is ``dumb``.
    """
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def bold(text: str) -> str:
    """Return text that stands out, where that is possible."""
    return f"\033[1m{text}\033[0m" if is_coloured() else text


def alarming(text: str) -> str:
    """Return text that is red, where that is possible."""
    return f"\033[31m{text}\033[0m" if is_coloured() else text
