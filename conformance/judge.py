"""Runs one clause in this process and returns its outcome."""

import os
import time
import traceback

from .clause import Unavailable, first_line
from .documents import within
from .outcome import (
    ABSENT,
    ERROR,
    FAIL,
    NEEDS_TPU,
    NOT_APPLICABLE,
    PASS,
    Result,
)
from .subject import fresh_graph, version_of

_FRAMES = 4


def judge(clause, tf, release=False, cores=True):
    """Run one clause against the module ``tf``.

    Parameters
    ----------
    clause : Clause
    tf : module
    release : bool, optional
        The subject is a release of TensorFlow: statements about other releases do
        not apply to it.
    cores : bool, optional
        The subject has TPU cores, so that clauses of the tier ``run`` can be run.
    """
    start = time.perf_counter()
    outcome, message, trace = _decide(clause, tf, release, cores)
    return Result(clause.id, outcome, message, trace, time.perf_counter() - start)


def _decide(clause, tf, release, cores):
    version = version_of(tf)
    if release and not within(version, clause.versions):
        return NOT_APPLICABLE, f"the document is not about release {version}", ()
    missing = _missing_name(tf, clause.api)
    if missing is not None:
        return ABSENT, f"there is no {missing}", ()
    if clause.tier == "run" and not cores:
        return NEEDS_TPU, "the statement is about values that cores compute", ()
    return _run(clause, tf)


def _run(clause, tf):
    try:
        with fresh_graph(tf):
            clause.check(tf)
    except Unavailable as reason:
        return NOT_APPLICABLE, f"cannot be observed: {reason}", ()
    except AssertionError as error:
        message = str(error) or "an assertion without a message does not hold"
        return FAIL, message, _last_calls(error)
    except (Exception, SystemExit) as error:
        message = f"{type(error).__name__}: {first_line(error)}"
        return ERROR, message, _last_calls(error)
    return PASS, "", ()


def _missing_name(tf, api):
    """Return the first part of the dotted name ``api`` that ``tf`` lacks, or None.

    What a class offers may exist only on its instances, so a class ends the search.
    """
    found, path = tf, "tf"
    for name in api.split(".")[1:]:
        if isinstance(found, type):
            return None
        path += "." + name
        try:
            found = getattr(found, name)
        except AttributeError:
            return path
    return None


def _last_calls(error):
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    return [
        f"{os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}: "
        f"{frame.line}"
        for frame in frames
    ]
