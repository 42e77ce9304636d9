"""The ``tpuref`` command; each of its commands is a module."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tpuref.benchmarks import command as bench
from tpuref.cli import conformance, doctor, run, topology, trace
from tpuref.testing import command as fake_cloud_tpu
from tpuref.version import __version__

COMMANDS = (run, trace, doctor, topology, fake_cloud_tpu)
"""Those with arguments of their own: ``NAME``, ``add`` and ``run`` of each."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == [conformance.NAME]:
        return conformance.run(arguments[1:])
    if arguments[:1] == [bench.NAME]:
        return bench.main(arguments[1:])
    parser = _parser()
    options = parser.parse_args(arguments)
    for command in COMMANDS:
        if options.command == command.NAME:
            status: int = command.run(options)
            return status
    parser.print_help()
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tpuref",
        description="TensorFlow's documented TPU interface, on CPU cores.",
    )
    parser.add_argument("--version", action="version", version=f"tpuref {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    commands.add_parser(
        bench.NAME,
        help="measure it beside other libraries (see tpuref bench --help)",
    )
    commands.add_parser(
        conformance.NAME,
        help="check every documented statement (see tpuref conformance --help)",
    )
    return parser
