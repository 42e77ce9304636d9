"""Coloured output on terminals."""

import os
import sys


def is_coloured() -> bool:
    """Return whether standard output is a terminal with colours.

    Setting ``NO_COLOR``, or ``TERM=dumb``, turns them off.
    """
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def bold(text: str) -> str:
    """Return bold text, if possible."""
    return f"\033[1m{text}\033[0m" if is_coloured() else text


def alarming(text: str) -> str:
    """Return red text, if possible."""
    return f"\033[31m{text}\033[0m" if is_coloured() else text
