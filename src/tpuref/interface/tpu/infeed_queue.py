"""The infeed queue, by which the host sends tuples of tensors to running replicas."""

import contextlib
import operator
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import DType, as_dtype
from tpuref.base.limits import MAX_REPLICAS
from tpuref.base.shapes import TensorShape, as_shape
from tpuref.engine.graph.build import apply_all, perform
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.interface.tpu.cores import core
from tpuref.interface.tpu.device_assignment import DeviceAssignment
from tpuref.interface.tpu.infeed_places import beside, check_one_device, hosts, ordinals
from tpuref.interface.tpu.infeed_shards import (
    shard_dimension,
    sharded_shape,
    whole_shape,
)
from tpuref.interface.tpu.sharding_policy import ShardingPolicy
from tpuref.names.members import explain_missing_members


@explain_missing_members("tf.contrib.tpu.InfeedQueue")
class InfeedQueue:
    """A queue of tuples that the host fills and a replicated computation empties.

    Each element of a tuple is split along its shard dimension into one shard per
    replica, and every replica takes its own shard.  Types, shapes and sharding may be
    set step by step.  Generating operations freezes them; the default is 1 shard along
    dimension 0.  See 000_04abb9e9288042d8.txt (infeed_queue of replicate and
    batch_parallel).  `number_of_tuple_elements` is the number of tensors in a tuple, by
    default the length of the first of these lists: `tuple_shapes` has the shape of each
    whole element, before it is split, and `shard_dimensions` the dimension that each
    element is split along.  `name` is the prefix of the operations' names.  It raises
    ValueError if the number of elements is unknown, not positive or above 65536, a list
    has a different length, or a shard dimension is negative.  It raises TypeError if an
    entry is not a dtype, a shape or a dimension.

    Examples
    --------
    >>> queue = tf.contrib.tpu.InfeedQueue(tuple_types=[tf.float32], tuple_shapes=[[4]])
    >>> total = tf.tpu.replicate(
    ...     lambda x, fed: x + fed, [[10.0], [20.0]], infeed_queue=queue)
    >>> enqueue = queue.split_inputs_and_generate_enqueue_ops(
    ...     [tf.constant([1.0, 2.0, 3.0, 4.0])])
    >>> with tf.Session() as sess:
    ...     _, values = sess.run([enqueue, total])
    >>> [value.tolist() for (value,) in values]
    [[11.0, 12.0], [23.0, 24.0]]
    """

    def __init__(
        self,
        number_of_tuple_elements: int | None = None,
        tuple_types: Sequence[Any] | None = None,
        tuple_shapes: Sequence[Any] | None = None,
        shard_dimensions: Sequence[int | None] | None = None,
        name: str | None = None,
    ) -> None:
        self._number_of_elements = _number_of_elements(
            number_of_tuple_elements, tuple_types, tuple_shapes, shard_dimensions
        )
        self._name = "InfeedQueue" if name is None else name
        self._shared_name: str | None = None
        self._types: list[DType] | None = None
        self._shapes: list[TensorShape] | None = None
        self._dimensions: list[int | None] = [None] * self._number_of_elements
        self._shards: int | None = None
        self._frozen = False
        if tuple_types is not None:
            self.set_tuple_types(tuple_types)
        if tuple_shapes is not None:
            self.set_tuple_shapes(tuple_shapes)
        if shard_dimensions is not None:
            self.set_shard_dimensions(shard_dimensions)

    # -- configuration ---------------------------------------------------------

    @property
    def number_of_tuple_elements(self) -> int:
        """The number of tensors in a tuple."""
        return self._number_of_elements

    @property
    def tuple_types(self) -> list[DType] | None:
        """The type of each element, None until they are set."""
        return None if self._types is None else list(self._types)

    @property
    def tuple_shapes(self) -> list[TensorShape] | None:
        """The shape of each whole element, None until they are set."""
        return None if self._shapes is None else list(self._shapes)

    @property
    def shard_dimensions(self) -> list[int | None]:
        """The dimension each element is split along, None until it is set."""
        return list(self._dimensions)

    @property
    def number_of_shards(self) -> int | None:
        """The number of shards of every element, None until it is set."""
        return self._shards

    @property
    def sharding_policies(self) -> list[ShardingPolicy]:
        """The sharding policy of each element."""
        return [ShardingPolicy(self, k) for k in range(self._number_of_elements)]

    def set_tuple_types(self, tuple_types: Sequence[Any]) -> None:
        """Set the types of the elements.

        It raises TypeError if an entry is not a dtype, and ValueError if the number of
        entries is wrong or the frozen types differ.
        """
        self._check_length("tuple_types", tuple_types)
        try:
            types = [as_dtype(value) for value in tuple_types]
        except TypeError as error:
            raise TypeError(
                f"InfeedQueue: tuple_types is {tuple_types!r}, expected values that "
                f"convert to dtypes: {error}"
            ) from None
        if self._frozen and types != self._types:
            raise self._frozen_error("tuple_types", self._types, types)
        self._types = types

    def set_tuple_shapes(self, tuple_shapes: Sequence[Any]) -> None:
        """Set the shapes of the whole elements.

        It raises ValueError if the number of entries is wrong, a shape cannot be split
        as configured, or the frozen shapes differ.
        """
        self._check_length("tuple_shapes", tuple_shapes)
        try:
            shapes = [as_shape(value) for value in tuple_shapes]
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"InfeedQueue: tuple_shapes is {tuple_shapes!r}, expected values that "
                f"convert to shapes: {error}"
            ) from None
        if self._frozen and shapes != self._shapes:
            raise self._frozen_error("tuple_shapes", self._shapes, shapes)
        self._shapes = shapes
        self._check_divisible()

    def set_shard_dimensions(self, shard_dimensions: Sequence[int | None]) -> None:
        """Set the dimension that each element is split along.

        Dimensions are counted from 0; None leaves that of an element unset.  It raises
        TypeError if an entry is neither an integer nor None (also a ValueError), and
        ValueError if the number of entries is wrong, a dimension is negative, a shape
        cannot be split along it, or the frozen dimensions differ.
        """
        self._check_length("shard_dimensions", shard_dimensions)
        dimensions = [shard_dimension(value) for value in shard_dimensions]
        if self._frozen:
            pairs = zip(dimensions, self._dimensions, strict=True)
            if any(new is not None and new != frozen for new, frozen in pairs):
                raise self._frozen_error(
                    "shard_dimensions", self._dimensions, dimensions
                )
            return
        self._dimensions = dimensions
        self._check_divisible()

    def set_number_of_shards(self, number_of_shards: int) -> None:
        """Set the number of shards, which is the number of replicas.

        It raises ValueError if it is not positive or above 65536, if a shape cannot be
        split into that many parts, or if it is frozen to a different number.
        """
        shards = _positive("number_of_shards", number_of_shards)
        if self._frozen and shards != self._shards:
            raise self._frozen_error("number_of_shards", self._shards, shards)
        self._shards = shards
        self._check_divisible()

    def set_configuration_from_input_tensors(
        self, input_tensors: Sequence[Any]
    ) -> None:
        """Set types and shapes to those of a list of tensors, one for each element.

        It raises ValueError if the number of tensors is wrong, or the frozen
        configuration differs.
        """
        self._configure(input_tensors)

    def set_configuration_from_sharded_input_tensors(
        self, input_tensors: Sequence[Sequence[Any]]
    ) -> None:
        """Set types, shapes and number of shards to those of one list for each shard.

        It raises TypeError if the shards of an element differ in type, or their size is
        unknown, and ValueError if a list has a wrong length, if the shards of an
        element are not equal parts of it, or if the frozen configuration differs.
        """
        self._configure_by_shards(input_tensors)

    def freeze(self) -> None:
        """Freeze the configuration; the defaults are 1 shard and dimension 0.

        It raises ValueError if types or shapes are not set, a rank is unknown, or a
        shape cannot be split.
        """
        if self._types is None:
            raise codes.UNKNOWN_SHAPE.value_error(
                "InfeedQueue.freeze: the types of the elements are not set; pass "
                "tuple_types, or call set_tuple_types"
            )
        if self._shapes is None or any(shape.rank is None for shape in self._shapes):
            raise codes.UNKNOWN_SHAPE.value_error(
                f"InfeedQueue.freeze: tuple_shapes is {self._shapes}, expected a shape "
                "of known rank for every element; give tuple_shapes, or call "
                "set_tuple_shapes"
            )
        self._fill_in_sharding()
        self._check_divisible()
        self._frozen = True

    # -- operations ------------------------------------------------------------

    def generate_dequeue_op(self, tpu_device: int | None = 0) -> list[Tensor]:
        """Dequeue one tuple; call this inside the replicated computation.

        This freezes the configuration.  It returns the replica's shard of each element.
        `tpu_device` is the core that dequeues; None uses the enclosing device scopes.
        It raises ValueError if the graph already dequeues from this queue, or `freeze`
        fails; OutOfRangeError at evaluation if the queue is closed and the replica has
        no tuples left; DeadlineExceededError at evaluation if no tuple arrives in time.

        Examples
        --------
        >>> queue = tf.contrib.tpu.InfeedQueue(
        ...     tuple_types=[tf.float32], tuple_shapes=[[6]])
        >>> queue.set_number_of_shards(2)
        >>> queue.generate_dequeue_op()[0].shape.as_list()
        [3]
        """
        self.freeze()
        key = self._key()
        self._check_first("generate_dequeue_op", "InfeedDequeueTuple", key)
        assert self._types is not None
        placement: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        if tpu_device is not None:
            placement = get_default_graph().device(core(tpu_device))
        with placement:
            return apply_all(
                "InfeedDequeueTuple",
                name=f"{self._name}/dequeue",
                queue=key,
                dtypes=tuple(dtype.name for dtype in self._types),
                shapes=tuple(shape.as_tuple() for shape in self._sharded_shapes()),
            )

    def generate_enqueue_ops(
        self,
        sharded_inputs: Sequence[Sequence[Any]],
        tpu_ordinal_function: Callable[[int], int] | None = None,
        placement_function: Callable[[int], str] | None = None,
    ) -> list[Operation | None]:
        """Enqueue one sharded tuple.

        This freezes the configuration.  Running the operations again adds another
        tuple.  Return one operation for each shard.  In eager mode they run immediately
        and None replaces each.  `sharded_inputs` has one list per replica, with one
        tensor for each element.  `tpu_ordinal_function` maps a shard's number to its
        device ordinal; by default -1.  The operation records it.  Shard k goes to
        replica k, wherever that runs.  `placement_function` maps a shard's number to
        the device of the operation; by default that of its tensors.  It raises the
        errors of `set_configuration_from_sharded_input_tensors` and `freeze`; and
        ValueError if the graph already adds to this queue, or the tensors of a shard
        are on different devices and there is no `placement_function`.

        Examples
        --------
        >>> queue = tf.contrib.tpu.InfeedQueue(
        ...     number_of_tuple_elements=1, name="images")
        >>> shards = [[tf.zeros([3])], [tf.ones([3])]]
        >>> [operation.name for operation in queue.generate_enqueue_ops(shards)]
        ['images/enqueue/0', 'images/enqueue/1']
        >>> queue.tuple_shapes
        [TensorShape([Dimension(6)])]
        """
        shards = self._configure_by_shards(sharded_inputs)
        self.freeze()
        key = self._key()
        self._check_first("generate_enqueue_ops", "InfeedEnqueueTuple", key)
        return self._enqueue_shards(
            key, shards, tpu_ordinal_function, placement_function
        )

    def split_inputs_and_generate_enqueue_ops(
        self,
        inputs: Sequence[Any],
        device_assignment: DeviceAssignment | None = None,
        placement_function: Callable[[int], str] | None = None,
        tpu_ordinal_function: Callable[[int], int] | None = None,
    ) -> list[Operation | None]:
        """Split one whole tuple and add it.

        This freezes the configuration.  Running the operations again adds another
        tuple.  `device_assignment` maps replicas to hosts and ordinals; the default is
        eight cores per host, in order.  `placement_function` and `tpu_ordinal_function`
        are as for `generate_enqueue_ops`; they override `device_assignment`.  It raises
        ValueError if the graph already adds to this queue, a tensor cannot be split, or
        the frozen configuration differs.

        Examples
        --------
        >>> queue = tf.contrib.tpu.InfeedQueue(
        ...     number_of_tuple_elements=1, shard_dimensions=[1])
        >>> queue.set_number_of_shards(2)
        >>> operations = queue.split_inputs_and_generate_enqueue_ops([tf.zeros([3, 4])])
        >>> [operation.inputs[0].shape.as_list() for operation in operations]
        [[3, 2], [3, 2]]
        """
        tensors = self._configure(inputs)
        self.freeze()
        key = self._key()
        self._check_first(
            "split_inputs_and_generate_enqueue_ops", "InfeedEnqueueTuple", key
        )
        return self._enqueue_shards(
            key,
            self._split(tensors),
            tpu_ordinal_function or ordinals(device_assignment),
            placement_function or hosts(device_assignment),
        )

    def generate_close_op(self) -> Operation | None:
        """End the input: replicas take the remaining tuples, then reach the end.

        TensorFlow's queue has no such operation.  Run the operation after adding the
        last tuple.  In eager mode the queue is closed immediately and None is returned.

        Examples
        --------
        >>> queue = tf.contrib.tpu.InfeedQueue(
        ...     tuple_types=[tf.int32], tuple_shapes=[[]])
        >>> out = tf.tpu.rewrite(lambda fed: fed + 1, infeed_queue=queue)
        >>> with tf.Session() as sess:
        ...     sess.run(queue.generate_close_op())
        ...     try:
        ...         sess.run(out)
        ...     except tf.errors.OutOfRangeError:
        ...         print("no more input")
        no more input
        """
        return perform("InfeedClose", [], f"{self._name}/close", queue=self._key())

    # -- implementation --------------------------------------------------------

    def _check_length(self, argument: str, values: Sequence[Any]) -> None:
        if _length(argument, values) != self._number_of_elements:
            raise codes.WRONG_COUNT.value_error(
                f"InfeedQueue: {argument} is {values!r}, expected a list of length "
                f"{self._number_of_elements}, the number of tuple elements"
            )

    def _frozen_error(self, argument: str, frozen: object, given: object) -> ValueError:
        return codes.FROZEN.value_error(
            f"InfeedQueue: {argument} is frozen to {frozen}, got {given}; configure "
            "the queue before operations or tf.tpu.replicate use it"
        )

    def _fill_in_sharding(self) -> None:
        self._shards = self._shards or 1
        self._dimensions = [dimension or 0 for dimension in self._dimensions]

    def _check_divisible(self) -> None:
        if self._shapes is None or self._shards is None:
            return
        for shape, dimension in zip(self._shapes, self._dimensions, strict=True):
            if dimension is not None:
                sharded_shape(shape, dimension, self._shards)

    def _sharded_shapes(self) -> list[TensorShape]:
        assert self._shapes is not None and self._shards is not None
        return [
            sharded_shape(shape, dimension or 0, self._shards)
            for shape, dimension in zip(self._shapes, self._dimensions, strict=True)
        ]

    def _tensors(self, values: Sequence[Any]) -> list[Tensor]:
        """Convert the elements of a tuple, to the declared types if possible."""
        self._check_length("input_tensors", values)
        hints: Sequence[DType | None] = self._types or [None] * len(values)
        return [
            convert_to_tensor(value, dtype_hint=hint)
            for value, hint in zip(values, hints, strict=True)
        ]

    def _configure(self, inputs: Sequence[Any]) -> list[Tensor]:
        tensors = self._tensors(inputs)
        self.set_tuple_shapes([tensor.shape for tensor in tensors])
        self.set_tuple_types([tensor.dtype for tensor in tensors])
        return tensors

    def _configure_by_shards(
        self, sharded_inputs: Sequence[Sequence[Any]]
    ) -> list[list[Tensor]]:
        if not self._frozen:
            self._shapes = None  # the new shapes may divide differently
        self.set_number_of_shards(_length("input_tensors", sharded_inputs))
        shards = [self._tensors(values) for values in sharded_inputs]
        self._fill_in_sharding()
        shapes = [
            whole_shape([tensor.shape for tensor in element], dimension or 0)
            for element, dimension in zip(
                zip(*shards, strict=True), self._dimensions, strict=True
            )
        ]
        self.set_tuple_shapes(shapes)
        types = [[tensor.dtype for tensor in tensors] for tensors in shards]
        if any(own != types[0] for own in types):
            raise codes.UNEVEN_SHARDS.type_error(
                f"InfeedQueue: the shards of input_tensors have the types {types}, "
                "expected the same types in every shard"
            )
        self.set_tuple_types(types[0])
        return shards

    def _key(self) -> str:
        """Return the name of the queue in all graphs and sessions.

        Its first part is unique in the graph that uses the queue first.
        """
        if self._shared_name is None:
            queues = get_default_graph().queues
            taken = {key.partition("@")[0] for key in queues}
            name, suffix = self._name, 0
            while name in taken:
                suffix += 1
                name = f"{self._name}_{suffix}"
            self._shared_name = f"{name}@{secrets.token_hex(8)}"
            queues[self._shared_name] = self
        return self._shared_name

    def _check_first(self, method: str, op: str, key: str) -> None:
        for operation in get_default_graph().get_operations():
            if operation.type == op and operation.attrs["queue"] == key:
                raise codes.FROZEN.value_error(
                    f"InfeedQueue.{method}: the graph already has an {op} of queue "
                    f"{key.partition('@')[0]!r}, built at {operation.site}; run that "
                    "one again, or create another queue"
                )

    def _split(self, tensors: Sequence[Tensor]) -> list[list[Tensor]]:
        """Return the elements of each shard."""
        assert self._shards is not None
        if self._shards == 1:
            return [list(tensors)]
        parts = []
        elements = zip(tensors, self._dimensions, strict=True)
        for k, (tensor, dimension) in enumerate(elements):
            with beside(tensor):
                parts.append(
                    apply_all(
                        "Split",
                        tensor,
                        name=f"{self._name}/split/{k}",
                        axis=dimension,
                        sizes=(None,) * self._shards,
                    )
                )
        return [list(shard) for shard in zip(*parts, strict=True)]

    def _enqueue_shards(
        self,
        key: str,
        shards: Sequence[Sequence[Tensor]],
        ordinal_of: Callable[[int], int] | None,
        device_of: Callable[[int], str] | None,
    ) -> list[Operation | None]:
        if device_of is None:
            for shard, tensors in enumerate(shards):
                check_one_device(shard, tensors)
        return [
            self._enqueue_shard(key, k, tensors, ordinal_of, device_of)
            for k, tensors in enumerate(shards)
        ]

    def _enqueue_shard(
        self,
        key: str,
        shard: int,
        tensors: Sequence[Tensor],
        ordinal_of: Callable[[int], int] | None,
        device_of: Callable[[int], str] | None,
    ) -> Operation | None:
        if device_of is None:
            placement = beside(tensors[0])
        else:
            placement = get_default_graph().device(device_of(shard))
        with placement:
            return perform(
                "InfeedEnqueueTuple",
                tensors,
                f"{self._name}/enqueue/{shard}",
                queue=key,
                shard=shard,
                device_ordinal=-1 if ordinal_of is None else ordinal_of(shard),
            )


