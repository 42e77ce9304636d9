"""Read and write the tensors of a checkpoint, in the safetensors format.

Not all versions of safetensors have complex numbers.  They are stored as pairs of real
numbers, in a last dimension of 2; the index of the checkpoint has the complex dtype.
The format has no text.

The package safetensors is not used: it creates files of mode 0600, raises other errors
for a full disk, and has no open file to lock during a write.
"""

import json
import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import DType, as_dtype, float32, float64, string
from tpuref.base.errors import DataLossError
from tpuref.engine.ops.definition import Array
from tpuref.interface.files.filesystem import FileSystem
from tpuref.kernels import checksum

_NAMES = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "F8_E5M2": "float8_e5m2",
    "F8_E4M3": "float8_e4m3fn",
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
"""The dtypes that tpuref supports, by their names in a header."""

_CODES = {name: code for code, name in _NAMES.items()}


def write_tensors(file: IO[bytes], arrays: Mapping[str, Array]) -> dict[str, int]:
    """Write arrays; return the CRC-32C of each."""
    stored = {name: _as_real(array) for name, array in arrays.items()}
    # Tensors with the largest elements first, so that all are aligned.
    order = sorted(stored, key=lambda name: (-stored[name].itemsize, name))
    header, end = {}, 0
    for name in order:
        array, begin = stored[name], end
        end += array.nbytes
        header[name] = {
            "dtype": _CODES[as_dtype(array.dtype).name],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write(struct.pack("<Q", len(text)) + text)
    sums = {}
    for name in order:
        content = stored[name].tobytes()
        sums[name] = checksum.crc32c(content)
        file.write(content)
    return sums


def _as_real(array: Array) -> Array:
    whole = np.asarray(array, order="C")
    if whole.dtype.kind != "c":
        return whole
    pairs: Array = whole.reshape(-1).view(whole.real.dtype)
    return pairs.reshape(*whole.shape, 2)


@dataclass(frozen=True)
class Entry:
    """The dtype and shape of a tensor, and its checksum if there is one."""

    dtype: DType
    shape: tuple[int, ...]
    crc32c: int | None = None

    @property
    def size(self) -> int:
        """The size in bytes."""
        return math.prod(self.shape) * self.dtype.size


def entry_of(record: Any, names: Mapping[str, str]) -> Entry:
    """Return an entry of an index or a header; ValueError if it is damaged.

    `names` maps the file's names of dtypes to those of tpuref.
    """
    if not isinstance(record, dict) or str(record.get("dtype")) not in names:
        raise ValueError(f"{record!r:.80} is no tensor of a known dtype")
    shape, crc32c = _integers(record.get("shape")), record.get("crc32c")
    # NumPy has no larger arrays, nor those of more dimensions.
    if len(shape) > 32 or math.prod(filter(None, shape)) >= 2**56:
        raise ValueError(f"a shape of {len(shape)} dimensions is too large")
    if crc32c is not None:
        _integers([crc32c])
    return Entry(as_dtype(names[record["dtype"]]), shape, crc32c)


def _integers(value: Any) -> tuple[int, ...]:
    """Return the numbers of a list; ValueError unless they are natural numbers."""
    if not isinstance(value, list) or not all(
        type(number) is int and number >= 0 for number in value
    ):
        raise ValueError(f"expected a list of natural numbers, got {value!r:.80}")
    return tuple(value)


class TensorFile:
    """Reads the tensors of a file one by one; DataLossError if it is damaged."""

    def __init__(self, files: FileSystem, path: str) -> None:
        self._files, self._path = files, path
        try:
            self._places = self._read_header()
        except (ValueError, struct.error, RecursionError) as error:
            raise self._damage_error(f"its header cannot be read: {error}") from None

    def _read_header(self) -> dict[str, tuple[Entry, int]]:
        """Return the entries of the tensors, with their offsets."""
        with self._files.open_regular(self._path) as file:
            size, _ = self._files.size_and_time(self._path)
            (length,) = struct.unpack("<Q", file.read(8))
            if length > size - 8:
                raise ValueError(f"a header of {length} bytes in a file of {size}")
            header = json.loads(file.read(length))
        if not isinstance(header, dict):
            raise ValueError(f"expected an object, got {header!r:.80}")
        header.pop("__metadata__", None)
        return {
            name: _place(record, 8 + length, size) for name, record in header.items()
        }

    def read(self, name: str, expected: Entry) -> Array:
        """Return a tensor, which must match its entry in the index."""
        dtype, shape = expected.dtype, expected.shape
        place, begin = self._places.get(name, (None, 0))
        if place is None or (place.dtype, place.shape) != _storage_type(dtype, shape):
            difference = (
                "lacks it" if place is None else f"has {place.dtype} {place.shape}"
            )
            raise self._damage_error(
                f"the index lists {name!r} as {dtype.name} {list(shape)}, the file "
                f"{difference}"
            )
        with self._files.open_regular(self._path) as file:
            file.seek(begin)
            content = file.read(place.size)
        if len(content) != place.size:
            raise self._damage_error(f"it ends within the tensor {name!r}")
        if expected.crc32c not in (None, checksum.crc32c(content)):
            raise self._damage_error(f"the checksum of the tensor {name!r} differs")
        return np.frombuffer(bytearray(content), dtype.np).reshape(shape)

    def _damage_error(self, why: str) -> DataLossError:
        return DataLossError(
            f"{self._path!r} is not the tensors of a checkpoint, or is damaged: {why}",
            code=codes.DAMAGED_FILE,
        )


def _place(record: Any, begin: int, size: int) -> tuple[Entry, int]:
    entry = entry_of(record, _NAMES)
    offsets = _integers(record.get("data_offsets"))
    if len(offsets) != 2 or not offsets[0] + entry.size == offsets[1] <= size - begin:
        raise ValueError(f"a tensor at {offsets!r:.80} in a file of {size} bytes")
    return entry, begin + offsets[0]


def _storage_type(
    dtype: DType, shape: tuple[int, ...]
) -> tuple[DType, tuple[int, ...]]:
    if not dtype.is_complex:
        return dtype, shape
    return (float32 if dtype.size == 8 else float64), (*shape, 2)


def check_storable(name: str, dtype: DType) -> None:
    """Raise an error for a variable of text, or with the reserved name."""
    if dtype == string:
        raise codes.CANNOT_SAVE.type_error(
            f"the variable {name!r} holds text, which a checkpoint cannot keep; leave "
            "it out with tf.train.Saver(var_list=...)"
        )
    if name == "__metadata__":
        raise codes.CANNOT_SAVE.value_error(
            f"no variable of a checkpoint can have the name {name!r}, which the "
            "safetensors format reserves; save it under another one"
        )
