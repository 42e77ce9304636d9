"""Runs clauses against a subject, each in a graph of its own."""

import os
import time
import traceback

from .clause import Unavailable, first_line
from .subject import fresh_graph

PASS = "pass"
FAIL = "fail"
UNAVAILABLE = "unavailable"
ERROR = "error"
OUTCOMES = (PASS, FAIL, UNAVAILABLE, ERROR)

_FRAMES = 4


class Result:
    """What one clause came to.

    Attributes
    ----------
    clause : Clause
    outcome : str
        ``pass``; ``fail`` when an assertion does not hold; ``error`` when the check
        ends in another exception; ``unavailable`` when the subject has no probe.
    message : str
        Why, empty for a pass.
    trace : list of str
        The last calls that led there, innermost last.
    seconds : float
    """

    def __init__(self, clause, outcome, message="", trace=(), seconds=0.0):
        self.clause = clause
        self.outcome = outcome
        self.message = message
        self.trace = list(trace)
        self.seconds = seconds


def run_clause(clause, tf):
    """Run one clause against the module ``tf``."""
    start = time.perf_counter()
    outcome, message, trace = _judge(clause, tf)
    return Result(clause, outcome, message, trace, time.perf_counter() - start)


def run(clauses, tf):
    """Run ``clauses`` one after the other and return their results."""
    return [run_clause(clause, tf) for clause in clauses]


def _judge(clause, tf):
    try:
        with fresh_graph(tf):
            clause.check(tf)
    except Unavailable as reason:
        return UNAVAILABLE, str(reason), ()
    except AssertionError as error:
        message = str(error) or "an assertion without a message does not hold"
        return FAIL, message, _last_calls(error)
    except (Exception, SystemExit) as error:
        message = f"{type(error).__name__}: {first_line(error)}"
        return ERROR, message, _last_calls(error)
    return PASS, "", ()


def _last_calls(error):
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    return [
        f"{os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}: "
        f"{frame.line}"
        for frame in frames
    ]
