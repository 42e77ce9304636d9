"""The recorded deviations of subjects from the documents."""

import os
from fnmatch import fnmatchcase

from .outcome import DEVIATES, NOT_APPLICABLE, RECORDED, Result
from .toml import read_tables

DIRECTORY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known")
_KEYS = {"outcome", "observed", "evidence"}
_VERDICTS = (*RECORDED, NOT_APPLICABLE)


class Deviation:
    """One recorded deviation of a clause, or of all clauses that a pattern matches.

    ``observed`` is text that the message of the result contains, and ``evidence`` the
    record that shows the behaviour. The verdict is ``deviates`` if the subject
    contradicts the document, ``differs`` if the document leaves open what it does, and
    ``not-applicable`` if the document speaks of something else.
    """

    def __init__(self, clause, outcome, observed, evidence, verdict=DEVIATES):
        self.clause = clause
        self.outcome = outcome
        self.observed = observed
        self.evidence = evidence
        self.verdict = verdict

    def matches(self, result):
        """Tell whether ``result`` is the recorded behaviour."""
        return result.outcome == self.outcome and self.observed in result.message


class Known:
    """The deviations of all subjects, from files ``<subject>.toml`` in a directory.

    Those that releases share are in a file of their major version, with the
    ``releases`` that have them. A table without entries has those of the next one.
    """

    def __init__(self, directory=DIRECTORY):
        self._directory = directory
        self._read = {}

    def add(self, subject_name, path):
        """Take the deviations of a subject from the file ``path``."""
        if not os.path.exists(path):
            raise ValueError(f"{path}: there is no such file of known deviations")
        self._read[subject_name] = _read_file(path, subject_name)

    def of(self, subject_name):
        """Return the deviations of a subject as a dict from ids and patterns."""
        if subject_name not in self._read:
            self._read[subject_name] = {}
            for name in (subject_name.partition(".")[0], subject_name):
                path = os.path.join(self._directory, name + ".toml")
                self._read[subject_name].update(_read_file(path, subject_name))
        return self._read[subject_name]

    def entry(self, subject_name, id):
        """Return the deviation of a subject that is recorded for a clause, or None."""
        entries = self.of(subject_name)
        if id in entries:
            return entries[id]
        return next((entries[one] for one in entries if fnmatchcase(id, one)), None)

    def judge(self, subject, result):
        """Return ``result``, with the recorded verdict if it is as recorded."""
        entry = self.entry(subject.name, result.id)
        if entry is None or not entry.matches(result):
            return result
        record = dict(result.as_json(), outcome=entry.verdict, evidence=entry.evidence)
        return Result.from_json(record)

    def complaints(self, run, clauses):
        """Return what is wrong with the entries of a subject, given its results.

        ``clauses`` are all clauses of the suite, run or not.
        """
        name = run.subject.name
        texts = [
            f"{name}: unknown clause {id} among the known deviations"
            for id in self.of(name)
            if not any(fnmatchcase(clause.id, id) for clause in clauses)
        ]
        if run.reason:
            return texts
        for result in run.results:
            entry = self.entry(name, result.id)
            if entry is not None and result.outcome != entry.verdict:
                texts.append(
                    f"{name}: stale entry {entry.clause}: recorded {entry.outcome} "
                    f"with {entry.observed!r}, but the outcome of {result.id} is "
                    f"{result.outcome}: {result.message}"
                )
        return texts


def _read_file(path, subject_name):
    if not os.path.exists(path):
        return {}
    entries, table = {}, {}
    for clause, own in reversed(list(read_tables(path).items())):
        table = own or table
        facts = {key: table[key] for key in table if key != "releases"}
        if set(facts) - {"verdict"} != _KEYS or not all(facts.values()):
            raise ValueError(f"{path}: {clause} needs {sorted(_KEYS)}, got {table}")
        verdict = facts.get("verdict", DEVIATES)
        if verdict not in _VERDICTS:
            raise ValueError(
                f"{path}: the verdict on {clause} must be one of {_VERDICTS}, got "
                f"{verdict!r}"
            )
        version = subject_name.rpartition("-")[2]
        if version in table.get("releases", version).split():
            entries[clause] = Deviation(clause, **facts)
    return entries
