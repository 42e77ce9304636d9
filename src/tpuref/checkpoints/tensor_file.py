"""The file with the tensors of a checkpoint, in the safetensors format.

safetensors has no complex numbers in all its versions: they are kept as pairs of real
numbers, in a last dimension of 2.  The index of the checkpoint says that they are
complex.  It has no text at all.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import DType, as_dtype, float32, float64, string
from tpuref.base.errors import DataLossError, coded
from tpuref.base.extras import optional_module
from tpuref.files.filesystem import FileSystem, LocalFiles
from tpuref.ops.definition import Array

_NAMES = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U64": "uint64",
    "U32": "uint32",
    "U16": "uint16",
    "U8": "uint8",
    "BOOL": "bool",
}
"""The element types of the format that tpuref has, by their names in a header."""


def write_tensors(files: FileSystem, path: str, arrays: Mapping[str, Array]) -> None:
    """Write arrays to a new file."""
    library = optional_module("safetensors.numpy", "tf.train.Saver.save")
    stored = {name: _as_real(array) for name, array in arrays.items()}
    if isinstance(files, LocalFiles):
        library.save_file(stored, path)
        files.flush_to_disk(path)
    else:
        files.write_whole(path, library.save(stored))


def _as_real(array: Array) -> Array:
    whole = np.asarray(array, order="C")
    if whole.dtype.kind != "c":
        return whole
    return whole.view(whole.real.dtype).reshape(*whole.shape, 2)


@dataclass(frozen=True)
class _Place:
    """Where a tensor lies in a file."""

    dtype: DType
    shape: tuple[int, ...]
    start: int
    size: int


class TensorFile:
    """A file of tensors that are read one by one.

    Parameters
    ----------
    files
        Where it lies.
    path
        Its path.

    Raises
    ------
    tpuref.errors.DataLossError
        If it is no such file, or is cut off.
    """

    def __init__(self, files: FileSystem, path: str) -> None:
        self._files, self._path = files, path
        try:
            self._places = self._read_header()
        except (KeyError, TypeError, ValueError, struct.error) as error:
            raise self._damaged(f"its header cannot be read: {error!r}") from None

    def _read_header(self) -> dict[str, _Place]:
        size, _ = self._files.size_and_time(self._path)
        with self._files.open(self._path, "rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if length > size - 8:
                raise ValueError(f"a header of {length} bytes in a file of {size}")
            header: dict[str, Any] = json.loads(file.read(length))
        header.pop("__metadata__", None)
        return {name: _place(entry, 8 + length, size) for name, entry in header.items()}

    def names(self) -> list[str]:
        """Return the names of the tensors."""
        return list(self._places)

    def read(self, name: str, dtype: DType, shape: tuple[int, ...]) -> Array:
        """Return a tensor, which must have the dtype and shape of the index."""
        place = self._places.get(name)
        if place is None or (place.dtype, place.shape) != _stored_as(dtype, shape):
            found = "lacks it" if place is None else f"has {place.dtype} {place.shape}"
            raise self._damaged(
                f"the index lists {name!r} as {dtype.name} {list(shape)}, the file "
                f"{found}"
            )
        with self._files.open(self._path, "rb") as file:
            file.seek(place.start)
            content = bytearray(file.read(place.size))
        return np.frombuffer(content, dtype.np).reshape(shape)

    def _damaged(self, why: str) -> DataLossError:
        return DataLossError(
            f"{self._path!r} is not the tensors of a checkpoint, or is damaged: {why}",
            code=codes.DAMAGED_CHECKPOINT,
        )


def _place(entry: Any, begin: int, size: int) -> _Place:
    dtype = as_dtype(_NAMES[entry["dtype"]])
    shape = tuple(int(length) for length in entry["shape"])
    first, last = (int(offset) for offset in entry["data_offsets"])
    count = int(np.prod(shape, dtype=np.int64)) * dtype.size
    if not (0 <= first <= last <= size - begin and last - first == count):
        raise ValueError(f"a tensor at {first} to {last} in a file of {size} bytes")
    return _Place(dtype, shape, begin + first, count)


def _stored_as(dtype: DType, shape: tuple[int, ...]) -> tuple[DType, tuple[int, ...]]:
    if not dtype.is_complex:
        return dtype, shape
    return (float32 if dtype.size == 8 else float64), (*shape, 2)


def check_storable(name: str, dtype: DType) -> None:
    """Refuse a variable of text; TypeError."""
    if dtype == string:
        raise coded(
            TypeError,
            f"the variable {name!r} holds text, which a checkpoint cannot keep; leave "
            "it out with tf.train.Saver(var_list=...)",
            code=codes.CANNOT_SAVE,
        )
