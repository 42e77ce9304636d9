"""Ends its process when used."""

import os
import signal

__version__ = "1.2"
calls = 1


def double(number):
    print("about to fall", flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)


def half(number):
    os._exit(7)
