"""Read and write the state file of a directory, which lists its checkpoints.

It has TensorFlow's format, a protocol buffer as text.  TensorFlow writes absolute paths
and paths relative to the directory.  Both are followed for reading, but not into
another file system: a local file never causes a request over the network.
`KeptCheckpoints` decides which checkpoints to remove.
"""

import contextlib
import json
import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of, listed, number
from tpuref.base.errors import DataLossError
from tpuref.interface.checkpoints.stored import checkpoint_exists
from tpuref.interface.files import filesystem

_LINE = re.compile(r"""\s*(\w+)\s*:\s*("(?:[^"\\]|\\.)*"|[-+.\w]+)\s*(?:#.*)?""")
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)", re.DOTALL)
_SIGNS = dict(zip(b"abfnrtv", b"\a\b\f\n\r\t\v", strict=True))

_log = logging.getLogger("tpuref.interface.checkpoints")
_written: dict[str, bytes] = {}
"""The last content that this process wrote, by state file."""
_shared: set[str] = set()
"""The state files that other processes write too, after a warning."""


@dataclass
class CheckpointState:
    """The checkpoints of a directory.

    `model_checkpoint_path` is the prefix of the last one; `all_model_checkpoint_paths`
    are those of all, oldest first, and `all_model_checkpoint_timestamps` their times,
    in seconds since 1970.  `last_preserved_timestamp` is the time of the last one that
    is never deleted.
    """

    model_checkpoint_path: str = ""
    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    last_preserved_timestamp: float = 0.0


def get_checkpoint_state(
    checkpoint_dir: filesystem.PathLike, latest_filename: str | None = None
) -> CheckpointState | None:
    """Return the content of a directory's state file, or None without one.

    The name of the file is ``checkpoint`` by default.
    """
    function = "tf.train.get_checkpoint_state"
    files, directory = filesystem.files_at(checkpoint_dir, function, "checkpoint_dir")
    path = _state_file(function, directory, latest_filename)
    if not files.exists(path):
        return None
    with filesystem.failures(function, path), files.open_regular(path) as file:
        content = file.read()
    try:
        return _parse(content.decode(errors="surrogateescape"), directory)
    except ValueError as error:
        raise DataLossError(
            f"{function}: the state file {path!r} is damaged: {error}. Restore a "
            "checkpoint by its prefix, or write the file again with "
            "tf.train.update_checkpoint_state",
            code=codes.DAMAGED_FILE,
        ) from None


def _parse(text: str, directory: str) -> CheckpointState:
    """Return the state of a state file's text; ValueError if it is damaged."""
    state = CheckpointState()
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        name, value = match.groups() if match else ("", "")
        if name == "model_checkpoint_path":
            state.model_checkpoint_path = _path(directory, value)
        elif name == "all_model_checkpoint_paths":
            state.all_model_checkpoint_paths.append(_path(directory, value))
        elif name == "all_model_checkpoint_timestamps":
            state.all_model_checkpoint_timestamps.append(float(value))
        elif name == "last_preserved_timestamp":
            state.last_preserved_timestamp = float(value)
        else:
            raise ValueError(f"the line {line!r:.200} is no field of it")
    if not state.model_checkpoint_path:
        raise ValueError("it names no model_checkpoint_path")
    return state


def _path(directory: str, text: str) -> str:
    """Return the absolute path of a name in a state file."""
    name = _unquote(text)
    path = filesystem.joined(directory, name)
    if not name or "\0" in name:
        raise ValueError(f"{name!r} is no path")
    if path.rpartition("://")[0] != directory.rpartition("://")[0]:
        raise ValueError(f"it leads to another file system, to {name!r}")
    return path


def _state_file(function: str, directory: str, name: str | None) -> str:
    """Return the path of the state file of a directory."""
    if name is not None:
        instance_of(str, f"{function}: latest_filename", "a string or None", name)
    return filesystem.joined(directory, name or "checkpoint")


def _unquote(text: str) -> str:
    """Return a text without quotes and escapes, of JSON or of C."""
    if text[:1] != '"':
        raise ValueError(f"expected a text in quotes, got {text!r:.200}")
    with contextlib.suppress(ValueError):
        return str(json.loads(text))
    content = _ESCAPE.sub(_byte, text[1:-1].encode(errors="surrogateescape"))
    return content.decode(errors="surrogateescape")


def _byte(match: re.Match[bytes]) -> bytes:
    escape = match[1]
    if escape[:1] in b"01234567":
        return bytes([int(escape, 8) & 0xFF])
    if escape[:1] == b"x" and escape != b"x":
        return bytes([int(escape[1:], 16)])
    return bytes([_SIGNS.get(escape[0], escape[0])])


