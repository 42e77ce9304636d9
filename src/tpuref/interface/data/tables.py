"""Tables from keys to values: ``tf.lookup``.  The host looks keys up."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base.arguments import wrong_type
from tpuref.base.dtypes import DType, as_dtype, int64, string
from tpuref.base.errors import FailedPreconditionError, coded
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.graph import GraphKeys
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.trackable import Trackable
from tpuref.engine.ops.meaning import Array
from tpuref.interface.data.ragged import RaggedTensor
from tpuref.interface.data.sparse import SparseTensor
from tpuref.interface.data.vocabulary import (
    LINE_NUMBER,
    WHOLE_LINE,
    Vocabulary,
    put_once,
)
from tpuref.interface.functions.hashes import fingerprint
from tpuref.interface.functions.host_functions import py_func


class TextFileIndex:
    """The whole line and its number, in place of a column of a text file."""

    WHOLE_LINE = WHOLE_LINE
    LINE_NUMBER = LINE_NUMBER


class KeyValueTensorInitializer:
    """Keys and values for a table, from two tensors of one length.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     start = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    ...     table = tf.lookup.StaticHashTable(start, default_value=-1)
    ...     table[tf.constant(["b", "c"])].numpy().tolist()
    [2, -1]
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        self._keys = convert_to_tensor(keys, key_dtype)
        self._values = convert_to_tensor(values, value_dtype)
        self.key_dtype, self.value_dtype = self._keys.dtype, self._values.dtype

    def initialize(self, table: Any) -> Any:
        """Fill a table; in a graph, return an operation that does."""

        def put(keys: Any, values: Any) -> None:
            _check_lengths(keys, values)
            for key, value in zip(keys.tolist(), values.tolist(), strict=True):
                put_once(table.held, key, value)

        return py_func(put, [self._keys, self._values], [], name="InitializeTable")


