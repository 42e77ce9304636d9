"""Define lookup tables from the words of a file to their numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import integer, name_or, wrong_type
from tpuref.base.dtypes import DType, as_dtype, int32, int64, string
from tpuref.base.errors import FailedPreconditionError, InvalidArgumentError
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.interface.files.file import GFile
from tpuref.interface.functions.control_flow import py_func

WHOLE_LINE, LINE_NUMBER = -2, -1
"""The column numbers of a whole line and of its line number."""

_FUNCTION = "tf.contrib.lookup.index_table_from_file"


@dataclass(frozen=True)
class Vocabulary:
    """A file of words: up to `size` lines, with columns of words and numbers."""

    path: str
    key_dtype: DType
    key_column: int
    value_column: int
    delimiter: str
    size: int | None
    value_dtype: DType = int64

    def numbers(self) -> dict[Any, Any]:
        """Read the file, and return the number of each word: the value of each key."""
        with GFile(self.path, "rb") as file:
            lines = [line.rstrip(b"\r\n") for line in file][: self.size]
        if self.size is not None and len(lines) < self.size:
            raise self._invalid(f"has {len(lines)} lines, vocab_size is {self.size}")
        found: dict[Any, Any] = {}
        for position, line in enumerate(lines):
            word = self._cell(line, self.key_column, position)
            word = word if self.key_dtype == string else int(word)
            number = self._cell(line, self.value_column, position)
            number = number if self.value_dtype == string else int(number)
            if found.setdefault(word, number) != number:
                raise FailedPreconditionError(
                    f"{_FUNCTION}: vocabulary_file {self.path!r} has different values "
                    f"for the same key, {word!r}: {found[word]} and {number}",
                    code=codes.DAMAGED_FILE,
                )
        return found

    def _cell(self, line: bytes, column: int, position: int) -> Any:
        if column == WHOLE_LINE:
            return line
        if column == LINE_NUMBER:
            return position
        cells = line.split(self.delimiter.encode())
        if column >= len(cells):
            raise self._invalid(f"has no column {column} in line {position}")
        return cells[column]

    def _invalid(self, why: str) -> Exception:
        return InvalidArgumentError(
            f"{_FUNCTION}: vocabulary_file {self.path!r} {why}", code=codes.DAMAGED_FILE
        )


class IndexTable:
    """A lookup table from words to numbers, created by `index_table_from_file`.

    `key_dtype` and `value_dtype` are the dtypes of words and numbers.  `initializer` is
    the operation that reads the vocabulary; eager mode reads it at once.
    """

    def __init__(self, vocabulary: Vocabulary, default: int, buckets: int) -> None:
        self.key_dtype, self.value_dtype = vocabulary.key_dtype, int64
        self._vocabulary, self._default, self._buckets = vocabulary, default, buckets
        self._numbers: dict[Any, int] | None = None
        self.initializer: Operation = py_func(self._read, [], [], name="ReadTable")
        if not executing_eagerly():
            graph = get_default_graph()
            graph.add_to_collection(GraphKeys.TABLE_INITIALIZERS, self.initializer)

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """Return the numbers of words, int64.

        It raises TypeError if the dtype of the words is not that of the vocabulary, and
        at run time `tf.errors.FailedPreconditionError` if the table is not initialized.
        """
        words = convert_to_tensor(keys)
        if words.dtype != self.key_dtype:
            argument = f"{_FUNCTION}: lookup: keys"
            raise wrong_type(argument, f"{self.key_dtype.name} keys", words)
        numbers: Tensor = py_func(
            self._look_up, [words], int64, name=name_or(name, "Lookup")
        )
        numbers.set_shape(words.shape)
        return numbers

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of words, and of buckets for unknown ones, int64."""
        size: Tensor = py_func(self._count, [], int64, name=name_or(name, "TableSize"))
        size.set_shape([])
        return size

    def _read(self) -> None:
        self._numbers = self._vocabulary.numbers()

    def _loaded_numbers(self) -> dict[Any, int]:
        if self._numbers is None:
            raise FailedPreconditionError(
                f"Table not initialized: {_FUNCTION}({self._vocabulary.path!r}); run "
                "tf.tables_initializer() first",
                code=codes.UNINITIALIZED,
            )
        return self._numbers

    def _count(self) -> Any:
        return np.int64(len(self._loaded_numbers()) + self._buckets)

    def _look_up(self, words: Any) -> Any:
        known = self._loaded_numbers()
        unknown = len(known) if self._buckets else self._default
        numbers = [known.get(word, unknown) for word in words.ravel().tolist()]
        return np.array(numbers, np.int64).reshape(words.shape)


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
) -> IndexTable:
    r"""Return a table from the words of a file, one per line, to their numbers.

    Use ``lookup(keys)`` once ``tf.tables_initializer()`` has run.  With
    `num_oov_buckets` 1, all unknown words have the number after the last one.
    `vocab_size` is the number of lines to read, by default all.  `default_value` is the
    number for unknown words if there is no bucket.  `hasher_spec` is accepted for
    compatibility: one bucket needs no hash.  `key_dtype` is the dtype of the words:
    string or an integer type.  `key_column_index`, `value_column_index` and `delimiter`
    are the columns of words and numbers, for a file with several.  -2 is the whole
    line, -1 its number.  It raises ValueError if there is no file, or a number is out
    of range, and NotImplementedError if there is more than one bucket.

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
    path = _constant(vocabulary_file)
    if not path:
        raise _argument_error("vocabulary_file", "a path", vocabulary_file)
    buckets = integer(f"{_FUNCTION}: num_oov_buckets", num_oov_buckets)
    if buckets < 0 or (vocab_size is not None and vocab_size < 1):
        given = (num_oov_buckets, vocab_size)
        raise _argument_error(
            "num_oov_buckets and vocab_size", "0 or more, and 1 or more", given
        )
    if buckets > 1:
        raise NotImplementedError(
            f"{_FUNCTION}: num_oov_buckets must be 0 or 1, got {buckets}: tpuref has "
            "no hash that would spread unknown words as TensorFlow does"
        )
    dtype = as_dtype(key_dtype)
    if dtype not in (string, int32, int64):
        raise wrong_type(f"{_FUNCTION}: key_dtype", "string or an integer type", dtype)
    columns = key_column_index, value_column_index
    vocabulary = Vocabulary(path, dtype, *columns, delimiter, vocab_size)
    return IndexTable(vocabulary, default_value, buckets)


def _constant(given: Any) -> Any:
    """Return a path, which may be a constant tensor."""
    if isinstance(given, Tensor):
        given = given.operand().value
        given = None if given is None else given.item()
    return given.decode() if isinstance(given, bytes) else given


def _argument_error(argument: str, expected: str, got: Any) -> Exception:
    return codes.WRONG_ARGUMENT_TYPE.value_error(
        f"{_FUNCTION}: {argument}: expected {expected}, got {got!r}"
    )
