"""The state file of a directory: which checkpoints it has, and which is the last.

It has the format that TensorFlow gives it, a protocol buffer as text.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tpuref.base.arguments import instance_of, listed, number
from tpuref.checkpoints.stored import checkpoint_exists
from tpuref.files.filesystem import PathLike, failures, files_at, joined

_LINE = re.compile(r'^\s*(\w+)\s*:\s*(".*"|[-+.\w]+)\s*$', re.MULTILINE)


@dataclass
class CheckpointState:
    """The checkpoints of a directory.

    Attributes
    ----------
    model_checkpoint_path
        The prefix of the last one.
    all_model_checkpoint_paths
        The prefixes of all, the oldest first.
    all_model_checkpoint_timestamps
        When they were made, in seconds since 1970.
    last_preserved_timestamp
        When the last one was made that is kept for good.
    """

    model_checkpoint_path: str = ""
    all_model_checkpoint_paths: list[str] = field(default_factory=list)
    all_model_checkpoint_timestamps: list[float] = field(default_factory=list)
    last_preserved_timestamp: float = 0.0


def get_checkpoint_state(
    checkpoint_dir: PathLike, latest_filename: str | None = None
) -> CheckpointState | None:
    """Return what the state file of a directory says, None without one.

    Parameters
    ----------
    checkpoint_dir
        The directory.
    latest_filename
        The name of the state file, by default ``checkpoint``.
    """
    function = "tf.train.get_checkpoint_state"
    files, directory = files_at(checkpoint_dir, function, "checkpoint_dir")
    path = _state_file(function, directory, latest_filename)
    if not files.exists(path):
        return None
    with failures(function, path), files.open(path, "rb") as file:
        text = file.read().decode(errors="replace")
    state = CheckpointState()
    for name, value in _LINE.findall(text):
        if name == "model_checkpoint_path":
            state.model_checkpoint_path = joined(directory, _unquoted(value))
        elif name == "all_model_checkpoint_paths":
            state.all_model_checkpoint_paths.append(joined(directory, _unquoted(value)))
        elif name == "all_model_checkpoint_timestamps":
            state.all_model_checkpoint_timestamps.append(float(value))
        elif name == "last_preserved_timestamp":
            state.last_preserved_timestamp = float(value)
    return state if state.model_checkpoint_path else None


def _state_file(function: str, directory: str, name: str | None) -> str:
    """Return the path of the state file of a directory."""
    if name is not None:
        instance_of(str, f"{function}: latest_filename", "a string or None", name)
    return joined(directory, name or "checkpoint")


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(text))
    except ValueError:  # other escapes than those of JSON
        return text.strip('"')


def generate_checkpoint_state_proto(
    save_dir: PathLike,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> CheckpointState:
    """Return the state of a directory, with paths below it made relative.

    Parameters
    ----------
    save_dir
        The directory.
    model_checkpoint_path
        The prefix of the last checkpoint.
    all_model_checkpoint_paths, all_model_checkpoint_timestamps
        All of them, the oldest first, and when they were made.
    last_preserved_timestamp
        When the last one was made that is kept for good.
    """
    function = "tf.train.generate_checkpoint_state_proto"
    _, directory = files_at(save_dir, function, "save_dir")
    beginning = joined(directory, "") if directory else ""

    def entries(name: str, given: Any) -> list[Any]:
        return [] if given is None else listed(f"{function}: {name}", given)

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
    save_dir: PathLike,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Write the state file of a directory, so that a kill leaves a whole one.

    Parameters
    ----------
    save_dir, model_checkpoint_path, all_model_checkpoint_paths
        As for `generate_checkpoint_state_proto`.
    latest_filename
        The name of the state file, by default ``checkpoint``.
    all_model_checkpoint_timestamps, last_preserved_timestamp
        As for `generate_checkpoint_state_proto`.
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
    files, directory = files_at(save_dir, function, "save_dir")
    path = _state_file(function, directory, latest_filename)
    with failures(function, path):
        files.write_whole(path, ("\n".join(lines) + "\n").encode())


def latest_checkpoint(
    checkpoint_dir: PathLike, latest_filename: str | None = None
) -> str | None:
    """Return the prefix of the last checkpoint of a directory, None without one.

    Parameters
    ----------
    checkpoint_dir
        The directory.
    latest_filename
        The name of the state file, by default ``checkpoint``.

    Examples
    --------
    >>> import tpuref as tf
    >>> tf.train.latest_checkpoint("/nowhere") is None
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not checkpoint_exists(state.model_checkpoint_path):
        return None
    return state.model_checkpoint_path


def checkpoints_iterator(
    checkpoint_dir: PathLike,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], Any] | None = None,
) -> Iterator[str]:
    """Give each new checkpoint of a directory, waiting for the next one.

    Parameters
    ----------
    checkpoint_dir
        The directory.
    min_interval_secs
        The shortest time between two of them, in seconds.
    timeout
        How long to wait for one, in seconds; None for as long as it takes.
    timeout_fn
        Called after that time; a true result ends the iteration, another one waits
        again.  Without it the iteration ends.
    """
    last: str | None = None
    while True:
        found = _next_checkpoint(checkpoint_dir, last, timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        last, begin = found, time.monotonic()
        yield last
        time.sleep(max(0.0, begin + min_interval_secs - time.monotonic()))


def _next_checkpoint(
    directory: PathLike, last: str | None, timeout: float | None
) -> str | None:
    """Return a checkpoint other than the last, None if none comes in time."""
    deadline = None if timeout is None else time.monotonic() + timeout
    while (found := latest_checkpoint(directory)) in (None, last):
        left = 1.0 if deadline is None else min(1.0, deadline - time.monotonic())
        if left <= 0:
            return None
        time.sleep(left)
    return found
