"""The operations on files and directories of ``tf.io.gfile``."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import listed
from tpuref.base.errors import AlreadyExistsError, NotFoundError, OpError
from tpuref.interface.files.filesystem import PathLike, failures, files_at, joined


@dataclass(frozen=True)
class FileStatistics:
    """The size of a file in bytes, its last change in nanoseconds, and its kind."""

    length: int
    mtime_nsec: int
    is_directory: bool


def exists(path: PathLike) -> bool:
    """Return whether a file or directory exists."""
    files, text = files_at(path, "tf.io.gfile.exists")
    return files.exists(text)


def isdir(path: PathLike) -> bool:
    """Return whether a path is a directory."""
    files, text = files_at(path, "tf.io.gfile.isdir")
    return files.isdir(text)


def glob(pattern: PathLike | Sequence[PathLike]) -> list[str]:
    """Return the sorted paths that match one of the patterns.

    Examples
    --------
    >>> tf.io.gfile.glob("/nowhere/*.tfrecord")
    []
    """
    if isinstance(pattern, (str, bytes, os.PathLike)):
        pattern = [pattern]
    argument = "tf.io.gfile.glob: pattern"
    paths: list[str] = []
    for one in listed(argument, pattern, "a path or a list of paths"):
        files, text = files_at(one, "tf.io.gfile.glob", "each pattern")
        paths += sorted(files.glob(text))
    return paths


def listdir(path: PathLike) -> list[str]:
    """Return the sorted names in a directory; NotFoundError without it."""
    function = "tf.io.gfile.listdir"
    files, text = files_at(path, function)
    if not files.isdir(text):
        raise NotFoundError(
            f"{function}: there is no directory {text!r}", code=codes.FILE_FAULT
        )
    with failures(function, text):
        return sorted(files.names(text))


def mkdir(path: PathLike) -> None:
    """Create one directory, whose parent must exist."""
    files, text = files_at(path, "tf.io.gfile.mkdir")
    with failures("tf.io.gfile.mkdir", text):
        files.mkdir(text)


def makedirs(path: PathLike) -> None:
    """Create a directory and its missing parents."""
    files, text = files_at(path, "tf.io.gfile.makedirs")
    with failures("tf.io.gfile.makedirs", text):
        files.makedirs(text)


def remove(path: PathLike) -> None:
    """Remove a file."""
    files, text = files_at(path, "tf.io.gfile.remove")
    with failures("tf.io.gfile.remove", text):
        files.remove(text)


def rmtree(path: PathLike) -> None:
    """Remove a directory and its content."""
    files, text = files_at(path, "tf.io.gfile.rmtree")
    with failures("tf.io.gfile.rmtree", text):
        files.remove_tree(text)


def rename(src: PathLike, dst: PathLike, overwrite: bool = False) -> None:
    """Rename a file or directory; `overwrite` allows replacing a file."""
    function = "tf.io.gfile.rename"
    files, old = files_at(src, function, "src")
    new = _unused_path(dst, overwrite, function)
    with failures(function, old):
        files.rename(old, new)


def copy(src: PathLike, dst: PathLike, overwrite: bool = False) -> None:
    """Copy a file, between any file systems; `overwrite` allows replacing a file."""
    function = "tf.io.gfile.copy"
    files, old = files_at(src, function, "src")
    new = _unused_path(dst, overwrite, function)
    with (
        failures(function, f"{old} to {new}"),
        files.open(old, "rb") as source,
        files_at(dst, function)[0].open(new, "wb") as target,
    ):
        shutil.copyfileobj(source, target)


def _unused_path(path: PathLike, overwrite: bool, function: str) -> str:
    files, text = files_at(path, function, "dst")
    if not overwrite and files.exists(text):
        raise AlreadyExistsError(
            f"{function}: {text!r} exists; give overwrite=True to replace it",
            code=codes.FILE_FAULT,
        )
    return text


def stat(path: PathLike) -> FileStatistics:
    """Return the size of a file and the time of its last change."""
    files, text = files_at(path, "tf.io.gfile.stat")
    with failures("tf.io.gfile.stat", text):
        size, seconds = files.size_and_time(text)
        return FileStatistics(size, round(seconds * 1e9), files.isdir(text))


def walk(
    top: PathLike, topdown: bool = True, onerror: Callable[[OpError], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each directory from `top` down, with its directories and its files.

    `top` is the first directory; a missing one yields nothing.  `topdown` says whether
    a directory comes before its subdirectories.  `onerror` is called with the error if
    `top` is no directory.
    """
    files, text = files_at(top, "tf.io.gfile.walk", "top")
    if not files.isdir(text):
        if onerror is not None:
            onerror(NotFoundError(f"tf.io.gfile.walk: {text!r} is no directory"))
        return
    inside = sorted(files.names(text))
    directories = [name for name in inside if files.isdir(joined(text, name))]
    here = text, directories, [name for name in inside if name not in directories]
    if topdown:
        yield here
    for name in directories:
        yield from walk(joined(text, name), topdown)
    if not topdown:
        yield here


def join(path: PathLike, *paths: PathLike) -> str:
    """Return the parts of a path joined with slashes; an absolute part begins anew."""
    text = os.fsdecode(path)
    for part in [os.fsdecode(one) for one in paths]:
        rooted = part.startswith("/") or "://" in part
        text = part if rooted else f"{text.rstrip('/')}/{part}" if text else part
    return text
