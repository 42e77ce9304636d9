"""The catalogue's entry for one error code."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """An error or a warning that a user can meet.

    Attributes
    ----------
    code
        Its code, one of `tpuref.base.error_codes`.
    title
        What is wrong, in a few words.
    meaning
        What it means.
    remedy
        What to do.
    text
        A program that raises it, indented as it stands here; see `program`.  Most codes
        have none here: the tests of the functions that raise them have many.
    document
        The file of the document that states the rule, if any.
    replaces
        Numbers of codes that this one replaced, such as ``"E002 E069"``.  Messages of
        older releases end with them, so they still lead here and are never reassigned.
    needs
        Modules that the program needs.
    """

    code: str
    title: str
    meaning: str
    remedy: str
    text: str = ""
    document: str | None = None
    replaces: str = ""
    needs: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """The program without indentation."""
        return textwrap.dedent(self.text).lstrip("\n")

    @property
    def former(self) -> tuple[str, ...]:
        """The codes that this one replaced."""
        return tuple(f"TPUREF-{number}" for number in self.replaces.split())

    @property
    def is_warning(self) -> bool:
        """Whether it is logged instead of raised."""
        return self.code.startswith("TPUREF-W")
