"""Parameters that share a description have rows of their own in the API reference.

Otherwise each of them gets the type of the first one.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_SHARED = re.compile(
    r"^([\w*]+(?:, [\w*]+)+)\n((?:    .*\n|\n(?=    ))+)", re.MULTILINE
)


class OwnTypes(griffe.Extension):
    """Writes such a description once for each parameter."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Take the docstring of a function."""
        self._split(func)

    def on_class(self, *, cls: griffe.Class, **_: Any) -> None:
        """Take the docstring of a class, which describes its arguments."""
        self._split(cls)

    def _split(self, documented: griffe.Object) -> None:
        if documented.docstring is not None:
            text = documented.docstring.value + "\n"
            documented.docstring.value = _SHARED.sub(_separate, text)


def _separate(found: re.Match[str]) -> str:
    return "".join(f"{name}\n{found[2]}" for name in found[1].split(", "))
