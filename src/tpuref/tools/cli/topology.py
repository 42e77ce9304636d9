"""The command ``tpuref topology``: draws a mesh and the replicas on it."""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from tpuref.tools.cli.failure import fail

if TYPE_CHECKING:
    from tpuref.engine.runtime.topology.topology import Topology
    from tpuref.interface.tpu.device_assignment import DeviceAssignment

NAME = "topology"
HELP = "draw a mesh of chips and the replicas on it"
DESCRIPTION = "Draw a mesh, its hosts, and the cores of each replica."

_SIZES = re.compile(r"[1-9][0-9]{0,4}(x[1-9][0-9]{0,4}){2}")
EPILOG = """examples:
  tpuref topology                                      the configured system
  tpuref topology 4x4x2 --replicas 8 --cores-per-replica 4
  tpuref topology 4x4x2 --replicas 8 --cores-per-replica 4 --svg mesh.svg

The exit status is 1 if the replicas do not fit."""


def add(topology: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    topology.add_argument(
        "mesh",
        nargs="?",
        type=_sizes,
        metavar="MESH",
        help="XxYxC: chips along x and y, cores per chip (default: as configured)",
    )
    topology.add_argument(
        "--replicas", type=_positive, metavar="N", help="the default is as many as fit"
    )
    block = topology.add_mutually_exclusive_group()
    block.add_argument(
        "--cores-per-replica",
        type=_positive,
        metavar="N",
        help="first the cores of a chip, then neighbouring chips",
    )
    block.add_argument(
        "--computation-shape",
        type=_sizes,
        metavar="SHAPE",
        help="the block of cores of one replica, such as 1x2x2",
    )
    topology.add_argument(
        "--stride",
        type=_sizes,
        metavar="STRIDE",
        help="the distance between the cores of a block along each axis, such as 2x1x1",
    )
    topology.add_argument(
        "--svg", metavar="FILE", help="write the picture to FILE; - is standard output"
    )
    topology.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Draw the mesh, and return the exit status."""
    try:
        topology = _topology(options.mesh)
    except ValueError as error:
        return fail(NAME, error, 2)
    try:
        assignment = _assignment(topology, options)
    except ValueError as error:
        return fail(NAME, error, 1)
    drawn = topology if assignment is None else assignment
    if options.svg is not None:
        try:
            _write(options.svg, drawn.draw("svg"))
        except OSError as error:
            return fail(NAME, error, 2)
    if options.json:
        print(json.dumps(_facts(topology, assignment), indent=2))
    elif options.svg is None:
        print(drawn.draw())
    return 0


def block_shape(mesh: Sequence[int], cores: int, replicas: int) -> tuple[int, ...]:
    """Choose the block of `cores` cores of a replica.

    Among the blocks that leave room for all replicas, or else among all blocks, it is
    the one with the most cores per chip, then the one whose chips are closest.  It
    raises ValueError if no block of that many cores fits into the mesh.

    >>> block_shape((4, 4, 2), cores=4, replicas=8)
    (1, 2, 2)
    >>> block_shape((4, 4, 2), cores=8, replicas=4)
    (2, 2, 2)
    """
    divisors = [n for n in range(1, cores + 1) if cores % n == 0]
    sides = [[n for n in divisors if n <= size] for size in mesh]
    blocks = [block for block in product(*sides) if math.prod(block) == cores]
    if not blocks:
        raise ValueError(
            f"no block of {cores} cores fits into mesh {'x'.join(map(str, mesh))}; "
            "choose another --cores-per-replica, or a larger mesh"
        )
    roomy = [b for b in blocks if _room(mesh, b, [1] * len(mesh)) >= replicas]
    return min(roomy or blocks, key=lambda b: (-b[-1], max(b[:-1]), b))


def _room(mesh: Sequence[int], block: Sequence[int], stride: Sequence[int]) -> int:
    """Return the number of blocks that fit into a mesh with a stride."""
    return math.prod(
        size // (side * step) * step
        for size, side, step in zip(mesh, block, stride, strict=True)
    )


def _topology(mesh: tuple[int, ...] | None) -> Topology:
    from tpuref.engine.runtime.system import DEFAULT_MESH, configured_topology
    from tpuref.engine.runtime.topology.topology import Topology

    if mesh is None:
        return configured_topology() or Topology.for_mesh(*DEFAULT_MESH)
    return Topology.for_mesh(*mesh)


def _assignment(
    topology: Topology, options: argparse.Namespace
) -> DeviceAssignment | None:
    """Place the replicas, if the options request any."""
    from tpuref.interface.tpu.device_assignment import DeviceAssignment

    requested = options.replicas, options.cores_per_replica, options.computation_shape
    if (*requested, options.stride) == (None,) * 4:
        return None
    mesh = topology.mesh_shape.tolist()
    stride = options.stride or (1,) * len(mesh)
    block = options.computation_shape or block_shape(
        mesh, options.cores_per_replica or 1, options.replicas or 1
    )
    replicas = options.replicas
    if replicas is None and len(block) == len(stride) == len(mesh):
        replicas = max(1, _room(mesh, block, stride))
    return DeviceAssignment.build(topology, block, stride, replicas or 1)


def _facts(
    topology: Topology, assignment: DeviceAssignment | None
) -> dict[str, object]:
    facts: dict[str, object] = {
        "mesh": topology.mesh_shape.tolist(),
        "cores": topology.num_cores,
        "tasks": topology.num_tasks,
        "cores_per_task": topology.num_tpus_per_task,
        "device_coordinates": topology.device_coordinates.tolist(),
    }
    if assignment is None:
        return facts
    replicas = range(assignment.num_replicas)
    logical_cores = range(assignment.num_cores_per_replica)
    return facts | {
        "replicas": assignment.num_replicas,
        "cores_per_replica": assignment.num_cores_per_replica,
        "core_assignment": assignment.core_assignment.tolist(),
        "devices": [
            [assignment.tpu_device(replica, core) for core in logical_cores]
            for replica in replicas
        ],
    }


def _write(file: str, svg: str) -> None:
    if file == "-":
        sys.stdout.write(svg)
    else:
        Path(file).write_text(svg, encoding="utf-8")


def _sizes(text: str) -> tuple[int, ...]:
    if _SIZES.fullmatch(text.strip().lower()) is None:
        raise argparse.ArgumentTypeError(
            f"expected three positive integers joined by x, such as 4x4x2, got {text!r}"
        )
    return tuple(map(int, text.strip().lower().split("x")))


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive integer, got {text!r}")
    return int(text)
