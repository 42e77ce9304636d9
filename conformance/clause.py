"""Clauses: documented statements, each with one small check that can be run.

A check is plain code against ``tf``, the module under test. It passes by
returning, fails by raising AssertionError (or any unexpected exception) and
raises :class:`Unavailable` when the subject offers no way to look.
"""

from types import ModuleType

import numpy as np

from .statements import Statement, statements

_REGISTRY = {}
#: Whether the check that runs has come to what its document does not say.
_BEYOND = [False]

# What a Python number says about the dtype; True is an int as well.
_DTYPES = ((bool, np.bool_), (int, np.int32), (float, np.float32))


class Unavailable(Exception):
    """The subject offers no means to observe what the clause states."""


class NotInstalled(Unavailable):
    """The check needs a package that the subject may do without."""


class DuplicateClause(Exception):
    """Two checks were registered under one clause id."""


class UnknownStatement(Exception):
    """A check was registered under an id that no statement has."""


class Clause(Statement):
    """A statement, and the check of a module that decides it."""

    def __init__(self, statement, check):
        super().__init__(**statement.as_json())
        self.check = check


def clause(id):
    """Register the decorated check under the id of the statement that it decides.

    One function may carry several decorators when it decides several statements.
    """

    def register(check):
        if id in _REGISTRY:
            raise DuplicateClause(f"clause {id!r} is registered twice")
        _REGISTRY[id] = check
        return check

    return register


def checks():
    """Return the registered checks by the ids of their statements."""
    return dict(_REGISTRY)


def registered():
    """Return the clauses of all registered checks, document by document."""
    stated = statements()
    unknown = [id for id in _REGISTRY if id not in stated]
    if unknown:
        raise UnknownStatement(f"no file in conformance/clauses states {unknown}")
    return [Clause(one, _REGISTRY[id]) for id, one in stated.items() if id in _REGISTRY]


def beyond_the_words(beyond=True):
    """Say that the rest of the check asks for more than the words of the document.

    A failure there is counted apart, and no failure of a foreign module.
    """
    _BEYOND[0] = beyond


def is_beyond_the_words():
    """Return the last line."""
    return _BEYOND[0]


def expect_raises(exception_types, function, *args, **kwargs):
    """Call ``function`` and require one of ``exception_types``; return the error."""
    call = _describe_call(function, args, kwargs)
    expected = _describe_types(exception_types)
    try:
        returned = function(*args, **kwargs)
    except Unavailable:
        raise
    except exception_types as error:
        return error
    except Exception as error:
        if isinstance(getattr(error, "obj", None), (ModuleType, type)):
            raise  # the module lacks something that the check needs
        got = f"{type(error).__name__}: {first_line(error)}"
        raise AssertionError(f"{call}: expected {expected}, got {got}") from error
    raise AssertionError(
        f"{call}: expected {expected}, but it returned {shorten(returned)}"
    )


def expect_refused(exception_types, function, *args, **kwargs):
    """Require an error, and beyond the words of the document one of these types."""
    error = expect_raises(Exception, function, *args, **kwargs)
    if not isinstance(error, exception_types):
        beyond_the_words()
        expected = _describe_types(exception_types)
        got = f"{type(error).__name__}: {first_line(error)}"
        raise AssertionError(f"expected {expected}, got {got}")
    return error


def same(actual, expected, tolerance=0, call="value"):
    """Require the value ``actual`` to equal ``expected``.

    Lists, tuples and dicts are compared entry by entry, shapes must be equal, and a
    list is as good as a tuple. What is expected states the dtype of a NumPy value:
    ``2.0`` float32, ``2`` int32, ``True`` bool, and a NumPy value its own. The numbers
    of the suite are chosen so that float32 holds them, and every step towards them,
    exactly and in any order; they need no ``tolerance``, the largest accepted
    difference. ``call`` says for the message what was called with which inputs.
    """
    difference = _first_difference(actual, expected, tolerance, "")
    if difference is None:
        return
    path, got, wanted = difference
    place = f" at {path}" if path else ""
    within = f" (within {tolerance})" if tolerance else ""
    raise AssertionError(
        f"{call}{place}: expected {shorten(wanted)}{within}, got {shorten(got)}"
        + _other_dtype(got, wanted)
    )


def _has_length(value):
    return hasattr(value, "__len__") and getattr(value, "shape", None) != ()


def _first_difference(actual, expected, tolerance, path):
    """Return (path, actual, expected) of the first difference, or None."""
    if isinstance(expected, dict):
        if not isinstance(actual, dict) or set(actual) != set(expected):
            return path, actual, expected
        keys = sorted(expected, key=str)
    elif isinstance(expected, (list, tuple)):
        if not _has_length(actual) or len(actual) != len(expected):
            return path, actual, expected
        keys = range(len(expected))
    elif _leaves_equal(actual, expected, tolerance):
        return None
    else:
        return path, actual, expected
    for key in keys:
        inner = f"{path}[{key!r}]"
        difference = _first_difference(actual[key], expected[key], tolerance, inner)
        if difference is not None:
            return difference
    return None


def _other_dtype(actual, expected):
    """Return what is wrong with the dtype of ``actual``, or nothing."""
    stated = _stated_dtype(expected)
    if stated is None or not isinstance(actual, (np.ndarray, np.generic)):
        return ""
    return "" if actual.dtype == stated else f" of {actual.dtype}, not {stated}"


def _stated_dtype(expected):
    if isinstance(expected, (np.ndarray, np.generic)):
        return expected.dtype
    for kind, dtype in _DTYPES:
        if isinstance(expected, kind):
            return np.dtype(dtype)
    return None


def _leaves_equal(actual, expected, tolerance):
    if _other_dtype(actual, expected):
        return False
    if expected is None or isinstance(expected, (str, bytes, type)):
        return isinstance(actual, type(expected)) and actual == expected
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.shape != expected.shape:
        return False
    if tolerance == 0 and actual.dtype.kind in "iub" and expected.dtype.kind in "iub":
        return bool(np.all(actual == expected))
    try:
        return bool(
            np.allclose(
                actual.astype(np.complex128),
                expected.astype(np.complex128),
                rtol=0,
                atol=tolerance,
                equal_nan=True,
            )
        )
    except (TypeError, ValueError):  # not numbers
        return bool(np.all(actual == expected))


def _describe_call(function, args, kwargs):
    name = getattr(function, "__name__", None) or repr(function)
    shown = [shorten(value, 60) for value in args]
    shown += [f"{key}={shorten(kwargs[key], 60)}" for key in sorted(kwargs)]
    return f"{name}({', '.join(shown)})"


def _describe_types(exception_types):
    if not isinstance(exception_types, tuple):
        exception_types = (exception_types,)
    return " or ".join(kind.__name__ for kind in exception_types)


def first_line(error):
    """Return the first line of an error's message."""
    return (str(error).splitlines() or [""])[0]


def shorten(value, limit=300):
    """Return the ``repr`` of ``value`` on one line of at most ``limit`` characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= limit else text[: limit - 3] + "..."
