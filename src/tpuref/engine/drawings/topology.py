"""The picture of a topology: the hosts and devices on its mesh."""

from collections.abc import Sized
from typing import Protocol

import numpy as np
import numpy.typing as npt

from tpuref.base.mesh import NO_DEVICE, Coordinates
from tpuref.engine.drawings.mesh_picture import MeshPicture, swatches_of


class Topology(Protocol):
    """The interface of topologies that drawings read."""

    @property
    def mesh_shape(self) -> npt.NDArray[np.int32]:
        """The size of the mesh along each axis."""

    @property
    def num_tasks(self) -> int:
        """The number of tasks (hosts)."""

    @property
    def num_cores(self) -> int:
        """The number of cores of all tasks together."""

    @property
    def missing_devices(self) -> Sized:
        """The places of the mesh without a device."""

    def task_ordinal_at_coordinates(self, device_coordinates: Coordinates, /) -> int:
        """Return the task at a place, `NO_DEVICE` for none."""

    def tpu_device_ordinal_at_coordinates(
        self, device_coordinates: Coordinates, /
    ) -> int:
        """Return the number that the core at a place has within its task."""

    def tpu_device_name_at_coordinates(self, device_coordinates: Coordinates, /) -> str:
        """Return the device name of the core at a place."""

    def core_at(self, coords: Coordinates, /) -> int:
        """Return the number that the core at a place has among all cores."""


def topology_picture(topology: Topology, title: str) -> MeshPicture:
    """Return the picture of a topology: the devices of each task in its colour."""
    task_at = topology.task_ordinal_at_coordinates

    def label(place: Coordinates) -> str | None:
        if task_at(place) == NO_DEVICE:
            return None
        return f"{task_at(place)}:{topology.tpu_device_ordinal_at_coordinates(place)}"

    def colour(place: Coordinates) -> int | None:
        return None if task_at(place) == NO_DEVICE else task_at(place)

    return MeshPicture(
        title=title,
        mesh_shape=tuple(topology.mesh_shape.tolist()),
        task_at=task_at,
        label=label,
        colour=colour,
        note=lambda place: device_note(topology, place),
        legend="each core: task:device; x no device",
        swatches=[
            (None, "each core: host (task):device"),
            *swatches_of("host", topology.num_tasks),
            *([(None, "x no device")] if len(topology.missing_devices) else []),
        ],
    )


def device_note(topology: Topology, place: Coordinates) -> str:
    """Return the note of a place: its core and device."""
    where = ",".join(map(str, place))
    if topology.task_ordinal_at_coordinates(place) == NO_DEVICE:
        return f"({where}): no device"
    name = topology.tpu_device_name_at_coordinates(place)
    return f"({where}): core {topology.core_at(place)}, {name}"
