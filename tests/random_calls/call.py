"""One random call, and what is wrong with the error that it raises."""

import contextlib
import opcode
import os
import random
import re
import reprlib
import signal
import traceback
from typing import Any

import numpy as np

import tpuref as tf
from tpuref.base.error_codes import PATTERN

from .arguments import arguments
from .public import OPERATORS

PATIENCE = 60.0
"""The most seconds of one call; starting the cores takes some."""

_GOOD_ENOUGH = re.compile(
    r"\(\) (takes|missing|got)|in tower \d+ of|is not a valid|"
    "only integer scalar arrays"  # of a function that uses a tensor as an index
)
_LIBRARY = os.path.dirname(tf.__file__)


class Endless(BaseException):
    """A call ran for longer than `PATIENCE`; no handler of errors stops it."""


def fault_of(seed, callees):
    """Make the call of a seed and return what is wrong with it, if something is."""
    drawing = random.Random(seed)
    callee = drawing.choice(callees)
    text, named = callee.name, dict[str, Any]()
    tf.reset_default_graph()
    try:
        with _mode(drawing), _deadline():
            called = callee.bound()
            if called is None:
                return None
            positional, named = arguments(drawing, called)
            text = _text(callee, positional, named)
            result = called(*positional, **named)
            if isinstance(result, (tf.Tensor, tf.Operation)) and drawing.random() < 0.5:
                _run(result)
    except (Exception, Endless) as error:
        named_by_array = isinstance(named.get("name"), np.ndarray)
        if not is_typed(error, callee) or ("truth" in str(error) and named_by_array):
            return f"seed {seed}: {text}\n{_shown(error)}"
    return None


def is_typed(error, callee):
    """Whether users may meet an error: of the right class, coded or documented."""
    if isinstance(error, (tf.errors.OpError, NotImplementedError)):
        return True
    if PATTERN.search(str(error)):
        return True
    if type(error).__name__ in callee.documented():
        return True
    if isinstance(error, (IndexError, KeyError)):
        return callee.attribute == "__getitem__"
    if isinstance(error, ZeroDivisionError):
        return callee.attribute in OPERATORS  # of Dimension, as of integers
    if isinstance(error, UnicodeError):
        return False
    return isinstance(error, (ValueError, TypeError)) and _is_deliberate(error)


def _is_deliberate(error):
    """Whether a statement of tpuref raises an error, and not Python while it runs one.

    Python's own errors are good enough where it calls the user's function or looks up a
    member of an enumeration, and NumPy's where an array is used as a flag.
    """
    if _GOOD_ENOUGH.search(str(error)):
        return True
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    assert last is not None
    code = last.tb_frame.f_code
    raises = opcode.opname[code.co_code[last.tb_lasti]] in ("RAISE_VARARGS", "RERAISE")
    return raises and code.co_filename.startswith(_LIBRARY)


def _run(result):
    if not tf.executing_eagerly() and result.graph is tf.get_default_graph():
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(result)


@contextlib.contextmanager
def _mode(drawing):
    if drawing.random() < 0.3:
        with tf.eager_execution():
            yield
    else:
        yield


@contextlib.contextmanager
def _deadline():
    def over(number, frame):
        raise Endless(f"it runs for longer than {PATIENCE} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _text(callee, positional, named):
    shown = [reprlib.repr(value) for value in positional]
    shown += [f"{name}={reprlib.repr(value)}" for name, value in named.items()]
    return re.sub(r" at 0x\w+", "", f"{callee.name}({', '.join(shown)})")


def _shown(error):
    """The class, the message, and where it was raised."""
    where = traceback.extract_tb(error.__traceback__)[-4:]
    lines = [f"    {frame.filename}:{frame.lineno}: {frame.line}" for frame in where]
    message = str(error).partition("\n")[0][:200]
    return "\n".join([f"  {type(error).__name__}: {message}", *lines])
