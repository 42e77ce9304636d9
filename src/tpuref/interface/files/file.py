"""Define `tf.gfile.GFile`: a file of text or bytes, local or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from tpuref.base import error_codes as codes
from tpuref.interface.files.filesystem import PathLike, failures, files_at

MODES = ("r", "rb", "r+", "w", "wb", "w+", "a", "ab", "a+")


class GFile:
    r"""A file that is opened by the first read or write.

    `name` is a path, or a URL that fsspec knows.  `mode` is ``r``, ``w``, ``a``,
    ``r+``, ``w+`` or ``a+``, with a ``b`` for bytes instead of text in UTF-8.  It
    raises ValueError if `mode` is unknown; its methods raise errors of the file system,
    such as `tf.errors.NotFoundError`.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "notes.txt")
    >>> with tf.gfile.GFile(path, "w") as file:
    ...     file.write("one\ntwo\n")
    >>> [line.strip() for line in tf.gfile.GFile(path)]
    ['one', 'two']
    """

    def __init__(self, name: PathLike, mode: str = "r") -> None:
        if mode not in MODES:
            raise codes.FILE_FAULT.value_error(
                f"tf.gfile.GFile: mode must be one of {', '.join(MODES)}, got {mode!r}"
            )
        self.name, self.mode = name, mode
        self._files, self._path = files_at(name, "tf.gfile.GFile", "name")
        self._opened: IO[bytes] | None = None

    def _file(self) -> IO[bytes]:
        if self._opened is None:
            mode = self.mode.replace("b", "")
            self._opened = self._files.open(self._path, f"{mode[0]}b{mode[1:]}")
        return self._opened

    def _decode(self, content: bytes) -> Any:
        return content if "b" in self.mode else content.decode()

    def size(self) -> int:
        """Return the size in bytes."""
        with failures("GFile.size", self._path):
            return self._files.size_and_time(self._path)[0]

    def read(self, n: int = -1) -> Any:
        """Return the next `n` bytes as text or bytes; -1 reads the rest."""
        with failures("GFile.read", self._path):
            return self._decode(self._file().read(n))

    def readline(self) -> Any:
        """Return the next line with its line end; empty at the end of the file."""
        with failures("GFile.readline", self._path):
            return self._decode(self._file().readline())

    def readlines(self) -> list[Any]:
        """Return all following lines."""
        return list(self)

    def write(self, file_content: str | bytes) -> None:
        """Write text or bytes."""
        content = file_content
        with failures("GFile.write", self._path):
            self._file().write(
                content.encode() if isinstance(content, str) else content
            )

    def seek(
        self, offset: int | None = None, whence: int = 0, position: int | None = None
    ) -> None:
        """Move by an offset from the start, the position (1) or the end (2)."""
        with failures("GFile.seek", self._path):
            self._file().seek(offset if offset is not None else position or 0, whence)

    def tell(self) -> int:
        """Return the position in bytes."""
        with failures("GFile.tell", self._path):
            return self._file().tell()

    def seekable(self) -> bool:
        """Return whether `seek` works."""
        return True

    def flush(self) -> None:
        """Flush the file."""
        if self._opened is not None:
            with failures("GFile.flush", self._path):
                self._opened.flush()

    def close(self) -> None:
        """Close the file; in mode ``w`` this creates it if nothing was written."""
        with failures("GFile.close", self._path):
            if "w" in self.mode or self._opened is not None:
                self._file().close()

    def __del__(self) -> None:
        # As with TensorFlow, programs need not close files after reading.
        if getattr(self, "_opened", None) is not None:
            self.close()

    def next(self) -> Any:
        """Return the next line; StopIteration at the end."""
        return next(self)

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __iter__(self) -> Iterator[Any]:
        return self

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<tf.gfile.GFile {self._path!r} mode={self.mode!r}>"
