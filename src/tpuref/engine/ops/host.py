"""Operations that act outside the program: Python calls, printing, assertions."""

import sys
import traceback
from collections.abc import Sequence
from functools import partial

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import errors
from tpuref.base.callsite import CallSite
from tpuref.base.dtypes import DType, as_dtype, bool_, string
from tpuref.base.shapes import unknown_shape
from tpuref.base.spec import TensorSpec
from tpuref.engine.ops.context import EffectContext
from tpuref.engine.ops.definition import (
    Effects,
    OpDef,
    Operand,
    Place,
    Traits,
    outputs_of,
)
from tpuref.engine.ops.meaning import Array

# -- printing and checking ---------------------------------------------------------


def _infer_print(
    x: Operand, *data: Operand, message: str, summarize: int
) -> TensorSpec:
    return TensorSpec(x.shape, x.dtype)


def _print(x: Array, *data: Array, message: str, summarize: int) -> Array:
    print(printed(message, data, summarize), file=sys.stderr)
    return x


def printed(message: str, data: Sequence[Array], summarize: int) -> str:
    """Return the text that Print shows: at most `summarize` elements of each array."""
    shown = "".join(f"[{_summary(values, summarize)}]" for values in data)
    return f"{message}{shown}"


def _summary(values: Array, count: int) -> str:
    flat = np.ravel(values)
    text = " ".join(_text(value) for value in flat[:count])
    return text + ("..." if flat.size > count else "")


def _text(value: object) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _infer_assert(
    condition: Operand, *data: Operand, summarize: int
) -> Sequence[TensorSpec]:
    if condition.dtype != bool_:
        raise TypeError(f"the condition must be bool, got {condition.describe()}")
    return ()


def _assert(condition: Array, *data: Array, summarize: int) -> Sequence[Array]:
    if not np.all(condition):
        shown = " ".join(f"[{_summary(values, summarize)}]" for values in data)
        raise errors.InvalidArgumentError(f"assertion failed: {shown}")
    return ()


# -- calls of Python functions -----------------------------------------------------


def _infer_call(
    *operands: Operand, token: int, dtypes: tuple[str, ...]
) -> Sequence[TensorSpec]:
    return tuple(TensorSpec(unknown_shape(), as_dtype(dtype)) for dtype in dtypes)


def _call(
    context: EffectContext, *inputs: Array, token: int, dtypes: tuple[str, ...]
) -> Sequence[Array]:
    function, replica = context.run.functions[token], context.replica
    try:
        # The function gets a scalar as bytes for text, else as a NumPy scalar.
        returned = outputs_of(function(*[array.copy()[()] for array in inputs]))
    except Exception as error:
        what = f"the host function called for replica {replica}"
        raise host_fault(what, error) from error
    if not dtypes and len(returned) == 1 and returned[0] is None:
        return ()
    if len(returned) != len(dtypes):
        raise errors.InvalidArgumentError(
            f"the host function called for replica {replica} returned {len(returned)} "
            f"values, Tout names {len(dtypes)} types",
            code=codes.INVALID_RESULT,
        )
    return [
        _to_array(value, as_dtype(dtype), f"output {k} on replica {replica}")
        for k, (value, dtype) in enumerate(zip(returned, dtypes, strict=True))
    ]


_FAULTS: tuple[tuple[type[Exception], type[errors.OpError]], ...] = (
    (ValueError, errors.InvalidArgumentError),
    (TypeError, errors.InvalidArgumentError),
    (StopIteration, errors.OutOfRangeError),
    (MemoryError, errors.ResourceExhaustedError),
    (NotImplementedError, errors.UnimplementedError),
)
"""The session's error for each exception of a host function, as in TensorFlow."""


def host_fault(what: str, error: Exception) -> errors.OpError:
    """Return the session's error for an exception in a host function."""
    kinds = [fault for kind, fault in _FAULTS if isinstance(error, kind)]
    if isinstance(error, errors.OpError):
        kinds = [type(error)]
    kind = kinds[0] if kinds else errors.UnknownError
    said = codes.with_code(str(error), codes.HOST_FUNCTION_RAISED)
    return kind(f"{what} raised {type(error).__name__}: {said}{_line_of(error)}")


def _line_of(error: Exception) -> str:
    """Return the line of a host function as text, empty if it is not in Python."""
    frames = traceback.extract_tb(error.__traceback__)[1:]  # without our own
    if not frames:
        return ""
    first = frames[0]
    return f"\n  raised at: {CallSite(first.filename, first.lineno or 0, first.name)}"


def _to_array(value: object, dtype: DType, name: str) -> Array:
    """Return a copy of a host function's result in its declared dtype."""
    if dtype == string:
        return _text_array(value)
    array = np.asarray(value)
    both_integers = array.dtype.kind in "iu" and dtype.is_integer
    if not both_integers and not np.can_cast(array.dtype, dtype.np, "same_kind"):
        raise errors.InvalidArgumentError(
            f"the host function returned {array.dtype} as {name}, Tout names "
            f"{dtype.name}",
            code=codes.INVALID_RESULT,
        )
    return array.astype(dtype.np, "C")


def _text_array(value: object) -> Array:
    items = np.asarray(value, object)
    array = np.empty(items.shape, object)
    for index, item in np.ndenumerate(items):
        array[index] = item if isinstance(item, bytes) else str(item).encode()
    return array


_op = partial(OpDef, gradient="effects")

ASSERT = _op(
    "Assert", _infer_assert, compute=_assert, traits=Traits(printing=True, asserts=True)
)
PY_FUNC = _op(
    "PyFunc", _infer_call, place=Place.CALL, effects=Effects(_call, client=True)
)

OPERATIONS: tuple[OpDef, ...] = (
    PY_FUNC,
    _op(
        "Print",
        _infer_print,
        compute=_print,
        place=Place.CALL,
        traits=Traits(printing=True),
    ),
    ASSERT,
)
