"""Access files on this computer, or elsewhere through fsspec."""

import contextlib
import errno
import glob
import io
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from typing import IO, Any

from tpuref.base import error_codes as codes
from tpuref.base import errors
from tpuref.base.arguments import wrong_type
from tpuref.base.errors import coded
from tpuref.base.extras import optional_module

try:
    import fcntl
except ImportError:  # Windows, where files are not locked
    fcntl = None  # type: ignore[assignment]

PathLike = str | bytes | os.PathLike[str]

UNFINISHED = re.compile(r"(.+)\.tpuref-[0-9a-f]{8}(\..+)")
"""Matches the name of a file whose writing is not finished, or was interrupted."""


class LocalFiles:
    """The files of this computer."""

    def open(self, path: str, mode: str) -> IO[bytes]:
        """Open a file for bytes."""
        return open(path, mode)

    def open_regular(self, path: str) -> IO[bytes]:
        """Open a regular file; a pipe would block, and a device may have no end."""
        file = open(path, "rb", opener=_open_nonblocking)  # noqa: SIM115
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise OSError(errno.EINVAL, "it is not a regular file")
        return file

    def write_whole(self, path: str, content: bytes) -> None:
        """Write a temporary file and rename it, so that a kill leaves a whole file."""
        file = self._new_file(path, ".partial")
        try:
            with file:
                file.write(content)
                _flush_to_disk(file)
                if fcntl is None:  # Windows does not rename open files
                    file.close()
                os.replace(file.name, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.remove(file.name)
            raise
        self._flush_names(os.path.dirname(path))

    def store(
        self,
        stem: str,
        end: str,
        write: Callable[[IO[bytes]], None],
        commit: Callable[[str], None],
    ) -> None:
        """Write a new file under a unique name, and link it to the wanted name.

        The file is locked until `commit` returns.  The unique name stays: it tells a
        clean-up (`UNFINISHED`, `locked`) that the wanted name is not a file of the
        user.  If the wanted name is taken, the file has only its unique name.
        """
        with self._new_file(stem, end) as file:
            write(file)
            _flush_to_disk(file)
            path = file.name
            with _turn(os.path.dirname(stem)):
                with contextlib.suppress(OSError):  # taken, or no links on this system
                    os.link(file.name, stem + end)
                    path = stem + end
                commit(path)

    def mark(self, stem: str, end: str) -> str:
        """Link a file to a name that `UNFINISHED` matches, and return that name."""
        name = _unique_name(stem, end)
        with contextlib.suppress(OSError):  # no links on this system
            os.link(stem + end, name)
        return name

    def _new_file(self, stem: str, end: str) -> IO[bytes]:
        """Create a file with an unused name that `UNFINISHED` matches, and lock it."""
        while True:
            path = _unique_name(stem, end)
            file = open(path, "xb")  # noqa: SIM115 - the caller closes it
            if _lock(file) is not False and os.fstat(file.fileno()).st_nlink:
                return file
            file.close()  # another process locked it first, and removes it

    @contextlib.contextmanager
    def locked(self, path: str) -> Iterator[bool]:
        """Lock a file during the block; yield False if a process may be writing it."""
        try:
            file = open(path, "rb", opener=_open_no_link)  # noqa: SIM115
        except OSError:  # removed, of another user, or a symbolic link
            yield False
            return
        with file:
            yield _lock(file) is True

    def _flush_names(self, folder: str) -> None:
        """Flush a directory, so that its names survive a power failure."""
        if os.name == "nt":
            return  # Windows opens no directories
        opened = _open_nonblocking(folder or ".", os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)

    def exists(self, path: str) -> bool:
        """Return whether a file or directory exists."""
        return os.path.exists(path)

    def isdir(self, path: str) -> bool:
        """Return whether a path is a directory."""
        return os.path.isdir(path)

    def glob(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern."""
        return glob.glob(pattern)

    def names(self, path: str) -> list[str]:
        """Return the names in a directory."""
        return os.listdir(path)

    def mkdir(self, path: str) -> None:
        """Create one directory."""
        os.mkdir(path)

    def makedirs(self, path: str) -> None:
        """Create a directory and its missing parents."""
        os.makedirs(path, exist_ok=True)

    def remove(self, path: str) -> None:
        """Remove a file."""
        os.remove(path)

    def remove_tree(self, path: str) -> None:
        """Remove a directory and its content."""
        shutil.rmtree(path)

    def rename(self, old: str, new: str) -> None:
        """Rename a file or a directory, replacing a file."""
        os.replace(old, new)

    def size_and_time(self, path: str) -> tuple[int, float]:
        """Return the size in bytes and the time of the last change in seconds."""
        status = os.stat(path)
        return status.st_size, status.st_mtime


class ForeignFiles:
    """Files of a scheme such as ``memory`` or ``gs``, in a file system of fsspec."""

    def __init__(self, scheme: str, files: Any) -> None:
        self._scheme, self._files = scheme, files

    def open(self, path: str, mode: str) -> IO[bytes]:
        """Open a file for bytes."""
        opened: IO[bytes] = self._files.open(path, mode)
        return opened

    def open_regular(self, path: str) -> IO[bytes]:
        """Open a file for reading."""
        return self.open(path, "rb")

    def write_whole(self, path: str, content: bytes) -> None:
        """Write a file; object stores show it only once it is complete."""
        self._files.pipe_file(path, content)

    def store(
        self,
        stem: str,
        end: str,
        write: Callable[[IO[bytes]], None],
        commit: Callable[[str], None],
    ) -> None:
        """Write a new file, then call `commit`; object stores have no locks."""
        path = stem + end
        if self.exists(path):
            path = _unique_name(stem, end)
        try:
            with self.open(path, "wb") as file:
                write(file)
        except BaseException:
            with contextlib.suppress(OSError):
                self.remove(path)
            raise
        commit(path)

    def exists(self, path: str) -> bool:
        """Return whether a file or directory exists."""
        return bool(self._files.exists(path))

    def isdir(self, path: str) -> bool:
        """Return whether a path is a directory."""
        return bool(self._files.isdir(path))

    def glob(self, pattern: str) -> list[str]:
        """Return the paths that match a pattern."""
        return [self._full(path) for path in self._files.glob(pattern)]

    def names(self, path: str) -> list[str]:
        """Return the names in a directory."""
        paths = self._files.ls(path, detail=False)
        return [one.rstrip("/").rpartition("/")[2] for one in paths]

    def mkdir(self, path: str) -> None:
        """Create one directory."""
        self._files.mkdir(path, create_parents=False)

    def makedirs(self, path: str) -> None:
        """Create a directory and its missing parents."""
        self._files.makedirs(path, exist_ok=True)

    def remove(self, path: str) -> None:
        """Remove a file."""
        self._files.rm_file(path)

    def remove_tree(self, path: str) -> None:
        """Remove a directory and its content."""
        self._files.rm(path, recursive=True)

    def rename(self, old: str, new: str) -> None:
        """Rename a file or a directory, replacing a file."""
        self._files.mv(old, new, recursive=self._files.isdir(old))

    def size_and_time(self, path: str) -> tuple[int, float]:
        """Return the size in bytes and the time of the last change in seconds."""
        status = self._files.info(path)
        changed = status.get("mtime") or status.get("created") or 0.0
        seconds = changed.timestamp() if hasattr(changed, "timestamp") else changed
        return int(status.get("size") or 0), float(seconds)

    def _full(self, path: str) -> str:
        return path if "://" in path else f"{self._scheme}://{path.lstrip('/')}"


FileSystem = LocalFiles | ForeignFiles
"""A file system; failures of its methods are OSErrors."""


def _unique_name(stem: str, end: str) -> str:
    """Return a random name that `UNFINISHED` matches."""
    return f"{stem}.tpuref-{secrets.token_hex(4)}{end}"


def _open_nonblocking(path: str, flags: int) -> int:
    opened: list[int] = []
    flags |= getattr(os, "O_NONBLOCK", 0)
    try:
        # A signal's handler may raise between a call and an assignment.  It cannot run
        # within this call, so the list has the descriptor.
        opened.extend(map(os.open, (path,), (flags,)))
        return opened[0]
    except BaseException:
        for descriptor in opened:
            os.close(descriptor)
        raise


def _open_no_link(path: str, flags: int) -> int:
    return _open_nonblocking(path, flags | getattr(os, "O_NOFOLLOW", 0))


def _flush_to_disk(file: IO[bytes]) -> None:
    """Flush a file, so that its content survives a power failure."""
    file.flush()
    os.fsync(file.fileno())


@contextlib.contextmanager
def _turn(folder: str) -> Iterator[None]:
    """Lock a folder, so that one process at a time replaces its related files.

    If a process is suspended in the block, others proceed after 5 s.  The worst result
    is a file that no index names.
    """
    if fcntl is None:
        yield
        return
    opened = _open_nonblocking(folder or ".", os.O_RDONLY)
    try:
        deadline = time.monotonic() + 5
        while _lock(opened) is False and time.monotonic() < deadline:
            time.sleep(0.001)
        yield
    finally:
        with contextlib.suppress(OSError):  # a forked process may share the descriptor
            fcntl.flock(opened, fcntl.LOCK_UN)
        os.close(opened)


def _lock(file: IO[bytes] | int) -> bool | None:
    """Lock a file until it is closed; return False if it is locked, None without locks.

    The lock belongs to the inode, not to the name, so it survives a rename.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some network file systems have no locks
        return None
    return True


LOCAL = LocalFiles()


def files_at(
    path: PathLike, function: str, argument: str = "path"
) -> tuple[FileSystem, str]:
    """Return the file system of a path, and the path as text.

    >>> files_at("a/b.txt", "tf.gfile.Exists")[1]
    'a/b.txt'
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise wrong_type(f"{function}: {argument}", "a path", path)
    text = os.fsdecode(path)
    if not _is_encodable(text):
        raise _unencodable(function, argument, text)
    scheme, separator, rest = text.partition("://")
    if not separator:
        return LOCAL, text
    if scheme == "file":
        return LOCAL, rest
    fsspec = optional_module("fsspec", f"{function} of {text!r}", "tpuref[cloud]")
    try:
        return ForeignFiles(scheme, fsspec.filesystem(scheme)), text
    except ImportError as error:  # fsspec names the package, such as gcsfs
        raise coded(
            ImportError,
            f"{function} of {text!r}: {error}; or copy the files to this computer and "
            "give their path",
            code=codes.NOT_INSTALLED,
        ) from None
    except ValueError as error:
        raise errors.InvalidArgumentError(
            f"{function}: fsspec knows no files of the scheme {scheme!r} in {text!r}: "
            f"{error}",
            code=codes.FILE_FAULT,
        ) from None


def joined(directory: str, name: str) -> str:
    """Return the path of a name in a directory, local or not."""
    if not directory or name.startswith("/") or "://" in name:
        return name
    return f"{directory.rstrip('/') or '/'}{'' if directory == '/' else '/'}{name}"


_FAULTS: dict[type[errors.OpError], set[int]] = {
    errors.NotFoundError: {errno.ENOENT},
    errors.AlreadyExistsError: {errno.EEXIST},
    errors.PermissionDeniedError: {errno.EPERM, errno.EACCES, errno.EROFS},
    errors.FailedPreconditionError: {errno.ENOTDIR, errno.EISDIR, errno.ENOTEMPTY},
    errors.InvalidArgumentError: {errno.EINVAL, errno.ENAMETOOLONG, errno.ELOOP},
    # TensorFlow maps EFBIG to OutOfRangeError, which silently ends a training loop like
    # the end of its dataset.
    errors.ResourceExhaustedError: {
        errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE,
        errno.ENOMEM,
    },
}  # fmt: skip
_CLASSES: dict[type[OSError], type[errors.OpError]] = {
    # fsspec raises these without errno.
    FileNotFoundError: errors.NotFoundError,
    FileExistsError: errors.AlreadyExistsError,
    PermissionError: errors.PermissionDeniedError,
    NotADirectoryError: errors.FailedPreconditionError,
    IsADirectoryError: errors.FailedPreconditionError,
}


def _is_encodable(path: str) -> bool:
    """Return whether the operating system has files of such a name."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _unencodable(
    function: str, argument: str, path: str
) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(
        f"{function}: {argument} must be a path, which has no NUL and no unpaired "
        f"surrogates, got {path!r}",
        code=codes.FILE_FAULT,
    )


@contextlib.contextmanager
def failures(function: str, path: str) -> Iterator[None]:
    """Convert an OSError of the block to an error of `tf.errors`."""
    try:
        yield
    except io.UnsupportedOperation as error:
        raise errors.PermissionDeniedError(
            f"{function}: {path!r} was opened in another mode: {error}",
            code=codes.FILE_FAULT,
        ) from error
    except OSError as error:
        kinds = [kind for kind, numbers in _FAULTS.items() if error.errno in numbers]
        kinds += [_CLASSES[kind] for kind in type(error).mro() if kind in _CLASSES]
        raise (kinds or [errors.UnknownError])[0](
            f"{function}: {path!r}: {error.strerror or error}", code=codes.FILE_FAULT
        ) from error
    except ValueError:
        if _is_encodable(path):
            raise
        raise _unencodable(function, "the name of a file", path) from None
