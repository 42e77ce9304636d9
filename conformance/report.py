"""The report of a run: the outcome of every clause on every subject."""

import datetime
import json

from .outcome import (
    CONTRADICTIONS,
    NEEDS_TPU,
    NOT_APPLICABLE,
    OUTCOMES,
    RECORDED,
    WITHOUT_PACKAGE,
    Result,
)
from .statements import Statement

EXIT_PASSED = 0
EXIT_FAILED = 1
EXIT_COULD_NOT_RUN = 2

_FORMAT = 3

#: The rows of the table below the documented names, by the clauses that they count.
_TOTALS = {
    "document": "stated by documents",
    "beyond": "beyond the words",
    "release": "done by releases",
}


class BadReport(Exception):
    """The file is not a complete report."""


class Column:
    """The results of one subject, by the ids of the clauses.

    ``header`` is what the subject said about itself, or empty with the ``reason`` why
    it could not be run; ``clauses`` is the number of clauses that it was to be judged
    by, and ``excused`` lists those beyond the words of the documents that do not make
    the run fail.
    """

    FIELDS = (
        "name", "module", "strict", "header", "reason", "seconds", "settings",
        "clauses", "excused",
    )  # fmt: skip

    def __init__(self, results, **fields):
        for field in self.FIELDS:
            setattr(self, field, {"excused": [], **fields}[field])
        self.results = {result.id: result for result in results}
        if len(self.results) != len(results):
            raise BadReport(f"{self.name}: a clause has two results")

    @classmethod
    def of(cls, run):
        """Return the column of a Run."""
        subject = run.subject
        past = {one.id for one in run.results if one.beyond}
        return cls(
            run.results,
            name=subject.name,
            module=subject.module,
            strict=subject.strict,
            header=run.header,
            reason=run.reason,
            seconds=round(run.seconds, 3),
            settings=subject.settings,
            clauses=len(run.clauses),
            excused=[
                one.id
                for one in run.clauses
                if (one.beyond or one.id in past) and not subject.beyond
            ],
        )

    @property
    def version(self):
        """The version that the subject gave, or '?'."""
        return self.header.get("version", "?")

    def failures(self):
        """Return the results that make the run fail."""
        return [one for one in self._failing() if one.id not in self.excused]

    def excused_failures(self):
        """Return the results that would fail, but are of clauses beyond the words."""
        return [one for one in self._failing() if one.id in self.excused]

    def not_applicable(self):
        """Return the clauses that were not decided, by the reasons."""
        reasons = {}
        for one in self.results.values():
            if one.outcome == NOT_APPLICABLE:
                reasons.setdefault(one.message, []).append(one.id)
        return reasons

    def _failing(self):
        if self.reason:
            return []
        failing = CONTRADICTIONS
        if self.strict:
            failing += (NEEDS_TPU, NOT_APPLICABLE)
        return [
            one
            for one in self.results.values()
            if one.outcome in failing and not one.message.startswith(WITHOUT_PACKAGE)
        ]

    def as_json(self):
        data = {field: getattr(self, field) for field in self.FIELDS}
        data["results"] = [result.as_json() for result in self.results.values()]
        return data


class Report:
    """The results of all subjects.

    ``complaints`` are about stale and unknown entries among the known deviations;
    ``created`` is an ISO date and time.
    """

    def __init__(self, statements, columns, complaints=(), created=None):
        self.statements = list(statements)
        self.columns = list(columns)
        self.complaints = list(complaints)
        now = datetime.datetime.now(datetime.timezone.utc)
        self.created = created or now.strftime("%Y-%m-%d %H:%M UTC")

    @property
    def exit_status(self):
        """1 if something failed, else 2 if a subject could not be run, else 0."""
        if self.complaints or any(column.failures() for column in self.columns):
            return EXIT_FAILED
        if not self.columns or any(column.reason for column in self.columns):
            return EXIT_COULD_NOT_RUN
        return EXIT_PASSED

    def started(self):
        """Return the columns of the subjects that started."""
        return [column for column in self.columns if column.header]

    def names(self):
        """Return a row for each documented name with a result.

        A row is its label and, for each subject that started, how often each outcome
        occurs.
        """
        apis = dict.fromkeys(one.api for one in self._decided())
        return [self._row(api, lambda one, _, api=api: one.api == api) for api in apis]

    def totals(self):
        """Return a row for each source with a result, and one for all of them."""
        rows = []
        for kind, label in _TOTALS.items():
            row = self._row(label, lambda *one, kind=kind: _total(*one) == kind)
            rows += [row] if any(sum(cell.values()) for cell in row[1]) else []
        return [*rows, self._row("all", lambda *one: True)]

    def _decided(self):
        decided = {id for column in self.columns for id in column.results}
        return [one for one in self.statements if one.id in decided]

    def _row(self, label, chosen):
        return label, [self.counts(column, chosen) for column in self.started()]

    def counts(self, column, chosen=lambda statement, result: True):
        """Return how often each outcome occurs among the chosen results."""
        counts = dict.fromkeys(OUTCOMES, 0)
        for statement in self.statements:
            result = column.results.get(statement.id)
            if result is not None and chosen(statement, result):
                counts[result.outcome] += 1
        return counts

    def disagreements(self):
        """Return the statements that some subject contradicts."""
        wrong = (*CONTRADICTIONS, *RECORDED)
        return [
            statement
            for statement in self.statements
            if any(
                statement.id in column.results
                and column.results[statement.id].outcome in wrong
                and not column.reason
                for column in self.columns
            )
        ]

    def as_json(self):
        """Return the report as data for ``json.dump``, with header and footer."""
        return {
            "format": _FORMAT,
            "created": self.created,
            "exit_status": self.exit_status,
            "statements": [statement.as_json() for statement in self.statements],
            "subjects": [column.as_json() for column in self.columns],
            "complaints": self.complaints,
            "footer": {"results": sum(len(c.results) for c in self.columns)},
        }

    @classmethod
    def from_json(cls, data):
        """Read what ``as_json`` wrote; raise BadReport if it is not whole."""
        if not isinstance(data, dict) or data.get("format") != _FORMAT:
            raise BadReport(f"this is not a report of the suite in format {_FORMAT}")
        columns = []
        for entry in data["subjects"]:
            fields = {field: entry[field] for field in Column.FIELDS}
            results = [Result.from_json(one) for one in entry["results"]]
            columns.append(Column(results, **fields))
        total = sum(len(column.results) for column in columns)
        if data.get("footer") != {"results": total}:
            raise BadReport(f"the footer does not fit the {total} results")
        statements = [Statement(**entry) for entry in data["statements"]]
        return cls(statements, columns, data["complaints"], data["created"])


def _total(statement, result):
    """Return the name of the total that counts the result of a statement."""
    return "beyond" if statement.beyond or result.beyond else statement.source


def read_report(path):
    """Return the report in the file ``path``."""
    try:
        with open(path, encoding="utf-8") as stream:
            return Report.from_json(json.load(stream))
    except (BadReport, KeyError, TypeError, ValueError) as error:
        raise BadReport(f"{path}: {error}") from error


def cell(counts):
    """Return the counts of one cell as short text: the passes, then the others."""
    return " ".join(f"{counts[one]}{LETTERS[one]}" for one in OUTCOMES if counts[one])


LETTERS = {
    "pass": "",
    "fail": "F",
    "deviates": "d",
    "differs": "r",
    "needs-tpu": "t",
    "absent": "A",
    "not-applicable": "-",
    "error": "E",
    "crash": "C",
    "timeout": "T",
}
