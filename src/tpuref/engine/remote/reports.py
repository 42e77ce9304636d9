"""Devices, traces and padding reports as protobuf messages."""

from collections.abc import Iterable
from typing import Any

from tpuref.engine.remote.tensors import malformed, put_shape, shape_of
from tpuref.engine.runtime.meaning.padding import PaddedInput, Shape
from tpuref.engine.runtime.meaning.trace import CoreTrace
from tpuref.engine.runtime.topology.devices import DeviceAttributes

_NO_REPLICA = -1


def put_trace(messages: Any, trace: Iterable[CoreTrace]) -> None:
    """Append the records of operations on cores to a field."""
    for record in trace:
        messages.add(**vars(record))


def trace_of(messages: Iterable[Any]) -> list[CoreTrace]:
    """Return the records of a field."""
    return [
        CoreTrace(m.operation, m.replica, m.logical_core, m.core, m.task, m.device)
        for m in messages
    ]


def put_padded(messages: Any, inputs: Iterable[PaddedInput]) -> None:
    """Append the report of padded inputs to a field."""
    for padded in inputs:
        message = messages.add()
        message.operation = padded.operation
        message.index = padded.index
        message.name = padded.name
        for shape in padded.true_shapes:
            put_shape(message.true_shapes.add(), shape)
        put_shape(message.padded_shape, padded.padded_shape)
        message.forced_by.extend(
            _NO_REPLICA if replica is None else replica for replica in padded.forced_by
        )
        message.waste = padded.waste
        message.compilations = padded.compilations
        message.hits = padded.hits


def padded_of(messages: Iterable[Any]) -> list[PaddedInput]:
    """Return the report of a field."""
    return [
        PaddedInput(
            operation=m.operation,
            index=m.index,
            name=m.name,
            true_shapes=tuple(_static_shape(shape) for shape in m.true_shapes),
            padded_shape=_static_shape(m.padded_shape),
            forced_by=tuple(None if r == _NO_REPLICA else r for r in m.forced_by),
            waste=m.waste,
            compilations=m.compilations,
            hits=m.hits,
        )
        for m in messages
    ]


def _static_shape(message: Any) -> Shape:
    shape = shape_of(message)
    if shape is None or None in shape:
        raise malformed("the shape of a padded input is unknown")
    return tuple(size for size in shape if size is not None)


def put_devices(messages: Any, devices: Iterable[DeviceAttributes]) -> None:
    """Append devices to a field."""
    for device in devices:
        messages.add(**vars(device))


def devices_of(messages: Iterable[Any]) -> list[DeviceAttributes]:
    """Return the devices of a field."""
    return [
        DeviceAttributes(m.name, m.device_type, m.memory_limit_bytes, m.incarnation)
        for m in messages
    ]
