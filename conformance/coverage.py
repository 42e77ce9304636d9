"""Holds the statements against the checks of the suite."""

import os
import re

from .catalogue import RELEASES
from .clause import Clause
from .documents import DOCUMENTS, within
from .reproduction import snippet
from .sentences import stray_entries, unstated

_STARTS_A_SYSTEM = re.compile(r"\b(fixed_system|initialised_topology)\(")
_OPENS_A_SESSION = re.compile(r"\b[Ss]ession\(")


class Coverage:
    """What is missing on either side, and what does not fit together.

    Statements and checks are dicts by the ids of the statements. ``unchecked`` are
    statements without a check, ``unstated`` checks without a statement, ``unsaid``
    sentences of documents that are no statement's and can be tested, and ``faults``
    what is wrong with the words, document, tier or versions of a statement.
    """

    def __init__(self, statements, checks):
        self._statements = statements
        self.unsaid = []
        self.unchecked = sorted(set(statements) - set(checks))
        self.unstated = sorted(set(checks) - set(statements))
        both = [
            Clause(one, checks[id]) for id, one in statements.items() if id in checks
        ]
        self.faults = [
            *_repeated_words(statements.values()),
            *_strays(statements.values()),
        ]
        for clause in both:
            faults = [*_words(clause), *_tier(clause), *_versions(clause)]
            self.faults += [f"{clause.id}: {fault}" for fault in faults]

    def look_into_documents(self, directory):
        """Add sentences without a statement, and entries about no statement.

        ``directory`` has the documents; without it only the entries are looked at.
        """
        for document in DOCUMENTS:
            self.faults += stray_entries(document, self._statements)
            if directory is not None:
                path = os.path.join(directory, document.file)
                self.unsaid += unstated(document, path)

    @property
    def complete(self):
        """Whether nothing is missing or wrong."""
        return not (self.unchecked or self.unstated or self.unsaid or self.faults)

    def lines(self):
        """Return the report as lines of text."""
        return (
            _section("statements without a check", self.unchecked)
            + _section("checks without a statement", self.unstated)
            + _section("sentences without a statement", self.unsaid)
            + _section("faults", self.faults)
        )


def _section(title, entries):
    return [f"{title}: {len(entries) or 'none'}"] + ["  " + one for one in entries]


def _repeated_words(statements):
    """Two statements about one name say different things."""
    first = {}
    for one in statements:
        other = first.setdefault((one.api, one.document, one.says), one)
        if other is not one:
            yield f"{one.id}: says the same as {other.id}"


def _strays(statements):
    """All that documents state about one name is in one of them."""
    documents = {}
    for one in statements:
        if one.source == "document":
            first = documents.setdefault(one.api, one.document)
            if one.document != first:
                yield f"{one.id}: of {one.document}, but {one.api} is that of {first}"


def _words(statement):
    if not statement.says.endswith("."):
        yield "its words are no sentence"
    if "tpuref" in statement.says:
        yield f"speaks of tpuref, but its source is {statement.source}"


def _tier(clause):
    """Only checks of the tier run need cores, and those of surface only look."""
    script = snippet(clause)
    if clause.tier != "run" and _STARTS_A_SYSTEM.search(script):
        yield f"its check starts a system, but its tier is {clause.tier}"
    if clause.tier == "surface" and _OPENS_A_SESSION.search(script):
        yield "its check opens a session, but its tier is surface"


def _versions(statement):
    if not any(within(release, statement.versions) for release in RELEASES):
        yield f"no release that can be run lies within {statement.versions}"
