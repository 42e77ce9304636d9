"""The ``tpuref`` command."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import runpy
import sys
from collections.abc import Sequence
from importlib import metadata

from tpuref.configuration import EXECUTORS, config
from tpuref.testing import command as fake_cloud_tpu
from tpuref.version import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["conformance"]:
        return _conformance(arguments[1:])
    if arguments[:1] == ["bench"]:
        from tpuref.benchmarks.command import main as bench

        return bench(arguments[1:])
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command == "run":
        return _run(options)
    if options.command == "doctor":
        return _doctor(options)
    if options.command == fake_cloud_tpu.NAME:
        return fake_cloud_tpu.run(options)
    parser.print_help()
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tpuref",
        description="TensorFlow's documented TPU interface, on CPU cores.",
    )
    parser.add_argument("--version", action="version", version=f"tpuref {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_run(commands)
    doctor = commands.add_parser(
        "doctor", help="print versions, kernels, usable CPUs, memory and topology"
    )
    doctor.add_argument("--json", action="store_true", help="print one JSON object")
    fake_cloud_tpu.add(commands)
    commands.add_parser(
        "bench",
        help="measure it beside other libraries (see tpuref bench --help)",
    )
    commands.add_parser(
        "conformance",
        help="check every documented statement (see tpuref conformance --help)",
    )
    return parser


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    run = commands.add_parser(
        "run",
        help="run a script on a chosen topology",
        description="Run SCRIPT as python would, on a TPU system of the given size.",
        epilog="example: tpuref run --topology 2x2x2 train.py --steps 100",
    )
    size = run.add_mutually_exclusive_group()
    size.add_argument(
        "--topology", metavar="XxYxC", help="chips along x and y, and cores per chip"
    )
    size.add_argument("--cores", type=int, metavar="N", help="the number of cores")
    run.add_argument("--executor", choices=EXECUTORS, help="what runs the replicas")
    run.add_argument("script", metavar="SCRIPT", help="the program to run")
    run.add_argument(
        "arguments", nargs=argparse.REMAINDER, help="what the program receives"
    )


def _run(options: argparse.Namespace) -> int:
    try:
        _apply_settings(options)
    except ValueError as error:
        print(f"tpuref run: {error}", file=sys.stderr)
        return 2
    if not os.path.exists(options.script):
        print(f"tpuref run: there is no file {options.script!r}", file=sys.stderr)
        return 2
    sys.argv = [options.script, *options.arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.script)))
    runpy.run_path(options.script, run_name="__main__")
    return 0


def _apply_settings(options: argparse.Namespace) -> None:
    from tpuref.runtime.topology import Topology

    if options.topology is not None:
        Topology.parse_mesh(options.topology)
        config.topology = options.topology
    if options.cores is not None:
        config.cores = options.cores
    if options.executor is not None:
        config.executor = options.executor


def _doctor(options: argparse.Namespace) -> int:
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


def _conformance(arguments: list[str]) -> int:
    _find_suite_of_checkout()
    try:
        from tpuref_conformance import main as conformance
    except ImportError:
        print(
            "tpuref conformance: the suite is not installed; install tpuref with pip",
            file=sys.stderr,
        )
        return 2
    status: int = conformance(arguments)
    return status


def _find_suite_of_checkout() -> None:
    """Make the suite importable where it lies beside ``src`` and is not installed."""
    name = "tpuref_conformance"
    if name in sys.modules or importlib.util.find_spec(name) is not None:
        return
    suite = os.path.abspath(os.path.join(__file__, "../../../conformance/__init__.py"))
    if not os.path.exists(suite):
        return
    spec = importlib.util.spec_from_file_location(name, suite)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
