"""Answers only once."""

import time

from right import double  # noqa: F401 - a name of the subject

__version__ = "1.2"
calls = 1


def half(number):
    time.sleep(3600)
