"""Answers only once."""

import time

__version__ = "1.2"
calls = 1


def double(number):
    return 2 * number


def half(number):
    time.sleep(3600)
