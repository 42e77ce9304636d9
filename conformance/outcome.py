"""The outcomes that a clause can have, and the record of one."""

PASS = "pass"
FAIL = "fail"
DEVIATES = "deviates"
DIFFERS = "differs"
NEEDS_TPU = "needs-tpu"
ABSENT = "absent"
NOT_APPLICABLE = "not-applicable"
ERROR = "error"
CRASH = "crash"
TIMEOUT = "timeout"

OUTCOMES = (
    PASS, FAIL, DEVIATES, DIFFERS, NEEDS_TPU, ABSENT, NOT_APPLICABLE, ERROR, CRASH,
    TIMEOUT,
)  # fmt: skip

#: Outcomes that are recorded as what the subject does.
RECORDED = (DEVIATES, DIFFERS)

#: Outcomes that contradict a statement, unless they are recorded as a deviation.
CONTRADICTIONS = (FAIL, ABSENT, ERROR, CRASH, TIMEOUT)

#: Outcomes that a script reproduces; a missing name needs none.
REPRODUCED = {*CONTRADICTIONS, *RECORDED} - {ABSENT}

#: What the reason begins with where an optional package is missing.
WITHOUT_PACKAGE = "an optional package is missing: "

MEANINGS = {
    PASS: "does what the document says",
    FAIL: "an assertion does not hold",
    DEVIATES: "contradicts the document in a way that is recorded",
    DIFFERS: "differs from our reading of what the document leaves open, as recorded",
    NEEDS_TPU: "can only be decided on a subject with cores",
    ABSENT: "the documented name does not exist",
    NOT_APPLICABLE: "of another release, or impossible to observe on this subject",
    ERROR: "the check ended in an unexpected exception, or could not be run",
    CRASH: "the process of the subject ended",
    TIMEOUT: "no answer within the time limit",
}


class Result:
    """The outcome of one clause on one subject.

    ``message`` says why, unless it passed; ``trace`` lists the last calls that led
    there, innermost last; ``detail`` is what the subject printed meanwhile, never part
    of the verdict; ``evidence`` names the record that shows a deviation. ``beyond``
    says that a check failed only where it asks for more than the document's words.
    """

    def __init__(
        self,
        id,
        outcome,
        message="",
        trace=(),
        seconds=0.0,
        detail="",
        evidence="",
        beyond=False,
    ):
        if outcome not in OUTCOMES:
            raise ValueError(f"outcome must be one of {OUTCOMES}, got {outcome!r}")
        self.id = id
        self.outcome = outcome
        self.message = message
        self.trace = list(trace)
        self.seconds = seconds
        self.detail = detail
        self.evidence = evidence
        self.beyond = beyond

    def as_json(self):
        """Return the record as data for ``json.dump``, without empty entries."""
        record = {
            "id": self.id,
            "outcome": self.outcome,
            "message": self.message,
            "trace": self.trace,
            "seconds": round(self.seconds, 6),
            "detail": self.detail,
            "evidence": self.evidence,
            "beyond": self.beyond or "",
        }
        return {key: value for key, value in record.items() if value not in ("", [])}

    @classmethod
    def from_json(cls, record):
        """Read what ``as_json`` wrote."""
        return cls(**record)
