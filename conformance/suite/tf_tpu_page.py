"""Clauses of the tf.tpu page whose check takes the function under test.

The page prints nearly every function twice, plainly and with the suffix ``_dyn``.
A check written as ``check(tf, function)`` decides both names.
"""

import collections
import inspect

from ..clause import Unavailable, beyond_the_words, clause, same
from ..statements import statements
from ..subject import fresh_graph
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


def is_callable(tf, function):
    assert callable(function)


def names_exist(*functions):
    """Register the clause that there is a function, for each of these names."""
    for api in functions:
        clause(api + "/name/exists")(about(is_callable, api))


def default_is(tf, function, parameter, expected):
    same(inspect.signature(function).parameters[parameter].default, expected)


def defaults(api, **expected):
    """Register a clause about the default of each of these parameters."""
    for parameter, value in expected.items():
        rest = "/signature/default-" + parameter.replace("_", "-")
        clause(api + rest)(about(default_is, api, parameter, value))


def parameter_order(tf, function, names):
    """Require these parameters, the first alone without a default."""
    parameters = list(inspect.signature(function).parameters.values())
    same([parameter.name for parameter in parameters[: len(names)]], names)
    for parameter in parameters:
        required = parameter.default is inspect.Parameter.empty
        assert required == (parameter.name == names[0]), (
            f"only {names[0]} is required, but {parameter.name} is declared "
            f"as {parameter}"
        )
        assert parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD, (
            f"{parameter.name} must work by position and by keyword, "
            f"but it is {parameter.kind}"
        )


def orders(names, *functions):
    """Register the clause about the order of parameters of each function."""
    for api in functions:
        clause(api + "/signature/parameter-order")(about(parameter_order, api, names))


def same_as_plain(*functions):
    """Register that the checks of each function hold of its twin."""
    for api in functions:
        twin = api + "_dyn"
        clause(twin + "/behaviour/same-as-plain")(about(run_every_check, twin, api))


def run_every_check(tf, function, api):
    """Run the checks of the clauses of ``api`` with ``function`` in its place.

    Where it is the very function of that name, what starts a system has been decided.
    """
    value = tf
    for part in api.split(".")[1:]:
        value = getattr(value, part)
    plain = inspect.signature(value).parameters
    twin = inspect.signature(function).parameters
    same(list(twin), list(plain))
    for name in plain:
        same(twin[name].default, plain[name].default, call="default of " + name)
    decided = _STARTING if value is function else ()
    run_checks(tf, [one for one in _CHECKS[api] if one not in decided], function)


def run_checks(tf, checks, function):
    """Run each check in a graph of its own, with ``function`` as the one under test.

    Raises Unavailable at the end if a check could not look at what it states.
    """
    unavailable = []
    for check in checks:
        try:
            beyond_the_words(False)
            with fresh_graph(tf):
                check(tf, function)
        except Unavailable as reason:
            unavailable.append(f"{check.__name__}: {reason}")
    if unavailable:
        raise Unavailable("; ".join(unavailable))
