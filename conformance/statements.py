"""The documented statements, and where the suite differs from the list on purpose."""

import os
import re

from .documents import DOCUMENTS
from .toml import read_tables

DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clauses")
CHANGES = os.path.join(DIRECTORY, "CHANGES")
_CHANGE = re.compile(r"^(merged|split|added) (\S+?)(?: into (.+?))?: (.+)$")


class DocumentedStatement:
    """One statement of a document.

    Attributes
    ----------
    id, tier, says, seed : str
    """

    def __init__(self, id, tier, says, seed):
        self.id = id
        self.tier = tier
        self.says = says
        self.seed = seed


class Change:
    """One difference between the list and the suite.

    Attributes
    ----------
    kind : str
        ``merged``, ``split`` or ``added``.
    id : str
    into : list of str
        The clauses that decide a merged or split statement.
    reason : str
    """

    def __init__(self, kind, id, into, reason):
        self.kind = kind
        self.id = id
        self.into = into
        self.reason = reason


def documented(directory=DIRECTORY):
    """Return all documented statements, document by document."""
    statements = []
    for document in DOCUMENTS:
        path = os.path.join(directory, document.file.replace(".txt", ".toml"))
        for table in read_tables(path, "statement"):
            statements.append(DocumentedStatement(seed=document.file, **table))
    return statements


def changes(path=CHANGES):
    """Return the recorded differences."""
    found = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            match = _CHANGE.match(line.strip())
            if match is None or (match.group(1) == "added") != (match.group(3) is None):
                raise ValueError(f"{path}:{number}: not a change: {line.strip()}")
            kind, id, into, reason = match.groups()
            found.append(Change(kind, id, into.split(", ") if into else [], reason))
    return found
