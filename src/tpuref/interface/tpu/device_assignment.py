"""Device assignments, which map logical cores to cores of the mesh."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tpuref.base import error_codes as codes
from tpuref.base.errors import coded
from tpuref.base.mesh import Coordinates, in_mesh, mesh_text
from tpuref.engine.drawings import placement
from tpuref.engine.drawings.mesh_formats import Format, draw_picture
from tpuref.engine.runtime.topology.integers import Int32Array, as_int32, as_integer
from tpuref.engine.runtime.topology.topology import MeshRangeError, Topology

_IntArray = npt.NDArray[np.int64]
_Users = dict[Coordinates, list[tuple[int, int]]]


class TopologyTypeError(TypeError, ValueError):
    """The topology argument is none; also a ValueError, as TensorFlow raises."""


class DeviceAssignment:
    """A map from the logical cores of each replica to cores of a topology.

    `DeviceAssignment.build` computes one; the constructor accepts any.  See
    000_04abb9e9288042d8.txt (device_assignment of replicate).  `topology` is the
    Topology, or its serialized bytes, the result of ``tf.tpu.initialize_system()``.
    `core_assignment` holds integers of shape [replicas, cores per replica, mesh rank]:
    the coordinates of each logical core.  It raises TypeError if `topology` is neither
    a Topology nor bytes (also a ValueError), and ValueError if `core_assignment` has a
    wrong shape, or contains a position outside the mesh or without a device, or a core
    twice.

    Examples
    --------
    >>> assignment = DeviceAssignment(Topology.for_cores(4),
    ...                               [[[1, 0, 1]], [[0, 0, 0]]])
    >>> assignment.num_replicas, assignment.num_cores_per_replica
    (2, 1)
    >>> assignment.tpu_device(replica=0)
    '/task:0/device:TPU:3'
    """

    def __init__(
        self, topology: Topology | bytes, core_assignment: npt.ArrayLike
    ) -> None:
        self._topology = _as_topology("DeviceAssignment", topology)
        self._core_assignment = _checked_assignment(self._topology, core_assignment)
        self._users = _users_by_place(self._core_assignment)
        _require_cores(self._topology, self._users)
        self._replicas_on: dict[tuple[int, int], list[int]] = {}
        for place, ((replica, logical_core),) in self._users.items():
            task = self._topology.task_ordinal_at_coordinates(place)
            self._replicas_on.setdefault((task, logical_core), []).append(replica)

    @staticmethod
    def build(
        topology: Topology | bytes,
        computation_shape: npt.ArrayLike | None = None,
        computation_stride: npt.ArrayLike | None = None,
        num_replicas: int = 1,
    ) -> DeviceAssignment:
        """Compute an assignment; arguments and errors are those of `device_assignment`.

        Examples
        --------
        >>> DeviceAssignment.build(Topology.for_cores(4), num_replicas=4)
        <DeviceAssignment: 4 replicas of 1 core on mesh 2x1x2>
        """
        return device_assignment(
            topology, computation_shape, computation_stride, num_replicas
        )

    @property
    def topology(self) -> Topology:
        """The topology that the cores belong to."""
        return self._topology

    @property
    def num_cores_per_replica(self) -> int:
        """The number of logical cores of each replica."""
        return int(self._core_assignment.shape[1])

    @property
    def num_replicas(self) -> int:
        """The number of replicas."""
        return len(self._core_assignment)

    @property
    def core_assignment(self) -> Int32Array:
        """Read-only int32 coordinates, shape [replicas, cores per replica, rank]."""
        return self._core_assignment

    def coordinates(self, replica: int, logical_core: int) -> Coordinates:
        """Return the coordinates of a logical core, one per axis of the mesh.

        A negative `replica` or `logical_core` counts from the end.  It raises
        MeshRangeError if the replica or logical core does not exist.

        Examples
        --------
        >>> assignment = device_assignment(Topology.for_cores(4), [1, 1, 2])
        >>> assignment.coordinates(0, 1)
        (0, 0, 1)
        """
        row = self._core_assignment[
            _index("replica", replica, self.num_replicas),
            _index("logical_core", logical_core, self.num_cores_per_replica),
        ]
        return tuple(row.tolist())

    def lookup_replicas(self, task_id: int, logical_core: int) -> list[int]:
        """Return the replicas, in order, that have a logical core on a task.

        `task_id` is the task (host).  `logical_core` is the logical core within the
        replicas.  It raises ValueError if no replica has a core there.

        Examples
        --------
        >>> assignment = device_assignment(Topology.for_cores(16), num_replicas=16)
        >>> assignment.lookup_replicas(task_id=1, logical_core=0)
        [8, 9, 10, 11, 12, 13, 14, 15]
        """
        task = as_integer("DeviceAssignment.lookup_replicas: task_id", task_id)
        core = as_integer(
            "DeviceAssignment.lookup_replicas: logical_core", logical_core
        )
        replicas = self._replicas_on.get((task, core))
        if replicas is None:
            raise ValueError(
                f"DeviceAssignment.lookup_replicas: no replica has logical core "
                f"{logical_core} on task {task_id}; there are "
                f"{self.num_cores_per_replica} logical cores per replica and "
                f"{self._topology.num_tasks} tasks "
                f"[{codes.INVALID_POSITION}]\n{self.draw()}"
            )
        return sorted(replicas)

    def tpu_ordinal(self, replica: int = 0, logical_core: int = 0) -> int:
        """Return a logical core's device ordinal within its task; see `coordinates`."""
        place = self.coordinates(replica, logical_core)
        return self._topology.tpu_device_ordinal_at_coordinates(place)

    def host_device(
        self, replica: int = 0, logical_core: int = 0, job: str | None = None
    ) -> str:
        """Return the name of the CPU device of the host of a logical core.

        `replica` and `logical_core` are as for `coordinates`.  `job` is the job at the
        start of the name; None omits it.

        Examples
        --------
        >>> device_assignment(Topology.for_cores(4)).host_device(job="worker")
        '/job:worker/task:0/device:CPU:0'
        """
        place = self.coordinates(replica, logical_core)
        return self._topology.cpu_device_name_at_coordinates(place, job=job)

    def tpu_device(
        self, replica: int = 0, logical_core: int = 0, job: str | None = None
    ) -> str:
        """Return the name of a logical core's TPU device; see `host_device`."""
        place = self.coordinates(replica, logical_core)
        return self._topology.tpu_device_name_at_coordinates(place, job=job)

    def core_index(self, replica: int, logical_core: int) -> int:
        """Return the number of a core among all tasks, as in `Topology.core_index`.

        Examples
        --------
        >>> four = device_assignment(Topology.for_cores(8), num_replicas=4)
        >>> [four.core_index(replica, 0) for replica in range(4)]
        [0, 1, 4, 5]
        """
        return self._topology.core_at(self.coordinates(replica, logical_core))

    def draw(self, format: Format = "text") -> str:
        """Draw the mesh with the logical core on each core.

        `format` is ``"text"`` or ``"svg"``; another one raises ValueError.

        Examples
        --------
        >>> print(device_assignment(Topology.for_cores(8), num_replicas=4).draw())
        4 replicas of 1 core on mesh 2x2x2
                x=0        x=1
            +---------------------+
        y=0 |[0.0  1.0] [ .    . ]|
        y=1 |[2.0  3.0] [ .    . ]|
            +---------------------+
        each core: replica.logical core; . free; x no device
        """
        picture = placement.placement_picture(
            self._topology, self._users, self._summary(), self.num_replicas
        )
        return draw_picture(picture, format)

    def _repr_html_(self) -> str:
        return self.draw("svg")

    def __repr__(self) -> str:
        return f"<DeviceAssignment: {self._summary()}>"

    def _summary(self) -> str:
        replicas = (
            "1 replica" if self.num_replicas == 1 else f"{self.num_replicas} replicas"
        )
        cores = self.num_cores_per_replica
        return (
            f"{replicas} of {cores} core{'' if cores == 1 else 's'} "
            f"on mesh {mesh_text(self._topology.mesh_shape)}"
        )


