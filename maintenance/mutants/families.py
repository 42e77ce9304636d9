"""Mutants by families of slips, each family in a file of ``families/``.

An entry is five lines: name and what is wrong, the clause that must notice, the
function, and the text that is replaced (see ``Mutant``).
"""

import pathlib

from .mutant import Mutant

DIRECTORY = pathlib.Path(__file__).with_name("families")
_MARKS = ("  = ", "  @ ", "  - ", "  + ")


def read_family(path):
    """Return the mutants that the file lists."""
    text = "\n".join(
        line for line in path.read_text("utf-8").splitlines() if line[:1] != "#"
    )
    return [_mutant(path, entry) for entry in text.strip().split("\n\n")]


def _mutant(path, entry):
    first, *others = entry.strip("\n").splitlines()
    name, _, says = first.partition(": ")
    if [line[:4] for line in others] != list(_MARKS) or not says:
        raise ValueError(f"{path}: expected a name and {_MARKS}, got {entry!r}")
    return Mutant(name, says, *(line[4:] for line in others))


MUTANTS = [one for path in sorted(DIRECTORY.glob("*.txt")) for one in read_family(path)]
