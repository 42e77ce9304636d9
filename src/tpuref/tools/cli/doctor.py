"""The command ``tpuref doctor``: checks this computer."""

import argparse
import importlib.util
import json
import os
import platform
from importlib import metadata
from typing import Any

from tpuref.base.extras import install_line
from tpuref.base.processors import cpu_quota, processors, usable_processors
from tpuref.base.version import __version__
from tpuref.tools.cli import checks
from tpuref.tools.cli.checks import PROBLEM, Check
from tpuref.tools.cli.colour import alarming, bold

NAME = "doctor"
HELP = "check this computer and the settings, and say what to do"
DESCRIPTION = (
    "Print versions, kernels, processors, memory, settings and "
    "topology; start the cores and sum a number from each; say what to do."
)

EXTRAS = {
    "cloud": ("grpc", "googleapiclient", "google.auth", "fsspec"),
    "xla": ("jax",),
}
"""Modules of the extras that programs may need."""

GAINS = {
    "cloud": "Cloud TPUs, servers and paths such as gs://",
    "xla": "steps of recurrent and small networks in 0.4 to 0.8 of the pool's time",
}
"""What the extras are for."""

EPILOG = """examples:
  tpuref doctor
  TPUREF_CORES=64 tpuref doctor --json

The exit status is 1 if a problem must be fixed before programs run."""


def add(doctor: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    doctor.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print facts and findings, and return the exit status."""
    facts = _machine()
    try:
        facts |= _system()
        findings = _findings()
    except (ImportError, ValueError) as error:
        findings = [checks.refused_settings(error)]
    facts["settings"] = {k: v for k, v in os.environ.items() if k.startswith("TPUREF_")}
    if options.json:
        shown = [finding.as_dict() for finding in findings]
        print(json.dumps({**facts, "checks": shown}, indent=2))
    else:
        _print(facts, findings)
    return int(any(finding.state == PROBLEM for finding in findings))


def _print(facts: dict[str, Any], findings: list[Check]) -> None:
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f"{name:<{width}}  {value}")
    print()
    for finding in findings:
        state = f"{finding.state:<7}"
        state = alarming(state) if finding.state == PROBLEM else bold(state)
        print(f"{state}  {finding.name}: {finding.found}")
        if finding.advice:
            print(f"         what to do: {finding.advice}")


def _machine() -> dict[str, Any]:
    return {
        "tpuref": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "numpy": metadata.version("numpy"),
        "ml_dtypes": metadata.version("ml_dtypes"),
        "extras": ", ".join(f"{name}: {_extra(name)}" for name in EXTRAS),
        "usable CPUs": usable_processors(),
        "CPU quota": cpu_quota() or "none",
        "memory": memory(),
    }


def _extra(name: str) -> str:
    if all(_is_installed(module) for module in EXTRAS[name]):
        return "installed"
    return f"{install_line(f'tpuref[{name}]')}, for {GAINS[name]}"


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:  # of its parent package
        return False


def _system() -> dict[str, Any]:
    from tpuref import kernels
    from tpuref.engine.configuration import config
    from tpuref.engine.runtime.executor import available

    topology = _topology()
    mesh = "x".join(map(str, topology.mesh_shape))
    return {
        "kernels": kernels.IMPLEMENTATION,
        "vector instructions": kernels.links.vector_instructions(),
        "executor": available(config.executor),
        "all-reduce": config.all_reduce,
        "topology": f"{mesh}, {topology.num_cores} cores, {topology.num_tasks} host(s)",
        "Cloud TPU": _cloud_tpu(),
    }


def _cloud_tpu() -> str:
    """Return the TPU that a resolver without arguments finds, without a request."""
    from tpuref.interface.cluster_resolver.addresses import GRPC
    from tpuref.interface.cluster_resolver.source import Search

    search = Search("TPUClusterResolver", (GRPC,), several=False)
    try:
        search.find(None)
    except ValueError:
        return f"none ({'; '.join(search.trace.lines[1:])})"
    return "; ".join(search.trace.lines[1:])


def _findings() -> list[Check]:
    from tpuref import kernels
    from tpuref.engine.configuration import config
    from tpuref.engine.runtime.available_memory import available_bytes
    from tpuref.engine.runtime.executor import available
    from tpuref.engine.runtime.pool.split import Split

    topology = _topology()
    cores = topology.num_cores
    return [
        checks.misspelt_variables(os.environ),
        checks.compiled_kernels(kernels.IMPLEMENTATION),
        checks.processors(processors(), cores),
        checks.memory(available_bytes(), Split.configured(cores).processes),
        checks.sum_over_cores(topology, available(config.executor)),
    ]


def _topology() -> Any:
    from tpuref.engine.runtime.system import DEFAULT_MESH, configured_topology
    from tpuref.engine.runtime.topology.topology import Topology

    return configured_topology() or Topology.for_mesh(*DEFAULT_MESH)


def memory() -> str:
    """Return the size of the machine's memory."""
    from tpuref.engine.runtime.available_memory import total_bytes

    size = total_bytes()
    return f"{size / 2**30:.1f} GiB" if size else "unknown"
