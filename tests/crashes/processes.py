"""What the system knows of processes: the cores of a host, what they hold open."""

import contextlib
import gc
import os
import threading
import time
from pathlib import Path

PATIENCE = float(os.environ.get("TPUREF_PATIENCE", "5"))
"""What promised times are multiplied with, as a test machine is busy; 1 holds them."""

PROMPTLY = 1.0 * PATIENCE
"""Seconds until the caller has the error, or all cores have died with their host."""

RESTART = 2.0 * PATIENCE
"""Seconds until a new initialisation has given a working pool."""

FULL = os.environ.get("TPUREF_SOAK") == "full"
"""Whether to repeat as often as a release wants it."""

UNNAMED = ("memfd:", "/memfd:", "socket:", "pipe:", "anon_inode:", "/dev/")


def cores_of(host):
    """The processes of the cores of a host, by their number."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")[:-1]
        except OSError:
            continue
        if any(
            b"from tpuref.engine.runtime.pool.process.worker import" in word
            for word in words
        ):
            number, _, parent = map(int, words[-7:-4])
            if parent == host and state_of(int(folder.name)) not in ("Z", ""):
                found[number] = int(folder.name)
    return [found[number] for number in sorted(found)]


def state_of(pid):
    """The letter for the state of a process, nothing where there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[0]


def open_files(pid):
    """What a process holds open."""
    found = []
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.append(os.readlink(link))
        except OSError:
            continue
    return found


def descriptors():
    """How many descriptors this process holds, once dead exceptions are gone."""
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def named_files(pid):
    """The files with a name in a file system that a process writes or maps to write."""
    mapped = [
        line.split(maxsplit=5)[5].strip()
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines()
        if line.split()[1].startswith("rw-s") and len(line.split()) > 5
    ]
    return [name for name in open_files(pid) + mapped if not name.startswith(UNNAMED)]


def resident_bytes(pid):
    """The memory of a process that is in use."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) * 1024


def eventually(condition, seconds):
    """Whether a condition comes to hold within some seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@contextlib.contextmanager
def within(seconds):
    """Require that the block ends within some seconds."""
    start = time.monotonic()
    yield
    assert time.monotonic() - start < seconds


def works_again(pool):
    """Whether a new initialisation gives a working pool in time.

    One test of each kind of fault asks.  After the others `nothing_is_left` ends the
    pool as a new initialisation does, and the next test starts one.
    """
    with within(RESTART):
        pool.initialize()
        works = pool.works
    return bool(works)


class Later:
    """Send signals to processes after a while, and note when."""

    def __init__(self, seconds, number, *pids):
        self.when = 0.0
        self._number, self._pids = number, pids
        self._timer = threading.Timer(seconds, self._send)

    def _send(self):
        self.when = time.monotonic()
        for pid in self._pids:
            os.kill(pid, self._number)

    def __enter__(self):
        self._timer.start()
        return self

    def __exit__(self, *exception):
        self._timer.cancel()
        self._timer.join()

    @property
    def elapsed(self):
        """Seconds since the signals were sent."""
        assert self.when, "the signals were not sent"
        return time.monotonic() - self.when
