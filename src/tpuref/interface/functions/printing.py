"""Printing values in the form of TensorFlow 2."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import name_or
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.definition import Array
from tpuref.interface.functions.control_flow import py_func

_LOGGERS = ("info", "warning", "error")


def print_(
    *inputs: Any,
    output_stream: Any = None,
    summarize: int = 3,
    sep: str = " ",
    end: str = "\n",
    name: str | None = None,
) -> Operation | None:
    """Print values: at once in eager mode, else when the operation runs.

    It is None in eager mode.  `*inputs` are tensors, texts, numbers, and nested
    structures of them.  `output_stream` is ``sys.stderr``, which is the default, or
    ``sys.stdout``; ``"file://path"`` to append to a file; or ``tf.logging.info``,
    ``warning`` or ``error``.  `summarize` is the number of elements to print at the
    start and at the end of each dimension; -1 for all.  `sep` is the text between the
    values, and `end` the text after them.

    Examples
    --------
    >>> import sys
    >>> with tf.Session() as sess:
    ...     sess.run(tf.print("x:", tf.range(8), output_stream=sys.stdout))
    x: [0 1 2 ... 5 6 7]
    """
    write = _writer(output_stream)
    flat = nest.flatten(list(inputs))
    tensors = [convert_to_tensor(v) for v in flat if _is_tensor(v)]

    def show(*arrays: Any) -> None:
        values = iter(arrays)
        leaves = [next(values) if _is_tensor(v) else v for v in flat]
        shown = nest.pack_sequence_as(
            list(inputs), [_text(leaf, summarize) for leaf in leaves]
        )
        write(sep.join(map(_structure, shown)) + end)

    operation = py_func(show, tensors, [], name=name_or(name, "PrintV2"))
    return None if executing_eagerly() else operation


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "_as_tensor")


def _writer(stream: Any) -> Callable[[str], Any]:
    """Return a function that writes text to the stream of the argument."""
    name = getattr(stream, "__name__", None)
    if stream is None or stream is sys.stderr:
        return lambda text: sys.stderr.write(text)
    if stream is sys.stdout:
        return lambda text: sys.stdout.write(text)
    if isinstance(stream, str) and stream.startswith("file://"):
        return lambda text: _append(stream.removeprefix("file://"), text)
    if callable(stream) and name in _LOGGERS:
        return lambda text: stream(text.rstrip("\n"))
    raise codes.WRONG_ARGUMENT_TYPE.value_error(
        "tf.print: output_stream must be sys.stderr, sys.stdout, 'file://path', "
        f"tf.logging.info, tf.logging.warning or tf.logging.error, got {stream!r}"
    )


def _append(path: str, text: str) -> None:
    with open(path, "a") as file:
        file.write(text)


def _text(value: Any, summarize: int) -> Any:
    if isinstance(value, (bytes, str)):
        return value.decode(errors="replace") if isinstance(value, bytes) else value
    if not isinstance(value, (np.ndarray, np.generic)):
        return str(value)
    return shown(np.asarray(value), summarize)


def shown(array: Array, count: int) -> str:
    """Return an array in brackets; long dimensions are shortened in the middle."""
    if array.ndim == 0:
        item = array[()]
        return item.decode(errors="replace") if isinstance(item, bytes) else str(item)
    rows = list(array)
    parts = [shown(np.asarray(row), count) for row in rows]
    if count >= 0 and len(rows) > 2 * count:
        parts = [*parts[:count], "...", *parts[len(parts) - count :]]
    return f"[{(' ' if array.ndim == 1 else chr(10) + ' ').join(parts)}]"


def _structure(value: Any) -> str:
    return value if isinstance(value, str) else str(value).replace("'", "")
