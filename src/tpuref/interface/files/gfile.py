"""The functions of ``tf.gfile``: those of `operations`, with the names of 1.x."""

from collections.abc import Iterator, Sequence

from tpuref.interface.files import operations
from tpuref.interface.files.filesystem import PathLike
from tpuref.interface.files.operations import FileStatistics


def Copy(oldpath: PathLike, newpath: PathLike, overwrite: bool = False) -> None:
    """Copy a file; over a file only with `overwrite`."""
    operations.copy(oldpath, newpath, overwrite)


def DeleteRecursively(dirname: PathLike) -> None:
    """Remove a directory with everything below it."""
    operations.rmtree(dirname)


def Exists(filename: PathLike) -> bool:
    """Return whether there is a file or a directory."""
    return operations.exists(filename)


def Glob(filename: PathLike | Sequence[PathLike]) -> list[str]:
    """Return the paths that match one pattern, or one of several, sorted."""
    return operations.glob(filename)


def IsDirectory(dirname: PathLike) -> bool:
    """Return whether it is a directory."""
    return operations.isdir(dirname)


def ListDirectory(dirname: PathLike) -> list[str]:
    """Return the names in a directory, sorted."""
    return operations.listdir(dirname)


def MakeDirs(dirname: PathLike) -> None:
    """Make a directory and those above it, where they are missing."""
    operations.makedirs(dirname)


def MkDir(dirname: PathLike) -> None:
    """Make one directory; the one above must exist."""
    operations.mkdir(dirname)


def Remove(filename: PathLike) -> None:
    """Remove a file."""
    operations.remove(filename)


def Rename(oldname: PathLike, newname: PathLike, overwrite: bool = False) -> None:
    """Rename a file or a directory; an existing file only with `overwrite`."""
    operations.rename(oldname, newname, overwrite)


def Stat(filename: PathLike) -> FileStatistics:
    """Return the size of a file and when it was changed."""
    return operations.stat(filename)


def Walk(
    top: PathLike, in_order: bool = True
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each directory below `top`, before its children if `in_order` is set."""
    return operations.walk(top, in_order)
