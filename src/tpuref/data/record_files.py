"""Datasets of the content of files."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, Any, cast

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import string
from tpuref.base.errors import coded
from tpuref.base.spec import TensorSpec
from tpuref.data.dataset import Dataset
from tpuref.data.element import Item, component, spec_of
from tpuref.data.stage import Pass, Stage
from tpuref.files.file import GFile
from tpuref.files.records import compression_of, tf_record_iterator, unpacked

__all__ = ["FixedLengthRecordDataset", "TFRecordDataset", "TextLineDataset"]


class FileStage(Stage):
    """The records of files, one file after the other.

    Parameters
    ----------
    filenames
        A path, a list or tensor of paths, or a dataset of paths.
    """

    def __init__(self, filenames: Any) -> None:
        if isinstance(filenames, Dataset):
            self._paths: Any = None
            self._source: Stage | None = filenames.stage
            spec = filenames.stage.specs[0]
            super().__init__(TensorSpec([], string), [filenames.stage])
        else:
            self._paths, self._source = component(filenames), None
            spec = spec_of(self._paths)
            super().__init__(TensorSpec([], string), uses=[self._paths])
        if spec.dtype != string:
            raise coded(
                TypeError,
                f"tf.data.{self.name}: filenames must be paths, got {spec.describe()}",
                code=codes.INVALID_DATASET_ARGUMENT,
            )

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the records."""
        for path in self._files(current):
            for record in self.records(path):
                yield (_text(record),)

    def _files(self, current: Pass) -> Iterator[str]:
        if self._source is None:
            arrays: Any = [current.array(self._paths)]
        else:
            arrays = (item[0] for item in self._source.items(current))
        for array in arrays:
            for path in np.ravel(array):
                yield path.decode()

    def records(self, path: str) -> Iterator[bytes]:
        """Yield the records of one file."""
        raise NotImplementedError


def _text(record: bytes) -> Any:
    array = np.empty((), object)
    array[()] = record
    return array


class TFRecord(FileStage):
    """Records with their lengths and checksums."""

    def __init__(self, filenames: Any, compression: str) -> None:
        self._compression = compression
        super().__init__(filenames)

    def records(self, path: str) -> Iterator[bytes]:
        """Yield the records of one file."""
        yield from tf_record_iterator(path, self._compression)


class TextLine(FileStage):
    """Lines without their ends."""

    def __init__(self, filenames: Any, compression: str) -> None:
        self._compression = compression
        super().__init__(filenames)

    def records(self, path: str) -> Iterator[bytes]:
        """Yield the lines of one file."""
        with GFile(path, "rb") as file:
            for line in unpacked(cast(IO[bytes], file), self._compression, path):
                yield line.rstrip(b"\r\n")


class FixedLengthRecord(FileStage):
    """Records that all have the same length."""

    def __init__(
        self, filenames: Any, length: int, header: int, footer: int, compression: str
    ) -> None:
        self._length, self._header, self._footer = length, header, footer
        self._compression = compression
        super().__init__(filenames)

    def records(self, path: str) -> Iterator[bytes]:
        """Yield the records of one file."""
        with GFile(path, "rb") as file:
            if self._compression:
                opened = cast(IO[bytes], file)
                whole = unpacked(opened, self._compression, path).read()
                content: Any = io.BytesIO(whole)
                size = len(whole)
            else:
                content, size = file, file.size()
            content.seek(self._header)
            for _ in range((size - self._header - self._footer) // self._length):
                yield content.read(self._length)


class TFRecordDataset(Dataset):
    """The records of TFRecord files, as texts.

    Parameters
    ----------
    filenames
        A path, a list or tensor of paths, or a dataset of paths.
    compression_type
        ``""``, ``"ZLIB"`` or ``"GZIP"``.
    buffer_size, num_parallel_reads, name
        Accepted for compatibility; the files are read one after the other.

    Raises
    ------
    tpuref.errors.DataLossError
        At evaluation, if a file is damaged, compressed otherwise or no such file.

    Examples
    --------
    >>> import os, tempfile
    >>> import tpuref as tf
    >>> path = os.path.join(tempfile.mkdtemp(), "two.tfrecord")
    >>> with tf.python_io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    ...     writer.write(b"two")
    >>> dataset = tf.data.TFRecordDataset(path)
    >>> [bytes(record) for record in dataset.as_numpy_iterator()]
    [b'one', b'two']
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(TFRecord(filenames, compression_of(compression_type)))


class TextLineDataset(Dataset):
    """The lines of text files, without their ends.

    Parameters
    ----------
    filenames
        A path, a list or tensor of paths, or a dataset of paths.
    compression_type
        ``""``, ``"ZLIB"`` or ``"GZIP"``.
    buffer_size, num_parallel_reads, name
        As for `TFRecordDataset`.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: str | None = None,
        buffer_size: int | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(TextLine(filenames, compression_of(compression_type)))


class FixedLengthRecordDataset(Dataset):
    """The records of binary files whose records all have the same length.

    Parameters
    ----------
    filenames
        A path, a list or tensor of paths, or a dataset of paths.
    record_bytes
        The length of a record.
    header_bytes, footer_bytes
        How much to leave out at the start and at the end of each file.
    compression_type, buffer_size, num_parallel_reads, name
        As for `TFRecordDataset`.
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        buffer_size: int | None = None,
        compression_type: str | None = None,
        num_parallel_reads: int | None = None,
        name: str | None = None,
    ) -> None:
        around = (header_bytes or 0, footer_bytes or 0)
        compression = compression_of(compression_type)
        super().__init__(
            FixedLengthRecord(filenames, record_bytes, *around, compression)
        )
