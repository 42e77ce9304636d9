"""The catalogue of errors: what each code means, and what to do."""

from __future__ import annotations

import difflib
import re

from tpuref.tools.error_catalogue import (
    cloud_tpu,
    compilation,
    cores,
    datasets,
    estimators,
    files,
    gradients,
    graphs,
    hooks,
    infeed,
    names,
    operations,
    optimizers,
    padding,
    profiles,
    replicas,
    servers,
    sessions,
    settings,
    strategies,
    topologies,
    traces,
    warnings,
)
from tpuref.tools.error_catalogue.entry import Entry

AREAS: tuple[tuple[str, tuple[Entry, ...]], ...] = (
    ("Settings and the TPU system", settings.ENTRIES),
    ("Names", names.ENTRIES),
    ("Replicas, shards and sums", replicas.ENTRIES),
    ("Core processes", cores.ENTRIES),
    ("Compilation by XLA", compilation.ENTRIES),
    ("Topologies and devices", topologies.ENTRIES),
    ("Resolvers of Cloud TPUs", cloud_tpu.ENTRIES),
    ("Clusters and servers", servers.ENTRIES),
    ("Distribution strategies", strategies.ENTRIES),
    ("Datasets", datasets.ENTRIES),
    ("Files and checkpoints", files.ENTRIES),
    ("Graphs", graphs.ENTRIES),
    ("Operations and values", operations.ENTRIES),
    ("Traced functions and replicas", traces.ENTRIES),
    ("Gradients", gradients.ENTRIES),
    ("Sessions and variables", sessions.ENTRIES),
    ("Optimizers", optimizers.ENTRIES),
    ("Estimators", estimators.ENTRIES),
    ("Hooks and monitored sessions", hooks.ENTRIES),
    ("Padding", padding.ENTRIES),
    ("Infeed queues", infeed.ENTRIES),
    ("Profiles", profiles.ENTRIES),
    ("Warnings, which are logged", warnings.ENTRIES),
)
"""The entries, by area."""

ENTRIES: tuple[Entry, ...] = tuple(entry for _, entries in AREAS for entry in entries)
"""All of them, in this order."""


def find(text: str) -> Entry | None:
    """Return the entry of a code, None if there is none.

    Parameters
    ----------
    text
        The code as in a message, or without the prefix, in upper or lower case.

    Examples
    --------
    >>> find("e021").title == find("[TPUREF-E021]").title
    True
    """
    code = _full(text)
    for entry in ENTRIES:
        if entry.code == code:
            return entry
    return None


def near(text: str) -> list[str]:
    """Return codes that begin with a text that is none, or else are similar to it.

    Examples
    --------
    >>> "TPUREF-E021" in near("E0211"), near("E021")
    (True, ['TPUREF-E021'])
    """
    known = [entry.code for entry in ENTRIES]
    begins = [code for code in known if code.startswith(_full(text))]
    if len(begins) <= 10 and begins:  # those of a full decade
        return begins
    return difflib.get_close_matches(_full(text), known, n=3, cutoff=0.8)


def _full(text: str) -> str:
    short = re.sub(r"^TPUREF-", "", text.strip().strip("[]").upper())
    return f"TPUREF-{short}"
