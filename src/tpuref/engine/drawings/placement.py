"""Drawings of placements: the replicas on the mesh of a topology."""

from collections.abc import Collection, Mapping, Sequence

from tpuref.base.mesh import Coordinates, in_mesh
from tpuref.engine.drawings.mesh_ascii import draw_mesh
from tpuref.engine.drawings.mesh_picture import MeshPicture, swatches_of
from tpuref.engine.drawings.topology import Topology, device_note

Placement = Mapping[Coordinates, Sequence[tuple[int, int]]]

_LEGEND = "each core: replica.logical core; . free; x no device"
_NAMED = 2


def draw_placement(
    topology: Topology, placement: Placement, conflicts: Collection[Coordinates] = ()
) -> str:
    """Draw the mesh with the logical core that runs on each core.

    `placement` has the (replica, logical core) pairs of each place in use. Places in
    `conflicts` are marked with ``!``; the first one is always in the picture.

    >>> from tpuref.engine.runtime.topology.topology import Topology
    >>> both = {(0, 0, 1): [(0, 0), (1, 0)]}
    >>> print(draw_placement(Topology.for_cores(2), both, [(0, 0, 1)]))
                 x=0
        +--------------------+
    y=0 |[   .      0.0/1.0!]|
        +--------------------+
    each core: replica.logical core; . free; x no device; ! conflict
    """
    labels = {place: _names(cores) for place, cores in placement.items()}
    for place in conflicts:
        labels[place] += "!"
    focus = next(iter(conflicts), None)
    picture = draw_mesh(
        topology.mesh_shape, topology.task_ordinal_at_coordinates, labels.get, focus
    )
    return f"{picture}\n{_LEGEND}" + ("; ! conflict" if conflicts else "")


def placement_picture(
    topology: Topology, placement: Placement, title: str, replicas: int
) -> MeshPicture:
    """Return the picture of a placement: the cores of each replica in its colour.

    `placement` has one (replica, logical core) pair for each place in use.
    """

    def label(place: Coordinates) -> str | None:
        return _names(placement[place]) if place in placement else None

    def colour(place: Coordinates) -> int | None:
        return placement[place][0][0] if place in placement else None

    def note(place: Coordinates) -> str:
        if place not in placement:
            return device_note(topology, place)
        ((replica, logical_core),) = placement[place]
        where = device_note(topology, place)
        return f"replica {replica}, logical core {logical_core}: {where}"

    return MeshPicture(
        title=title,
        mesh_shape=tuple(topology.mesh_shape.tolist()),
        task_at=topology.task_ordinal_at_coordinates,
        label=label,
        colour=colour,
        note=note,
        legend=_LEGEND,
        swatches=[
            (None, "each core: replica.logical core"),
            *swatches_of("replica", replicas),
            *([(None, "\u00b7 free")] if len(placement) < topology.num_cores else []),
            *([(None, "x no device")] if len(topology.missing_devices) else []),
        ],
    )


def draw_footprint(topology: Topology, footprint: Sequence[int]) -> str:
    """Draw a block of cores that is too large for the mesh, from the first core on.

    `footprint` is the size of the block along each axis; the first positions outside
    the mesh are marked with ``!``.

    >>> from tpuref.engine.runtime.topology.topology import Topology
    >>> print(draw_footprint(Topology.for_cores(2), (2, 1, 1)))
           x=0      x=1
        +--------+
    y=0 |[#   . ]| #!
        +--------+
    each core: # in the block of one replica; ! outside the mesh
    """
    mesh = topology.mesh_shape.tolist()

    def label(place: Coordinates) -> str | None:
        if not in_mesh(footprint, place):
            return None
        return "#" if in_mesh(mesh, place) else "#!"

    corner = tuple(
        min(end, size + 1) - 1 for end, size in zip(footprint, mesh, strict=True)
    )
    picture = draw_mesh(mesh, topology.task_ordinal_at_coordinates, label, corner)
    return f"{picture}\neach core: # in the block of one replica; ! outside the mesh"


def _names(cores: Sequence[tuple[int, int]]) -> str:
    names = [f"{replica}.{logical_core}" for replica, logical_core in cores[:_NAMED]]
    if len(cores) > _NAMED:
        names.append(f"+{len(cores) - _NAMED}")
    return "/".join(names)
