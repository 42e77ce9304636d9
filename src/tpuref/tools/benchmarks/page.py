"""The page of results: tables between markers; raw samples in files."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tpuref.tools.benchmarks.table import Table

HEAD = "# Performance\n"


def write_page(
    folder: Path, machine: Mapping[str, str], tables: Sequence[Table]
) -> None:
    """Write tables into ``performance.md``, and files into ``performance/``.

    Text between the markers of the page is replaced, other text is not; a table without
    markers is added at the end.
    """
    files = folder / "performance"
    files.mkdir(parents=True, exist_ok=True)
    page = folder / "performance.md"
    text = page.read_text() if page.exists() else HEAD
    facts = "\n".join(f"- {name}: {fact}" for name, fact in machine.items())
    text = replaced(text, "machine", "Machine", facts)
    for table in tables:
        text = replaced(text, table.name, table.title, table.as_markdown())
        record = {"machine": dict(machine), **table.as_json()}
        (files / f"{table.name}.json").write_text(dumped(record))
    page.write_text(text)


def dumped(record: object) -> str:
    """Return JSON with each list of samples on one line.

    >>> print(dumped({"a": [1.0, 2.0]}), end="")
    {
     "a": [1.0, 2.0]
    }
    """
    text = json.dumps(record, indent=1)
    return re.sub(r"\[[-+0-9.e,\s]*\]", _join_lines, text) + "\n"


def _join_lines(match: re.Match[str]) -> str:
    return f"[{', '.join(match[0].strip('[]').replace(',', ' ').split())}]"


def replaced(text: str, name: str, title: str, content: str) -> str:
    """Put content between the markers of a name.

    >>> page = replaced("# Page", "step", "A step", "slow")
    >>> print(replaced(page, "step", "A step", "fast"))
    # Page
    <BLANKLINE>
    ## A step
    <BLANKLINE>
    <!-- begin step -->
    fast
    <!-- end step -->
    <BLANKLINE>
    """
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    content += "\n"
    before, marker, rest = text.partition(begin)
    if not marker:
        return f"{text.rstrip()}\n\n## {title}\n\n{begin}{content}{end}\n"
    return f"{before}{begin}{content}{end}{rest.partition(end)[2]}"
