"""The profiler under its names of TensorFlow 2, which write to a log folder."""

from __future__ import annotations

import os
import socket
import time
from typing import Any, NamedTuple

from tpuref.base.arguments import wrong_type
from tpuref.engine.runtime.meaning import recording
from tpuref.interface.files.filesystem import failures
from tpuref.interface.profiler import profile


class ProfilerOptions(NamedTuple):
    """Options of TensorFlow's profiler, accepted without effect: all is recorded."""

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


def start(logdir: profile.Path, options: Any = None) -> None:
    """Start to record the host and the cores.

    `stop` writes ``plugins/profile/TIME/HOST.trace.json.gz`` below the folder, where
    TensorBoard looks for traces.  It raises `tf.errors.AlreadyExistsError` if a profile
    is already running.
    """
    del options
    moment = time.strftime("%Y_%m_%d_%H_%M_%S")
    if not isinstance(logdir, str | os.PathLike):
        raise wrong_type("tf.profiler.experimental.start: logdir", "a path", logdir)
    folder = os.path.join(os.fspath(logdir), "plugins", "profile", moment)
    with failures("tf.profiler.experimental.start", folder):
        os.makedirs(folder, exist_ok=True)
    profile.start(os.path.join(folder, f"{socket.gethostname()}.trace.json.gz"))


def stop(save: bool = True) -> None:
    """Stop the running profile, or raise tf.errors.UnavailableError if none runs."""
    profile.end(save)


class Profile:
    """A profile of a ``with`` block; see `start`.

    Examples
    --------
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.profiler.experimental.Profile(folder), tf.Session() as sess:
    ...     values = sess.run(tf.tpu.replicate(lambda x: x + 1, [[1.0], [2.0]]))
    >>> len(os.listdir(folder + "/plugins/profile"))
    1
    """

    def __init__(self, logdir: profile.Path, options: Any = None) -> None:
        self._logdir = logdir
        self._options = options

    def __enter__(self) -> Profile:
        start(self._logdir, self._options)
        return self

    def __exit__(self, *raised: Any) -> None:
        stop()


class Trace:
    """A named part of the program, shown as a slice on the host's track.

    Keywords are details, such as ``step_num``.

    Examples
    --------
    >>> with tf.profiler.experimental.Trace("train", step_num=1):
    ...     pass
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name = name
        self._details = kwargs
        self._begin = 0

    def __enter__(self) -> Trace:
        self._begin = time.monotonic_ns()
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Add details."""
        self._details.update(kwargs)

    def __exit__(self, *raised: Any) -> None:
        active = recording.active()
        if active is not None:
            active.on_host(self._name, self._begin, details=self._details)
