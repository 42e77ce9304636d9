"""Define datasets of the content of files."""

import os
from collections.abc import Iterator, Sequence
from typing import IO, Any, cast

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import as_list
from tpuref.base.dtypes import string
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.spec import TensorSpec
from tpuref.interface.data.dataset import Dataset
from tpuref.interface.data.element import Item, component, spec_of
from tpuref.interface.data.sources import integer
from tpuref.interface.data.stage import Pass, Stage
from tpuref.interface.files.file import GFile
from tpuref.interface.files.operations import glob
from tpuref.interface.files.records import compression_of, tf_record_iterator, unpacked


class FileStage(Stage):
    """Yields the records of files, one file after the other.

    `filenames` is a path, a list or tensor of paths, or a dataset of paths; `uses` are
    further arguments that may be tensors.
    """

    def __init__(
        self, filenames: Any, compression: str, uses: Sequence[Any] = ()
    ) -> None:
        self._compression = compression
        if isinstance(filenames, Dataset):
            self._paths: Any = None
            self._source: Stage | None = filenames.stage
            spec = filenames.stage.specs[0]
            super().__init__(TensorSpec([], string), [filenames.stage], uses)
        else:
            self._paths, self._source = component(filenames), None
            spec = spec_of(self._paths)
            super().__init__(TensorSpec([], string), uses=[self._paths, *uses])
        if spec.dtype != string:
            raise codes.INVALID_ARGUMENT.type_error(
                f"tf.data.{self.name}: filenames must be paths, got {spec.describe()}"
            )

    def items(self, current: Pass) -> Iterator[Item]:
        """Yield the records."""
        for path in self._files(current):
            for record in self.records(path, current):
                yield (np.array(record, object),)

    def _files(self, current: Pass) -> Iterator[str]:
        if self._source is None:
            arrays: Any = [current.array(self._paths)]
        else:
            arrays = (item[0] for item in self._source.items(current))
        for array in arrays:
            for path in np.ravel(array):
                yield os.fsdecode(path)

    def records(self, path: str, current: Pass) -> Iterator[bytes]:
        """Yield the records of one file."""
        raise NotImplementedError


class TFRecord(FileStage):
    """Reads records with lengths and checksums."""

    def records(self, path: str, current: Pass) -> Iterator[bytes]:
        """Yield the records of one file."""
        yield from tf_record_iterator(path, self._compression)


class TextLine(FileStage):
    """Reads lines without their line ends."""

    def records(self, path: str, current: Pass) -> Iterator[bytes]:
        """Yield the lines of one file."""
        with GFile(path, "rb") as file:
            for line in unpacked(cast(IO[bytes], file), self._compression, path):
                yield line.rstrip(b"\r\n")


class FixedLengthRecord(FileStage):
    """Reads records of equal length."""

    def __init__(self, filenames: Any, compression: str, **lengths: Any) -> None:
        self._lengths = {
            name: integer(f"tf.data.{self.name}: {name}", value)
            for name, value in lengths.items()
        }
        super().__init__(filenames, compression, list(self._lengths.values()))

    def records(self, path: str, current: Pass) -> Iterator[bytes]:
        """Yield the records of one file."""
        length, header, footer = (
            self._at_least(name == "record_bytes", name, current.number(value))
            for name, value in self._lengths.items()
        )
        with GFile(path, "rb") as file:
            if not self._compression:
                self._check_size(path, file.size() - header - footer, length)
            content = unpacked(cast(IO[bytes], file), self._compression, path)
            content.read(header)
            # The size of a compressed file is known at its end only, so that what may
            # be the footer waits until more follows.
            waiting = content.read(footer)
            while further := content.read(length):
                self._check_size(path, len(further), length)
                waiting += further
                yield waiting[:length]
                waiting = waiting[length:]

    def _check_size(self, path: str, size: int, length: int) -> None:
        if size < 0 or size % length:
            raise self.fault(
                InvalidArgumentError,
                f"{path!r} has {size} bytes between header and footer, expected a "
                f"multiple of record_bytes ({length})",
                code=codes.INVALID_ARGUMENT,
            )

    def _at_least(self, least: int, argument: str, value: int) -> int:
        if value < least:
            raise self.fault(
                InvalidArgumentError,
                f"{argument} must be at least {least:d}, got {value}",
                code=codes.INVALID_ARGUMENT,
            )
        return value


class TFRecordDataset(Dataset):
    """Reads the records of TFRecord files, as texts.

    At evaluation, a damaged file, or one of another compression or format, raises
    `tf.errors.DataLossError`.  `filenames` is a path, a list or tensor of paths, or a
    dataset of paths.  `compression_type` is ``""``, ``"ZLIB"`` or ``"GZIP"``.
    `buffer_size`, `num_parallel_reads` and `name` are accepted for compatibility; the
    files are read one after the other.

    Examples
    --------
    >>> import os, tempfile
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
    """Reads the lines of text files, without their line ends; see `TFRecordDataset`."""

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
    """Reads the records of binary files, which have equal length.

    `filenames` is a path, a list or tensor of paths, or a dataset of paths.
    `header_bytes` and `footer_bytes` are the number of bytes to skip at the start and
    at the end of each file.  Other parameters are those of `TFRecordDataset`.  It
    raises `tf.errors.InvalidArgumentError` at evaluation if a length is out of range,
    or the rest of a file is not a multiple of `record_bytes`.
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
        super().__init__(
            FixedLengthRecord(
                filenames,
                compression_of(compression_type),
                record_bytes=record_bytes,
                header_bytes=0 if header_bytes is None else header_bytes,
                footer_bytes=0 if footer_bytes is None else footer_bytes,
            )
        )


def get_data_files(data_sources: Any) -> list[str]:
    """Return the paths that patterns match; a path without wildcards stays itself.

    `data_sources` is a pattern, or a list of those.  It raises ValueError if there is
    no path.
    """
    paths: list[str] = []
    for source in as_list(data_sources):
        paths += glob(source) if any(c in source for c in "*?[") else [source]
    if not paths:
        raise codes.INVALID_ARGUMENT.value_error(
            "tf.contrib.slim.parallel_reader.get_data_files: data_sources: no file "
            f"matches {data_sources!r}"
        )
    return paths
