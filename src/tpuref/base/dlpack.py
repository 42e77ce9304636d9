"""Sharing arrays without a copy, by the DLPack protocol.

NumPy's DLPack does not support bfloat16.  Such an array is exported as uint16, and then
the type code in its descriptor, the only difference between the two, is overwritten.
"""

import ctypes
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tpuref.base import error_codes as codes

Array = NDArray[Any]

CPU = (1, 0)
"""The result of ``__dlpack_device__`` for memory of the host."""

_UINT, _BFLOAT = 1, 4  # type codes
_HOST_KINDS = (1, 3)  # plain, and pinned for a GPU
_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
_CAN_TELL_READ_ONLY = np.lib.NumpyVersion(np.__version__) >= "2.1.0"

# The offset of the type code in the two forms of DLPack's struct, without and with a
# leading version.
_CODE_AT = {b"dltensor": 20, b"dltensor_versioned": 52}

_name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(
    ("PyCapsule_GetName", ctypes.pythonapi)
)
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class Producer:
    """An object whose ``__dlpack__`` returns an existing capsule."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **wanted: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU


def is_foreign(value: Any) -> bool:
    """Return whether a value is an array of a library other than NumPy."""
    if isinstance(value, (np.ndarray, np.generic, type)):
        return False
    return hasattr(value, "__dlpack__") or hasattr(value, "__array__")


def exported(
    array: Array,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return a capsule with the memory of an array, for another library.

    Its descriptor says that the memory is read-only, if the consumer supports that.
    The other arguments are the consumer's to ``__dlpack__``; the host has no streams.
    """
    if dl_device is not None and (int(dl_device[0]), dl_device[1]) != CPU:
        raise BufferError(f"the memory is on the host, not on device {dl_device}")
    if copy:
        array = array.copy()
    if array.dtype != _BFLOAT16:
        return _capsule(array, max_version, copy)
    capsule = _capsule(array.view(np.uint16), max_version, copy)
    _code(capsule).value = _BFLOAT
    return capsule


def _capsule(
    array: Array, max_version: tuple[int, int] | None, copy: bool | None
) -> Any:
    if _CAN_TELL_READ_ONLY and max_version is not None and max_version[0] >= 1:
        shown = array.view()
        shown.flags.writeable = False
        return shown.__dlpack__(max_version=(1, 0))
    if not array.flags.writeable:
        if copy is False:
            raise BufferError(
                "the memory is read-only, which the consumer cannot know: it does not "
                "request DLPack 1.0 or later; let it copy"
            )
        array = array.copy()
    return array.__dlpack__()


def _code(capsule: Any) -> ctypes.c_uint8:
    """Return the type code of a capsule, to read or set."""
    name = _name_of(capsule)
    return ctypes.c_uint8.from_address(_pointer_of(capsule, name) + _CODE_AT[name])


def taken(capsule: Any) -> Array:
    """Return an array with the memory of a fresh capsule."""
    code = _code(capsule)
    if code.value != _BFLOAT:
        return np.from_dlpack(Producer(capsule))
    code.value = _UINT
    return np.from_dlpack(Producer(capsule)).view(_BFLOAT16)


def shared_array(value: Any) -> Array:
    """Return an array of another library as NumPy's, sharing memory if possible."""
    try:
        if hasattr(value, "__array__"):
            return np.asarray(value)
        device = value.__dlpack_device__()
        if device[0] not in _HOST_KINDS:
            raise BufferError(f"it is on device {device}, not in the host's memory")
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        array = _as_bfloat16(value)
        if array is None:
            raise TypeError(_reading_error(value, error)) from error
        return array


def _as_bfloat16(value: Any) -> Array | None:
    """Return an array of bfloat16, which NumPy cannot read; None for other types."""
    try:
        if value.__dlpack_device__()[0] not in _HOST_KINDS:
            return None
        capsule = value.__dlpack__()
    except Exception:
        return None
    return taken(capsule) if _code(capsule).value == _BFLOAT else None


def _reading_error(value: Any, error: Exception) -> str:
    kind = f"{type(value).__module__}.{type(value).__name__}"
    ways_out = []
    if getattr(value, "requires_grad", False):
        ways_out.append("x.detach() returns one without gradients")
    if str(getattr(value, "device", "cpu")) != "cpu":
        ways_out.append("x.cpu() returns one in the host's memory")
    way_out = f"; {', '.join(ways_out)}" if ways_out else ""
    return (
        f"the {kind} cannot be read as an array: {error}{way_out}"
        f" [{codes.NO_TENSOR_FORM}]"
    )
