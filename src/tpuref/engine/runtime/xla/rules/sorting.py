"""Orders, the greatest, and places in an order."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tpuref.engine.ops.arithmetic import widened
from tpuref.engine.runtime.xla.rules import Rule


def _order(values: Any, axis: int, descending: bool) -> Any:
    """Return the indices that sort along `axis`; the sort is stable."""
    wide = widened(jnp.asarray(values))
    if not descending:
        return jnp.argsort(wide, axis, stable=True)
    backwards = jnp.argsort(jnp.flip(wide, axis), axis, stable=True)
    return values.shape[axis] - 1 - jnp.flip(backwards, axis)


def _sort(xp: Any, values: Any, *, axis: int, descending: bool) -> Any:
    order = _order(values, axis, descending)
    return jnp.take_along_axis(jnp.asarray(values), order, axis)


def _arg_sort(xp: Any, values: Any, *, axis: int, descending: bool) -> Any:
    return _order(values, axis, descending)


def _top_k(xp: Any, values: Any, k: Any) -> Any:
    count = int(k)
    if not 0 <= count <= values.shape[-1]:
        raise ValueError(
            f"k is {count}; expected 0 or more, and no more than the size "
            f"{values.shape[-1]} of the last axis"
        )
    indices = _order(values, -1, True)[..., :count]
    return jnp.take_along_axis(jnp.asarray(values), indices, -1), indices


def _in_top_k(xp: Any, predictions: Any, targets: Any, k: Any) -> Any:
    if len(predictions) != len(targets):
        raise ValueError("expected one target for each row of predictions")
    valid = (targets >= 0) & (targets < predictions.shape[1])
    chosen = jnp.where(valid, targets, 0)[:, None].astype(np.int64)
    target = jnp.take_along_axis(jnp.asarray(predictions), chosen, 1)
    finite = jnp.all(jnp.isfinite(predictions), 1)
    return valid & finite & (jnp.sum(predictions > target, 1) < k)


def _search(xp: Any, ordered: Any, values: Any, *, side: str, out_type: str) -> Any:
    if ordered.shape[:-1] != values.shape[:-1]:
        raise ValueError("expected equal shapes except along the last axis")
    outer = math.prod(values.shape[:-1])
    rows = widened(jnp.asarray(ordered)).reshape(outer, ordered.shape[-1])
    wanted = widened(jnp.asarray(values)).reshape(outer, values.shape[-1])
    places = jax.vmap(lambda row, own: jnp.searchsorted(row, own, side))(rows, wanted)
    return places.reshape(values.shape).astype(out_type)


RULES: dict[str, Rule] = {
    "Sort": _sort,
    "ArgSort": _arg_sort,
    "TopKV2": _top_k,
    "InTopKV2": _in_top_k,
    "SearchSorted": _search,
}
