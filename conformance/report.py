"""The report of a run: a table per documented name, then every failure."""

import platform
import textwrap

from .runner import ERROR, FAIL, OUTCOMES, PASS, UNAVAILABLE
from .subject import DEFAULT_SUBJECT

EXIT_PASSED = 0
EXIT_FAILED = 1
EXIT_COULD_NOT_RUN = 2

_WIDTH = 88


class Report:
    """The results of one run against one subject.

    Parameters
    ----------
    subject : str
        Name of the module under test.
    version : str
    results : list of Result
    """

    def __init__(self, subject, version, results):
        self.subject = subject
        self.version = version
        self.results = list(results)

    def count(self, *outcomes):
        """Return how many results have one of ``outcomes``."""
        return sum(result.outcome in outcomes for result in self.results)

    def failures(self):
        """Return the results that count as failed.

        The default subject has every probe, so that a clause which is unavailable
        there counts as failed.
        """
        failing = {FAIL, ERROR}
        if self.subject == DEFAULT_SUBJECT:
            failing.add(UNAVAILABLE)
        return [result for result in self.results if result.outcome in failing]

    @property
    def exit_status(self):
        if not self.results:
            return EXIT_COULD_NOT_RUN
        return EXIT_FAILED if self.failures() else EXIT_PASSED

    def as_text(self):
        """Return the tables and the details as text."""
        lines = [f"subject: {self.subject} {self.version}", ""]
        lines += _table(self.results)
        for result in self.failures():
            lines += [""] + _details(result)
        return "\n".join(lines) + "\n"

    def as_json(self):
        """Return the whole run as data for ``json.dump``."""
        return {
            "subject": self.subject,
            "version": self.version,
            "python": platform.python_version(),
            "counts": {outcome: self.count(outcome) for outcome in OUTCOMES},
            "exit_status": self.exit_status,
            "clauses": [_as_entry(result) for result in self.results],
        }


def _table(results):
    apis = []
    for result in results:
        if result.clause.api not in apis:
            apis.append(result.clause.api)
    width = max([len(api) for api in apis] + [len("documented name")])
    lines = [_row(width, "documented name", _COLUMNS), "-" * (width + 42)]
    for api in apis:
        lines.append(
            _row(width, api, _counts([r for r in results if r.clause.api == api]))
        )
    lines.append("-" * (width + 42))
    lines.append(_row(width, "all", _counts(results)))
    return lines


_COLUMNS = ("clauses", "passed", "failed", "unavailable")


def _counts(results):
    outcomes = [result.outcome for result in results]
    return (
        len(outcomes),
        outcomes.count(PASS),
        outcomes.count(FAIL) + outcomes.count(ERROR),
        outcomes.count(UNAVAILABLE),
    )


def _row(width, name, cells):
    clauses, passed, failed, unavailable = cells
    return f"{name:<{width}}  {clauses:>8} {passed:>8} {failed:>8} {unavailable:>13}"


def _details(result):
    clause = result.clause
    lines = [f"{result.outcome}: {clause.id}"]
    lines += _paragraph(f"{clause.seed} says: ", clause.says)
    if clause.doubt:
        lines += _paragraph("doubt: ", clause.doubt)
    lines += _paragraph("got: ", result.message)
    lines += [f"    at {call}" for call in result.trace]
    lines.append(f"  repeat: --clause '{clause.id}'")
    return lines


def _paragraph(label, text):
    return textwrap.wrap(
        label + text,
        _WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _as_entry(result):
    clause = result.clause
    return {
        "id": clause.id,
        "api": clause.api,
        "part": clause.part,
        "seed": clause.seed,
        "tier": clause.tier,
        "says": clause.says,
        "doubt": clause.doubt,
        "outcome": result.outcome,
        "message": result.message,
        "trace": result.trace,
        "seconds": round(result.seconds, 6),
    }
