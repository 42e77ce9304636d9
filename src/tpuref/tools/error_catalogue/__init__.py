"""The catalogue of errors: the meaning and the remedy of each code.

Its text is ``catalogue.txt``: areas, and entries with an indented body.
"""

import difflib
import re
import textwrap
from importlib import resources

from tpuref.tools.error_catalogue.entry import Entry

_FIELD = re.compile(r"^  (What to do|Replaces|Rule|Needs): ", re.MULTILINE)


def _read(text: str) -> tuple[tuple[str, tuple[Entry, ...]], ...]:
    areas: dict[str, list[Entry]] = {}
    for block in re.split(r"\n\n(?=\S)", text):  # a program may have empty lines
        head, _, body = block.partition("\n")
        if head.startswith("= "):
            entries = areas[head.strip("= ")] = []
        else:
            code, _, title = head.partition(" ")
            prose, _, program = body.partition("\n  Program:\n")
            entries.append(_entry(code, title, prose, program))
    return tuple((area, tuple(entries)) for area, entries in areas.items())


def _entry(code: str, title: str, prose: str, program: str) -> Entry:
    meaning, *fields = (" ".join(part.split()) for part in _FIELD.split(prose))
    named = dict(zip(fields[::2], fields[1::2], strict=True))
    return Entry(
        code,
        title,
        meaning,
        remedy=named["What to do"],
        program=textwrap.dedent(program.rstrip("\n") + "\n" if program else ""),
        document=named.get("Rule"),
        replaces=named.get("Replaces", ""),
        needs=tuple(named.get("Needs", "").split()),
    )


AREAS = _read(resources.files(__name__).joinpath("catalogue.txt").read_text("utf-8"))
"""The entries, by area."""

ENTRIES: tuple[Entry, ...] = tuple(entry for _, entries in AREAS for entry in entries)
"""All of them, in this order."""


def find(text: str) -> Entry | None:
    """Return the entry of a code or of one that it replaced, None if there is none.

    >>> find("e021").title == find("[TPUREF-E021]").title
    True
    >>> find("E251").code
    'TPUREF-E021'
    """
    code = _full(text)
    for entry in ENTRIES:
        if code in (entry.code, *entry.former):
            return entry
    return None


def near(text: str) -> list[str]:
    """Return codes that begin with a text that is none, or else are similar to it.

    >>> "TPUREF-E021" in near("E0211"), near("E021")
    (True, ['TPUREF-E021'])
    """
    known = sorted(entry.code for entry in ENTRIES)
    begins = [code for code in known if code.startswith(_full(text))]
    if len(begins) <= 10 and begins:  # those of a full decade
        return begins
    return difflib.get_close_matches(_full(text), known, n=3, cutoff=0.8)


def _full(text: str) -> str:
    short = re.sub(r"^TPUREF-", "", text.strip().strip("[]").upper())
    return f"TPUREF-{short}"
