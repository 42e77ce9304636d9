"""A program on a terminal of its own, as a person would use it."""

import os
import pty
import select
import signal
import subprocess
import sys
import time

from .hosts import environment

CONTROL_C = "\x03"
CONTROL_D = "\x04"


class Terminal:
    """A terminal on which Python runs.

    Parameters
    ----------
    arguments
        Of Python; none for the prompt.
    settings
        More environment variables.
    """

    def __init__(self, *arguments, **settings):
        self._screen, other = pty.openpty()
        # The other prompt draws its lines again and again.
        self.process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=other,
            stdout=other,
            stderr=other,
            env=environment(PYTHON_BASIC_REPL="1", TERM="dumb", **settings),
            start_new_session=True,
            preexec_fn=_take_the_terminal,
        )
        os.close(other)
        self.shown = ""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.process.kill()
        self.process.wait()
        os.close(self._screen)

    def type(self, text):
        """Press keys."""
        os.write(self._screen, text.encode())

    def expect(self, text, seconds=60.0):
        """Wait until a text is shown, and return all up to it."""
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            left = deadline - time.monotonic()
            assert left > 0, f"{text!r} did not come, but {self.shown!r}"
            self._read(left)
        found, _, self.shown = self.shown.partition(text)
        return found

    def enter(self, lines, prompt=">>> "):
        """Type lines at the prompt, each once the prompt is there; return the answer.

        The answer to the last line is not waited for.
        """
        shown = ""
        for line in lines:
            shown += self.expect(prompt)
            self.type(line + "\n")
        return shown

    def _read(self, seconds):
        if select.select([self._screen], [], [], seconds)[0]:
            try:
                arrived = os.read(self._screen, 1 << 16).decode(errors="replace")
            except OSError:  # nobody holds the other end any more
                arrived = ""
            assert arrived, f"the program ended: {self.shown!r}"
            self.shown += arrived.replace("\r\n", "\n")


def _take_the_terminal():
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
