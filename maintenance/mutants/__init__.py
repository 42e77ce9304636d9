"""Deliberately wrong variants of tpuref, each with the clauses that must notice."""

from .lists import DIRECTORY, read_list

MUTANTS = [one for path in sorted(DIRECTORY.glob("*.txt")) for one in read_list(path)]
