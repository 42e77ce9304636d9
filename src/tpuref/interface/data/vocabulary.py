"""Read the keys and values of a lookup table from the lines of a file."""

from dataclasses import dataclass
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import DType, int64, string
from tpuref.base.errors import FailedPreconditionError, InvalidArgumentError
from tpuref.interface.files.file import GFile

WHOLE_LINE, LINE_NUMBER = -2, -1
"""The column numbers of a whole line and of its line number."""


def put_once(held: dict[Any, Any], key: Any, value: Any) -> None:
    """Add a key and its value; refuse a key with another value."""
    if held.setdefault(key, value) != value:
        raise FailedPreconditionError(
            f"tf.lookup: there are different values for the same key, {key!r}: "
            f"{held[key]} and {value}",
            code=codes.DAMAGED_FILE,
        )


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
        by_word: dict[Any, Any] = {}
        for position, line in enumerate(lines):
            word = self._cell(line, self.key_column, position)
            word = word if self.key_dtype == string else int(word)
            number = self._cell(line, self.value_column, position)
            number = number if self.value_dtype == string else int(number)
            put_once(by_word, word, number)
        return by_word

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
            f"tf.lookup: vocabulary_file {self.path!r} {why}", code=codes.DAMAGED_FILE
        )
