"""Notebooks: the code of their cells, and replacements in it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tpuref.tools.porting.replacement import Replacement, replaced

PYTHON_MAGICS = ("%%capture", "%%prun", "%%time", "%%timeit")
"""Magics of a cell whose content is Python."""

_TIMED = re.compile(r"^(\s*)%(?:time|timeit)\s+(?=\S)")
_MAGIC = re.compile(r"^(\s*)(?:[%!?].*|.*\?)$")
_ASSIGNED = re.compile(r"^(\s*[\w.,\[\] ]+=\s*)[%!].*$")

_SHELL = re.compile(r"^\s*(?:[\w., ]+=\s*)?!|^%%(?:bash|sh|script)\b")

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def code_cells(text: str) -> list[tuple[int, str]]:
    """Return number and text of each code cell; ValueError if it is no notebook."""
    notebook = json.loads(text)
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError("it has no list of cells")
    return [
        (number, _join(cell.get("source", "")))
        for number, cell in enumerate(notebook["cells"], 1)
        if cell.get("cell_type") == "code"
    ]


def _join(source: str | list[str]) -> str:
    return source if isinstance(source, str) else "".join(source)


def shell_lines(text: str) -> list[int]:
    """Return the lines of a cell that a shell runs, such as ``!pip install six``."""
    lines = enumerate(text.split("\n"), 1)
    return [number for number, line in lines if _SHELL.match(line)]


def without_magics(text: str) -> str:
    """Return the Python of a cell, with as many lines as the cell has."""
    first, *rest = lines = text.split("\n")
    if first.startswith("%%"):
        words = first.split()
        script = words[0] == "%%writefile" and words[-1].endswith(".py")
        if words[0] not in PYTHON_MAGICS and not script:
            return "\n" * len(rest)
        lines = ["", *rest]
    continued = False
    for index, line in enumerate(lines):
        plain = _without_magic(line)
        if continued or plain != line:
            continued = line.endswith("\\")
            lines[index] = plain if plain != line else ""
    return "\n".join(lines)


def _without_magic(line: str) -> str:
    if (timed := _TIMED.sub(r"\1", line)) != line:
        return timed
    return _ASSIGNED.sub(r"\1None", _MAGIC.sub(r"\1pass", line))


# -- changing it ---------------------------------------------------------------


def with_replacements(
    text: str, replacements: Mapping[int, Sequence[Replacement]]
) -> str:
    """Return a notebook with replacements by cell, and every other byte unchanged.

    ValueError if a string that changes is not written as the `json` module writes it.
    """
    pieces = []
    end = 0
    offsets: dict[int, int] = {}  # in the cell, which may be stored line by line
    strings = _strings(json.loads(text, object_pairs_hook=_Pairs))
    for written, (path, value) in zip(_STRING.finditer(text), strings, strict=True):
        if path[:1] != ("cells",) or path[2:3] != ("source",):
            continue
        cell = path[1] + 1
        offset = offsets.get(cell, 0)
        offsets[cell] = offset + len(value)
        inside = [
            replacement.moved(-offset)
            for replacement in replacements.get(cell, ())
            if offset <= replacement.start and replacement.end <= offsets[cell]
        ]
        if inside:
            pieces += [text[end : written.start()], _rewrite(written[0], inside)]
            end = written.end()
    return "".join([*pieces, text[end:]])


def _rewrite(written: str, replacements: Sequence[Replacement]) -> str:
    value = json.loads(written)
    for only_ascii in (False, True):
        if json.dumps(value, ensure_ascii=only_ascii) == written:
            return json.dumps(replaced(value, replacements), ensure_ascii=only_ascii)
    raise ValueError(f"it has the string {written}, which JSON writes in another way")


class _Pairs(list[tuple[str, Any]]):
    """A JSON object, in order and with all its keys."""


def _strings(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, str]]:
    """Give the strings of a JSON value as they follow in the text, with their paths."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, _Pairs):
        for key, member in value:
            yield (), key
            yield from _strings(member, (*path, key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _strings(member, (*path, index))
