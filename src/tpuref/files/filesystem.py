"""Where a path leads: to the files of this computer, or through fsspec elsewhere."""

from __future__ import annotations

import contextlib
import glob
import io
import os
import shutil
from collections.abc import Iterator, Sequence
from typing import IO, Any, Protocol

from tpuref.base import error_codes as codes
from tpuref.base.arguments import wrong_type
from tpuref.base.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    UnknownError,
)
from tpuref.base.extras import optional_module

PathLike = str | bytes | os.PathLike[str]


class FileSystem(Protocol):
    """What is asked of the place that files are in; failures are OSErrors."""

    def open(self, path: str, mode: str) -> IO[bytes]:
        """Open a file for bytes."""

    def write_whole(self, path: str, content: bytes) -> None:
        """Give a file its content; a reader finds the old content or the new one."""

    def exists(self, path: str) -> bool:
        """Return whether there is a file or a directory."""

    def isdir(self, path: str) -> bool:
        """Return whether it is a directory."""

    def glob(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern."""

    def names(self, path: str) -> list[str]:
        """Return the names in a directory."""

    def mkdir(self, path: str) -> None:
        """Make one directory."""

    def makedirs(self, path: str) -> None:
        """Make a directory and those above it, where they are missing."""

    def remove(self, path: str) -> None:
        """Remove a file."""

    def remove_tree(self, path: str) -> None:
        """Remove a directory with everything below it."""

    def rename(self, old: str, new: str) -> None:
        """Rename a file or a directory, replacing a file."""

    def size_and_time(self, path: str) -> tuple[int, float]:
        """Return the size in bytes and when it was changed, in seconds."""


class LocalFiles:
    """The files of this computer."""

    def open(self, path: str, mode: str) -> IO[bytes]:
        """Open a file for bytes."""
        opened: IO[bytes] = open(path, mode)  # noqa: SIM115 - the caller closes it
        return opened

    def write_whole(self, path: str, content: bytes) -> None:
        """Write beside the file and rename, so that a kill leaves a whole file."""
        beside = f"{path}.partial"
        with open(beside, "wb") as file:
            file.write(content)
        self.flush_to_disk(beside)
        os.replace(beside, path)
        self.flush_to_disk(os.path.dirname(path) or ".")

    def flush_to_disk(self, path: str) -> None:
        """Let a file, or the names in a directory, outlive a loss of power."""
        opened = os.open(path, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)

    def exists(self, path: str) -> bool:
        """Return whether there is a file or a directory."""
        return os.path.exists(path)

    def isdir(self, path: str) -> bool:
        """Return whether it is a directory."""
        return os.path.isdir(path)

    def glob(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern."""
        return glob.glob(pattern)

    def names(self, path: str) -> list[str]:
        """Return the names in a directory."""
        return os.listdir(path)

    def mkdir(self, path: str) -> None:
        """Make one directory."""
        os.mkdir(path)

    def makedirs(self, path: str) -> None:
        """Make a directory and those above it, where they are missing."""
        os.makedirs(path, exist_ok=True)

    def remove(self, path: str) -> None:
        """Remove a file."""
        os.remove(path)

    def remove_tree(self, path: str) -> None:
        """Remove a directory with everything below it."""
        shutil.rmtree(path)

    def rename(self, old: str, new: str) -> None:
        """Rename a file or a directory, replacing a file."""
        os.replace(old, new)

    def size_and_time(self, path: str) -> tuple[int, float]:
        """Return the size in bytes and when it was changed, in seconds."""
        found = os.stat(path)
        return found.st_size, found.st_mtime


class ForeignFiles:
    """Files of another scheme, such as ``memory://`` or ``gs://``.

    Parameters
    ----------
    scheme
        The part before ``://``.
    files
        A file system of fsspec.
    """

    def __init__(self, scheme: str, files: Any) -> None:
        self._scheme, self._files = scheme, files

    def open(self, path: str, mode: str) -> IO[bytes]:
        """Open a file for bytes."""
        opened: IO[bytes] = self._files.open(path, mode)
        return opened

    def write_whole(self, path: str, content: bytes) -> None:
        """Give a file its content; object stores show it once it is complete."""
        self._files.pipe_file(path, content)

    def exists(self, path: str) -> bool:
        """Return whether there is a file or a directory."""
        return bool(self._files.exists(path))

    def isdir(self, path: str) -> bool:
        """Return whether it is a directory."""
        return bool(self._files.isdir(path))

    def glob(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern."""
        return [self._full(path) for path in self._files.glob(pattern)]

    def names(self, path: str) -> list[str]:
        """Return the names in a directory."""
        found = self._files.ls(path, detail=False)
        return [one.rstrip("/").rpartition("/")[2] for one in found]

    def mkdir(self, path: str) -> None:
        """Make one directory."""
        self._files.mkdir(path, create_parents=False)

    def makedirs(self, path: str) -> None:
        """Make a directory and those above it, where they are missing."""
        self._files.makedirs(path, exist_ok=True)

    def remove(self, path: str) -> None:
        """Remove a file."""
        self._files.rm_file(path)

    def remove_tree(self, path: str) -> None:
        """Remove a directory with everything below it."""
        self._files.rm(path, recursive=True)

    def rename(self, old: str, new: str) -> None:
        """Rename a file or a directory, replacing a file."""
        self._files.mv(old, new, recursive=self._files.isdir(old))

    def size_and_time(self, path: str) -> tuple[int, float]:
        """Return the size in bytes and when it was changed, in seconds."""
        found = self._files.info(path)
        changed = found.get("mtime") or found.get("created") or 0.0
        seconds = changed.timestamp() if hasattr(changed, "timestamp") else changed
        return int(found.get("size") or 0), float(seconds)

    def _full(self, path: str) -> str:
        return path if "://" in path else f"{self._scheme}://{path.lstrip('/')}"


LOCAL = LocalFiles()


def files_at(
    path: PathLike, function: str, argument: str = "path"
) -> tuple[FileSystem, str]:
    """Return what a path leads to, and the path as text.

    Parameters
    ----------
    path
        A path of this computer, or a URL such as ``gs://bucket/model``.
    function
        The function that it was given to, for messages.
    argument
        The argument of that function.

    Raises
    ------
    TypeError
        If it is no path.
    ImportError
        If it is a URL, and fsspec or its package for the scheme is not installed.
    tpuref.errors.InvalidArgumentError
        If nobody knows the scheme.

    Examples
    --------
    >>> files_at("a/b.txt", "tf.gfile.Exists")[1]
    'a/b.txt'
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise wrong_type(f"{function}: {argument}", "a path", path)
    text = os.fsdecode(path)
    scheme, separator, rest = text.partition("://")
    if not separator:
        return LOCAL, text
    if scheme == "file":
        return LOCAL, rest
    fsspec = optional_module("fsspec", f"{function} of {text!r}", "files")
    try:
        return ForeignFiles(scheme, fsspec.filesystem(scheme)), text
    except ValueError as error:
        raise InvalidArgumentError(
            f"{function}: fsspec knows no files of the scheme {scheme!r} in {text!r}: "
            f"{error}",
            code=codes.FILE_FAULT,
        ) from None


def joined(directory: str, name: str) -> str:
    """Return the path of a name in a directory, here or elsewhere."""
    if not directory or name.startswith("/") or "://" in name:
        return name
    return f"{directory.rstrip('/') or '/'}{'' if directory == '/' else '/'}{name}"


_FAULTS: Sequence[tuple[type[OSError], type[OpError]]] = (
    (FileNotFoundError, NotFoundError),
    (FileExistsError, AlreadyExistsError),
    (PermissionError, PermissionDeniedError),
    (NotADirectoryError, FailedPreconditionError),
    (IsADirectoryError, FailedPreconditionError),
)


@contextlib.contextmanager
def failures(function: str, path: str) -> Iterator[None]:
    """Turn an OSError of the block into the error of `tf.errors`."""
    try:
        yield
    except io.UnsupportedOperation as error:
        raise PermissionDeniedError(
            f"{function}: {path!r} was opened in another mode: {error}",
            code=codes.FILE_FAULT,
        ) from error
    except OSError as error:
        kinds = [fault for kind, fault in _FAULTS if isinstance(error, kind)]
        raise (kinds or [UnknownError])[0](
            f"{function}: {path!r}: {error.strerror or error}", code=codes.FILE_FAULT
        ) from error
