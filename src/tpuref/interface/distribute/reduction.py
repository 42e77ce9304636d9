"""Combine the towers' values: their sum, their mean, or the first tower's value."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tpuref.base import error_codes as codes
from tpuref.base.callsite import user_site
from tpuref.base.dtypes import float64
from tpuref.engine.graph.aggregation import VariableAggregation
from tpuref.engine.graph.build import apply_one
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.default import executing_eagerly
from tpuref.engine.graph.tensor import Tensor
from tpuref.engine.graph.variables import Variable
from tpuref.engine.ops.reductions import MEAN
from tpuref.engine.runtime.log import advice
from tpuref.interface.distribute.values import (
    DistributedValues,
    MapOutput,
    Mirrored,
    PerDevice,
)
from tpuref.interface.functions.conversion import cast

_log = advice()

ACCEPTED = (
    VariableAggregation.SUM,
    VariableAggregation.MEAN,
    VariableAggregation.ONLY_FIRST_TOWER,
)


def check_aggregation(function: str, aggregation: Any) -> None:
    """Raise an error for an aggregation other than the three documented ones."""
    if aggregation not in ACCEPTED:
        raise codes.NO_AGGREGATION.value_error(
            f"{function}: aggregation must be tf.VariableAggregation.SUM, MEAN or "
            f"ONLY_FIRST_TOWER, got {aggregation!r}"
        )


def check_numbers(
    function: str, aggregation: VariableAggregation, tensors: Sequence[Tensor]
) -> None:
    """Raise an error for a sum of text or of booleans."""
    dtype = tensors[0].dtype
    if aggregation is VariableAggregation.ONLY_FIRST_TOWER or dtype.is_numeric:
        return
    raise codes.NOT_REDUCIBLE.value_error(
        f"{function}: {aggregation.name} takes numbers, the towers hold {dtype.name}; "
        "use tf.cast(value, tf.int32) in the towers, or "
        "tf.VariableAggregation.ONLY_FIRST_TOWER"
    )


def contributions(function: str, value: Any, towers: Sequence[str]) -> list[Tensor]:
    """Return each tower's contribution to a reduction.

    `value` has a component for each of the towers' devices, or is a result of
    ``strategy.map``; with a single tower, it may be the tower's value.
    """
    if isinstance(value, MapOutput):
        parts = value.get()
    elif isinstance(value, PerDevice) and list(value.index) == list(towers):
        parts = value.components
    elif len(towers) == 1 and not isinstance(value, (DistributedValues, Variable)):
        parts = [value]
    else:
        raise codes.NOT_REDUCIBLE.value_error(f"{_wrong_kind(function, value, towers)}")
    tensors = _tensors(function, parts)
    _check_alike(function, tensors)
    return tensors


def warn_of_means(tensors: Sequence[Tensor]) -> None:
    """Log a warning if the values to be summed are means already."""
    if len(tensors) > 1 and all(_is_mean(tensor) for tensor in tensors):
        _log.warning(
            "reduce: SUM of %s, which already is a mean over the batch of each of the "
            "%d towers, gives %d times the mean over the whole batch; use "
            "tf.VariableAggregation.MEAN, or divide by %d [%s]. Built at %s",
            "a value" if executing_eagerly() else tensors[0].name,
            len(tensors),
            len(tensors),
            len(tensors),
            codes.SUM_OF_MEANS,
            user_site(),
        )


def _is_mean(tensor: Tensor) -> bool:
    while tensor.op.definition.traits.linear:
        tensor = tensor.op.inputs[0]
    return tensor.op.definition is MEAN


def _wrong_kind(function: str, value: Any, towers: Sequence[str]) -> str:
    wanted = (
        f"{function}: value must be a per-device value with one component for each of "
        f"the {len(towers)} towers, as call_for_each_tower returns it"
    )
    if isinstance(value, PerDevice):
        return f"{wanted}; got {len(value)} components, {value!r}"
    if isinstance(value, Variable):
        return f"{wanted}, got {value!r}; use strategy.read_var(variable) for its value"
    if isinstance(value, Mirrored):
        return (
            f"{wanted}, got {value!r}, which is the same on all devices and needs no "
            "reduction; strategy.unwrap(value)[0] is its value"
        )
    return (
        f"{wanted}, got {value!r}, one value for all towers. If the function returned "
        "the same object in every tower, let it return tf.identity(value); to copy one "
        "value to all devices use strategy.broadcast(value)"
    )


def _tensors(function: str, parts: Sequence[Any]) -> list[Tensor]:
    if not parts:
        raise codes.NOT_REDUCIBLE.value_error(
            f"{function}: there is nothing to combine, the value is empty"
        )
    try:
        return [convert_to_tensor(part) for part in parts]
    except (TypeError, ValueError) as error:
        raise codes.NOT_REDUCIBLE.value_error(
            f"{function}: the components must be tensors or convert to them: {error}"
        ) from None


def _check_alike(function: str, tensors: Sequence[Tensor]) -> None:
    first = tensors[0]
    for tower, tensor in enumerate(tensors):
        if tensor.dtype != first.dtype or not tensor.shape.is_compatible_with(
            first.shape
        ):
            raise codes.NOT_REDUCIBLE.value_error(
                f"{function}: the towers' values differ: tower 0 has "
                f"{first.describe()}, tower {tower} has {tensor.describe()}; they must "
                f"be of one dtype and shape{_uneven_batch(tensors)}"
            )


def _uneven_batch(tensors: Sequence[Tensor]) -> str:
    """Return the hint for values that differ in the number of examples alone."""
    shapes = [tensor.shape.as_list() if tensor.shape.rank else [] for tensor in tensors]
    sizes = [shape[0] for shape in shapes if shape and shape[0] is not None]
    alike = len(sizes) == len(shapes) and all(s[1:] == shapes[0][1:] for s in shapes)
    if not alike:
        return ""
    return (
        f". A batch of {sum(sizes)} cannot be divided evenly among {len(sizes)} "
        f"replicas: make the batch size a multiple of {len(sizes)}, and leave an "
        "incomplete batch out with Dataset.batch(..., drop_remainder=True)\n"
        f"  at: {user_site()}"
    )


def fold(aggregation: VariableAggregation, tensors: Sequence[Tensor]) -> Tensor:
    """Return the values combined by an aggregation."""
    return finish(aggregation, len(tensors))(gathered(aggregation, tensors))


def gathered(aggregation: VariableAggregation, tensors: Sequence[Tensor]) -> Tensor:
    """Return the sum, or the first tower's value; `finish` completes a mean.

    Sums are computed in tower order; float16 and bfloat16 are added in float32 and
    rounded once.
    """
    if aggregation is VariableAggregation.ONLY_FIRST_TOWER:
        return tensors[0]
    return apply_one("TowerSum", *tensors)


def finish(aggregation: VariableAggregation, count: int) -> Callable[[Tensor], Tensor]:
    """Return the function that each destination applies to the result of `gathered`."""
    if aggregation is VariableAggregation.MEAN:
        return functools.partial(mean_of, count=count)
    return lambda total: total


def mean_of(total: Tensor, count: int) -> Tensor:
    """Return a sum divided by `count`; integers divide as float64, as in 1.11."""
    if total.dtype.is_integer:
        total = cast(total, float64)
    return total / count
