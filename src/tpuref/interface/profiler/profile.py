"""The running profile: starting, stopping and writing it."""

import contextlib
import gzip
import os
from collections.abc import Iterator
from typing import IO

from tpuref.base import error_codes as codes
from tpuref.base.arguments import wrong_type
from tpuref.base.callsite import CallSite, user_site
from tpuref.base.errors import AlreadyExistsError, UnavailableError
from tpuref.engine.runtime.meaning import recording
from tpuref.engine.runtime.meaning.recording import Recording
from tpuref.interface.files.filesystem import failures
from tpuref.interface.profiler import chrome
from tpuref.interface.profiler.summary import Summary
from tpuref.interface.profiler.timeline import Timeline

Path = str | os.PathLike[str]


class Profile:
    """A recording and its file, which is compressed if its name ends in ``.gz``.

    `site` is the user's line that started it.
    """

    def __init__(self, path: Path, site: CallSite) -> None:
        self.site = site
        if not isinstance(path, str | os.PathLike):
            raise wrong_type("tf.profiler.start: path", "a path", path)
        opened = gzip.open if os.fspath(path).endswith(".gz") else open
        with failures("tf.profiler.start", os.fspath(path)):
            self._file: IO[str] = opened(path, "wt", encoding="utf-8")
        self._recording = Recording()
        recording.start(self._recording)

    def end(self, save: bool = True) -> Summary:
        """Stop recording, and write the file."""
        recording.stop()
        timeline = Timeline.of(self._recording)
        with self._file:
            if save:
                chrome.write(timeline, self._file)
        return Summary.of(timeline)


_running: list[Profile] = []


def start(path: Path) -> None:
    """Start to record the host and the cores.

    The file is written when the profile stops, and compressed if the path ends in
    ``.gz``.  It raises `tf.errors.AlreadyExistsError` if a profile is running, and an
    error such as `tf.errors.NotFoundError` if the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> tf.profiler.start(tempfile.mkdtemp() + "/trace.json")
    >>> with tf.Session() as sess:
    ...     values = sess.run(tf.tpu.replicate(lambda x: x + 1, [[1.0], [2.0]]))
    >>> [core.core for core in tf.profiler.stop().cores]
    ['core 0', 'core 1']
    """
    _start(path, user_site())


def _start(path: Path, site: CallSite) -> None:
    if _running:
        raise AlreadyExistsError(
            f"tf.profiler: a profile is already running, started at "
            f"{_running[0].site}; stop it first",
            code=codes.NOT_RECORDING,
        )
    _running.append(Profile(path, site))


def stop() -> Summary:
    """Stop the running profile, and write its file.

    The text of the result is a table of the times of cores and operations.  It raises
    `tf.errors.UnavailableError` if no profile is running.
    """
    return end()


def end(save: bool = True) -> Summary:
    """Stop the running profile; write its file, or leave it empty."""
    if not _running:
        raise UnavailableError(
            "tf.profiler: no profile is running; start one first",
            code=codes.NOT_RECORDING,
        )
    return _running.pop().end(save)


class Trace:
    """A profile of a ``with`` block, after which `summary` is that of the profile."""

    summary: Summary


@contextlib.contextmanager
def trace(path: Path) -> Iterator[Trace]:
    """Record the host and the cores within a ``with`` block.

    The file is written at the end of the block even after an error.  Parameter and
    errors are those of `start`.  Its value, a `Trace`, has a ``summary`` after the
    block.

    Examples
    --------
    >>> import tempfile
    >>> outputs = tf.tpu.replicate(tf.tpu.cross_replica_sum, [[1.0], [2.0]])
    >>> path = tempfile.mkdtemp() + "/trace.json"
    >>> with tf.Session() as sess, tf.profiler.trace(path) as traced:
    ...     values = sess.run(outputs)
    >>> traced.summary.collective_bytes
    8
    """
    _start(path, user_site())
    profile, traced = _running[0], Trace()
    try:
        yield traced
    finally:
        if profile in _running:  # it was not stopped within the block
            traced.summary = end()
