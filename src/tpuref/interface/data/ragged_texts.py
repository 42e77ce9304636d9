"""Texts cut into parts, whose numbers differ from text to text."""

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import as_list, instance_of, integer
from tpuref.base.dtypes import int64, string
from tpuref.base.errors import coded
from tpuref.base.texts import as_bytes
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.interface.data.ragged import RaggedTensor
from tpuref.interface.functions.host_functions import py_func

Cut = Callable[[bytes], list[bytes]]


def split(
    input: Any, sep: str | None = None, maxsplit: int = -1, name: str | None = None
) -> Any:
    """Return the words of texts: a vector for one text, a ragged tensor for several.

    `input` is a text, or a vector of texts.  `sep` separates the words, by default
    white space.  `maxsplit` is the largest number of cuts, by default all.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     tf.strings.split(["a b", "c"]).to_list()
    [[b'a', b'b'], [b'c']]
    """
    between = as_bytes(sep) if sep else None
    return _cut("StringSplit", lambda text: text.split(between, maxsplit), input)


def bytes_split(input: Any, name: str | None = None) -> Any:
    """Return the bytes of texts, as `split` does words."""
    return _cut("BytesSplit", lambda text: [bytes([byte]) for byte in text], input)


def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Return the characters of texts, as `split` does words."""
    argument = "tf.strings.unicode_split: input_encoding"
    encoding = instance_of(str, argument, "a text", input_encoding)
    encoding = encoding.replace("-BE", "_be")

    def characters(text: bytes) -> list[bytes]:
        whole = text.decode(encoding, "strict" if errors == "strict" else errors)
        return [letter.encode(encoding) for letter in whole]

    return _cut("UnicodeSplit", characters, input)


def _cut(op: str, cut: Cut, input: Any) -> Any:
    texts = convert_to_tensor(input, string)
    if texts.shape.rank not in (0, 1):
        raise coded(
            ValueError,
            f"tf.strings: {op}: expected a text or a vector of texts, got "
            f"{texts.describe()}; reshape it to a vector first",
            code=codes.SHAPES_DIFFER,
        )

    def parts(given: Any) -> tuple[Array, Array]:
        rows_of_parts = [cut(text) for text in np.ravel(given).tolist()]
        ends = np.cumsum([0, *map(len, rows_of_parts)], dtype=np.int64)
        return _texts([part for parts in rows_of_parts for part in parts]), ends

    values, splits = py_func(parts, [texts], [string, int64], name=op)
    values.set_shape([None])
    if texts.shape.rank == 0:
        return values
    rows = texts.shape.as_list()[0]
    splits.set_shape([None if rows is None else rows + 1])
    return RaggedTensor(values, splits)


def ngrams(
    data: Any,
    ngram_width: int | Sequence[int],
    separator: str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> RaggedTensor | Tensor:
    """Return the sequences of some numbers of words, joined, for each row.

    `data` are the words: a ragged tensor or a matrix; a matrix gives a matrix.
    `ngram_width` is the number of words, or several numbers.  `separator` joins them.
    Rows are padded at their start and end with `pad_values`, a text or two,
    `padding_width` times: at most, and by default, the width - 1.
    `preserve_short_sequences` says whether a row shorter than all widths gives one
    sequence of all its words.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     words = tf.ragged.constant([["a", "b", "c"], ["d"]])
    ...     tf.strings.ngrams(words, 2).to_list()
    [[b'a b', b'b c'], []]
    """
    argument = "tf.strings.ngrams: ngram_width"
    widths = [integer(argument, width) for width in as_list(ngram_width)]
    dense = not isinstance(data, RaggedTensor)
    ragged = RaggedTensor.from_tensor(data) if dense else data
    pads = (pad_values, pad_values) if isinstance(pad_values, str) else pad_values
    left, right = ("", "") if pads is None else pads
    between = separator.encode()

    def of_row(row: list[bytes]) -> list[bytes]:
        ngrams: list[bytes] = []
        for width in widths:
            room = width - 1 if padding_width is None else min(padding_width, width - 1)
            padding = 0 if pads is None else room
            padded = [left.encode()] * padding + row + [right.encode()] * padding
            starts = range(len(padded) - width + 1)
            ngrams += [between.join(padded[k : k + width]) for k in starts]
        if not ngrams and preserve_short_sequences and row:
            return [between.join(row)]
        return ngrams

    def rows(values: Any, splits: Any) -> tuple[Array, Array]:
        words, ends = values.tolist(), splits.tolist()
        pairs = itertools.pairwise(ends)
        rows_of_ngrams = [of_row(words[first:last]) for first, last in pairs]
        joined = _texts([text for row in rows_of_ngrams for text in row])
        return joined, np.cumsum([0, *map(len, rows_of_ngrams)], dtype=np.int64)

    values, splits = py_func(
        rows, [ragged.values, ragged.row_splits], [string, int64], name="StringNGrams"
    )
    values.set_shape([None])
    splits.set_shape(ragged.row_splits.shape)
    result = RaggedTensor(values, splits)
    return result.to_tensor() if dense else result


def _texts(items: list[bytes]) -> Array:
    array = np.empty(len(items), object)
    array[:] = items
    return array