class TextFileInitializer:
    """Keys and values for a table, from the lines of a file.

    `filename` is the path.  `key_dtype` and `value_dtype` are string or int64.
    `key_index` and `value_index` are columns, or a member of `tf.lookup.TextFileIndex`.
    `vocab_size` is the number of lines to read, by default all.  `delimiter` separates
    the columns.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        self.key_dtype, self.value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        path = filename.decode() if isinstance(filename, bytes) else str(filename)
        columns = key_index, value_index, delimiter, vocab_size
        self._file = Vocabulary(path, self.key_dtype, *columns, self.value_dtype)
        self._offset = value_index_offset

    def initialize(self, table: Any) -> Any:
        """Fill a table; in a graph, return an operation that does."""

        def put() -> None:
            for key, value in self._file.numbers().items():
                table.held[key] = value + self._offset if self._offset else value

        return py_func(put, [], [], name="InitializeTableFromTextFile")


class _Table(Trackable):
    """What tables have in common: looking up, exporting and counting."""

    def __init__(self, key_dtype: DType, value_dtype: DType, default: Any) -> None:
        self.key_dtype, self.value_dtype = key_dtype, value_dtype
        known = convert_to_tensor(default, value_dtype).operand().value
        if known is None:
            raise wrong_type("tf.lookup: default_value", "a constant", default)
        self._default = known
        self.held: dict[Any, Any] = {}

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Return the values of keys; the default for those that are absent.

        It raises TypeError if the dtype of the keys is not that of the table.
        """
        if isinstance(keys, SparseTensor | RaggedTensor):
            return keys.with_values(self.lookup(keys.values))
        tensor = convert_to_tensor(keys)
        if tensor.dtype != self.key_dtype:
            argument = f"{type(self).__name__}.lookup: keys"
            raise wrong_type(argument, f"{self.key_dtype.name} keys", tensor)
        values: Tensor = py_func(
            self._find, [tensor], self.value_dtype, name="LookupTableFind"
        )
        values.set_shape(tensor.shape.concatenate(self._default.shape))
        return values

    __getitem__ = lookup

    def _find(self, keys: Any) -> Array:
        self._check_initialized()
        flat = np.ravel(keys).tolist()
        values_of_keys = [self.held.get(key, self._default) for key in flat]
        shape = (*np.shape(keys), *self._default.shape)
        return self._array(values_of_keys).reshape(shape)

    def _array(self, items: list[Any]) -> Array:
        if self.value_dtype != string:
            shape = (len(items), *self._default.shape)
            return np.array(items, self.value_dtype.np).reshape(shape)
        keys = np.empty(len(items), object)
        keys[:] = [item if isinstance(item, bytes) else item.item() for item in items]
        return keys

    def _check_initialized(self) -> None:
        pass

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of keys, int64."""
        return _size(lambda: np.int64(len(self.held)))

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """Return all keys and their values."""

        def items() -> tuple[Array, Array]:
            keys = np.empty(len(self.held), object)
            keys[:] = list(self.held)
            own = keys if self.key_dtype == string else keys.astype(self.key_dtype.np)
            return own, self._array(list(self.held.values()))

        dtypes = [self.key_dtype, self.value_dtype]
        keys, values = py_func(items, [], dtypes, name="LookupTableExport")
        keys.set_shape([None])
        values.set_shape([None, *self._default.shape])
        return keys, values


def _size(count: Callable[[], Any]) -> Tensor:
    size: Tensor = py_func(count, [], int64, name="LookupTableSize")
    size.set_shape([])
    return size


class StaticHashTable(_Table):
    """A table that an initializer fills once.

    In a graph ``tf.tables_initializer()`` fills it, or ``table.initializer``.
    `initializer` is a `KeyValueTensorInitializer` or a `TextFileInitializer`.
    `default_value` is the value of keys that are absent.
    """

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if not hasattr(initializer, "initialize"):
            argument = "tf.lookup.StaticHashTable: initializer"
            raise wrong_type(argument, "an initializer of tf.lookup", initializer)
        super().__init__(initializer.key_dtype, initializer.value_dtype, default_value)
        self._filled = False
        self._source = initializer
        self.initializer = self._fill()
        if not executing_eagerly():
            graph = get_default_graph()
            graph.add_to_collection(GraphKeys.TABLE_INITIALIZERS, self.initializer)

    @property
    def default_value(self) -> Any:
        """The value of keys that are absent."""
        return self._default

    def _fill(self) -> Any:
        done = self._source.initialize(self)
        self._filled = executing_eagerly()
        return done

    def _check_initialized(self) -> None:
        if not self._filled and not self.held:
            raise FailedPreconditionError(
                "Table not initialized: run tf.tables_initializer() first",
                code=codes.UNINITIALIZED,
            )


class StaticVocabularyTable(StaticHashTable):
    """A table of int64 numbers, with buckets after them for keys that are absent.

    `initializer` is as for `StaticHashTable`; its values are the numbers from 0.
    `num_oov_buckets` is the number of buckets; an absent text goes to the one of its
    fingerprint.  `lookup_key_dtype` is the dtype of the keys to look up, by default
    that of the initializer.
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets < 1:
            raise coded(
                ValueError,
                "tf.lookup.StaticVocabularyTable: num_oov_buckets must be at least 1, "
                f"got {num_oov_buckets}",
                code=codes.INVALID_ARGUMENT,
            )
        self._buckets = num_oov_buckets
        super().__init__(initializer, -1)
        if lookup_key_dtype is not None:
            self.key_dtype = as_dtype(lookup_key_dtype)

    def _find(self, keys: Any) -> Array:
        self._check_initialized()
        first, numbers = len(self.held), []
        for key in np.ravel(keys).tolist():
            text = key if isinstance(key, bytes) else str(key).encode()
            bucket = first + fingerprint(text) % self._buckets
            numbers.append(self.held.get(key, bucket))
        places: Array = np.array(numbers, np.int64).reshape(np.shape(keys))
        return places

    def size(self, name: str | None = None) -> Tensor:
        """Return the number of keys and buckets, int64."""
        return _size(lambda: np.int64(len(self.held) + self._buckets))


class MutableHashTable(_Table):
    """A table that programs fill: ``insert``, ``remove`` and ``lookup``.

    Examples
    --------
    >>> with tf.eager_execution():
    ...     table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    ...     table.insert(["a", "b"], [3, 4])
    ...     table.lookup(["b", "c"]).numpy().tolist(), int(table.size())
    ([4, 0], 2)
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(as_dtype(key_dtype), as_dtype(value_dtype), default_value)

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Any:
        """Set the values of keys; in a graph, return an operation that does."""

        def put(keys: Any, values: Any) -> None:
            _check_lengths(keys, values)
            for key, value in zip(np.ravel(keys).tolist(), values, strict=True):
                self.held[key] = value

        inputs = [
            convert_to_tensor(keys, self.key_dtype),
            convert_to_tensor(values, self.value_dtype),
        ]
        done = py_func(put, inputs, [], name="LookupTableInsert")
        return None if executing_eagerly() else done

    def remove(self, keys: Any, name: str | None = None) -> Any:
        """Remove keys; in a graph, return an operation that does."""

        def drop(keys: Any) -> None:
            for key in np.ravel(keys).tolist():
                self.held.pop(key, None)

        inputs = [convert_to_tensor(keys, self.key_dtype)]
        done = py_func(drop, inputs, [], name="LookupTableRemove")
        return None if executing_eagerly() else done


def _check_lengths(keys: Any, values: Any) -> None:
    if np.size(keys) != len(values):
        raise coded(
            ValueError,
            f"tf.lookup: there are {np.size(keys)} keys and {len(values)} values",
            code=codes.SHAPES_DIFFER,
        )
