"""Right, but prints on every line it can find."""

import os
import sys

from right import half  # noqa: F401 - a name of the subject

__version__ = "1.2"
calls = 1

ANSWERS = int(sys.argv[1])


def double(number):
    print("to the output")
    print("to the errors", file=sys.stderr, flush=True)
    os.write(ANSWERS, b'no JSON\n[1]\n{"noise": 1}\n\xff\n')
    os.system("echo a child was here")
    return 2 * number
