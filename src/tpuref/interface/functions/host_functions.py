"""Calls of Python functions when a graph runs."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import listed, name_or
from tpuref.base.dtypes import as_dtype, float64
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.graph import build
from tpuref.engine.graph.context import context
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.logical_devices import get_soft_device_placement
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.runtime.log import advice

_log = advice()
_warned: set[str] = set()

_WAY_OUT = (
    "write it with operations of tf that need no host, or do it in the input pipeline, "
    "with Dataset.map"
)


def py_func(
    func: Callable[..., Any],
    inp: Sequence[Any],
    Tout: Any,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Call a Python function with NumPy arrays when the graph runs.

    Return one tensor for a single type, a list for a list of types, or the operation if
    that list is empty.  `func` takes one array for each tensor of `inp`, and returns
    one value for each type of `Tout`.  `inp` are the tensors whose values the function
    receives.  `Tout` is the element type of the result, or a list of element types.
    `stateful` is accepted for compatibility; every evaluation calls the function.

    Examples
    --------
    >>> y = tf.py_func(lambda x: x * 2, [tf.constant(21)], tf.int32)
    >>> int(tf.Session().run(y))
    42
    """
    if not callable(func):
        raise TypeError(f"tf.py_func: func must be callable, got {func!r}")
    several = isinstance(Tout, (list, tuple))
    names = tuple(as_dtype(t).name for t in (Tout if several else [Tout]))
    functions = get_default_graph().host_functions
    token = len(functions)
    functions[token] = func
    inputs = [convert_to_tensor(value) for value in listed("tf.py_func: inp", inp)]
    if not names and not executing_eagerly():
        operation = build.apply_operation(
            "PyFunc", *inputs, token=token, dtypes=names, name=name_or(name, "PyFunc")
        )
        _check_place(operation)
        return operation
    outputs = build.apply_all(
        "PyFunc", *inputs, token=token, dtypes=names, name=name_or(name, "PyFunc")
    )
    if outputs and not executing_eagerly():
        _check_place(outputs[0].op)
    return outputs if several else outputs[0]


def numpy_function(
    func: Callable[..., Any], inp: Sequence[Any], Tout: Any, name: str | None = None
) -> Any:
    """Call a Python function with NumPy arrays, as `py_func` does.

    Examples
    --------
    >>> y = tf.numpy_function(lambda x: x + 1, [tf.constant(1)], tf.int32)
    >>> int(tf.Session().run(y))
    2
    """
    return py_func(func, inp, Tout, name=name)


def numpy_function_v2(
    func: Callable[..., Any] | None = None,
    inp: Sequence[Any] | None = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Call a Python function with NumPy arrays, or decorate it to be called so.

    Examples
    --------
    >>> @numpy_function_v2(Tout=tf.int32)
    ... def successor(x):
    ...     return x + 1
    >>> int(tf.Session().run(successor(tf.constant(1))))
    2
    """
    if func is None:
        return lambda function: (
            lambda *inputs: py_func(function, inputs, Tout, stateful, name)
        )
    return py_func(func, [] if inp is None else inp, Tout, stateful, name)


def timestamp(name: str | None = None) -> Tensor:
    """Return the seconds since 1970, float64, when the operation runs.

    Examples
    --------
    >>> bool(tf.Session().run(tf.timestamp()) > 1.6e9)
    True
    """
    now: Tensor = py_func(time.time, [], float64, name=name_or(name, "Timestamp"))
    now.set_shape([])
    return now


def _check_place(operation: Operation) -> None:
    """Refuse an operation of the host, or warn of it, as TensorFlow 2 places it.

    XLA cannot compile it.  In a replica it needs soft placement, which is on by default
    and lets it run on the host in each step.
    """
    if not operation.graph.traced:
        return
    if context.compiled:
        wanted = f"the function {context.compiled[-1]!r} has jit_compile=True"
        raise _refusal(operation, wanted, "jit_compile=False")
    region = operation.region and operation.region.replicated
    if region is None or operation.host_label is not None:
        return
    if not get_soft_device_placement():
        wanted = "soft placement is off"
        raise _refusal(operation, wanted, "tf.config.set_soft_device_placement(True)")
    if (place := str(operation.site)) not in _warned:
        _warned.add(place)
        _log.warning(
            "%r calls a function of the host for each of %d replicas, and each step "
            "waits for it; %s [%s]. Built at %s",
            operation.name,
            region.replicas,
            _WAY_OUT,
            codes.XLA_OPERATION,
            place,
        )


def _refusal(operation: Operation, why: str, setting: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        None,
        operation,
        f"{operation.name!r} calls a function of the host, but {why}; {_WAY_OUT}, or "
        f"choose {setting}",
        code=codes.XLA_OPERATION,
    )
