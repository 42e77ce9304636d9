"""Infeed and outfeed of the cores: each core has one queue in each direction."""

from collections.abc import Sequence
from functools import partial

from tpuref.base import error_codes as codes
from tpuref.base.dtypes import as_dtype
from tpuref.base.errors import InvalidArgumentError
from tpuref.base.shapes import TensorShape
from tpuref.base.spec import TensorSpec, specs_of
from tpuref.engine.ops.context import EffectContext
from tpuref.engine.ops.definition import Effects, OpDef, Operand, Place
from tpuref.engine.ops.meaning import Array

Sizes = tuple[int | None, ...]

CORES_PER_HOST = 8
"""The cores of one task; an ordinal counts them."""


def _infer_host_put(
    *elements: Operand,
    queue: str,
    shapes: tuple[Sizes, ...],
    task: int,
    device_ordinal: int,
) -> Sequence[TensorSpec]:
    return ()


def infer_core_take(
    *, queue: str, dtypes: tuple[str, ...], shapes: tuple[Sizes, ...]
) -> Sequence[TensorSpec]:
    """Return the specs of a tuple that a core takes from a queue."""
    return specs_of(dtypes, shapes)


def _infer_core_put(*elements: Operand, queue: str) -> Sequence[TensorSpec]:
    return ()


def _infer_host_take(
    *,
    queue: str,
    dtypes: tuple[str, ...],
    shapes: tuple[Sizes, ...],
    task: int,
    device_ordinal: int,
) -> Sequence[TensorSpec]:
    return infer_core_take(queue=queue, dtypes=dtypes, shapes=shapes)


def _enqueue_infeed(
    context: EffectContext,
    *elements: Array,
    queue: str,
    shapes: tuple[Sizes, ...],
    task: int,
    device_ordinal: int,
) -> Sequence[Array]:
    own = [array.shape for array in elements]
    if not all(map(_fits, own, shapes)):
        raise InvalidArgumentError(
            f"the tensors have the shapes {own}, but shapes says {list(shapes)}; "
            "pass the shapes of the tensors",
            code=codes.FEED_MISMATCH,
        )
    _put(context, queue, _core(task, device_ordinal), elements)
    return ()


def _dequeue_infeed(
    context: EffectContext,
    *,
    queue: str,
    dtypes: tuple[str, ...],
    shapes: tuple[Sizes, ...],
) -> Sequence[Array]:
    return _take(context, queue, _own_core(context), dtypes, shapes)


def _enqueue_outfeed(
    context: EffectContext, *elements: Array, queue: str
) -> Sequence[Array]:
    _put(context, queue, _own_core(context), elements)
    return ()


def _dequeue_outfeed(
    context: EffectContext,
    *,
    queue: str,
    dtypes: tuple[str, ...],
    shapes: tuple[Sizes, ...],
    task: int,
    device_ordinal: int,
) -> Sequence[Array]:
    return _take(context, queue, _core(task, device_ordinal), dtypes, shapes)


def _put(
    context: EffectContext, queue: str, core: int, elements: Sequence[Array]
) -> None:
    run = context.run
    run.state.device_queues(queue).put(core, elements, run.timeout, run.watch)


def _take(
    context: EffectContext,
    queue: str,
    core: int,
    dtypes: tuple[str, ...],
    shapes: tuple[Sizes, ...],
) -> Sequence[Array]:
    """Take a tuple; InvalidArgumentError if its dtypes or shapes do not fit."""
    run = context.run
    queues = run.state.device_queues(queue)
    arrays: Sequence[Array] = queues.take(core, run.timeout, run.watch)
    wanted = specs_of(dtypes, shapes)
    specs = [TensorSpec(a.shape, as_dtype(a.dtype)) for a in arrays]
    fits = len(specs) == len(wanted) and all(
        a.dtype == b.dtype and _fits(a.shape.as_tuple(), b.shape.as_tuple())
        for a, b in zip(specs, wanted, strict=True)
    )
    if not fits:
        raise InvalidArgumentError(
            f"the next tuple in the queue of core {core} is {_describe(specs)}, "
            f"expected {_describe(wanted)}; give dtypes and shapes as they are "
            "enqueued",
            code=codes.FEED_MISMATCH,
        )
    return arrays


def _fits(shape: Sizes, wanted: Sizes) -> bool:
    return TensorShape(shape).is_compatible_with(TensorShape(wanted))


def _describe(specs: Sequence[TensorSpec]) -> str:
    return f"({', '.join(spec.describe() for spec in specs)})"


def _core(task: int, device_ordinal: int) -> int:
    if not 0 <= device_ordinal < CORES_PER_HOST:
        raise InvalidArgumentError(
            f"device_ordinal is {device_ordinal}, expected the number of a core of the "
            f"host, 0 to {CORES_PER_HOST - 1}, where the operation runs on a CPU",
            code=codes.FEED_MISPLACED,
        )
    return task * CORES_PER_HOST + device_ordinal


def _own_core(context: EffectContext) -> int:
    """Return the physical core that runs the operation."""
    cores: tuple[tuple[int, ...], ...] = context.run.cores
    if not cores:
        raise InvalidArgumentError(
            "it uses the queue of its core, so it has to be in a computation of "
            "tf.tpu.replicate, tf.tpu.shard or tf.tpu.rewrite",
            code=codes.FEED_MISPLACED,
        )
    logical: int = max(context.instr.core, 0)  # a host part belongs to the first core
    return cores[context.replica][logical]


_op = partial(OpDef, gradient="effects")
_host = partial(_op, place=Place.HOST)

OPERATIONS: tuple[OpDef, ...] = (
    _host(
        "CoreInfeedEnqueue",
        _infer_host_put,
        effects=Effects(_enqueue_infeed, fills="queue"),
    ),
    _op(
        "CoreInfeedDequeue",
        infer_core_take,
        place=Place.CALL,
        effects=Effects(_dequeue_infeed, drains="queue"),
    ),
    _op(
        "OutfeedEnqueue",
        _infer_core_put,
        place=Place.CALL,
        effects=Effects(_enqueue_outfeed, fills="queue"),
    ),
    _host(
        "OutfeedDequeue",
        _infer_host_take,
        effects=Effects(_dequeue_outfeed, drains="queue"),
    ),
)
