"""The catalogue of errors: what each code means, and what to do."""

from __future__ import annotations

import difflib
import re

from tpuref.tools.error_catalogue import (
    arguments,
    compilation,
    cores,
    files,
    graphs,
    infeed,
    operations,
    replicas,
    servers,
    sessions,
    settings,
    strategies,
    topologies,
    training,
    warnings,
)
from tpuref.tools.error_catalogue.entry import Entry

AREAS: tuple[tuple[str, tuple[Entry, ...]], ...] = (
    ("Settings and names", settings.ENTRIES),
    ("Arguments and results", arguments.ENTRIES),
    ("Replicas, shards and sums", replicas.ENTRIES),
    ("Cores and hosts", cores.ENTRIES),
    ("Compilation by XLA", compilation.ENTRIES),
    ("Topologies and devices", topologies.ENTRIES),
    ("Cloud TPUs, clusters and servers", servers.ENTRIES),
    ("Distribution strategies", strategies.ENTRIES),
    ("Datasets, files and checkpoints", files.ENTRIES),
    ("Graphs, traced functions and gradients", graphs.ENTRIES),
    ("Operations and values", operations.ENTRIES),
    ("Sessions and variables", sessions.ENTRIES),
    ("Training", training.ENTRIES),
    ("Infeed and outfeed", infeed.ENTRIES),
    ("Warnings, which are logged", warnings.ENTRIES),
)
"""The entries, by area."""

ENTRIES: tuple[Entry, ...] = tuple(entry for _, entries in AREAS for entry in entries)
"""All of them, in this order."""


def find(text: str) -> Entry | None:
    """Return the entry of a code or of one that it replaced, None if there is none.

    Parameters
    ----------
    text
        The code as in a message, or without the prefix, in upper or lower case.

    Examples
    --------
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

    Examples
    --------
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
