"""Runs one clause in this process and returns its outcome."""

import os
import time
import traceback

from .clause import (
    NotInstalled,
    Unavailable,
    beyond_the_words,
    first_line,
    is_beyond_the_words,
)
from .description import Described
from .documents import within
from .outcome import (
    ABSENT,
    ERROR,
    FAIL,
    NEEDS_TPU,
    NOT_APPLICABLE,
    PASS,
    WITHOUT_PACKAGE,
    Result,
)
from .subject import fresh_graph, version_of

_FRAMES = 4
_SUITE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
#: Where a check may find that a name is missing, which it needs besides its own.
_NAMESPACES = (
    "tpu", "tpu.experimental", "contrib", "contrib.cluster_resolver",
    "contrib.distribute", "contrib.tpu", "compat", "compat.v1", "compat.v1.tpu",
    "config", "distribute", "distribute.cluster_resolver", "train", "data", "errors",
    "math", "nn",
)  # fmt: skip


def judge(clause, tf, release=False, cores=True):
    """Run one clause against the module ``tf``.

    Statements about other releases do not apply to a ``release`` of TensorFlow; without
    ``cores`` the clauses of the tier ``run`` cannot be run.
    """
    start = time.perf_counter()
    beyond_the_words(False)
    outcome, message, trace = _decide(clause, tf, release, cores)
    beyond = outcome in (FAIL, ERROR) and is_beyond_the_words()
    seconds = time.perf_counter() - start
    return Result(clause.id, outcome, message, trace, seconds, beyond=beyond)


def _decide(clause, tf, release, cores):
    version = version_of(tf)
    if release and not within(version, clause.versions):
        return NOT_APPLICABLE, f"the document is not about release {version}", ()
    if isinstance(tf, Described) and tf.skipped(clause.id) is not None:
        return NOT_APPLICABLE, f"skipped: {tf.skipped(clause.id)}", ()
    missing = _missing_name(getattr(tf, "judged_module", tf), clause.api)
    if missing is not None:
        return ABSENT, f"there is no {missing}", ()
    if clause.tier == "run" and not cores:
        return NEEDS_TPU, "the statement is about values that cores compute", ()
    return _run(clause, tf)


def _run(clause, tf):
    try:
        with fresh_graph(tf):
            clause.check(tf)
    except NotInstalled as reason:
        return NOT_APPLICABLE, f"{WITHOUT_PACKAGE}{reason}", ()
    except Unavailable as reason:
        return NOT_APPLICABLE, f"cannot be observed: {reason}", ()
    except (Exception, SystemExit) as error:
        missing = _missing_elsewhere(tf, clause.api, error)
        if missing is not None:
            return NOT_APPLICABLE, f"cannot be observed: there is no {missing}", ()
        if isinstance(error, AssertionError):
            message = str(error) or "an assertion without a message does not hold"
            return FAIL, message, _last_calls(error)
        message = f"{type(error).__name__}: {first_line(error)}"
        return ERROR, message + _in_the_check(error), _last_calls(error)
    return PASS, "", ()


def _in_the_check(error):
    """Say where an error was raised if it was by a check itself, not by the subject."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames or not os.path.abspath(frames[-1].filename).startswith(_SUITE):
        return ""
    return f" (in the check itself, which assumes more: {frames[-1].line})"


def _missing_name(tf, api):
    """Return the first part of the dotted name ``api`` that ``tf`` lacks, or None.

    What a class offers may exist only on its instances, so a class ends the search,
    unless it stands where the documents have a namespace, whose name is lower case.
    """
    holder, path = tf, "tf"
    for name in api.split(".")[1:]:
        if isinstance(holder, type) and path.rpartition(".")[2][0].isupper():
            return None
        path += "." + name
        try:
            holder = getattr(holder, name)
        except AttributeError:
            return path
    return None


def _missing_elsewhere(tf, api, error):
    """Return the name that the check needed besides ``api`` and ``tf`` lacks, or None.

    A module may offer a part of what is documented. What else a check uses is not what
    its clause is about; a documented name that is missing has clauses of its own.
    """
    if isinstance(error, AssertionError):
        error = error.__cause__  # got instead of the error that the check expects
    if not isinstance(error, AttributeError):
        return None
    holder, name = getattr(error, "obj", None), getattr(error, "name", None)
    spaces = {"tf": getattr(tf, "judged_module", tf)}
    for path in _NAMESPACES:
        space = tf
        for part in path.split("."):
            space = getattr(space, part, None)
        spaces["tf." + path] = space
    for path, space in spaces.items():
        needed = f"{path}.{name}"
        if space is not None and holder is space and not api.startswith(needed):
            return needed
    return None


def _last_calls(error):
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    return [
        f"{os.path.basename(frame.filename)}:{frame.lineno} in {frame.name}: "
        f"{frame.line}"
        for frame in frames
    ]
