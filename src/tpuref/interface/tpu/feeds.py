"""Infeed and outfeed of the cores, without a queue object.

Every core has one queue per direction and session.  The host addresses a core by
`device_ordinal` and the task of the operation's device; a computation uses the queues
of its core.
"""

from collections.abc import Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.arguments import name_or, wrong_type
from tpuref.base.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool_,
    complex64,
    float32,
    int32,
    int64,
    uint32,
)
from tpuref.base.shapes import as_shape
from tpuref.engine.graph.build import apply_all, perform
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import get_default_graph
from tpuref.engine.graph.tensor import Operation, Tensor
from tpuref.interface.functions.arguments import static_integer

_INFEED, _OUTFEED = "core infeed", "core outfeed"
_INFEED_TYPES = (bool_, int32, int64, bfloat16, float32, complex64, uint32)


def infeed_enqueue(
    input: Any,
    shape: Any = (),
    layout: Sequence[int] = (),
    device_ordinal: int = -1,
    name: str | None = None,
) -> Operation | None:
    """Send one tensor to a core; see `infeed_enqueue_tuple`."""
    return _enqueue("infeed_enqueue", [input], [shape], device_ordinal, name)


def infeed_enqueue_tuple(
    inputs: Sequence[Any],
    shapes: Sequence[Any],
    layouts: Sequence[int] = (),
    device_ordinal: int = -1,
    name: str | None = None,
) -> Operation | None:
    """Send a tuple of tensors to the infeed of a core.

    It is ``tf.contrib.tpu.infeed_enqueue_tuple`` of releases 1.11 to 1.15.  The
    operation waits while the queue of the core is full.  In eager mode it runs
    immediately.  `device_ordinal` is the number of the core on its host; -1 if the
    operation is placed on a core with ``tf.device("/device:TPU:3")``.  It raises
    ValueError if the lists differ in length or are empty; at evaluation
    `tf.errors.InvalidArgumentError` if the operation runs on a CPU and `device_ordinal`
    is -1, or a tensor has another shape, and `tf.errors.ResourceExhaustedError` if the
    queue stays full until the deadline.

    Examples
    --------
    >>> def computation():
    ...     x, = tf.contrib.tpu.infeed_dequeue_tuple([tf.float32], [[2]])
    ...     return tf.contrib.tpu.outfeed_enqueue_tuple([x * 2.0])
    >>> step = tf.tpu.shard(computation, num_shards=2)
    >>> feed = [tf.contrib.tpu.infeed_enqueue_tuple(
    ...     [tf.constant([core, 10.0])], [[2]], device_ordinal=core)
    ...     for core in range(2)]
    >>> taken = [tf.contrib.tpu.outfeed_dequeue_tuple(
    ...     [tf.float32], [[2]], device_ordinal=core) for core in range(2)]
    >>> with tf.Session() as sess:
    ...     _, _, values = sess.run([feed, step, taken])
    >>> [value.tolist() for (value,) in values]
    [[0.0, 20.0], [2.0, 20.0]]
    """
    function = "infeed_enqueue_tuple"
    tensors = _list(function, "inputs", inputs)
    return _enqueue(
        function, tensors, _list(function, "shapes", shapes), device_ordinal, name
    )


def infeed_dequeue(dtype: Any, shape: Any, name: str | None = None) -> Tensor:
    """Dequeue one tensor from the infeed of this core; see `infeed_dequeue_tuple`."""
    return _dequeue_infeed("infeed_dequeue", [dtype], [shape], name)[0]


def infeed_dequeue_tuple(
    dtypes: Sequence[Any], shapes: Sequence[Any], name: str | None = None
) -> list[Tensor]:
    """Dequeue the next tuple from the infeed of this core.

    Call it inside a computation.  It is ``tf.contrib.tpu.infeed_dequeue_tuple`` of
    releases 1.11 to 1.15.

    It raises TypeError if a dtype is not one of bool, int32, int64, uint32, bfloat16,
    float32 and complex64, or `dtypes` or `shapes` is not a list, and ValueError if the
    lists differ in length or are empty.  At evaluation it raises
    `tf.errors.DeadlineExceededError` if no tuple arrives in time, and
    `tf.errors.InvalidArgumentError` if the tuple has other types or shapes, or outside
    of a computation.
    """
    return _dequeue_infeed("infeed_dequeue_tuple", dtypes, shapes, name)


def outfeed_enqueue(input: Any, name: str | None = None) -> Operation | None:
    """Send one tensor from this core to the host; see `outfeed_enqueue_tuple`."""
    return _enqueue_outfeed([input], name)


def outfeed_enqueue_tuple(
    inputs: Sequence[Any], name: str | None = None
) -> Operation | None:
    """Send a tuple of tensors from this core to the host.

    Call it inside a computation.  The host receives it with `outfeed_dequeue_tuple`. It
    is ``tf.contrib.tpu.outfeed_enqueue_tuple`` of releases 1.11 to 1.15.  It raises
    ValueError if the tuple is empty, and at evaluation
    `tf.errors.ResourceExhaustedError` if the queue stays full until the deadline.
    """
    tensors = _list("outfeed_enqueue_tuple", "inputs", inputs)
    _check_alike("outfeed_enqueue_tuple", "inputs", tensors, tensors)
    return _enqueue_outfeed(tensors, name)


