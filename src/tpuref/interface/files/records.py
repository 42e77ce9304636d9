"""Read and write records with length and checksums: TFRecord and event files."""

from __future__ import annotations

import gzip
import io
import struct
import zlib
from collections.abc import Iterator
from typing import IO, Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import wrong_type
from tpuref.base.errors import DataLossError, ResourceExhaustedError
from tpuref.interface.files.filesystem import PathLike, failures, files_at
from tpuref.kernels import checksum

_CHUNK = 1 << 24
"""Bytes read at once, so that a wrong length needs no more memory than the file has."""

_MOST = (1 << 31) - 1
"""The maximum size of a record in a compressed file, whose own size does not bound its
content: that of a protocol buffer."""


class TFRecordCompressionType:
    """The compressions of a file of records."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


class TFRecordOptions:
    """The compression of records: ``""``, ``"ZLIB"``, ``"GZIP"`` or its number."""

    def __init__(self, compression_type: str | int | None = None) -> None:
        self.compression_type = compression_of(compression_type)


def compression_of(options: Any) -> str:
    """Return ``""``, ``"ZLIB"`` or ``"GZIP"`` for options, a name or a number.

    >>> compression_of(TFRecordCompressionType.GZIP), compression_of(None)
    ('GZIP', '')
    """
    if isinstance(options, TFRecordOptions):
        return options.compression_type
    known = {None: "", 0: "", 1: "ZLIB", 2: "GZIP", "": "", "ZLIB": "ZLIB"}
    known["GZIP"] = "GZIP"
    if not isinstance(options, str | int | None) or options not in known:
        raise codes.FILE_FAULT.value_error(
            f"TFRecord: compression must be '', 'ZLIB' or 'GZIP', got {options!r}"
        )
    return known[options]


def framed(record: bytes) -> bytes:
    """Return a record with its length and checksums, as files store it."""
    length = struct.pack("<Q", len(record))
    return b"".join(
        (
            length,
            struct.pack("<I", checksum.masked_crc32c(length)),
            record,
            struct.pack("<I", checksum.masked_crc32c(record)),
        )
    )


class TFRecordWriter:
    """Writes records to a new file, replacing an existing one.

    `options` are `TFRecordOptions` or the name of a compression.

    Examples
    --------
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "two.tfrecord")
    >>> with tf.python_io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    ...     writer.write(b"two")
    >>> list(tf.python_io.tf_record_iterator(path))
    [b'one', b'two']
    """

    def __init__(self, path: PathLike, options: Any = None) -> None:
        files, self._path = files_at(path, "TFRecordWriter")
        compression = compression_of(options)
        with failures("TFRecordWriter", self._path):
            self._file: IO[bytes] = files.open(self._path, "wb")
        self._packed: Any = None
        if compression == "ZLIB":
            self._packed = zlib.compressobj()
        elif compression == "GZIP":
            self._packed = zlib.compressobj(wbits=16 + zlib.MAX_WBITS)

    def write(self, record: bytes) -> None:
        """Write one record."""
        if not isinstance(record, bytes | bytearray | memoryview):
            argument = "TFRecordWriter.write: record"
            raise wrong_type(argument, "bytes (encode a string first)", record)
        content = framed(bytes(record))
        with failures("TFRecordWriter.write", self._path):
            self._file.write(
                content if self._packed is None else self._packed.compress(content)
            )

    def flush(self) -> None:
        """Flush the file."""
        with failures("TFRecordWriter.flush", self._path):
            if self._packed is not None:
                self._file.write(self._packed.flush(zlib.Z_FULL_FLUSH))
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file.closed:
            return
        with failures("TFRecordWriter.close", self._path):
            if self._packed is not None:
                self._file.write(self._packed.flush())
            self._file.close()

    def __del__(self) -> None:
        # As with TensorFlow, programs need not close their writers.
        if hasattr(self, "_packed"):
            self.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


def tf_record_iterator(path: PathLike, options: Any = None) -> Iterator[bytes]:
    """Yield the records of a file.

    Parameters are those of `TFRecordWriter`.  It raises tf.errors.DataLossError if the
    file ends within a record, or a checksum differs.
    """
    files, text = files_at(path, "tf_record_iterator")
    with failures("tf_record_iterator", text), files.open(text, "rb") as file:
        compression = compression_of(options)
        yield from _records(unpacked(file, compression, text), bool(compression), text)


class _InflatedFile(io.RawIOBase):
    """The decompressed content of a ZLIB file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._inflater = file, zlib.decompressobj()
        self._empty = True

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = b""
        while not content and not self._inflater.eof:
            packed = self._inflater.unconsumed_tail or self._file.read(len(buffer))
            content = self._inflater.decompress(packed, len(buffer))
            if not packed and not content:
                if self._empty:
                    return 0
                raise EOFError("the compressed data ends early")
            self._empty = False
        buffer[: len(content)] = content
        return len(content)


def unpacked(file: IO[bytes], compression: str, path: str) -> Any:
    """Return the content of an open file, decompressed as it is read."""
    if compression == "GZIP":
        return gzip.GzipFile(fileobj=file)
    if compression == "ZLIB":  # Python has no file object for it
        return io.BufferedReader(_InflatedFile(file), 1 << 16)
    return file


def _records(content: IO[bytes], compressed: bool, path: str) -> Iterator[bytes]:
    start = 0
    while head := _read(content, 12, path, start):
        (length,) = struct.unpack("<Q", _verify(head[:8], head[8:], path, start))
        if compressed and length > _MOST:
            raise _damage_error(
                path, start, f"it has {length} bytes, more than {_MOST}"
            )
        body = _read(content, length + 4, path, start)
        if body is None:
            raise _damage_error(path, start, "the file ends within it")
        yield _verify(body[:-4], body[-4:], path, start)
        start += 12 + length + 4


def _read(file: IO[bytes], count: int, path: str, start: int) -> bytes | None:
    """Return the next bytes, or None at the end of the file."""
    try:
        content = file.read(min(count, _CHUNK))
        if len(content) == _CHUNK:
            content = _read_on(file, count, content)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise _damage_error(path, start, str(error)) from None
    except MemoryError:
        raise ResourceExhaustedError(
            f"tf_record_iterator: {path!r}: no memory for the record at byte {start}, "
            f"of {count} bytes; write smaller records, or give the process more memory",
            code=codes.OUT_OF_MEMORY,
        ) from None
    if content and len(content) < count:
        raise _damage_error(path, start, "the file ends within it")
    return content or None


def _read_on(file: IO[bytes], count: int, content: bytes) -> bytes:
    """Return the first chunk of a large record and the following ones."""
    whole = io.BytesIO()
    while content:
        whole.write(content)
        content = file.read(min(count - whole.tell(), _CHUNK))
    return whole.getvalue()


def _verify(content: bytes, stored: bytes, path: str, start: int) -> bytes:
    if struct.pack("<I", checksum.masked_crc32c(content)) != stored:
        raise _damage_error(path, start, "a checksum differs")
    return content


def _damage_error(path: str, start: int, why: str) -> DataLossError:
    return DataLossError(
        f"{path!r} is no file of records, or is damaged or compressed: the record at "
        f"byte {start}: {why}. Give compression_type='GZIP' or 'ZLIB' for a "
        "compressed file",
        code=codes.DAMAGED_FILE,
    )
