"""The sentences of the documents, by their places, and whose statements they are.

``sentences/`` has a file for each document. A line of it names statements (``*`` is a
wildcard), or after ``-`` a reason why sentences cannot be tested, and the sentences or
ranges that it is about. ``12.2`` is the second sentence that begins in line 12; what a
line continues counts as one that begins. The text is not kept.
"""

import fnmatch
import os
import re

DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sentences")
_END = re.compile(r"(?<=[.!?])\s+")
_LINE = re.compile(r"^(?:- .+|(\S+)):((?: \d+\.\d+(?:-\d+\.\d+)?)+)$")


class Entry:
    """A range of sentences, each a line and a number in it, and the statements of it.

    ``statements`` is a pattern of ids; empty for sentences that cannot be tested.
    """

    def __init__(self, statements, place):
        first, _, last = place.partition("-")
        self.first, self.last = _numbers(first), _numbers(last or first)
        self.statements = statements


def _numbers(place):
    line, number = place.split(".")
    return int(line), int(number)


def read_entries(document, directory=DIRECTORY):
    """Return what is recorded of the sentences of ``document``."""
    path = os.path.join(directory, document.file)
    entries = []
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            match = _LINE.match(line)
            if match is None:
                raise ValueError(f"{path}: expected 'tf.name/part/*: 12.1', got {line}")
            places = match.group(2).split()
            entries += [Entry(match.group(1) or "", place) for place in places]
    return entries


def sentences(path):
    """Return the numbers of the sentences in the file of a document."""
    with open(path, encoding="utf-8") as stream:
        return [
            (number, position)
            for number, line in enumerate(stream, 1)
            for position, _ in enumerate(_parts(line), 1)
        ]


def _parts(line):
    return [part for part in _END.split(line.strip()) if re.search("[A-Za-z]", part)]


def unstated(document, path):
    """Return the sentences of the document's file that no entry names, as text."""
    entries = read_entries(document)
    return [
        f"{document.file}: sentence {line}.{position}"
        for line, position in sentences(path)
        if not any(one.first <= (line, position) <= one.last for one in entries)
    ]


def stray_entries(document, statements):
    """Return the entries whose statements the document does not have, as text."""
    ids = [
        one.id
        for one in statements.values()
        if one.source == "document" and one.document == document.file
    ]
    return [
        f"{document.file}: sentence {entry.first[0]}.{entry.first[1]}: no statement is "
        f"called {entry.statements}"
        for entry in read_entries(document)
        if entry.statements and not fnmatch.filter(ids, entry.statements)
    ]
