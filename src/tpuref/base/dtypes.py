"""The element types of tensors, and conversion to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import ml_dtypes
import numpy as np

from tpuref.base import error_codes as codes

NumpyDType: TypeAlias = np.dtype[Any]


class DType:
    """The type of a tensor's elements.

    There is one object per type: the constants of this module. Copying and
    unpickling return that object. A type equals everything that `as_dtype`
    converts to it.

    Examples
    --------
    >>> float32
    tf.float32
    >>> float32 == "float32", float32 == np.float32, float32 == "nothing"
    (True, True, False)
    >>> bfloat16.size
    2
    """

    __slots__ = ("_enum", "_name", "_np")

    def __init__(self, name: str, numpy_type: type[Any], enum: int) -> None:
        self._name = name
        self._np: NumpyDType = np.dtype(numpy_type)
        self._enum = enum

    @property
    def name(self) -> str:
        """The type's name, such as ``'float32'``."""
        return self._name

    @property
    def as_numpy_dtype(self) -> type[Any]:
        """The NumPy scalar type; ``numpy.object_`` for strings."""
        return self._np.type

    @property
    def np(self) -> NumpyDType:
        """The NumPy dtype in native byte order."""
        return self._np

    @property
    def as_datatype_enum(self) -> int:
        """The number of the type in serialized form."""
        return self._enum

    @property
    def base_dtype(self) -> DType:
        """The type itself: no reference types exist here."""
        return self

    @property
    def size(self) -> int:
        """The number of bytes per element."""
        return self._np.itemsize

    @property
    def is_bool(self) -> bool:
        """Whether this is the boolean type."""
        return self._np.kind == "b"

    @property
    def is_floating(self) -> bool:
        """Whether this is a real floating-point type, bfloat16 and float8 included."""
        return "float" in self._name

    @property
    def is_integer(self) -> bool:
        """Whether this is an integer type, signed or not."""
        return self._np.kind in "iu"

    @property
    def is_unsigned(self) -> bool:
        """Whether this is an unsigned integer type."""
        return self._np.kind == "u"

    @property
    def is_complex(self) -> bool:
        """Whether this is a complex floating-point type."""
        return self._np.kind == "c"

    @property
    def is_numeric(self) -> bool:
        """Whether this is a floating-point, integer or complex type."""
        return self.is_floating or self.is_integer or self.is_complex

    @property
    def min(self) -> Any:
        """The least finite value.

        It raises TypeError if the type has no order: bool, complex types and string.
        """
        return self._number_info("min").min

    @property
    def max(self) -> Any:
        """The greatest finite value.

        It raises TypeError if the type has no order: bool, complex types and string.
        """
        return self._number_info("max").max

    @property
    def limits(self) -> tuple[int, int]:
        """The range of image intensities: 0 to 1, or to the greatest integer.

        It raises ValueError if images of this type have no customary range.
        """
        if self.is_integer:
            return 0, int(self.max)
        if self._name in ("bool", "float32", "float64"):
            return 0, 1
        raise ValueError(
            f"DType.limits: {self!r} has no customary range; integer types, bool, "
            "float32 and float64 have one"
        )

    def is_compatible_with(self, other: DTypeLike) -> bool:
        """Return whether `other`, or its conversion by `as_dtype`, is this type."""
        return self is as_dtype(other)

    def _number_info(self, attribute: str) -> Any:
        if self.is_integer:
            return np.iinfo(self._np)
        if self.is_floating:
            return ml_dtypes.finfo(self._np)  # type: ignore[no-untyped-call]
        raise TypeError(
            f"DType.{attribute}: {self!r} has no order; expected an integer or a real "
            "floating-point type"
        )

    def __eq__(self, other: object) -> bool:
        return self is other or self is _find(other)

    def __hash__(self) -> int:
        return self._enum

    def __repr__(self) -> str:
        return f"tf.{self._name}"

    def __str__(self) -> str:
        return f"<dtype: {self._name!r}>"

    def __reduce__(self) -> tuple[Callable[[str], DType], tuple[str]]:
        return as_dtype, (self._name,)


DTypeLike: TypeAlias = DType | str | int | type[Any] | NumpyDType

