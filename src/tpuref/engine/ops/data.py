"""Iterators over datasets, and the feeds of loops."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from tpuref.base.dtypes import bool_
from tpuref.base.errors import OutOfRangeError
from tpuref.base.spec import TensorSpec, specs_of
from tpuref.engine.ops.context import EffectContext, Iteration
from tpuref.engine.ops.definition import Effects, OpDef, Operand, Place
from tpuref.engine.ops.meaning import Array
from tpuref.engine.ops.ownership import owned

Sizes = tuple[int | None, ...]

# -- what is known beforehand ------------------------------------------------------


def _infer_make(*captured: Operand, iterator: str, token: int) -> Sequence[TensorSpec]:
    return ()


def _next(
    *,
    iterator: str,
    token: int | None,
    dtypes: tuple[str, ...],
    shapes: tuple[Sizes | None, ...],
) -> Sequence[TensorSpec]:
    return specs_of(dtypes, shapes)


def _next_if_any(
    *,
    iterator: str,
    token: int | None,
    dtypes: tuple[str, ...],
    shapes: tuple[Sizes | None, ...],
) -> Sequence[TensorSpec]:
    specs = _next(iterator=iterator, token=token, dtypes=dtypes, shapes=shapes)
    return (*specs, TensorSpec([], bool_))


def _infer_begin_feed(
    steps: Operand,
    *,
    feed: str,
    iterator: str,
    token: int | None,
    towers: int,
    width: int,
) -> Sequence[TensorSpec]:
    return ()


def _infer_feed(
    *, feed: str, dtypes: tuple[str, ...], shapes: tuple[Sizes, ...]
) -> Sequence[TensorSpec]:
    return specs_of(dtypes, shapes)


# -- taking elements ---------------------------------------------------------------


def _make(
    context: EffectContext, *captured: Array, iterator: str, token: int
) -> Sequence[Array]:
    run = context.run
    kept = list(map(owned, captured))
    run.state.begin_iteration(iterator, run.functions[token](kept, run))
    return ()


def _get_next(
    context: EffectContext, *, iterator: str, token: int | None, **attrs: Any
) -> Sequence[Array]:
    return _iteration(context, iterator, token).next()


def _get_next_if_any(
    context: EffectContext,
    *,
    iterator: str,
    token: int | None,
    dtypes: tuple[str, ...],
    shapes: tuple[Sizes | None, ...],
) -> Sequence[Array]:
    """Return the next element and True; after the last one zeros and False."""
    try:
        return (*_iteration(context, iterator, token).next(), np.array(True))
    except OutOfRangeError:
        specs = _next(iterator=iterator, token=token, dtypes=dtypes, shapes=shapes)
        return (*map(blank, specs), np.array(False))


def blank(spec: TensorSpec) -> Array:
    """Return zeros for an element that is absent; unknown sizes are 0."""
    sizes = spec.shape.as_tuple() if spec.shape.rank else ()
    return np.zeros([size or 0 for size in sizes], spec.dtype.as_numpy_dtype)


def _iteration(context: EffectContext, iterator: str, token: int | None) -> Iteration:
    """Return the pass of an iterator; one with a token starts by itself."""
    run = context.run
    if token is not None and not run.state.has_iteration(iterator):
        run.state.begin_iteration(iterator, run.functions[token]((), run))
    iteration: Iteration = run.state.iteration(iterator)
    return iteration


def _begin_feed(
    context: EffectContext,
    steps: Array,
    *,
    feed: str,
    iterator: str,
    token: int | None,
    towers: int,
    width: int,
) -> Sequence[Array]:
    iteration = _iteration(context, iterator, token)
    context.run.state.begin_feed(feed, iteration, towers, width, int(steps))
    return ()


def _take(
    context: EffectContext, *count: Array, feed: str, **attrs: Any
) -> Sequence[Array]:
    """Return one element, or several for a core that prefetches."""
    wanted = int(count[0]) if count else 1
    taken: Sequence[Array] = context.run.state.feed(feed).next(context.replica, wanted)
    return taken


_op = partial(OpDef, gradient="effects")
_host = partial(_op, place=Place.HOST)

OPERATIONS: tuple[OpDef, ...] = (
    _host("MakeIterator", _infer_make, effects=Effects(_make, client=True)),
    _host("IteratorGetNext", _next, effects=Effects(_get_next, client=True)),
    _host(
        "IteratorGetNextAsOptional",
        _next_if_any,
        effects=Effects(_get_next_if_any, client=True),
    ),
    _host("FeedBegin", _infer_begin_feed, effects=Effects(_begin_feed, client=True)),
    _op(
        "FeedDequeue",
        _infer_feed,
        place=Place.CALL,
        effects=Effects(_take, client=True, drains="feed", ahead=True),
    ),
)
