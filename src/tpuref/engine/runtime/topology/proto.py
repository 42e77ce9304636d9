"""The TopologyProto message and its protocol-buffer wire form, byte for byte."""

from collections.abc import Iterable
from dataclasses import dataclass

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded

_VARINT, _FIXED64, _LENGTH, _GROUP, _END_GROUP, _FIXED32 = range(6)
_MESH_SHAPE, _NUM_TASKS, _NUM_DEVICES, _COORDINATES = 1, 2, 3, 4


class DecodeError(ValueError):
    """Bytes that are not a well-formed message."""


@dataclass(frozen=True)
class TopologyProto:
    """The fields of the message; a field that was not sent has its zero value."""

    # The size of the mesh along each axis
    mesh_shape: tuple[int, ...] = ()
    # How many tasks (hosts) there are
    num_tasks: int = 0
    # How many cores each task owns
    num_tpu_devices_per_task: int = 0
    # The coordinates of every core, task by task, in one flat sequence
    device_coordinates: tuple[int, ...] = ()


def encode(message: TopologyProto) -> bytes:
    r"""Write a message as bytes; zero values and empty sequences are left out.

    Fields are in the order of their numbers, sequences packed.

    >>> encode(TopologyProto((1, 1, 2), 1, 2, (0, 0, 0, 0, 0, 1)))
    b'\n\x03\x01\x01\x02\x10\x01\x18\x02"\x06\x00\x00\x00\x00\x00\x01'
    """
    return b"".join(
        (
            _pack(_MESH_SHAPE, message.mesh_shape),
            _scalar(_NUM_TASKS, message.num_tasks),
            _scalar(_NUM_DEVICES, message.num_tpu_devices_per_task),
            _pack(_COORDINATES, message.device_coordinates),
        )
    )


def decode(data: bytes) -> TopologyProto:
    r"""Read a message from bytes, skipping fields it does not know.

    Of a number sent twice the last one counts.  It raises DecodeError, a ValueError, if
    the bytes end inside a field or are not a message.

    >>> decode(b'\n\x03\x01\x01\x02\x10\x01\x18\x02"\x03\x00\x00\x00').mesh_shape
    (1, 1, 2)
    """
    reader = _Reader(data)
    sequences: dict[int, list[int]] = {_MESH_SHAPE: [], _COORDINATES: []}
    scalars = {_NUM_TASKS: 0, _NUM_DEVICES: 0}
    while not reader.at_end():
        number, wire_type = reader.tag()
        if number in sequences and wire_type == _LENGTH:
            sequences[number].extend(_Reader(reader.block()).int32s())
        elif number in sequences and wire_type == _VARINT:
            sequences[number].append(reader.int32())
        elif number in scalars and wire_type == _VARINT:
            scalars[number] = reader.int32()
        else:
            reader.skip(number, wire_type)
    return TopologyProto(
        tuple(sequences[_MESH_SHAPE]),
        scalars[_NUM_TASKS],
        scalars[_NUM_DEVICES],
        tuple(sequences[_COORDINATES]),
    )


class _Reader:
    """A position in the bytes of a message, moved on by each read."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def at_end(self) -> bool:
        return self._position == len(self._data)

    def tag(self) -> tuple[int, int]:
        value = self._varint()
        if value >> 32 or value >> 3 == 0:
            raise self._fault("a field number out of range")
        return value >> 3, value & 7

    def block(self) -> bytes:
        return self._take(self._varint())

    def int32(self) -> int:
        # A negative number travels sign-extended to 64 bits; 32 of them count.
        low = self._varint() & 0xFFFFFFFF
        return low - (1 << 32) if low >> 31 else low

    def int32s(self) -> list[int]:
        values = []
        while not self.at_end():
            values.append(self.int32())
        return values

    def skip(self, number: int, wire_type: int) -> None:
        if wire_type == _GROUP:
            self._skip_group(number)
        else:
            self._skip_plain(wire_type)

    def _skip_group(self, number: int) -> None:
        open_groups = [number]
        while open_groups:
            number, wire_type = self.tag()
            if wire_type == _GROUP:
                open_groups.append(number)
            elif wire_type != _END_GROUP:
                self._skip_plain(wire_type)
            elif open_groups.pop() != number:
                raise self._fault("the end of a group that is not open")

    def _skip_plain(self, wire_type: int) -> None:
        if wire_type == _VARINT:
            self._varint()
        elif wire_type == _FIXED64:
            self._take(8)
        elif wire_type == _LENGTH:
            self.block()
        elif wire_type == _FIXED32:
            self._take(4)
        else:
            raise self._fault(f"wire type {wire_type} where a field should begin")

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & 0xFFFFFFFFFFFFFFFF
        raise self._fault("a number of more than ten bytes")

    def _take(self, size: int) -> bytes:
        end = self._position + size
        if end > len(self._data):
            raise self._fault("the end of the bytes inside a field")
        taken = self._data[self._position : end]
        self._position = end
        return taken

    def _fault(self, met: str) -> DecodeError:
        return coded(
            DecodeError,
            f"TopologyProto: cannot read the {len(self._data)} bytes given: met {met} "
            f"at byte {self._position}. Pass the bytes that evaluating "
            "tf.tpu.initialize_system() gives, or Topology.serialized(), unchanged.",
            code=codes.INVALID_TOPOLOGY,
        )


def _scalar(number: int, value: int) -> bytes:
    return _varint(number << 3 | _VARINT) + _varint(value) if value else b""


def _pack(number: int, values: Iterable[int]) -> bytes:
    payload = b"".join(map(_varint, values))
    if not payload:
        return b""
    return _varint(number << 3 | _LENGTH) + _varint(len(payload)) + payload


def _varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
