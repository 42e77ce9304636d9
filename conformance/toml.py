"""Reads the part of TOML that the files of the suite use.

Comments, tables with a quoted name, and basic strings on one line. ``tomllib`` came
with Python 3.11, and the suite runs on older ones.
"""

import json
import re

_TABLE = re.compile(r'^\[(".*")\]$')
_ENTRY = re.compile(r'^(\w+) = (".*")$')


def read_tables(path):
    """Return the tables of the file as a dict from their names to dicts."""
    tables, current = {}, None
    with open(path, encoding="utf-8") as lines:
        for number, text in enumerate(lines, 1):
            line = text.strip()
            if not line or line.startswith("#"):
                continue
            table, entry = _TABLE.match(line), _ENTRY.match(line)
            if table is not None and json.loads(table.group(1)) not in tables:
                current = tables.setdefault(json.loads(table.group(1)), {})
            elif entry and current is not None and entry.group(1) not in current:
                current[entry.group(1)] = json.loads(entry.group(2))
            else:
                raise ValueError(
                    f'{path}:{number}: expected a new ["name"] or key = "text", '
                    f"got {line}"
                )
    return tables
