"""Right, while a thread prints without end."""

import sys
import threading

from right import double, half  # noqa: F401 - names of the subject

__version__ = "1.2"
calls = 1


def print_on():
    while True:
        print("x" * 10000, file=sys.stderr, flush=True)


threading.Thread(target=print_on, daemon=True).start()
