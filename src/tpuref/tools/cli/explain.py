"""The command ``tpuref explain``: explains error codes."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tpuref.tools.cli.colour import bold
from tpuref.tools.cli.conformance import name_of_document
from tpuref.tools.cli.failure import fail

if TYPE_CHECKING:
    from tpuref.tools.error_catalogue.entry import Entry

NAME = "explain"
HELP = "explain an error code and say what to do"
DESCRIPTION = "Say what an error code means and what to do. Without a code, list all."
EPILOG = """examples:
  tpuref explain                   all codes
  tpuref explain TPUREF-E021       one of them; E021 and e021 mean the same
  tpuref explain --json E021"""


def add(explain: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    explain.add_argument("--json", action="store_true", help="print JSON")
    code = explain.add_argument(
        "code", nargs="?", metavar="CODE", help="the code at the end of a message"
    )
    code.completer = known_codes  # type: ignore[attr-defined]


def run(options: argparse.Namespace) -> int:
    """Print one entry, or the list, and return the exit status."""
    from tpuref.tools.error_catalogue import AREAS, find, near

    if options.code is None:
        print(_list_as_json(AREAS) if options.json else _list_as_text(AREAS))
        return 0
    entry = find(options.code)
    if entry is None:
        close = near(options.code)
        hint = f"did you mean {_either(close)}?" if close else "see tpuref explain"
        return fail(NAME, f"there is no code {options.code!r}; {hint}")
    print(json.dumps(as_dict(entry), indent=2) if options.json else as_text(entry))
    return 0


def _either(codes: list[str]) -> str:
    return " or ".join(filter(None, [", ".join(codes[:-1]), codes[-1]]))


def known_codes(prefix: str = "", **_: Any) -> list[str]:
    """Return the codes that begin with a prefix, in any of their three forms."""
    from tpuref.tools.error_catalogue import ENTRIES

    codes = [entry.code for entry in ENTRIES]
    short = [code.removeprefix("TPUREF-") for code in codes]
    forms = codes, short, [code.lower() for code in short]
    return [code for form in forms for code in form if code.startswith(prefix)]


def as_text(entry: Entry) -> str:
    """Return an entry as text for a terminal."""
    paragraphs = [
        bold(f"{entry.code}: {entry.title}"),
        textwrap.fill(entry.meaning, 80, break_on_hyphens=False),
        textwrap.fill(f"What to do: {entry.remedy}", 80, break_on_hyphens=False),
    ]
    if entry.document is not None:
        paragraphs.append(f"The rule is in {name_of_document(entry.document)}.")
    if entry.former:
        former = f"Codes of earlier messages that mean the same: {entry.replaces}."
        paragraphs.append(textwrap.fill(former, 80))
    if entry.program:
        paragraphs.append("A program that raises it:")
        paragraphs.append(textwrap.indent(entry.program.rstrip(), "    "))
    return "\n\n".join(paragraphs)


def as_dict(entry: Entry) -> dict[str, Any]:
    """Return an entry for JSON."""
    return {
        "code": entry.code,
        "title": entry.title,
        "meaning": entry.meaning,
        "remedy": entry.remedy,
        "document": entry.document,
        "replaces": list(entry.former),
        "program": entry.program,
    }


def _list_as_json(areas: Sequence[tuple[str, Sequence[Entry]]]) -> str:
    entries = [{"area": area, **as_dict(entry)} for area, own in areas for entry in own]
    return json.dumps(entries, indent=2)


def _list_as_text(areas: Sequence[tuple[str, Sequence[Entry]]]) -> str:
    lines = []
    for area, entries in areas:
        lines += ["", bold(area)]
        lines += [f"  {entry.code}  {entry.title}" for entry in entries]
    return "\n".join(lines[1:])
