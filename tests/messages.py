"""What the messages of errors say.

No document gives their words. tpuref promises the facts in them: which argument is
wrong, what was expected, what was given, and the way out.
"""

import sys

from tpuref_conformance.clause import expect_raises


def line():
    """Return the line number of the caller."""
    return sys._getframe(1).f_lineno


def refused(exception_types, words, function, *args, **kwargs):
    """Return the error of a call; it must have all of ``words``, in order.

    Runs of white space count as one space.
    """
    error = expect_raises(exception_types, function, *args, **kwargs)
    require_words(str(error), words)
    return error


def require_words(text, words):
    """Require ``words`` in a text, one after the other."""
    text = " ".join(text.split())
    start = 0
    for word in words:
        start = text.find(" ".join(word.split()), start)
        assert start >= 0, f"expected {words} in this order, got {text!r}"
        start += len(word)
