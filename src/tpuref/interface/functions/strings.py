"""Texts: joined, and with patterns replaced.  They are worked on by the host."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import instance_of, listed, name_or
from tpuref.base.dtypes import string
from tpuref.base.errors import InvalidArgumentError
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.interface.functions.host_functions import py_func


def join(inputs: Sequence[Any], separator: str = "", name: str | None = None) -> Tensor:
    """Return texts joined, element by element.

    The texts have one shape; a scalar is joined to every element.  It raises
    InvalidArgumentError if there is no input, or two that are no scalars have different
    shapes.

    Examples
    --------
    >>> tf.Session().run(tf.strings.join(["a", ["b", "c"]], separator="-"))
    array([b'a-b', b'a-c'], dtype=object)
    """
    tensors = [
        convert_to_tensor(one, string)
        for one in listed("tf.strings.join: inputs", inputs)
    ]
    known = [tensor.shape for tensor in tensors if tensor.shape.rank != 0]
    first = known[0] if known else None
    if not tensors or any(not shape.is_compatible_with(first) for shape in known):
        raise InvalidArgumentError(
            "tf.strings.join: inputs must be string tensors of one shape, or scalars, "
            f"got shapes {[str(tensor.shape) for tensor in tensors]}",
            code=codes.INVALID_ARGUMENT,
        )
    between = separator.encode()

    def joined(*texts: Any) -> Array:
        parts = np.broadcast_arrays(*[np.asarray(text, object) for text in texts])
        return _each(lambda *them: between.join(them), *parts)

    result: Tensor = py_func(joined, tensors, string, name=name_or(name, "StringJoin"))
    result.set_shape([] if first is None else first)
    return result


def regex_replace(
    input: Any,
    pattern: str,
    rewrite: str,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""Return texts with the matches of a pattern replaced.

    `input` is a string tensor.  `pattern` is a regular expression.  Its syntax is that
    of Python's `re`, which has all that is common in TensorFlow's; ``\d``, ``\s`` and
    ``\w`` are those of ASCII.  `rewrite` is the new text; ``\1`` to ``\9`` are the
    groups, ``\0`` is the match.  `replace_global` says whether to replace all matches,
    not only the first.  It raises InvalidArgumentError if `pattern` is no regular
    expression.

    Examples
    --------
    >>> tags = tf.strings.regex_replace("<b>x</b> y", "<[^>]+>", "*")
    >>> tf.Session().run(tags)
    b'*x* y'
    """
    tensor = convert_to_tensor(input, string)
    try:
        instance_of(str, "tf.strings.regex_replace: pattern", "a string", pattern)
        compiled = re.compile(pattern, re.ASCII)
    except re.error as error:
        raise InvalidArgumentError(
            f"tf.strings.regex_replace: the pattern {pattern!r} is no regular "
            f"expression: {error}",
            code=codes.INVALID_ARGUMENT,
        ) from None

    def replaced(texts: Any) -> Array:
        return _each(
            lambda text: _replace(compiled, rewrite, replace_global, text),
            np.asarray(texts, object),
        )

    result: Tensor = py_func(
        replaced, [tensor], string, name=name_or(name, "RegexReplace")
    )
    result.set_shape(tensor.shape)
    return result


def _each(function: Any, *arrays: Array) -> Array:
    """Return the results of a function for each element."""
    results = np.empty(arrays[0].shape, object)
    for place in np.ndindex(results.shape):
        results[place] = function(*[array[place] for array in arrays])
    return results


def _replace(
    pattern: re.Pattern[str], rewrite: str, everywhere: bool, text: bytes
) -> bytes:
    characters = text.decode("utf-8", "surrogateescape")
    parts: list[str] = []
    end = 0
    for match in pattern.finditer(characters):
        if match.start() == match.end() == end and parts:
            continue  # nothing at all, right after a match: Python alone finds it
        parts += [characters[end : match.start()], _expand(match, rewrite)]
        end = match.end()
        if not everywhere:
            break
    return "".join([*parts, characters[end:]]).encode("utf-8", "surrogateescape")


def _expand(match: re.Match[str], rewrite: str) -> str:
    """Return the text that replaces a match."""

    def meant(escaped: re.Match[str]) -> str:
        key = escaped[1]
        if not key.isdecimal():
            return key
        return (match[int(key)] or "") if int(key) <= match.re.groups else ""

    return re.sub(r"\\([0-9\\])", meant, rewrite)
