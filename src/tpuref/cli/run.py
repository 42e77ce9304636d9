"""The command ``tpuref run``: a script on a chosen topology."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from tpuref.configuration import EXECUTORS, config

NAME = "run"

Commands = argparse._SubParsersAction  # the type has no public name


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command to those of ``tpuref``."""
    run = commands.add_parser(
        NAME,
        help="run a script on a chosen topology",
        description="Run SCRIPT as python would, on a TPU system of the given size.",
        epilog="example: tpuref run --topology 2x2x2 train.py --steps 100",
    )
    add_script(run)


def add_script(command: argparse.ArgumentParser) -> None:
    """Add the options that say which script runs on which system."""
    size = command.add_mutually_exclusive_group()
    size.add_argument(
        "--topology", metavar="XxYxC", help="chips along x and y, and cores per chip"
    )
    size.add_argument("--cores", type=int, metavar="N", help="the number of cores")
    command.add_argument("--executor", choices=EXECUTORS, help="what runs the replicas")
    command.add_argument("script", metavar="SCRIPT", help="the program to run")
    command.add_argument(
        "arguments", nargs=argparse.REMAINDER, help="what the program receives"
    )


def run(options: argparse.Namespace) -> int:
    """Run the script as the main program, and return the exit status."""
    try:
        apply_settings(options)
    except ValueError as error:
        print(f"tpuref run: {error}", file=sys.stderr)
        return 2
    run_script(options)
    return 0


def run_script(options: argparse.Namespace) -> None:
    """Run the script as the main program."""
    sys.argv = [options.script, *options.arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(options.script)))
    runpy.run_path(options.script, run_name="__main__")


def apply_settings(options: argparse.Namespace) -> None:
    """Set the size of the system and what runs the replicas.

    Raises
    ------
    ValueError
        If there is no such system, or no such script.
    """
    from tpuref.runtime.topology import Topology

    if options.topology is not None:
        Topology.parse_mesh(options.topology)
        config.topology = options.topology
    if options.cores is not None:
        config.cores = options.cores
    if options.executor is not None:
        config.executor = options.executor
    if not os.path.exists(options.script):
        raise ValueError(f"there is no file {options.script!r}")
