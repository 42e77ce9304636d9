"""Reads the part of TOML that the files of the suite use.

Comments, arrays of tables and basic strings on one line; ``tomllib`` came with Python
3.11, and the suite runs on older ones.
"""

import json
import re

_TABLE = re.compile(r"^\[\[(\w+)\]\]$")
_ENTRY = re.compile(r'^(\w+) = (".*")$')


def read_tables(path, name):
    """Return the tables ``[[name]]`` of the file as a list of dicts."""
    tables = []
    with open(path, encoding="utf-8") as lines:
        for number, text in enumerate(lines, 1):
            line = text.strip()
            if not line or line.startswith("#"):
                continue
            table, entry = _TABLE.match(line), _ENTRY.match(line)
            if table is not None and table.group(1) == name:
                tables.append({})
            elif entry is not None and tables:
                tables[-1][entry.group(1)] = json.loads(entry.group(2))
            else:
                raise ValueError(f'{path}:{number}: [[{name}]] or key = "text"')
    return tables


def quoted(text):
    """Return ``text`` as a basic string."""
    return json.dumps(text, ensure_ascii=False)
