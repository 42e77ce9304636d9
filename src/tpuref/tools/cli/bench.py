"""The command ``tpuref bench``: measure, and print or write the results."""

import argparse
from pathlib import Path

from tpuref.base.extras import install_line

NAME = "bench"

BENCHMARKS = ("all-reduce", "steps", "start", "programs")
"""The names of `benchmarks.command.BENCHMARKS`, which is slow to import."""

HELP = "compare tpuref's speed with other libraries'"
DESCRIPTION = (
    "Measure tpuref and other libraries in turns. "
    f"BENCHMARK is any of {', '.join(BENCHMARKS)}; the default is all."
)
EPILOG = f"""examples:
  tpuref bench --quick --no-peers
  tpuref bench all-reduce steps --json
  tpuref bench --write-docs docs

To install the other libraries: {install_line("tpuref[bench]")}"""


def add(bench: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    names = bench.add_argument("benchmark", nargs="*", metavar="BENCHMARK", type=_known)
    names.completer = lambda **_: BENCHMARKS  # type: ignore[attr-defined]
    bench.add_argument(
        "--quick", action="store_true", help="measure a few small cases in few rounds"
    )
    bench.add_argument(
        "--peers",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="also measure MPICH, Gloo, JAX and PyTorch, if installed",
    )
    bench.add_argument(
        "--tensorflow",
        metavar="PYTHON",
        action="append",
        default=[],
        help="also run the programs in this interpreter's TensorFlow; may be repeated",
    )
    bench.add_argument(
        "--json", action="store_true", help="print everything as one JSON object"
    )
    bench.add_argument(
        "--write-docs",
        metavar="DIR",
        type=Path,
        help="write DIR/performance.md, with samples in DIR/performance/",
    )


def run(options: argparse.Namespace) -> int:
    """Measure, and return the exit status."""
    from tpuref.tools.benchmarks import command

    return command.run(options)


def _known(name: str) -> str:
    if name not in BENCHMARKS:
        raise argparse.ArgumentTypeError(
            f"there is no benchmark {name!r}; choose from {', '.join(BENCHMARKS)}"
        )
    return name