def device_assignment(
    topology: Topology | bytes,
    computation_shape: npt.ArrayLike | None = None,
    computation_stride: npt.ArrayLike | None = None,
    num_replicas: int = 1,
) -> DeviceAssignment:
    """Compute an assignment of replicas to the cores of a topology.

    Replicas get blocks of neighbouring cores: first the two cores of a chip, then chips
    along y, then along x (on a mesh with four axes along x, then y, then z).  If the
    replicas use both cores of their chips, fill the mesh, and have no stride, they form
    a ring of neighbouring chips, and so do the logical cores of each replica.  See
    000_04abb9e9288042d8.txt (device_assignment of replicate).  `topology` is the
    Topology, or its serialized bytes, the result of ``tf.tpu.initialize_system()``.
    `computation_shape` is the block of cores of one replica, one size per axis of the
    mesh; None is one core.  `computation_stride` is the distance between the cores of a
    block along each axis; None means 1.  Blocks of other replicas fill the gaps.
    `num_replicas` is the number of replicas to place.  It raises TypeError if
    `topology` is neither a Topology nor bytes (also a ValueError), or `num_replicas` is
    not an integer, and ValueError if a shape or stride is not one positive number per
    axis, or the block or that many replicas do not fit into the mesh.

    Examples
    --------
    >>> pairs = device_assignment(Topology.for_cores(8), [1, 1, 2], num_replicas=4)
    >>> print(pairs.draw())
    4 replicas of 2 cores on mesh 2x2x2
            x=0        x=1
        +---------------------+
    y=0 |[0.0  0.1] [3.0  3.1]|
    y=1 |[1.0  1.1] [2.0  2.1]|
        +---------------------+
    each core: replica.logical core; . free; x no device
    """
    topology = _as_topology("device_assignment", topology)
    block = _Block(
        mesh=topology.mesh_shape.astype(np.int64),
        shape=_sizes("computation_shape", computation_shape, topology),
        stride=_sizes("computation_stride", computation_stride, topology),
    )
    count = as_integer("device_assignment: num_replicas", num_replicas)
    _require_fit(topology, block)
    _require_room(topology, block, count)
    return DeviceAssignment(topology, block.assignment(count))


