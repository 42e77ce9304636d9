"""Arrays and their specs as protobuf messages."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tpuref.base.dtypes import DType, as_dtype, bool_, string
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.meaning import Array

MAX_RANK = 32


def malformed(problem: str) -> InvalidArgumentError:
    """Return the error for a malformed message."""
    return InvalidArgumentError(f"a message is malformed: {problem}")


def put_arrays(messages: Any, arrays: Iterable[Array]) -> None:
    """Append arrays to a field of tensors."""
    for array in arrays:
        put_array(messages.add(), array)


def put_array(message: Any, array: Array) -> None:
    """Write an array into a message."""
    message.sizes.extend(array.shape)
    if array.dtype == object:
        message.dtype = string.as_datatype_enum
        message.texts.extend(bytes(text) for text in array.flat)
    else:
        message.dtype = as_dtype(array.dtype).as_datatype_enum
        message.content = array.tobytes()


def arrays_of(messages: Iterable[Any]) -> list[Array]:
    """Return the arrays of a field of tensors."""
    return [array_of(message) for message in messages]


def array_of(message: Any) -> Array:
    """Return the read-only array of a message."""
    dtype = dtype_of(message.dtype)
    shape = _sizes(message.sizes, least=0)
    try:
        if dtype == string:
            return _texts(shape, message.content, message.texts)
        return _numbers(dtype, shape, message.content, message.texts)
    except ValueError as error:  # dimensions too large for NumPy, with one of size 0
        raise malformed(f"a tensor of shape {list(shape)}: {error}") from None


def _numbers(
    dtype: DType, shape: tuple[int, ...], content: bytes, texts: Sequence[bytes]
) -> Array:
    expected = math.prod(shape) * dtype.size
    if len(content) != expected or texts:
        raise malformed(
            f"a tensor of type {dtype.name} and shape {list(shape)} has {expected} "
            f"bytes, got {len(content)} and {len(texts)} strings"
        )
    if dtype == bool_ and content.strip(b"\0\1"):
        raise malformed("a tensor of type bool has bytes other than 0 and 1")
    return np.frombuffer(content, dtype.np).reshape(shape)


def _texts(shape: tuple[int, ...], content: bytes, texts: Sequence[bytes]) -> Array:
    expected = math.prod(shape)
    if len(texts) != expected or content:
        raise malformed(
            f"a tensor of type string and shape {list(shape)} has {expected} strings, "
            f"got {len(texts)} and {len(content)} bytes"
        )
    array = np.empty(len(texts), object)
    array[:] = list(texts)
    return array.reshape(shape)


def dtype_of(number: int) -> DType:
    """Return the element type with a number, or raise InvalidArgumentError."""
    try:
        return as_dtype(number)
    except TypeError:
        raise malformed(f"{number} is not the number of an element type") from None


def put_shape(message: Any, shape: Sequence[int | None] | None) -> None:
    """Write a static shape into a message; None has unknown rank."""
    if shape is None:
        message.unknown_rank = True
    else:
        message.sizes.extend(-1 if size is None else size for size in shape)


def shape_of(message: Any) -> tuple[int | None, ...] | None:
    """Return the static shape of a message."""
    if message.unknown_rank:
        if message.sizes:
            raise malformed("a shape of unknown rank has sizes")
        return None
    sizes = _sizes(message.sizes, least=-1)
    return tuple(None if size == -1 else size for size in sizes)


def put_spec(message: Any, spec: TensorSpec) -> None:
    """Write a tensor's spec into a message."""
    message.dtype = spec.dtype.as_datatype_enum
    known = spec.shape.rank is not None
    put_shape(message.shape, spec.shape.as_tuple() if known else None)


def spec_of(message: Any) -> TensorSpec:
    """Return the spec of a tensor in a message."""
    return TensorSpec(TensorShape(shape_of(message.shape)), dtype_of(message.dtype))


def _sizes(sizes: Sequence[int], least: int) -> tuple[int, ...]:
    if len(sizes) > MAX_RANK:
        raise malformed(f"a shape has rank {len(sizes)}; the limit is {MAX_RANK}")
    if any(size < least for size in sizes):
        raise malformed(f"a shape has the sizes {list(sizes)}")
    return tuple(sizes)
