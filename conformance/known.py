"""The recorded deviations of subjects from the documents."""

import os
from fnmatch import fnmatchcase

from .outcome import DEVIATES, Result
from .toml import read_tables

DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known")
_KEYS = {"outcome", "observed", "evidence"}


class Deviation:
    """One recorded deviation.

    Attributes
    ----------
    clause : str
        Id of the clause; with wildcards it stands for every clause that it matches.
    outcome : str
        The outcome of the clause: ``fail``, ``error``, ``absent``, ``crash``.
    observed : str
        Text that the message of the result contains.
    evidence : str
        The record that shows the behaviour.
    """

    def __init__(self, clause, outcome, observed, evidence):
        self.clause = clause
        self.outcome = outcome
        self.observed = observed
        self.evidence = evidence

    def matches(self, result):
        """Tell whether ``result`` is the recorded behaviour."""
        return result.outcome == self.outcome and self.observed in result.message


class Known:
    """The deviations of all subjects.

    Parameters
    ----------
    directory : str, optional
        Where the files ``<subject>.toml`` lie.
    """

    def __init__(self, directory=DIRECTORY):
        self._directory = directory
        self._read = {}

    def of(self, subject_name):
        """Return the deviations of a subject as a dict from ids and patterns."""
        if subject_name not in self._read:
            self._read[subject_name] = _read_file(
                os.path.join(self._directory, subject_name + ".toml")
            )
        return self._read[subject_name]

    def entry(self, subject_name, id):
        """Return the deviation of a subject that is recorded for a clause, or None."""
        entries = self.of(subject_name)
        if id in entries:
            return entries[id]
        return next((entries[one] for one in entries if fnmatchcase(id, one)), None)

    def judge(self, subject, result):
        """Return ``result``, as a deviation if it is a recorded one."""
        entry = self.entry(subject.name, result.id)
        if entry is None or not entry.matches(result):
            return result
        record = dict(result.as_json(), outcome=DEVIATES, evidence=entry.evidence)
        return Result.from_json(record)

    def complaints(self, run, clauses):
        """Return what is wrong with the entries of a subject, given its results.

        ``clauses`` are all clauses of the suite, run or not.
        """
        name = run.subject.name
        found = [
            f"{name}: unknown clause {id} among the known deviations"
            for id in self.of(name)
            if not any(fnmatchcase(clause.id, id) for clause in clauses)
        ]
        if run.reason:
            return found
        for result in run.results:
            entry = self.entry(name, result.id)
            if entry is not None and result.outcome != DEVIATES:
                found.append(_stale(name, entry, result))
        return found


def _stale(name, entry, result):
    return (
        f"{name}: stale entry {entry.clause}: recorded {entry.outcome} with "
        f"{entry.observed!r}, but the outcome of {result.id} is {result.outcome}: "
        f"{result.message}"
    )


def _read_file(path):
    if not os.path.exists(path):
        return {}
    entries = {}
    for clause, table in read_tables(path).items():
        if set(table) != _KEYS or not all(table.values()):
            raise ValueError(f"{path}: {clause} needs {sorted(_KEYS)}, got {table}")
        entries[clause] = Deviation(clause, **table)
    return entries