@dataclass(frozen=True)
class _Block:
    """The block of cores that each replica uses, and how blocks tile a mesh."""

    mesh: _IntArray
    shape: _IntArray
    stride: _IntArray

    @property
    def footprint(self) -> _IntArray:
        return self.shape * self.stride

    @property
    def counts(self) -> list[int]:
        """The number of blocks that fit along each axis, including interleaved ones."""
        return [int(count) for count in self.mesh // self.footprint * self.stride]

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes of the mesh in the order in which replicas move along them."""
        return (2, 1, 0) if len(self.mesh) == 3 else (3, 0, 1, 2)

    def assignment(self, num_replicas: int) -> _IntArray:
        """Return coordinates of shape [replicas, cores per replica, rank]."""
        if self._fills_chips() and num_replicas == math.prod(self.counts):
            starts = self._ring(self.counts) * self.shape
            cores = self._ring(self.shape.tolist())
        else:
            starts = self._starts(self._spread(num_replicas), num_replicas)
            cores = np.indices(self.shape.tolist()).reshape(len(self.mesh), -1).T
        return starts[:, np.newaxis] + cores * self.stride

    def _fills_chips(self) -> bool:
        both_cores = self.shape[-1] == 2 and self.counts[-1] == 1
        one_layer = math.prod(self.mesh[2:-1].tolist()) == 1
        return bool(both_cores and one_layer and (self.stride == 1).all())

    def _spread(self, num_replicas: int) -> list[int]:
        """Choose the number of replicas along each axis, as close to a cube as fits."""
        spread = [1] * len(self.mesh)
        left = num_replicas
        # The axis with the least room goes first; otherwise the others may not fit.
        for chosen, axis in enumerate(sorted(self.axes, key=self.counts.__getitem__)):
            rest = len(self.mesh) - chosen
            roots = (root for root in range(1, left) if root**rest >= left)
            spread[axis] = min(next(roots, max(1, left)), self.counts[axis])
            left = -(-left // spread[axis])
        return spread

    def _starts(self, spread: list[int], num_replicas: int) -> _IntArray:
        """Return the first core of each replica."""
        grid = [spread[axis] for axis in self.axes]
        numbers = np.unravel_index(np.arange(num_replicas), grid, order="F")
        position = np.empty((num_replicas, len(self.mesh)), dtype=np.int64)
        position[:, self.axes] = np.transpose(numbers)
        block, gap = np.divmod(position, self.stride)
        return block * self.footprint + gap

    def _ring(self, sizes: list[int]) -> _IntArray:
        """Return the coordinates of a grid in ring order, the last axis innermost."""
        core_axis, row_axis, column_axis = self.axes[:3]
        places = []
        for column, row in _ring(sizes[column_axis], sizes[row_axis]):
            for core in range(sizes[core_axis]):
                place = [0] * len(sizes)
                place[column_axis], place[row_axis] = column, row
                place[core_axis] = core
                places.append(place)
        return np.array(places, dtype=np.int64)


def _ring(columns: int, rows: int) -> list[tuple[int, int]]:
    """Walk a grid so that neighbours in the walk are neighbours in the grid.

    The walk goes up and down the columns without the first row, and returns along that
    row.  With an odd number of columns, or a single row, there is no such ring, and the
    walk visits row by row.
    """
    if columns % 2 or rows == 1:
        return [(column, row) for row in range(rows) for column in range(columns)]
    away = range(1, rows)
    snake = [
        (column, row)
        for column in range(columns)
        for row in (reversed(away) if column % 2 else away)
    ]
    home = [(column, 0) for column in range(columns - 1, 0, -1)]
    return [(0, 0), *snake, *home]


def _as_topology(function: str, topology: object) -> Topology:
    if isinstance(topology, bytes):
        return Topology(serialized=topology)
    if isinstance(topology, Topology):
        return topology
    raise coded(
        TopologyTypeError,
        f"{function}: topology must be a Topology or the bytes of one, got "
        f"{type(topology).__name__}. Evaluate the result of "
        "tf.tpu.initialize_system() with Session.run first, and pass the result.",
        code=codes.NO_VALUE_YET,
    )


def _sizes(name: str, value: npt.ArrayLike | None, topology: Topology) -> _IntArray:
    rank = topology.mesh_rank
    if value is None:
        return np.ones(rank, dtype=np.int64)
    sizes = as_int32(f"device_assignment: {name}", value)
    if sizes.shape != (rank,) or (sizes < 1).any():
        raise codes.INVALID_TOPOLOGY.value_error(
            f"device_assignment: {name} must be {rank} positive numbers, one per axis "
            f"of mesh {mesh_text(topology.mesh_shape)}, got {sizes.tolist()}"
        )
    return sizes.astype(np.int64)


def _require_fit(topology: Topology, block: _Block) -> None:
    if (block.footprint > block.mesh).any():
        footprint = block.footprint.tolist()
        raise ValueError(
            f"device_assignment: computation_shape {block.shape.tolist()} with "
            f"computation_stride {block.stride.tolist()} takes a block of {footprint} "
            f"cores, which does not fit into mesh {mesh_text(topology.mesh_shape)}; "
            f"make it smaller [{codes.REPLICAS_UNLIKE_CORES}]\n"
            f"{placement.draw_footprint(topology, footprint)}"
        )


def _require_room(topology: Topology, block: _Block, num_replicas: int) -> None:
    if num_replicas < 0:
        raise codes.REPLICAS_UNLIKE_CORES.value_error(
            f"device_assignment: num_replicas must be 0 or more, got {num_replicas}"
        )
    room = math.prod(block.counts)
    if num_replicas <= room:
        return
    users = _users_by_place(block.assignment(room))
    raise ValueError(
        f"device_assignment: num_replicas={num_replicas}, but mesh "
        f"{mesh_text(topology.mesh_shape)} has room for {room} of computation_shape "
        f"{block.shape.tolist()} with computation_stride {block.stride.tolist()}; ask "
        f"for fewer replicas or smaller ones [{codes.REPLICAS_UNLIKE_CORES}]\n"
        f"{placement.draw_placement(topology, users)}\n"
        f"no cores are left from replica {room} on"
    )


def _checked_assignment(topology: Topology, value: npt.ArrayLike) -> Int32Array:
    name = "DeviceAssignment: core_assignment"
    cores = as_int32(name, value)
    if cores.ndim != 3 or cores.shape[2] != topology.mesh_rank:
        raise codes.INVALID_TOPOLOGY.value_error(
            f"{name} must have the shape [replicas, cores per replica, "
            f"{topology.mesh_rank}] on mesh {mesh_text(topology.mesh_shape)}, "
            f"got shape {list(cores.shape)}"
        )
    return cores


def _users_by_place(cores: npt.NDArray[np.integer[Any]]) -> _Users:
    """Return the (replica, logical core) pairs at each position."""
    users: _Users = {}
    for replica, rows in enumerate(cores.tolist()):
        for logical_core, row in enumerate(rows):
            users.setdefault(tuple(row), []).append((replica, logical_core))
    return users


def _require_cores(topology: Topology, users: _Users) -> None:
    """Check that each position is in the mesh, has a device and only one user."""
    mesh = topology.mesh_shape
    outside = [place for place in users if not in_mesh(mesh, place)]
    if outside:
        fault = f"which is outside mesh {mesh_text(mesh)}"
        raise MeshRangeError(
            _conflict(fault, codes.INVALID_POSITION, outside, topology, users)
        )
    holes = [p for p in users if topology.task_ordinal_at_coordinates(p) < 0]
    if holes:
        fault = "where there is no device"
        raise ValueError(
            _conflict(fault, codes.INVALID_POSITION, holes, topology, users)
        )
    shared = [place for place in users if len(users[place]) > 1]
    if shared:
        fault = f"the place of {_core_text(users[shared[0]][1])}"
        raise ValueError(
            _conflict(fault, codes.INVALID_POSITION, shared, topology, users)
        )


def _conflict(
    fault: str, code: str, places: list[Coordinates], topology: Topology, users: _Users
) -> str:
    more = f" ({len(places)} such places)" if len(places) > 1 else ""
    return (
        f"DeviceAssignment: core_assignment puts {_core_text(users[places[0]][0])} at "
        f"{list(places[0])}, {fault}{more}. Give each logical core its own core. "
        f"[{code}]\n"
        f"{placement.draw_placement(topology, users, places)}"
    )


def _core_text(user: tuple[int, int]) -> str:
    return f"logical core {user[1]} of replica {user[0]}"


def _index(name: str, value: int, size: int) -> int:
    number = as_integer(f"DeviceAssignment: {name}", value)
    if not -size <= number < size:
        raise coded(
            MeshRangeError,
            f"DeviceAssignment: {name}={number}, but there are {size}, numbered from 0",
            code=codes.INVALID_POSITION,
        )
    return number
