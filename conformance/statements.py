"""The statements that the suite checks: what they say, and who says it.

``clauses/`` has a folder for each source: what the five documents state, and what
releases of TensorFlow do where a document is silent. Each folder has a file for each
document. A statement has its tier, its id and, where the document's do not hold, its
versions; then its words; and after ``?`` what the document leaves open, or after ``+``
what the check asks for beyond it::

    run tf.tpu.shard/name/input-axis-divisible
      Each input can be divided along its axis.
      ? The page does not say which exception is raised.
"""

import functools
import os
import re

from .documents import DOCUMENTS, name_of

DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clauses")
#: Each source, and the folder of its statements.
SOURCES = {"document": "documents", "release": "releases"}
TIERS = ("surface", "build", "run", "host")

_ENTRY = re.compile(
    r"(?P<tier>\w+) (?P<id>\S+)(?: (?P<versions>\S+))?\n"
    r"  (?P<says>[^?+\s].*)\n(?:  \? (?P<doubt>.+)\n|  \+ (?P<beyond>.+)\n)?"
)
_IDENTIFIER = re.compile(r"^(?P<api>[^/]+)/(?P<part>[^/]+)/[^/]+$")
_VERSIONS = re.compile(r"^(\d+\.\d+)(-)?(\d+\.\d+)?$")


class Statement:
    """One statement about a documented name.

    Its id is ``api/part/slug``: the dotted name, and the part of the page, such as
    ``args:inputs`` or ``returns``. ``document`` is the file of the page that has, or
    lacks, the statement; ``doubt`` is what the page leaves open, and the reading taken;
    ``beyond`` says that the check asks for more than the page's words. ``versions`` are
    the first and the last minor version of TensorFlow that it holds for, each of which
    may be None.
    """

    FIELDS = ("id", "source", "document", "tier", "says", "doubt", "beyond", "versions")

    def __init__(
        self,
        id,
        source,
        document,
        tier,
        says,
        doubt=None,
        beyond=False,
        versions=(None, None),
    ):
        match = _IDENTIFIER.match(id)
        if match is None:
            raise ValueError(f"{id!r}: an id must look like 'api/part/slug'")
        if source not in SOURCES:
            raise ValueError(f"{id}: source must be in {list(SOURCES)}, got {source!r}")
        if tier not in TIERS:
            raise ValueError(f"{id}: tier must be one of {TIERS}, got {tier!r}")
        self.id = id
        self.source = source
        self.document = document
        self.tier = tier
        self.says = says
        self.doubt = doubt
        self.beyond = beyond
        self.versions = tuple(versions)
        self.api, self.part = match.groups()

    def __repr__(self):
        return f"{type(self).__name__}({self.id!r})"

    @property
    def authority(self):
        """Who says so, in words."""
        if self.source == "release":
            return "releases of TensorFlow"
        return name_of(self.document)

    def as_json(self):
        """Return the statement as data for ``json.dump``."""
        return {field: getattr(self, field) for field in self.FIELDS}


def read_statements(directory=DIRECTORY):
    """Return the statements in ``directory`` by their ids, document by document."""
    statements = {}
    for document in DOCUMENTS:
        for source, folder in SOURCES.items():
            path = os.path.join(directory, folder, document.file)
            for entry in _entries(path) if os.path.exists(path) else ():
                match = _ENTRY.fullmatch(entry)
                if match is None:
                    raise ValueError(f"{path}: not a statement: {entry!r}")
                if match.group("id") in statements:
                    raise ValueError(f"{path}: {match.group('id')} is stated twice")
                statement = _statement(source, document, **match.groupdict())
                statements[statement.id] = statement
    return statements


def _entries(path):
    """Return the text of each statement in a file, which begins a line."""
    entries = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("  ") and entries:
                entries[-1] += line
            elif line.strip() and not line.startswith("#"):
                entries.append(line)
    return entries


@functools.lru_cache(maxsize=None)
def statements():
    """Return the statements of the suite by their ids."""
    return read_statements()


def _statement(source, document, id, tier, says, doubt, beyond, versions):
    """Return a statement; ``beyond`` is a doubt about what the words do not say."""
    span = document.versions if versions is None else _span(id, versions)
    facts = (tier, says, doubt or beyond, beyond is not None)
    return Statement(id, source, document.file, *facts, span)


def _span(id, text):
    """Return first and last version of ``1.8-1.15``, of ``2.4-`` or of ``2.4``."""
    match = _VERSIONS.match(text)
    if match is None:
        raise ValueError(f"{id}: versions must look like '1.8-1.15', got {text!r}")
    first, dash, last = match.groups()
    return first, last if dash else first