def outfeed_dequeue(
    dtype: Any, shape: Any, device_ordinal: int = -1, name: str | None = None
) -> Tensor:
    """Dequeue one tensor from the outfeed of a core; see `outfeed_dequeue_tuple`."""
    return _dequeue_outfeed("outfeed_dequeue", [dtype], [shape], device_ordinal, name)[
        0
    ]


def outfeed_dequeue_tuple(
    dtypes: Sequence[Any],
    shapes: Sequence[Any],
    device_ordinal: int = -1,
    name: str | None = None,
) -> list[Tensor]:
    """Dequeue the next tuple from the outfeed of a core, waiting for it.

    It is ``tf.contrib.tpu.outfeed_dequeue_tuple`` of releases 1.11 to 1.15.  `dtypes`
    and `shapes` are the type and shape of each element.  `device_ordinal` and `name`
    are as for `infeed_enqueue_tuple`.

    It raises TypeError if `dtypes` or `shapes` is not a list, and ValueError if the
    lists differ in length or are empty.  At evaluation it raises
    `tf.errors.DeadlineExceededError` if no tuple arrives in time,
    `tf.errors.AbortedError` if a computation that sends tuples fails meanwhile, and
    `tf.errors.InvalidArgumentError` if the tuple has other types or shapes, or the
    operation runs on a CPU and `device_ordinal` is -1.
    """
    return _dequeue_outfeed(
        "outfeed_dequeue_tuple", dtypes, shapes, device_ordinal, name
    )


def _enqueue(
    function: str, inputs: list[Any], shapes: list[Any], ordinal: int, name: str | None
) -> Operation | None:
    _check_alike(function, "inputs", inputs, shapes)
    return perform(
        "CoreInfeedEnqueue",
        [convert_to_tensor(value) for value in inputs],
        name_or(name, _type(function)),
        queue=_INFEED,
        shapes=_sizes(shapes),
        **_core(function, ordinal),
    )


def _dequeue_infeed(
    function: str, dtypes: Any, shapes: Any, name: str | None
) -> list[Tensor]:
    attrs = _elements(function, dtypes, shapes)
    for dtype in map(as_dtype, attrs["dtypes"]):
        if dtype not in _INFEED_TYPES:
            raise codes.FEED_MISMATCH.type_error(
                f"tf.contrib.tpu.{function}: no infeed of {dtype.name}; cast it to "
                f"one of {', '.join(kind.name for kind in _INFEED_TYPES)}"
            )
    label = name_or(name, _type(function))
    return apply_all("CoreInfeedDequeue", name=label, queue=_INFEED, **attrs)


def _enqueue_outfeed(inputs: list[Any], name: str | None) -> Operation | None:
    tensors = [convert_to_tensor(value) for value in inputs]
    return perform(
        "OutfeedEnqueue", tensors, name_or(name, "OutfeedEnqueue"), queue=_OUTFEED
    )


def _dequeue_outfeed(
    function: str, dtypes: Any, shapes: Any, ordinal: int, name: str | None
) -> list[Tensor]:
    return apply_all(
        "OutfeedDequeue",
        name=name_or(name, _type(function)),
        queue=_OUTFEED,
        **_elements(function, dtypes, shapes),
        **_core(function, ordinal),
    )


def _type(function: str) -> str:
    return "".join(word.capitalize() for word in function.split("_"))


def _list(function: str, argument: str, values: Any) -> list[Any]:
    if not isinstance(values, (list, tuple)):
        raise wrong_type(f"tf.contrib.tpu.{function}: {argument}", "a list", values)
    return list(values)


def _check_alike(
    function: str, argument: str, values: Sequence[Any], shapes: Sequence[Any]
) -> None:
    if not values or len(values) != len(shapes):
        raise codes.WRONG_COUNT.value_error(
            f"tf.contrib.tpu.{function}: {argument} has {len(values)} entries and "
            f"shapes has {len(shapes)}; pass one or more, and a shape for each"
        )


def _elements(function: str, dtypes: Any, shapes: Any) -> dict[str, Any]:
    types: list[DType] = [as_dtype(d) for d in _list(function, "dtypes", dtypes)]
    sizes = _list(function, "shapes", shapes)
    _check_alike(function, "dtypes", types, sizes)
    return {"dtypes": tuple(dtype.name for dtype in types), "shapes": _sizes(sizes)}


def _sizes(shapes: Sequence[Any]) -> tuple[tuple[int | None, ...], ...]:
    return tuple(as_shape(shape).as_tuple() for shape in shapes)


def _core(function: str, device_ordinal: int) -> dict[str, int]:
    """Return the task and the ordinal of the core that the host addresses."""
    label = f"tf.contrib.tpu.{function}: device_ordinal"
    place = get_default_graph().current_device
    ordinal = static_integer(device_ordinal, label)
    if ordinal == -1 and place.kind == "TPU":
        ordinal = place.index or 0
    return {"task": place.task or 0, "device_ordinal": ordinal}
