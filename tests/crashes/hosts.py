"""Programs that use a pool, each in a process of its own, and what they leave."""

import functools
import os
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import tpuref

from .processes import eventually, state_of


def environment(**settings):
    """Return the variables for a program that has a process for each core."""
    return {
        **os.environ,
        "PYTHONPATH": str(Path(tpuref.__file__).parents[1]),
        "TPUREF_EXECUTOR": "pool",
        "TPUREF_PROCESSES": "cores",
        **settings,
    }


# A directory of ours instead of /dev/shm, so that nobody else writes there.
_ALONE = 'mount --bind "$0" /dev/shm && exec "$@"'


@functools.cache
def may_mount():
    """Whether this user may give a process another view of the file system."""
    done = subprocess.run(
        ["unshare", "-m", "mount", "--bind", "/tmp", "/dev/shm"], capture_output=True
    )
    return done.returncode == 0


class Host:
    """A running Python program; it and all that it starts bear a mark.

    The folder is empty: it is for its temporary files and /dev/shm.
    """

    def __init__(self, folder, program):
        self._mark = uuid.uuid4().hex
        self.scratch, self.shared = folder / "files", folder / "shm"
        self.scratch.mkdir(parents=True)
        self.shared.mkdir()
        self._errors = folder / "stderr"
        command = [sys.executable, "-c", program]
        if may_mount():
            alone = ["unshare", "-m", "sh", "-c", _ALONE, str(self.shared)]
            command = [*alone, *command]
        with open(self._errors, "wb") as errors:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment(TMPDIR=str(self.scratch), TPUREF_TEST_MARK=self._mark),
                text=True,
            )

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        for pid in self.family():
            os.kill(pid, signal.SIGKILL)

    def await_line(self, line):
        """Wait until the program has printed a line."""
        assert self.process.stdout.readline() == f"{line}\n", self.errors

    def end(self, seconds=60.0):
        """Wait for its end, and return its status and what else it printed."""
        output = self.process.stdout.read()
        return self.process.wait(seconds), output

    @property
    def errors(self):
        """What it wrote to its standard error."""
        return self._errors.read_text()

    def family(self):
        """The living processes that bear the mark."""
        mark = f"TPUREF_TEST_MARK={self._mark}".encode()
        return [pid for pid in _processes() if mark in _environment(pid)]

    def leaves_nothing(self, seconds):
        """Whether all its processes come to an end, and no file is there."""
        assert eventually(lambda: not self.family(), seconds), self.family()
        assert os.listdir(self.scratch) == os.listdir(self.shared) == []
        return True


def _processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _environment(pid):
    try:
        content = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""
    return content if state_of(pid) not in ("Z", "X", "") else b""