def generate_checkpoint_state_proto(
    save_dir: filesystem.PathLike,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """Return a `CheckpointState` with relative paths to files below the directory."""
    function = "tf.train.generate_checkpoint_state_proto"
    _, directory = filesystem.files_at(save_dir, function, "save_dir")
    beginning = filesystem.joined(directory, "") if directory else ""

    def entries(name: str, several: Any) -> list[Any]:
        return [] if several is None else listed(f"{function}: {name}", several)

    def below(name: str, path: Any) -> str:
        text = instance_of(str, f"{function}: {name}", "a string", path)
        return text.removeprefix(beginning)

    last = below("model_checkpoint_path", model_checkpoint_path)
    name = "all_model_checkpoint_paths"
    every = [below(name, path) for path in entries(name, all_model_checkpoint_paths)]
    if not every or every[-1] != last:
        every.append(last)
    name = "all_model_checkpoint_timestamps"
    times = entries(name, all_model_checkpoint_timestamps)
    kept = 0.0 if last_preserved_timestamp is None else last_preserved_timestamp
    return CheckpointState(
        last,
        every,
        [number(f"{function}: {name}", seconds) for seconds in times],
        number(f"{function}: last_preserved_timestamp", kept),
    )


def update_checkpoint_state(
    save_dir: filesystem.PathLike,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write the state file of a directory atomically.

    Other parameters are those of `generate_checkpoint_state_proto`.  The name of the
    file is ``checkpoint`` by default.
    """
    state = generate_checkpoint_state_proto(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    lines = [f"model_checkpoint_path: {json.dumps(state.model_checkpoint_path)}"]
    for path in state.all_model_checkpoint_paths:
        lines.append(f"all_model_checkpoint_paths: {json.dumps(path)}")
    for seconds in state.all_model_checkpoint_timestamps:
        lines.append(f"all_model_checkpoint_timestamps: {seconds!r}")
    if state.last_preserved_timestamp:
        lines.append(f"last_preserved_timestamp: {state.last_preserved_timestamp!r}")
    function = "tf.train.update_checkpoint_state"
    files, directory = filesystem.files_at(save_dir, function, "save_dir")
    path = _state_file(function, directory, latest_filename)
    with filesystem.failures(function, path):
        _warn_of_others(files, path)
        content = ("\n".join(lines) + "\n").encode()
        files.write_whole(path, content)
        _written[os.path.abspath(path)] = content


def _warn_of_others(files: filesystem.FileSystem, path: str) -> None:
    """Warn once if another process has changed the state file."""
    key = os.path.abspath(path)
    if key not in _written or key in _shared or not files.exists(path):
        return
    with files.open_regular(path) as file:
        if file.read() == _written[key]:
            return
    _shared.add(key)
    _log.warning(
        "another process writes checkpoints to the directory of %s as well: two "
        "trainings there replace each other's latest checkpoint; give each a directory "
        "of its own [%s]",
        path,
        codes.SHARED_CHECKPOINTS,
    )


def latest_checkpoint(
    checkpoint_dir: filesystem.PathLike, latest_filename: str | None = None
) -> str | None:
    """Return the prefix of the last checkpoint of a directory, or None.

    Parameters are those of `get_checkpoint_state`.

    Examples
    --------
    >>> tf.train.latest_checkpoint("/nowhere") is None
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if not checkpoint_exists(state.model_checkpoint_path):
        _log.warning(
            "the state file of %s names the checkpoint %s, which does not exist",
            checkpoint_dir,
            state.model_checkpoint_path,
        )
        return None
    return state.model_checkpoint_path


def checkpoints_iterator(
    checkpoint_dir: filesystem.PathLike,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], Any] | None = None,
) -> Iterator[str]:
    """Yield each new checkpoint of a directory, waiting for the next one.

    `min_interval_secs` is the minimum number of seconds between two of them.  `timeout`
    is the maximum number of seconds to wait for one; None for no limit.  `timeout_fn`
    is a function called after the timeout; a true result ends the iteration, a false
    one continues it.  Without it the iteration ends.
    """
    last: str | None = None
    while True:
        path = _next_checkpoint(checkpoint_dir, last, timeout)
        if path is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        last, begin = path, time.monotonic()
        yield last
        time.sleep(max(0.0, begin + min_interval_secs - time.monotonic()))


def _next_checkpoint(
    directory: filesystem.PathLike, last: str | None, timeout: float | None
) -> str | None:
    """Return a checkpoint other than the last, or None after the timeout."""
    deadline = None if timeout is None else time.monotonic() + timeout
    while (path := latest_checkpoint(directory)) in (None, last):
        left = 1.0 if deadline is None else min(1.0, deadline - time.monotonic())
        if left <= 0:
            return None
        time.sleep(left)
    return path
