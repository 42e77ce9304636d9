"""Tables between words and their numbers: ``tf.contrib.lookup``."""

from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import integer, wrong_type
from tpuref.base.dtypes import DType, as_dtype, int32, int64, string
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.ops.meaning import Array
from tpuref.interface.data.tables import (
    KeyValueTensorInitializer,
    StaticHashTable,
    StaticVocabularyTable,
    TextFileInitializer,
)
from tpuref.interface.data.vocabulary import LINE_NUMBER, WHOLE_LINE
from tpuref.interface.functions.conversion import cast


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: Any = None,
    key_dtype: Any = string,
    name: str | None = None,
    key_column_index: int = WHOLE_LINE,
    value_column_index: int = LINE_NUMBER,
    delimiter: str = "\t",
) -> StaticHashTable:
    r"""Return a table from the words of a file, one per line, to their numbers.

    Use ``lookup(keys)`` once ``tf.tables_initializer()`` has run.  There are
    `num_oov_buckets` buckets after the last number for unknown words, by their
    fingerprint; without them, unknown words have the number `default_value`.
    `hasher_spec`, another hash, must be None.  `key_dtype` is the dtype of the words:
    string or an integer type.  `vocab_size` is the number of lines to read, by default
    all.  `key_column_index`, `value_column_index` and `delimiter` are the columns of
    words and numbers; -2 is the whole line, -1 its number.  It raises ValueError if
    there is no file, or a number is out of range.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "words.txt")
    >>> _ = path.write_text("the\nof\nand\n")
    >>> table = tf.contrib.lookup.index_table_from_file(str(path), num_oov_buckets=1)
    >>> with tf.Session() as sess:
    ...     sess.run(tf.tables_initializer())
    ...     sess.run(table.lookup(tf.constant(["and", "or", "the"]))).tolist()
    [2, 3, 0]
    """
    function = "tf.contrib.lookup.index_table_from_file"
    path = _path(function, vocabulary_file, vocab_size)
    dtype = _key_dtype(f"{function}: key_dtype", key_dtype)
    columns = _held(dtype), key_column_index, int64, value_column_index
    words = TextFileInitializer(path, *columns, vocab_size, delimiter)
    hashing = num_oov_buckets, default_value, hasher_spec
    return _numbers(function, words, dtype, *hashing)


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: Any = None,
    dtype: Any = string,
    name: str | None = None,
) -> StaticHashTable:
    """Return a table from the words of a vector to their positions.

    The initializer raises `tf.errors.FailedPreconditionError` if a word occurs twice.
    Other parameters and errors are those of `index_table_from_file`.

    Examples
    --------
    >>> table = tf.contrib.lookup.index_table_from_tensor(["the", "of", "and"])
    >>> with tf.Session() as sess:
    ...     sess.run(tf.tables_initializer())
    ...     sess.run(table.lookup(tf.constant(["and", "or"]))).tolist()
    [2, -1]
    """
    function = "tf.contrib.lookup.index_table_from_tensor"
    keys = _key_dtype(f"{function}: dtype", dtype)
    words, numbers = _number_words(function, mapping, keys)
    start = KeyValueTensorInitializer(cast(words, _held(keys)), numbers)
    return _numbers(function, start, keys, num_oov_buckets, default_value, hasher_spec)


def _key_dtype(argument: str, key_dtype: Any) -> DType:
    dtype = as_dtype(key_dtype)
    if dtype not in (string, int32, int64):
        raise wrong_type(argument, "string or an integer type", dtype)
    return dtype


def _held(dtype: DType) -> DType:
    return int64 if dtype.is_integer else dtype


def _numbers(
    function: str, words: Any, dtype: DType, buckets: int, default: int, hasher: Any
) -> StaticHashTable:
    if integer(f"{function}: num_oov_buckets", buckets) < 0:
        raise _argument_error(function, "num_oov_buckets", "0 or more", buckets)
    if hasher is not None:
        raise _argument_error(function, "hasher_spec", "None", hasher)
    if buckets:
        return StaticVocabularyTable(words, buckets, dtype)
    return StaticHashTable(words, default)


def _number_words(function: str, mapping: Any, dtype: DType) -> tuple[Tensor, Array]:
    """Return the words of a vector, and their positions."""
    words = None if mapping is None else convert_to_tensor(mapping, dtype)
    size = words.shape[0].value if words is not None and words.shape.rank == 1 else None
    if words is None or size is None:
        raise _argument_error(function, "mapping", "a vector of known size", mapping)
    return words, np.arange(size, dtype=np.int64)


def _path(function: str, file: Any, size: int | None) -> Any:
    """Return a path, which may be a constant tensor."""
    if size is not None and integer(f"{function}: vocab_size", size) < 1:
        raise _argument_error(function, "vocab_size", "1 or more", size)
    path = file.operand().value if isinstance(file, Tensor) else file
    path = path.item() if isinstance(path, np.ndarray) else path
    if not path:
        raise _argument_error(function, "vocabulary_file", "a path", file)
    return path


def _argument_error(function: str, argument: str, expected: str, got: Any) -> Exception:
    return codes.WRONG_ARGUMENT_TYPE.value_error(
        f"{function}: {argument}: expected {expected}, got {got!r}"
    )
