"""The command ``tpuref bench``: measure, and show or write down what came out."""

from __future__ import annotations

import argparse
from pathlib import Path

NAME = "bench"

BENCHMARKS = ("all-reduce", "step", "sharding", "padding", "start", "digits")
"""The names of `tpuref.benchmarks.command.BENCHMARKS`, which takes long to import."""

Commands = argparse._SubParsersAction  # the type has no public name

_EPILOG = """examples:
  tpuref bench --quick --no-peers
  tpuref bench all-reduce step --json
  tpuref bench --write-docs docs

The other libraries: pip install 'tpuref[bench]'"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the command to those of ``tpuref``."""
    bench = commands.add_parser(
        NAME,
        help="measure it beside other libraries",
        description="Measure tpuref side by side with other libraries, in turns. "
        f"BENCHMARK is any of {', '.join(BENCHMARKS)}; all are run if none is named.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    bench.add_argument("benchmark", nargs="*", metavar="BENCHMARK", type=_known)
    bench.add_argument(
        "--quick", action="store_true", help="a few small points in few rounds"
    )
    bench.add_argument(
        "--peers",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="measure MPICH, Gloo, JAX and PyTorch too, where they are installed",
    )
    bench.add_argument(
        "--json", action="store_true", help="print everything as one JSON object"
    )
    bench.add_argument(
        "--write-docs",
        metavar="DIR",
        type=Path,
        help="write DIR/performance.md, with plots and samples in DIR/performance/",
    )


def run(options: argparse.Namespace) -> int:
    """Measure, and return the exit status."""
    from tpuref.benchmarks import command

    return command.run(options)


def _known(name: str) -> str:
    if name not in BENCHMARKS:
        raise argparse.ArgumentTypeError(
            f"there is no {name!r}; there are {', '.join(BENCHMARKS)}"
        )
    return name