float32 = DType("float32", np.float32, 1)
float64 = DType("float64", np.float64, 2)
int32 = DType("int32", np.int32, 3)
uint8 = DType("uint8", np.uint8, 4)
int16 = DType("int16", np.int16, 5)
int8 = DType("int8", np.int8, 6)
string = DType("string", np.object_, 7)
complex64 = DType("complex64", np.complex64, 8)
int64 = DType("int64", np.int64, 9)
bool_ = DType("bool", np.bool_, 10)
bfloat16 = DType("bfloat16", ml_dtypes.bfloat16, 14)
uint16 = DType("uint16", np.uint16, 17)
complex128 = DType("complex128", np.complex128, 18)
float16 = DType("float16", np.float16, 19)
uint32 = DType("uint32", np.uint32, 22)
uint64 = DType("uint64", np.uint64, 23)
float8_e5m2 = DType("float8_e5m2", ml_dtypes.float8_e5m2, 24)
float8_e4m3fn = DType("float8_e4m3fn", ml_dtypes.float8_e4m3fn, 25)

half = float16
double = float64

DTYPES: tuple[DType, ...] = (
    float32,
    float64,
    int32,
    uint8,
    int16,
    int8,
    string,
    complex64,
    int64,
    bool_,
    bfloat16,
    uint16,
    complex128,
    float16,
    uint32,
    uint64,
    float8_e5m2,
    float8_e4m3fn,
)

_BY_NAME = {dtype.name: dtype for dtype in DTYPES} | {
    "half": float16,
    "float": float32,
    "double": float64,
}
_BY_ENUM = {dtype.as_datatype_enum: dtype for dtype in DTYPES}
_BY_NUMPY = {dtype.np: dtype for dtype in DTYPES}
# Python's types map to the types that Python's values get as tensors.
_BY_PYTHON_TYPE: dict[type[Any], DType] = {
    bool: bool_,
    int: int32,
    float: float32,
    complex: complex128,
    str: string,
    bytes: string,
    object: string,
}


def as_dtype(type_value: DTypeLike) -> DType:
    """Convert `type_value` to an element type.

    Parameters
    ----------
    type_value : DType, str, int, type or numpy.dtype
        A type, its name, its number in serialized form, a Python or NumPy
        scalar type, or a NumPy dtype of any byte order. Python's ``int`` means
        int32 and ``float`` float32, as for Python numbers.

    Examples
    --------
    >>> as_dtype("bfloat16"), as_dtype(float), as_dtype(9)
    (tf.bfloat16, tf.float32, tf.int64)
    """
    dtype = _find(type_value)
    if dtype is None:
        raise codes.INVALID_ARGUMENT.type_error(
            f"as_dtype: {type_value!r} is not an element type; expected a tf.DType, "
            f"its name ({', '.join(_BY_NAME)}), its number, or a NumPy or Python type"
        )
    return dtype


def datatype_enum(dtype: NumpyDType) -> int:
    """Return the DataType number of a NumPy dtype in native byte order.

    It raises KeyError if no element type has this dtype.

    >>> datatype_enum(np.dtype(np.int64))
    9
    """
    return _BY_NUMPY[dtype].as_datatype_enum


def numpy_dtype(enum: int) -> NumpyDType:
    """Return the NumPy dtype of a DataType number; objects for strings.

    It raises KeyError if no element type has this number.

    >>> numpy_dtype(9)
    dtype('int64')
    """
    return _BY_ENUM[enum].np


def _find(value: object) -> DType | None:
    if isinstance(value, DType):
        return value
    if isinstance(value, np.dtype):
        return _find_numpy(value)
    if isinstance(value, str):
        return _BY_NAME.get(value)
    if isinstance(value, type):
        return _find_type(value)
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return _BY_ENUM.get(int(value))
    return None


def _find_type(value: type[Any]) -> DType | None:
    if value in _BY_PYTHON_TYPE:
        return _BY_PYTHON_TYPE[value]
    # numpy.dtype() turns any class into an object dtype, and rejects
    # abstract ones.
    if issubclass(value, np.generic) and value not in _ABSTRACT_NUMPY_TYPES:
        return _find_numpy(np.dtype(value))
    return None


_ABSTRACT_NUMPY_TYPES = frozenset(
    {
        np.generic,
        np.number,
        np.integer,
        np.signedinteger,
        np.unsignedinteger,
        np.inexact,
        np.floating,
        np.complexfloating,
        np.flexible,
        np.character,
    }
)


def _find_numpy(value: NumpyDType) -> DType | None:
    if value.kind in "SU":
        return string
    # Types such as NumPy's StringDType have no byte order.
    return _BY_NUMPY.get(value if value.isnative else value.newbyteorder("="))
