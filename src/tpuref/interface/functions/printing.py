"""Printing values, in the forms of TensorFlow 1 and 2."""

import itertools
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import integer, listed, name_or
from tpuref.engine.graph import build
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.engine.ops.definition import Array
from tpuref.engine.ops.host import printed
from tpuref.interface.functions.dependencies import with_dependencies
from tpuref.interface.functions.host_functions import py_func

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


def Print(
    input_: Any,
    data: Sequence[Any],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Return `input_`, and print `data` to standard error on every evaluation.

    `first_n` is the number of times to print, in all sessions together; None or a
    negative number for always.  `summarize` is the number of elements of each tensor to
    print, by default 3.

    Examples
    --------
    >>> x = tf.constant([1, 2])
    >>> tf.Session().run(tf.Print(x, [x], "x is "))
    array([1, 2], dtype=int32)
    """
    values = [convert_to_tensor(value) for value in listed("tf.Print: data", data)]
    first = -1 if first_n is None else integer("tf.Print: first_n", first_n)
    if first >= 0 and not executing_eagerly():
        printing = _print_first(first, values, message or "", summarize)
        return with_dependencies([printing], convert_to_tensor(input_))
    return build.apply_one(
        "Print",
        convert_to_tensor(input_),
        *values,
        message=message or "",
        summarize=3 if summarize is None else summarize,
        name=name,
    )


def _print_first(
    count: int, data: Sequence[Any], message: str, summarize: int | None
) -> Operation:
    """Return an operation that prints tensors the first `count` times it runs."""
    numbers = itertools.count()
    shown = 3 if summarize is None else summarize

    def show(*values: Any) -> None:
        if next(numbers) < count:
            print(printed(message, values, shown), file=sys.stderr)

    operation: Operation = py_func(show, data, [], name="PrintFirst")
    return operation
