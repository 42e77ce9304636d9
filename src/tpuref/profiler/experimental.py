"""The profiler under the names of TensorFlow 2, which take a folder of logs."""

from __future__ import annotations

import os
import socket
import time
from types import TracebackType
from typing import Any

from tpuref.profiler import profile
from tpuref.runtime import recording

__all__ = ["Profile", "Trace", "start", "stop"]


def __dir__() -> list[str]:
    return __all__


def start(logdir: profile.Path, options: Any = None) -> None:
    """Record what host and cores do from now on.

    Parameters
    ----------
    logdir
        A folder of logs.  `stop` writes ``plugins/profile/TIME/HOST.trace.json.gz`` in
        it, where TensorBoard looks for traces.
    options
        Accepted for programs that give them; there is nothing to choose here.

    Raises
    ------
    tpuref.errors.AlreadyExistsError
        If a profile runs already.
    """
    del options
    moment = time.strftime("%Y_%m_%d_%H_%M_%S")
    folder = os.path.join(os.fspath(logdir), "plugins", "profile", moment)
    os.makedirs(folder, exist_ok=True)
    profile.start(os.path.join(folder, f"{socket.gethostname()}.trace.json.gz"))


def stop(save: bool = True) -> None:
    """Stop the profile that runs.

    Parameters
    ----------
    save
        Whether to write what was recorded.

    Raises
    ------
    tpuref.errors.UnavailableError
        If no profile runs.
    """
    profile.end(save)


class Profile:
    """A profile of a ``with`` block.

    Parameters
    ----------
    logdir, options
        As `start` takes them.

    Examples
    --------
    >>> import os, tempfile
    >>> import tpuref as tf
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        stop()


class Trace:
    """A named part of the program, which shows as a slice on the host's track.

    Parameters
    ----------
    name
        What it is called.
    **kwargs
        What its details show, such as ``step_num``.

    Examples
    --------
    >>> import tpuref as tf
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
        """Add to what its details show."""
        self._details.update(kwargs)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        active = recording.active()
        if active is not None:
            active.on_host(self._name, self._begin, details=self._details)