def _number_of_elements(number: int | None, *lists: Sequence[Any] | None) -> int:
    if number is not None:
        return _positive("number_of_tuple_elements", number)
    names = ("tuple_types", "tuple_shapes", "shard_dimensions")
    for name, values in zip(names, lists, strict=True):
        if values is not None:
            return _positive("number_of_tuple_elements", _length(name, values))
    raise codes.UNKNOWN_SHAPE.value_error(
        "InfeedQueue: the number of tuple elements is unknown; pass "
        "number_of_tuple_elements, tuple_types, tuple_shapes or shard_dimensions"
    )


def _length(argument: str, values: Sequence[Any]) -> int:
    try:
        return len(values)
    except TypeError:
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"InfeedQueue: {argument} must be a list, got {values!r}"
        ) from None


def _positive(argument: str, value: int) -> int:
    """Return a number of shards or elements: at least 1, at most `MAX_REPLICAS`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise codes.WRONG_ARGUMENT_TYPE.type_error(
            f"InfeedQueue: {argument} must be an integer, got {value!r} of type "
            f"{type(value).__name__}"
        ) from None
    if not 1 <= number <= MAX_REPLICAS:
        bound = "1 or more" if number < 1 else f"{MAX_REPLICAS} or less"
        raise codes.UNEVEN_SHARDS.value_error(
            f"InfeedQueue: {argument} must be {bound}, got {number}"
        )
    return number
