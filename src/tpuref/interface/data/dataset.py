"""Define the dataset: a description of elements that can be iterated repeatedly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Iterator as Values
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.arguments import instance_of
from tpuref.base.dtypes import as_dtype, int64
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.processors import processors
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly, get_default_graph
from tpuref.engine.graph.recognition import KnownDataset
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.runtime.meaning.state import State
from tpuref.interface.data import batching, sources, transformations
from tpuref.interface.data.element import declared, mapped
from tpuref.interface.data.function import check_callable
from tpuref.interface.data.interleaving import Interleave
from tpuref.interface.data.iterator import (
    EagerIterator,
    ElementDescription,
    Iterator,
    in_loop,
    initializable,
    one_shot,
    reduced,
)
from tpuref.interface.data.options import Options
from tpuref.interface.data.prefetching import Prefetch
from tpuref.interface.data.stage import INFINITE, Pass, Stage
from tpuref.interface.data.type_specs import element_of
from tpuref.interface.files.operations import glob
from tpuref.interface.functions.random import get_seed
from tpuref.names.members import ExplainsMissing, explain_missing_members

if TYPE_CHECKING:  # a default, which typing has from Python 3.13 on
    from typing_extensions import TypeVar as TypeVarWithDefault

    _Element = TypeVarWithDefault("_Element", default=Any)
else:
    _Element = TypeVar("_Element")
_Other = TypeVar("_Other")
_Result = TypeVar("_Result")
_Name = TypeVar("_Name")


@explain_missing_members("tf.data.Dataset")
class Dataset(
    ElementDescription, KnownDataset, Generic[_Element], metaclass=ExplainsMissing
):
    """A sequence of elements, from sources and transformations.

    An element is a tensor, or a tuple, namedtuple or dict of elements; a list is one
    tensor.  Nothing is computed until an iterator requests an element.  All methods
    take a `name` as TensorFlow 2 does; it has no effect.  See 001_66db0865fe92828f.txt,
    distribute_dataset.

    Examples
    --------
    >>> dataset = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
    >>> dataset
    <BatchDataset shapes: (?,), types: int64>
    >>> [batch.tolist() for batch in dataset.as_numpy_iterator()]
    [[0, 1], [4, 9], [16]]
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.element = stage.element

    # -- sources ---------------------------------------------------------------

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset[Any]:
        """Return a dataset with a single element.

        Examples
        --------
        >>> tf.data.Dataset.from_tensors([[1.0]])
        <TensorDataset shapes: (1, 1), types: float32>
        """
        return Dataset(sources.Tensors(tensors))

    @overload
    @staticmethod
    def from_tensor_slices(
        tensors: tuple[Any, ...], name: str | None = None
    ) -> Dataset[tuple[Tensor, ...]]: ...
    @overload
    @staticmethod
    def from_tensor_slices(
        tensors: dict[_Name, Any], name: str | None = None
    ) -> Dataset[dict[_Name, Tensor]]: ...
    @overload
    @staticmethod
    def from_tensor_slices(
        tensors: Any, name: str | None = None
    ) -> Dataset[Tensor]: ...
    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset[Any]:
        """Return a dataset of the rows of one tensor, or of several in parallel.

        All tensors of the structure have the same number of rows.  It raises ValueError
        if a component has no rows, or the numbers of rows differ.

        Examples
        --------
        >>> dataset = tf.data.Dataset.from_tensor_slices(([1, 2], [[3], [4]]))
        >>> [(int(a), b.tolist()) for a, b in dataset.as_numpy_iterator()]
        [(1, [3]), (2, [4])]
        """
        return Dataset(sources.Slices(tensors))

    @staticmethod
    def from_generator(
        generator: Callable[..., Iterable[Any]],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Sequence[Any] | None = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset[Any]:
        """Return a dataset of the values from a Python function's iterable.

        At evaluation, a value that does not match raises
        `tf.errors.InvalidArgumentError`, and so does a ValueError of the generator.
        `generator` is called for each pass and returns an iterable.  `output_types` has
        a dtype for each component, in the structure of an element, and `output_shapes`
        a shape, by default an unknown one.  `args` are tensors whose values are passed
        to `generator`.  `output_signature` has a `tf.TensorSpec`, `tf.SparseTensorSpec`
        or `tf.RaggedTensorSpec` for each component, instead of types and shapes.

        Examples
        --------
        >>> def count(stop):
        ...     yield from range(stop)
        >>> dataset = tf.data.Dataset.from_generator(count, tf.int64, [], args=[3])
        >>> [int(value) for value in dataset.as_numpy_iterator()]
        [0, 1, 2]
        """
        if output_signature is not None:
            element = element_of(output_signature)
        else:
            element = declared("Dataset.from_generator", output_types, output_shapes)
        return Dataset(sources.Generator(generator, element, args))

    @staticmethod
    def range(
        *args: Any, output_type: Any = int64, name: str | None = None
    ) -> Dataset[Tensor]:
        """Return a dataset of the values of Python's range.

        The arguments are stop; or start and stop; or start, stop and step.

        Examples
        --------
        >>> [int(x) for x in tf.data.Dataset.range(5, 1, -2).as_numpy_iterator()]
        [5, 3]
        """
        return Dataset(sources.Range(*args, dtype=as_dtype(output_type)))

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset[Any]:
        """Return a dataset that combines the elements of several datasets.

        `args` is `datasets`, or several datasets.  `datasets` is a nested tuple or dict
        of datasets.  The result is as long as the shortest.

        Examples
        --------
        >>> both = tf.data.Dataset.zip(
        ...     (tf.data.Dataset.range(2), tf.data.Dataset.range(5, 9)))
        >>> [(int(a), int(b)) for a, b in both.as_numpy_iterator()]
        [(0, 5), (1, 6)]
        """
        if args:
            datasets = args[0] if len(args) == 1 else args
        return Dataset(sources.Zip(mapped(datasets, _zip_stage)))

    @staticmethod
    def list_files(
        file_pattern: Any,
        shuffle: bool | None = None,
        seed: int | None = None,
        name: str | None = None,
    ) -> Dataset[Any]:
        """Return a dataset of the paths that match a pattern now.

        `file_pattern` is a pattern as for `tf.io.gfile.glob`, or a list of them.
        `shuffle` says whether to shuffle the paths in each pass; True by default.
        `seed` is the seed of the order.  It raises tf.errors.InvalidArgumentError if
        nothing matches.

        Examples
        --------
        >>> import os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> for name in "ab":
        ...     with tf.gfile.GFile(os.path.join(folder, name), "w") as file:
        ...         file.write(name)
        >>> dataset = tf.data.Dataset.list_files(folder + "/*", shuffle=False)
        >>> [os.path.basename(path) for path in dataset.as_numpy_iterator()]
        [b'a', b'b']
        """
        files = glob(file_pattern)
        if not files:
            raise InvalidArgumentError(
                f"Dataset.list_files: no files match {file_pattern!r}",
                code=codes.INVALID_ARGUMENT,
            )
        dataset = Dataset.from_tensor_slices(files)
        if shuffle is False:
            return dataset
        return dataset.shuffle(len(files), seed)

    # -- transformations -------------------------------------------------------

    def map(
        self,
        map_func: Callable[..., _Other],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset[_Other]:
        """Return a dataset that applies a function to each element.

        `map_func` is called once, with symbolic tensors; the components of a tuple are
        separate arguments.  It returns an element.  `num_parallel_calls`,
        `deterministic`, `synchronous` and `use_unbounded_threadpool` are accepted for
        compatibility; elements are computed one after another.

        Examples
        --------
        >>> pairs = tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4]))
        >>> [int(x) for x in pairs.map(lambda a, b: a * b).as_numpy_iterator()]
        [3, 8]
        """
        return Dataset(transformations.Map(self.stage, map_func))

    def filter(
        self, predicate: Callable[..., Any], name: str | None = None
    ) -> Dataset[_Element]:
        """Return a dataset of the elements for which a function returns true.

        The function takes elements as that of `map`, and returns a scalar bool tensor.

        Examples
        --------
        >>> odd = tf.data.Dataset.range(6).filter(lambda x: tf.equal(x % 2, 1))
        >>> [int(x) for x in odd.as_numpy_iterator()]
        [1, 3, 5]
        """
        return Dataset(transformations.Filter(self.stage, predicate))

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset[_Element]:
        """Return a dataset of consecutive elements stacked along a new dimension.

        `batch_size` is the number of elements in a batch.  `drop_remainder` says
        whether to drop an incomplete last batch, so that the size is static.
        `num_parallel_calls` and `deterministic` are accepted for compatibility, as for
        `map`.  It raises `tf.errors.InvalidArgumentError` at evaluation if `batch_size`
        is not positive or elements differ in shape.

        Examples
        --------
        >>> tf.data.Dataset.range(5).batch(2, drop_remainder=True).output_shapes
        TensorShape([Dimension(2)])
        """
        return Dataset(batching.Batch(self.stage, batch_size, drop_remainder))

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset[_Element]:
        """Return a dataset of batches of elements padded to equal shapes.

        At evaluation, an element larger than its padded shape raises
        `tf.errors.InvalidArgumentError`.  Other parameters are those of `batch`.
        `padded_shapes` is the padded shape of each component; None or -1 means the
        largest size in the batch.  By default the static shapes.  `padding_values` is
        the padding value of each component, by default 0, False or an empty string.

        Examples
        --------
        >>> def rows():
        ...     yield [1]
        ...     yield [2, 3]
        >>> ragged = tf.data.Dataset.from_generator(rows, tf.int32, [None])
        >>> next(ragged.padded_batch(2, [None]).as_numpy_iterator())
        array([[1, 0],
               [2, 3]], dtype=int32)
        """
        padding = padded_shapes, padding_values, drop_remainder
        return Dataset(batching.PaddedBatch(self.stage, batch_size, *padding))

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset[_Element]:
        """Return a dataset that repeats the elements.

        A count of None or -1 repeats forever.

        Examples
        --------
        >>> twice = tf.data.Dataset.range(2).repeat(2)
        >>> [int(x) for x in twice.as_numpy_iterator()]
        [0, 1, 0, 1]
        """
        return Dataset(transformations.Repeat(self.stage, count))

    def shuffle(
        self,
        buffer_size: Any,
        seed: int | None = None,
        reshuffle_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Dataset[_Element]:
        """Return a dataset in random order.

        `buffer_size` is the number of elements from which each next one is drawn.
        `seed` fixes the order, together with `tf.set_random_seed`.  TensorFlow has a
        different order for the same seed.  `reshuffle_each_iteration` says whether each
        repetition has a different order; True by default.

        Examples
        --------
        >>> shuffled = tf.data.Dataset.range(9).shuffle(9, seed=1)
        >>> sorted(int(x) for x in shuffled.as_numpy_iterator())
        [0, 1, 2, 3, 4, 5, 6, 7, 8]
        """
        reshuffle = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        return Dataset(
            transformations.Shuffle(self.stage, buffer_size, get_seed(seed), reshuffle)
        )

    def take(self, count: Any, name: str | None = None) -> Dataset[_Element]:
        """Return a dataset of the first `count` elements, or of all for -1.

        Examples
        --------
        >>> [int(x) for x in tf.data.Dataset.range(9).take(2).as_numpy_iterator()]
        [0, 1]
        """
        return Dataset(transformations.Take(self.stage, count))

    def take_while(
        self, predicate: Callable[..., Any], name: str | None = None
    ) -> Dataset[_Element]:
        """Return a dataset that ends before an element for which a function is false.

        The function is as for `filter`.

        Examples
        --------
        >>> small = tf.data.Dataset.range(9).take_while(lambda x: x < 3)
        >>> [int(x) for x in small.as_numpy_iterator()]
        [0, 1, 2]
        """
        return Dataset(transformations.TakeWhile(self.stage, predicate))

    def skip(self, count: Any, name: str | None = None) -> Dataset[_Element]:
        """Return a dataset without the first `count` elements, empty for -1.

        Examples
        --------
        >>> [int(x) for x in tf.data.Dataset.range(4).skip(2).as_numpy_iterator()]
        [2, 3]
        """
        return Dataset(transformations.Skip(self.stage, count))

    def shard(
        self, num_shards: Any, index: Any, name: str | None = None
    ) -> Dataset[_Element]:
        """Return a dataset of each `num_shards`-th element, from `index` on.

        Examples
        --------
        >>> part = tf.data.Dataset.range(7).shard(3, 1)
        >>> [int(x) for x in part.as_numpy_iterator()]
        [1, 4]
        """
        return Dataset(transformations.Shard(self.stage, num_shards, index))

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset[Any]:
        """Return a dataset of pairs of a number, counted from `start`, and an element.

        Examples
        --------
        >>> pairs = tf.data.Dataset.range(5, 7).enumerate(1)
        >>> [(int(n), int(x)) for n, x in pairs.as_numpy_iterator()]
        [(1, 5), (2, 6)]
        """
        return Dataset.zip((Dataset.range(start, np.iinfo(np.int64).max), self))

    def unbatch(self, name: str | None = None) -> Dataset[Any]:
        """Return a dataset of the rows of the elements, which are batches.

        Examples
        --------
        >>> rows = tf.data.Dataset.range(4).batch(2).unbatch()
        >>> [int(x) for x in rows.as_numpy_iterator()]
        [0, 1, 2, 3]
        """
        return self.flat_map(
            lambda *parts: Dataset.from_tensor_slices(
                parts if len(parts) > 1 else parts[0]
            )
        )

    def concatenate(
        self, dataset: Dataset[_Element], name: str | None = None
    ) -> Dataset[_Element]:
        """Return a dataset of the elements of this one, then those of another.

        It raises TypeError if their elements differ in structure or dtypes.

        Examples
        --------
        >>> both = tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(5, 7))
        >>> [int(x) for x in both.as_numpy_iterator()], len(both)
        ([0, 1, 5, 6], 4)
        """
        other = instance_of(Dataset, "Dataset.concatenate: dataset", "one", dataset)
        return Dataset(transformations.Concatenate(self.stage, other.stage))

    def cardinality(self) -> Any:
        """Return the number of elements, int64: -1 without an end, -2 if unknown."""
        return convert_to_tensor(np.int64(self.stage.cardinality()))

    def __len__(self) -> int:
        count = self.stage.cardinality()
        if count < 0:
            kind = "infinite" if count == INFINITE else "unknown"
            raise codes.UNKNOWN_SHAPE.type_error(
                f"the dataset length is {kind}; use dataset.take(count), or "
                "dataset.cardinality(), which returns a negative number for it"
            )
        return count

    def __bool__(self) -> bool:
        return True

    def cache(self, filename: str = "", name: str | None = None) -> Dataset[_Element]:
        """Return a dataset whose elements are computed once and kept in memory.

        It raises NotImplementedError if a file is named.

        Examples
        --------
        >>> once = tf.data.Dataset.range(2).shuffle(2, seed=1).cache().repeat(2)
        >>> first, second, *again = [int(x) for x in once.as_numpy_iterator()]
        >>> again == [first, second]
        True
        """
        if not isinstance(filename, str) or filename:
            raise NotImplementedError(
                f"tf.data.Dataset.cache: filename must be empty, got {filename!r}; "
                "elements are kept in memory"
            )
        return Dataset(transformations.Cache(self.stage))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset[_Element]:
        """Return a dataset whose elements a thread computes in advance.

        `buffer_size` is the number of elements to keep ready; -1 or None chooses it
        automatically.

        Examples
        --------
        >>> ahead = tf.data.Dataset.range(3).prefetch(2)
        >>> [int(x) for x in ahead.as_numpy_iterator()]
        [0, 1, 2]
        """
        return Dataset(Prefetch(self.stage, -1 if buffer_size is None else buffer_size))

    def interleave(
        self,
        map_func: Callable[..., Dataset[_Other]],
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset[_Other]:
        """Return a dataset that interleaves the datasets returned by a function.

        `map_func` takes an element as for `map` and returns a dataset.  `cycle_length`
        is the number of datasets that are open at a time, by default (None or -1) the
        number of processors.  `block_length` is the number of consecutive elements of
        one dataset, by default 1.  It raises TypeError if the function does not return
        a dataset.

        Examples
        --------
        >>> dataset = tf.data.Dataset.range(2).interleave(
        ...     lambda x: tf.data.Dataset.from_tensors(x * 10).repeat(3), 2, 2)
        >>> [int(x) for x in dataset.as_numpy_iterator()]
        [0, 0, 10, 10, 0, 10]
        """
        automatic = isinstance(cycle_length, int) and cycle_length == -1
        if cycle_length is None or automatic:
            cycle_length = processors()
        turns = (cycle_length, 1 if block_length is None else block_length)
        return Dataset(Interleave(self.stage, "Dataset.interleave", map_func, *turns))

    def flat_map(
        self, map_func: Callable[..., Dataset[_Other]], name: str | None = None
    ) -> Dataset[_Other]:
        """Return a dataset that concatenates the datasets returned by a function.

        The function takes elements as that of `map`.

        Examples
        --------
        >>> dataset = tf.data.Dataset.range(1, 4).flat_map(tf.data.Dataset.range)
        >>> [int(x) for x in dataset.as_numpy_iterator()]
        [0, 0, 1, 0, 1, 2]
        """
        return Dataset(Interleave(self.stage, "Dataset.flat_map", map_func, 1, 1))

    def apply(
        self, transformation_func: Callable[[Dataset[_Element]], _Result]
    ) -> _Result:
        """Return the result of a function from datasets to datasets."""
        check_callable("Dataset.apply", transformation_func)
        return transformation_func(self)

    def with_options(
        self, options: Options, name: str | None = None
    ) -> Dataset[_Element]:
        """Return the dataset itself: a `tf.data.Options` has no effect."""
        if not isinstance(options, Options):
            raise codes.INVALID_ARGUMENT.type_error(
                f"Dataset.with_options: expected tf.data.Options, got {options!r}"
            )
        return self

    # -- iterators -------------------------------------------------------------

    def make_one_shot_iterator(self) -> Iterator | EagerIterator:
        """Return an iterator that starts by itself and runs once.

        See 001_66db0865fe92828f.txt, distribute_dataset.  It raises ValueError if the
        dataset depends on placeholders or variables.

        Examples
        --------
        >>> value = tf.data.Dataset.from_tensors(7).make_one_shot_iterator().get_next()
        >>> int(tf.Session().run(value))
        7
        """
        if executing_eagerly():
            return EagerIterator(self.stage)
        return one_shot(get_default_graph(), self.stage)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Iterator:
        """Return an iterator that its initializer starts or restarts.

        It raises RuntimeError in eager mode.

        Examples
        --------
        >>> count = tf.placeholder(tf.int64, [])
        >>> iterator = tf.data.Dataset.range(count).make_initializable_iterator()
        >>> value = iterator.get_next()
        >>> with tf.Session() as sess:
        ...     sess.run(iterator.initializer, {count: 1})
        ...     int(sess.run(value))
        0
        """
        if executing_eagerly():
            raise codes.WRONG_MODE.runtime_error(
                "Dataset.make_initializable_iterator is not available in eager mode; "
                "iterate over the dataset with a for loop"
            )
        return initializable(get_default_graph(), self.stage)

    def as_numpy_iterator(self) -> Values[Any]:
        """Return a Python iterator of the elements as NumPy arrays.

        Scalars are NumPy scalars, strings are bytes.  It raises RuntimeError if the
        dataset depends on tensors or variables, whose values need a session.
        """
        if self.stage.captured or self.stage.variables:
            raise codes.WRONG_MODE.runtime_error(
                "Dataset.as_numpy_iterator: the dataset depends on tensors or "
                "variables of a graph; use an initializable iterator and a session"
            )
        items = self.stage.started(Pass(variables=State()))
        return (nest.pack_sequence_as(self.element, _as_numpy(item)) for item in items)

    def reduce(
        self,
        initial_state: Any,
        reduce_func: Callable[[Any, Any], Any],
        name: str | None = None,
    ) -> Any:
        """Combine all elements into a state, from the first to the last.

        `reduce_func` takes the state and an element, and returns the next state, in the
        structure of `initial_state`.

        Examples
        --------
        >>> total = tf.data.Dataset.range(5).reduce(np.int64(0), lambda s, x: s + x)
        >>> int(tf.Session().run(total))
        10
        """
        check_callable("Dataset.reduce", reduce_func)

        def after(state: Any, element: Any) -> Any:
            state_after = reduce_func(state, element)
            nest.assert_same_structure(
                initial_state,
                state_after,
                a_name="initial_state",
                b_name="reduce_func()",
            )
            return nest.map_structure(convert_to_tensor, state_after)

        state = nest.map_structure(convert_to_tensor, initial_state)
        if not executing_eagerly():
            return reduced(self.stage, state, after)
        for element in self:
            state = after(state, element)
        return state

    def __iter__(self) -> Values[_Element]:
        if not executing_eagerly():
            if get_default_graph().traced:
                return in_loop(self.stage)
            raise codes.WRONG_MODE.runtime_error(
                "a dataset is iterable only in eager mode; use "
                "make_one_shot_iterator() or as_numpy_iterator()"
            )
        return EagerIterator(self.stage)

    def __repr__(self) -> str:
        return f"<{self.stage.name} {self._description()}>"


def _zip_stage(value: Any) -> Stage:
    if not isinstance(value, Dataset):
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            "Dataset.zip: expected a nested tuple or dict of datasets, got "
            f"{value!r}; write a list of datasets as a tuple"
        )
    return value.stage


def _as_numpy(item: Sequence[Any]) -> list[Any]:
    return [a[()] if a.ndim == 0 else a.copy() for a in item]
