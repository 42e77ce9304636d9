"""The topology of a TPU system: its mesh of chips and cores, and who owns them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tpuref.base import error_codes as codes
from tpuref.base.arguments import listed
from tpuref.base.errors import coded
from tpuref.base.limits import MAX_CORES
from tpuref.base.mesh import (
    MESH_FORM,
    NO_DEVICE,
    Coordinates,
    in_mesh,
    mesh_text,
    parsed_mesh,
)
from tpuref.base.texts import counted
from tpuref.engine.drawings.mesh_ascii import draw_mesh
from tpuref.engine.drawings.mesh_formats import Format, draw_picture
from tpuref.engine.drawings.topology import topology_picture
from tpuref.engine.runtime.topology import proto as topology_proto
from tpuref.engine.runtime.topology.integers import Int32Array, as_int32, as_integer


class MeshRangeError(ValueError, IndexError):
    """A coordinate, core or replica outside of the topology.

    It is an IndexError too, the class that TensorFlow's own lookups raise.
    """


class Topology:
    """The mesh of a TPU system and the devices that sit on it.

    It raises TypeError if `serialized` is not bytes, for example a Tensor that was not
    evaluated, or if neither `serialized` nor both of the others are given, and
    ValueError if the bytes are not a TopologyProto, or if mesh and coordinates do not
    fit together.

    Parameters
    ----------
    serialized
        The bytes of a TopologyProto, as evaluating ``tf.tpu.initialize_system()``
        gives them, with a mesh of three axes (x, y, core) or four (x, y, z, core).
        The other two arguments are not read when it is given.
    mesh_shape
        Three or four positive integers: columns and rows of chips, layers of them if
        there are four, and cores of a chip.
    device_coordinates
        Integers of shape [tasks, devices per task, mesh rank]: where on the mesh the
        device with this ordinal of this task is.

    Examples
    --------
    >>> topology = Topology(mesh_shape=[1, 1, 2],
    ...                     device_coordinates=[[[0, 0, 0], [0, 0, 1]]])
    >>> topology.num_tasks, topology.num_tpus_per_task
    (1, 2)
    >>> topology.tpu_device_name_at_coordinates([0, 0, 1], job="worker")
    '/job:worker/task:0/device:TPU:1'
    >>> Topology(serialized=topology.serialized())
    <Topology mesh 1x1x2: 2 cores, 1 task with 2 each>

    References
    ----------
    000_04abb9e9288042d8.txt (initialize_system)
    """

    def __init__(
        self,
        # A type checker takes any value of Session.run for an array.
        serialized: bytes | npt.NDArray[Any] | None = None,
        mesh_shape: npt.ArrayLike | None = None,
        device_coordinates: npt.ArrayLike | None = None,
    ) -> None:
        self._serialized = _bytes_or_none(serialized)
        if self._serialized:
            proto = topology_proto.decode(self._serialized)
            self._mesh_shape = _parsed_mesh(proto)
            self._device_coordinates = _parsed_coordinates(proto)
        elif mesh_shape is None or device_coordinates is None:
            raise codes.INVALID_TOPOLOGY.type_error(
                "Topology: give either serialized (bytes that are not empty) or both "
                "mesh_shape and device_coordinates"
            )
        else:
            self._mesh_shape = _given_mesh(mesh_shape)
            self._device_coordinates = _given_coordinates(
                device_coordinates, len(self._mesh_shape)
            )
        _check_places(self._mesh_shape, self._device_coordinates)

    @cached_property
    def _device_at(self) -> dict[Coordinates, tuple[int, int]]:
        """The task and the ordinal of the device at each place."""
        return _devices_by_place(self._mesh_shape, self._device_coordinates)

    @classmethod
    def for_mesh(cls, x: int, y: int, cores_per_chip: int) -> Topology:
        """Build the standard topology of a mesh.

        When `x` and `y` are even and there are more than four chips, each task owns a
        block of 2x2 chips; otherwise one task owns everything.  `x` and `y` are the
        numbers of columns and rows of chips.  Devices run along x, then y, the cores of
        a chip next to each other.  It raises TypeError if a number is not an integer,
        and ValueError if a number is less than 1, or there are more than 4194304 cores.

        Examples
        --------
        >>> Topology.for_mesh(4, 4, 2)
        <Topology mesh 4x4x2: 32 cores, 4 tasks with 8 each>
        """
        x = _positive("Topology.for_mesh: x", x)
        y = _positive("Topology.for_mesh: y", y)
        cores = _positive("Topology.for_mesh: cores_per_chip", cores_per_chip)
        _check_size(f"Topology.for_mesh: {x}x{y}x{cores}", x * y * cores)
        # The place of each core, by row and column of its chip and its number in it.
        rows, columns, numbers = np.indices((y, x, cores))
        places = np.stack([columns, rows, numbers], axis=-1)
        if x % 2 or y % 2 or x * y <= 4:
            tasks = places.reshape(1, -1, 3)
        else:
            blocks = places.reshape(y // 2, 2, x // 2, 2, cores, 3).swapaxes(1, 2)
            tasks = blocks.reshape(x * y // 4, -1, 3)
        return cls(mesh_shape=(x, y, cores), device_coordinates=tasks)

    @classmethod
    def for_cores(cls, n: int) -> Topology:
        """Build the topology of a system with `n` cores.

        `n` is 1 to 4194304.  An even number gives chips of two cores, an odd number
        chips of one; the chips are laid out as near to a square as possible.  Errors
        are those of `for_mesh`.

        Examples
        --------
        >>> Topology.for_cores(16)
        <Topology mesh 4x2x2: 16 cores, 2 tasks with 8 each>
        """
        n = _positive("Topology.for_cores: n", n)
        _check_size("Topology.for_cores: n", n)
        cores_per_chip = 1 if n % 2 else 2
        chips = n // cores_per_chip
        y = next(y for y in range(math.isqrt(chips), 0, -1) if chips % y == 0)
        return cls.for_mesh(chips // y, y, cores_per_chip)

    def dealt_to(self, tasks: int) -> Topology:
        """Return the same mesh with its cores dealt to a number of tasks, in order.

        It raises ValueError if the tasks cannot have equally many cores.

        Examples
        --------
        >>> Topology.for_cores(8).dealt_to(4)
        <Topology mesh 2x2x2: 8 cores, 4 tasks with 2 each>
        """
        tasks = _positive("Topology.dealt_to: tasks", tasks)
        if self.num_cores % tasks:
            raise codes.INVALID_SETTING.value_error(
                f"Topology.dealt_to: {self.num_cores} cores cannot be dealt to {tasks} "
                "tasks, one a host; their number must be a multiple (TPUREF_CORES, "
                "TPUREF_TOPOLOGY)"
            )
        places = self._device_coordinates.reshape(tasks, -1, self.mesh_rank)
        return Topology(mesh_shape=self._mesh_shape, device_coordinates=places)

    @staticmethod
    def parse_mesh(text: str) -> tuple[int, int, int]:
        """Return the arguments of `for_mesh` in a text: three integers joined by x.

        It raises ValueError if the text has another form, or there are more than
        4194304 cores.

        Examples
        --------
        >>> Topology.parse_mesh("2x2x2")
        (2, 2, 2)
        """
        mesh = parsed_mesh(str(text))
        if mesh is None:
            raise codes.INVALID_TOPOLOGY.value_error(
                f"Topology.parse_mesh: a mesh is written {MESH_FORM}; got {text!r}"
            )
        return mesh

    @property
    def mesh_shape(self) -> Int32Array:
        """The size of the mesh along each axis, a read-only int32 array."""
        return self._mesh_shape

    @property
    def mesh_rank(self) -> int:
        """The number of axes of the mesh."""
        return len(self._mesh_shape)

    @property
    def device_coordinates(self) -> Int32Array:
        """Read-only int32 coordinates, of shape [tasks, devices per task, rank]."""
        return self._device_coordinates

    @property
    def num_tasks(self) -> int:
        """The number of tasks (hosts)."""
        return len(self._device_coordinates)

    @property
    def num_tpus_per_task(self) -> int:
        """The number of cores that each task owns."""
        return int(self._device_coordinates.shape[1])

    @property
    def num_cores(self) -> int:
        """The number of cores of all tasks together."""
        return self.num_tasks * self.num_tpus_per_task

    @property
    def missing_devices(self) -> npt.NDArray[np.int64]:
        """The coordinates of the mesh without a device, of shape [holes, rank].

        It raises ValueError if the mesh has more than 4194304 places.
        """
        places = math.prod(self._mesh_shape.tolist())
        _check_size(f"Topology.missing_devices: {mesh_text(self._mesh_shape)}", places)
        hole = np.ones(self._mesh_shape, dtype=np.bool_)
        hole[tuple(self._device_coordinates.reshape(-1, self.mesh_rank).T)] = False
        return np.argwhere(hole)

    def task_ordinal_at_coordinates(self, device_coordinates: Iterable[int]) -> int:
        """Return the number of the task that owns a core.

        `device_coordinates` are the coordinates of the core, one integer per axis.  The
        result is -1 where the mesh has no device.  It raises ValueError if the number
        of coordinates is not the rank of the mesh, and MeshRangeError if they lie
        outside the mesh.

        Examples
        --------
        >>> Topology.for_mesh(4, 4, 2).task_ordinal_at_coordinates([2, 0, 1])
        1
        """
        return self._lookup("task_ordinal_at_coordinates", device_coordinates)[0]

    def tpu_device_ordinal_at_coordinates(
        self, device_coordinates: Iterable[int]
    ) -> int:
        """Return the number that a core has within its task.

        The argument, errors and -1 are those of `task_ordinal_at_coordinates`.

        Examples
        --------
        >>> Topology.for_mesh(2, 2, 2).tpu_device_ordinal_at_coordinates([0, 1, 0])
        4
        """
        return self._lookup("tpu_device_ordinal_at_coordinates", device_coordinates)[1]

    def cpu_device_name_at_coordinates(
        self, device_coordinates: Iterable[int], job: str | None = None
    ) -> str:
        """Return the name of the CPU device of the host that owns a core.

        `device_coordinates` is as for `task_ordinal_at_coordinates`, with the same
        errors and -1.  `job` is the job that the name begins with; None leaves it out.

        Examples
        --------
        >>> Topology.for_cores(2).cpu_device_name_at_coordinates([0, 0, 1])
        '/task:0/device:CPU:0'
        """
        place = self._lookup("cpu_device_name_at_coordinates", device_coordinates)
        return f"{_job_prefix(job)}/task:{place[0]}/device:CPU:0"

    def tpu_device_name_at_coordinates(
        self, device_coordinates: Iterable[int], job: str | None = None
    ) -> str:
        """Return the name of the TPU device at a place of the mesh.

        Arguments and errors are those of `cpu_device_name_at_coordinates`.
        """
        place = self._lookup("tpu_device_name_at_coordinates", device_coordinates)
        return f"{_job_prefix(job)}/task:{place[0]}/device:TPU:{place[1]}"

    def core_index(self, task: int, device: int) -> int:
        """Return the number that a core has among the cores of all tasks.

        It is ``task * num_tpus_per_task + device``, the task that owns the core and
        its ordinal there.  It raises MeshRangeError if there is no such device.

        Examples
        --------
        >>> Topology.for_mesh(4, 4, 2).core_index(task=1, device=3)
        11
        """
        task = as_integer("Topology.core_index: task", task)
        device = as_integer("Topology.core_index: device", device)
        if not 0 <= task < self.num_tasks or not 0 <= device < self.num_tpus_per_task:
            raise coded(
                MeshRangeError,
                f"Topology.core_index: there is no device {device} of task {task}; "
                f"this topology has {self.num_tasks} tasks, numbered from 0, "
                f"with {self.num_tpus_per_task} devices each",
                code=codes.INVALID_POSITION,
            )
        return task * self.num_tpus_per_task + device

    def core_at(self, coords: Iterable[int]) -> int:
        """Return the `core_index` of the core at some coordinates.

        It raises MeshRangeError if they lie outside the mesh or no device is there.

        Examples
        --------
        >>> Topology.for_mesh(2, 2, 2).core_at([1, 1, 0])
        6
        """
        coordinates = _coordinates("core_at", coords)
        task, device = self._lookup("core_at", coordinates)
        if task == NO_DEVICE:
            raise MeshRangeError(
                f"Topology.core_at: no device is at {list(coordinates)}; "
                f"missing_devices lists such places [{codes.INVALID_POSITION}]\n"
                + self.draw()
            )
        return self.core_index(task, device)

    def serialized(self) -> bytes:
        """Return the topology as the bytes of a TopologyProto.

        They are those given to the constructor, or those that TensorFlow would write;
        the same object on each call.

        Examples
        --------
        >>> Topology.for_cores(1).serialized().hex()
        '0a03010101100118012203000000'
        """
        if self._serialized is None:
            self._serialized = topology_proto.encode(
                topology_proto.TopologyProto(
                    tuple(self._mesh_shape.tolist()),
                    self.num_tasks,
                    self.num_tpus_per_task,
                    tuple(self._device_coordinates.ravel().tolist()),
                )
            )
        return self._serialized

    def draw(self, format: Format = "text") -> str:
        """Draw the mesh: brackets are chips, boxes are hosts.

        A mesh of more than 32 positions along an axis is drawn in part.  `format` is
        ``"text"`` for plain ASCII, or ``"svg"``; another one raises ValueError.

        Examples
        --------
        >>> print(Topology.for_cores(8).draw())
        mesh 2x2x2: 8 cores, 1 task with 8 each
                x=0        x=1
            +---------------------+
        y=0 |[0:0  0:1] [0:2  0:3]|
        y=1 |[0:4  0:5] [0:6  0:7]|
            +---------------------+
        each core: task:device; x no device
        """
        return draw_picture(topology_picture(self, self._summary()), format)

    def _repr_html_(self) -> str:
        return self.draw("svg")

    def __repr__(self) -> str:
        return f"<Topology {self._summary()}>"

    def _summary(self) -> str:
        text = (
            f"mesh {mesh_text(self._mesh_shape)}: {counted(self.num_cores, 'core')}, "
            f"{counted(self.num_tasks, 'task')} with {self.num_tpus_per_task} each"
        )
        missing = math.prod(self._mesh_shape.tolist()) - self.num_cores
        return f"{text}, {missing} missing" if missing else text

    def _tag(self, coordinates: Coordinates) -> str | None:
        place = self._device_at.get(coordinates)
        return None if place is None else f"{place[0]}:{place[1]}"

    def _lookup(
        self, function: str, device_coordinates: Iterable[int]
    ) -> tuple[int, int]:
        coordinates = _coordinates(function, device_coordinates)
        if len(coordinates) != self.mesh_rank:
            raise codes.INVALID_TOPOLOGY.value_error(
                f"Topology.{function}: device_coordinates must be {self.mesh_rank} "
                f"integers for mesh {mesh_text(self._mesh_shape)}, "
                f"got {list(coordinates)}"
            )
        if not in_mesh(self._mesh_shape, coordinates):
            raise MeshRangeError(
                f"Topology.{function}: {list(coordinates)} lies outside mesh "
                f"{mesh_text(self._mesh_shape)}, where axes count from 0 "
                f"[{codes.INVALID_POSITION}]\n" + self._draw_conflict(coordinates)
            )
        return self._device_at.get(coordinates, (NO_DEVICE, NO_DEVICE))

    def _draw_conflict(self, conflict: Coordinates) -> str:
        return draw_mesh(
            self._mesh_shape,
            self.task_ordinal_at_coordinates,
            lambda place: "!" if place == conflict else self._tag(place),
            conflict,
        )


def _coordinates(function: str, coordinates: Any) -> Coordinates:
    entries = listed(f"Topology.{function}: device_coordinates", coordinates)
    name = f"Topology.{function}: a coordinate"
    return tuple(as_integer(name, entry) for entry in entries)


def _bytes_or_none(serialized: object) -> bytes | None:
    if serialized is None or isinstance(serialized, bytes):
        return serialized or None
    raise codes.NO_VALUE_YET.type_error(
        "Topology: serialized must be the bytes of a TopologyProto, got "
        f"{type(serialized).__name__}. Evaluate the result of "
        "tf.tpu.initialize_system() with Session.run first and pass what it returns."
    )


def _given_mesh(mesh_shape: npt.ArrayLike) -> Int32Array:
    mesh = as_int32("Topology: mesh_shape", mesh_shape)
    if mesh.shape not in ((3,), (4,)) or (mesh < 1).any():
        raise codes.INVALID_TOPOLOGY.value_error(
            "Topology: mesh_shape must be 3 or 4 positive numbers (columns and rows of "
            f"chips, layers where there are 4, cores of a chip), got {mesh.tolist()}"
        )
    return mesh


def _given_coordinates(device_coordinates: npt.ArrayLike, rank: int) -> Int32Array:
    name = "Topology: device_coordinates"
    coordinates = as_int32(name, device_coordinates)
    if coordinates.ndim != 3 or coordinates.shape[2] != rank:
        raise codes.INVALID_TOPOLOGY.value_error(
            f"{name} must have the shape [tasks, devices per task, {rank}], "
            f"got shape {list(coordinates.shape)}"
        )
    return coordinates


def _parsed_mesh(proto: topology_proto.TopologyProto) -> Int32Array:
    mesh = as_int32("Topology: mesh_shape", proto.mesh_shape)
    if len(mesh) not in (3, 4) or (mesh < 1).any():
        raise codes.INVALID_TOPOLOGY.value_error(
            "Topology: the mesh_shape in serialized must be 3 or 4 positive numbers, "
            f"got {mesh.tolist()}"
        )
    return mesh


def _parsed_coordinates(proto: topology_proto.TopologyProto) -> Int32Array:
    shape = (proto.num_tasks, proto.num_tpu_devices_per_task, len(proto.mesh_shape))
    if min(shape) < 0:
        raise codes.INVALID_TOPOLOGY.value_error(
            "Topology: num_tasks and num_tpu_devices_per_task in serialized must be 0 "
            f"or more, got {shape[0]} and {shape[1]}"
        )
    if len(proto.device_coordinates) != math.prod(shape):
        raise codes.INVALID_TOPOLOGY.value_error(
            "Topology: the device_coordinates in serialized must be "
            f"{math.prod(shape)} numbers for {shape[0]} tasks with {shape[1]} devices "
            f"each on a mesh of rank {shape[2]}, got {len(proto.device_coordinates)}"
        )
    coordinates = as_int32("Topology: device_coordinates", proto.device_coordinates)
    return coordinates.reshape(shape)


def _check_places(mesh_shape: Int32Array, device_coordinates: Int32Array) -> None:
    """Refuse devices outside the mesh, or two at one place."""
    places = device_coordinates.reshape(-1, device_coordinates.shape[2])
    inside = ((places >= 0) & (places < mesh_shape)).all()
    ordered = places[np.lexsort(places.T)]
    twice = (ordered[1:] == ordered[:-1]).all(axis=1).any()
    if twice or not inside:
        _devices_by_place(mesh_shape, device_coordinates)  # says which, with a picture


def _devices_by_place(
    mesh_shape: Int32Array, device_coordinates: Int32Array
) -> dict[Coordinates, tuple[int, int]]:
    """Find (task, device) of each place, which must be free and in the mesh."""
    per_task, rank = device_coordinates.shape[1:]
    devices: dict[Coordinates, tuple[int, int]] = {}
    conflicts = []
    for core, row in enumerate(device_coordinates.reshape(-1, rank).tolist()):
        place, device = tuple(row), divmod(core, per_task)
        if place in devices or not in_mesh(mesh_shape, place):
            conflicts.append((place, device))
        else:
            devices[place] = device
    if conflicts:
        raise _conflict(mesh_shape, devices, *conflicts[0])
    return devices


def _conflict(
    mesh_shape: Int32Array,
    devices: dict[Coordinates, tuple[int, int]],
    place: Coordinates,
    device: tuple[int, int],
) -> ValueError:
    labels = {at: f"{task}:{ordinal}" for at, (task, ordinal) in devices.items()}
    if place in devices:
        kind, fault = ValueError, f"where device {labels[place]} is already"
        code = codes.INVALID_POSITION
        labels[place] += f"/{device[0]}:{device[1]}!"
    else:
        kind, fault = MeshRangeError, f"outside mesh {mesh_text(mesh_shape)}"
        code = codes.INVALID_POSITION
        labels[place] = f"{device[0]}:{device[1]}!"
    picture = draw_mesh(
        mesh_shape, lambda at: devices.get(at, (NO_DEVICE,))[0], labels.get, place
    )
    return kind(
        f"Topology: device_coordinates puts device {device[0]}:{device[1]} (task:"
        f"device) at {list(place)}, {fault}. Each device needs a place of its own in "
        f"the mesh. [{code}]\n{picture}"
    )


def _positive(name: str, value: int) -> int:
    number = as_integer(name, value)
    if number < 1:
        raise codes.INVALID_TOPOLOGY.value_error(
            f"{name} must be 1 or more, got {number}"
        )
    return number


def _check_size(name: str, cores: int) -> None:
    """Refuse a mesh that is too large to keep an account of its places."""
    if cores > MAX_CORES:
        raise codes.INVALID_TOPOLOGY.value_error(
            f"{name}: {cores} cores are more than the {MAX_CORES} that a system has "
            "at most"
        )


def _job_prefix(job: str | None) -> str:
    return "" if job is None else f"/job:{job}"
