"""NumPy's functions on tensors: each builds the operation of the tf function."""

import functools
import importlib
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype
from tpuref.engine.graph.build import apply
from tpuref.engine.graph.convert import convert_to_tensor

UFUNCS: dict[np.ufunc, str] = {}
"""The operation type of each ufunc; filled by the functions layer."""

_OPERATORS = {
    np.add: "add",
    np.subtract: "sub",
    np.multiply: "mul",
    np.true_divide: "truediv",
    np.floor_divide: "floordiv",
    np.remainder: "mod",
    np.power: "pow",
    np.matmul: "matmul",
}
"""The names of operations that operators make, with a NumPy number on the left too."""

_FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {}
_REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {}

F = TypeVar("F", bound=Callable[..., Any])


def implements(numpy_function: Callable[..., Any]) -> Callable[[F], F]:
    """Register the decorated function as the implementation of `numpy_function`."""

    def register(function: F) -> F:
        _FUNCTIONS[numpy_function] = function
        return function

    return register


def implements_reduction(ufunc: np.ufunc) -> Callable[[F], F]:
    """Register the decorated function as that of ``ufunc.reduce``."""

    def register(function: F) -> F:
        _REDUCTIONS[ufunc] = function
        return function

    return register


@functools.cache
def _load() -> None:
    """Import the modules that fill the tables; few programs call NumPy on tensors."""
    importlib.import_module("tpuref.interface.functions.numpy_arrays")
    importlib.import_module("tpuref.interface.functions.numpy_math")


def apply_ufunc(
    ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Build the operation of ``ufunc(*inputs)`` or ``ufunc.reduce(*inputs)``."""
    _load()
    if method == "reduce" and ufunc in _REDUCTIONS:
        return _REDUCTIONS[ufunc](*inputs, **kwargs)
    if method != "__call__":
        _refuse(f"np.{ufunc.__name__}.{method}")
    if ufunc in _FUNCTIONS:
        return _FUNCTIONS[ufunc](*inputs, **kwargs)
    if ufunc not in UFUNCS:
        _refuse(f"np.{ufunc.__name__}")
    dtype = kwargs.pop("dtype", None)
    if kwargs:
        raise codes.NUMPY_NOT_SUPPORTED.type_error(
            f"np.{ufunc.__name__} on a tensor does not take {', '.join(sorted(kwargs))}"
        )
    if dtype is not None:
        wanted = as_dtype(dtype).name
        inputs = tuple(
            apply("Cast", convert_to_tensor(x), dtype=wanted) for x in inputs
        )
    return apply(UFUNCS[ufunc], *inputs, name=_OPERATORS.get(ufunc))


def apply_function(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Build the operations of a NumPy function that is no ufunc."""
    _load()
    if function not in _FUNCTIONS:
        _refuse(f"np.{function.__name__}")
    return _FUNCTIONS[function](*args, **kwargs)


def _refuse(name: str) -> NoReturn:
    raise codes.NUMPY_NOT_SUPPORTED.type_error(
        f"{name} has no operation for symbolic tensors; use a tf function, or call it "
        "on the host with tf.tpu.outside_compilation and tf.py_func"
    )
