"""The command ``tpuref doctor``: what tpuref finds on this computer."""

from __future__ import annotations

import argparse
import json
import os
import platform
from importlib import metadata

from tpuref.configuration import config
from tpuref.version import __version__

NAME = "doctor"

Commands = argparse._SubParsersAction  # the type has no public name


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command to those of ``tpuref``."""
    doctor = commands.add_parser(
        NAME, help="print versions, kernels, usable CPUs, memory and topology"
    )
    doctor.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print what was found, and return the exit status."""
    facts = _facts()
    if options.json:
        print(json.dumps(facts, indent=2))
        return 0
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f"{name:<{width}}  {value}")
    return 0


def _facts() -> dict[str, object]:
    from tpuref import kernels
    from tpuref.runtime.system import DEFAULT_MESH, configured_topology
    from tpuref.runtime.topology import Topology

    topology = configured_topology() or Topology.for_mesh(*DEFAULT_MESH)
    mesh = "x".join(map(str, topology.mesh_shape))
    return {
        "tpuref": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "numpy": metadata.version("numpy"),
        "ml_dtypes": metadata.version("ml_dtypes"),
        "kernels": kernels.IMPLEMENTATION,
        "vector instructions": kernels.allreduce.vector_instructions(),
        "executor": config.executor,
        "all-reduce": config.all_reduce,
        "usable CPUs": usable_cpus(),
        "memory": f"{memory_bytes() / 2**30:.1f} GiB",
        "topology": f"{mesh}, {topology.num_cores} cores, {topology.num_tasks} host(s)",
        "settings": {k: v for k, v in os.environ.items() if k.startswith("TPUREF_")},
    }


def usable_cpus() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_bytes() -> int:
    """Return the size of the machine's memory in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
