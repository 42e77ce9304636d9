"""Clauses of the tf.tpu page whose check takes the function under test.

The page prints nearly every function twice, plainly and with the suffix ``_dyn``.
A check written as ``check(tf, function)`` decides both names.
"""

import collections

from ..clause import Unavailable, clause
from ..statements import statements
from .page import about

#: For each function the checks that decide its name with the suffix, too. Of those
#: that start a system, which takes its time, the first two of each part of the page.
_CHECKS = {}
_SYSTEMS = collections.Counter()
#: Those that start a system.
_STARTING = set()


def function_clause(id):
    """Register the decorated ``check(tf, function)`` under the clause ``id``.

    The function under test is the one that the id begins with.
    """
    statement = statements()[id]
    kind = (statement.api, statement.part)

    def register(check):
        clause(id)(about(check, statement.api))
        checks = _CHECKS.setdefault(statement.api, [])
        _SYSTEMS[kind] += statement.tier == "run"
        if check not in checks and (statement.tier != "run" or _SYSTEMS[kind] <= 2):
            checks.append(check)
            if statement.tier == "run":
                _STARTING.add(check)
        return check

    return register


def run_every_check(tf, api, function):
    """Run the checks of the clauses of ``api`` with ``function`` in its place.

    Where it is the very function of that name, what starts a system has been decided.
    """
    found = tf
    for part in api.split(".")[1:]:
        found = getattr(found, part)
    decided = _STARTING if found is function else ()
    run_checks(tf, [one for one in _CHECKS[api] if one not in decided], function)


def run_checks(tf, checks, function):
    """Run each check in a graph of its own, with ``function`` as the one under test.

    Raises Unavailable at the end if a check could not look at what it states.
    """
    unavailable = []
    for check in checks:
        try:
            with tf.Graph().as_default():
                check(tf, function)
        except Unavailable as reason:
            unavailable.append(f"{check.__name__}: {reason}")
    if unavailable:
        raise Unavailable("; ".join(unavailable))
