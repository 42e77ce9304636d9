"""The outputs of steps: their initial values, and those of the last step.

Inside the loop, a tensor outside of all towers has a value on every replica; the
operations of a tower use the value on its replica.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tpuref.base import error_codes as codes
from tpuref.base import nest
from tpuref.base.shapes import as_shape
from tpuref.engine.graph.build import apply
from tpuref.engine.graph.convert import convert_to_tensor
from tpuref.engine.graph.tensor import Tensor
from tpuref.interface.distribute.grouping import merged
from tpuref.interface.distribute.multi_step_context import MultiStepContext
from tpuref.interface.distribute.values import Mirrored, PerDevice, TowerOutputs
from tpuref.interface.distribute.variables import (
    DistributedVariable,
    TowerLocalVariable,
)
from tpuref.interface.functions.creation import zeros


def own(value: Any, devices: Sequence[str]) -> Tensor:
    """Return a tensor with per-core values: each tower's component on its replica."""
    if not _has_parts(value, devices):
        return convert_to_tensor(value)
    parts = [convert_to_tensor(value.get(device)) for device in devices]
    return parts[0] if len(parts) == 1 else apply("TowerOwn", *parts)


def _has_parts(value: Any, devices: Sequence[str]) -> bool:
    """Return whether a value has a component for each tower."""
    if isinstance(value, TowerLocalVariable):
        return False  # outside of towers it reads as the combined value
    agrees = isinstance(value, (Mirrored, DistributedVariable))
    return isinstance(value, PerDevice) or (agrees and value.on_devices(devices))


def first_values(
    start: Mapping[str, Any], outputs: Mapping[str, Any], devices: Sequence[str]
) -> dict[str, Any]:
    """Return the values of the outputs before the first step, by name.

    `start` has the initial values, and `given` the outputs of a step.
    """
    first = {}
    for name, value in start.items():
        first[name] = _initial_output(value, outputs.get(name), devices)
    for name, value in outputs.items():
        if name in first:
            _check_like(name, first[name], value)
        else:
            first[name] = nest.map_structure(lambda t, n=name: _zeros(n, t), value)
    return {name: first[name] for name in sorted(first)}


def _initial_output(value: Any, output: Any, devices: Sequence[str]) -> Any:
    """Return an initial value as a structure of tensors, like the output if any."""
    if isinstance(value, TowerOutputs):
        value = merged([value.get(device) for device in devices], devices)
    elif _is_for_each_tower(value, output, len(devices)):
        if isinstance(output, Tensor):
            value = PerDevice(dict(zip(devices, value, strict=True)))
        else:
            value = merged(value, devices)
    if isinstance(output, Tensor):
        return own(value, devices)  # a list converts to one tensor
    return nest.map_structure(lambda leaf: own(leaf, devices), value)


def _is_for_each_tower(value: Any, output: Any, towers: int) -> bool:
    """Return whether a value is a list with one item per tower, as from `unwrap`."""
    listed = type(value) in (list, tuple) and len(value) == towers
    return listed and output is not None and all(_fits(part, output) for part in value)


def _fits(value: Any, output: Any) -> bool:
    """Return whether a value has the structure and the static shape of an output."""
    try:
        if isinstance(output, Tensor):
            shape = value.shape if hasattr(value, "shape") else np.shape(value)
            known = output.shape.ndims is not None
            return known and as_shape(shape).is_compatible_with(output.shape)
        nest.assert_same_structure(value, output)
    except ValueError:  # structures differ, or a list is ragged
        return False
    return True


def _zeros(name: str, output: Tensor) -> Tensor:
    if not output.shape.is_fully_defined():
        raise codes.LOOP_VARIABLE_CHANGES.value_error(
            f"run_steps_on_dataset: the shape of the output {name!r}, "
            f"{output.describe()}, is not static; pass its initial value "
            "in initial_loop_values"
        )
    return zeros(output.shape.as_list(), output.dtype)


def _check_like(name: str, first: Any, output: Any) -> None:
    nest.assert_same_structure(
        first, output, a_name=f"initial_loop_values[{name!r}]", b_name="output"
    )
    for a, b in zip(nest.flatten(first), nest.flatten(output), strict=True):
        if a.dtype != b.dtype:
            raise TypeError(_mismatch(name, a, b))
        if not a.shape.is_compatible_with(b.shape):
            raise ValueError(_mismatch(name, a, b))


def _mismatch(name: str, first: Tensor, output: Tensor) -> str:
    return (
        f"run_steps_on_dataset: initial_loop_values[{name!r}] is "
        f"{first.spec.describe()}, the output that fn sets is {output.describe()}; "
        "pass a value of the dtype and shape of the output"
        f" [{codes.LOOP_VARIABLE_CHANGES}]"
    )


def last_values(
    context: MultiStepContext,
    start: Mapping[str, Any],
    by_device: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    """Return `last_step_outputs`, from the outputs by name for each tower's device."""
    first = next(iter(by_device.values()))
    merged = {}
    for name, value in first.items():
        parts = {device: outputs[name] for device, outputs in by_device.items()}
        differ = has_own_values(context.set_in_step.get(name, start.get(name)))
        merged[name] = TowerOutputs(parts) if differ else value
    return merged


def of_device(device: str, structure: Any) -> Any:
    """Return a structure with the values of the tower on a device."""

    def value(leaf: Any) -> Any:
        if isinstance(leaf, PerDevice):
            return leaf.get(device)
        return leaf.nearest() if isinstance(leaf, Mirrored) else leaf

    return nest.map_structure(value, structure)


def has_own_values(structure: Any) -> bool:
    """Return whether a structure has values that may differ between towers."""
    return any(isinstance(leaf, PerDevice) for leaf in nest.flatten(structure))
