"""``tpuref bench``: measure, and show or write down what came out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tpuref.benchmarks import (
    all_reduce,
    digits,
    machine,
    padding,
    page,
    sharding,
    start,
    step,
)
from tpuref.benchmarks.extent import Extent
from tpuref.benchmarks.table import Table

NAME = "bench"

BENCHMARKS: dict[str, Callable[[Extent], list[Table]]] = {
    "all-reduce": all_reduce.tables,
    "step": step.tables,
    "sharding": sharding.tables,
    "padding": padding.tables,
    "start": start.tables,
    "digits": digits.tables,
}


def main(arguments: Sequence[str]) -> int:
    """Carry the command out and return its exit status."""
    options = _parser().parse_args(arguments)
    extent = Extent(quick=options.quick, peers=options.peers, report=_report)
    facts = machine.description()
    tables = [
        table
        for name in options.benchmark or BENCHMARKS
        for table in BENCHMARKS[name](extent)
    ]
    if options.json:
        record = {"machine": facts, "tables": [table.as_json() for table in tables]}
        print(page.dumped(record), end="")
    else:
        _print(facts, tables)
    if options.write_docs is not None:
        for complaint in page.write_page(options.write_docs, facts, tables):
            print(f"tpuref bench: {complaint}", file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tpuref bench",
        description="Measure tpuref side by side with other libraries, in turns. "
        f"BENCHMARK is any of {', '.join(BENCHMARKS)}; all are run if none is named.",
        epilog="The other libraries: python3 -m pip install 'tpuref[bench]'",
    )
    parser.add_argument("benchmark", nargs="*", metavar="BENCHMARK", type=_known)
    parser.add_argument(
        "--quick", action="store_true", help="a few small points in few rounds"
    )
    parser.add_argument(
        "--peers",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="measure MPICH, Gloo, JAX and PyTorch too, where they are installed",
    )
    parser.add_argument(
        "--json", action="store_true", help="print everything as one JSON object"
    )
    parser.add_argument(
        "--write-docs",
        metavar="DIR",
        type=Path,
        help="write DIR/performance.md, with plots and samples in DIR/performance/",
    )
    return parser


def _known(name: str) -> str:
    if name not in BENCHMARKS:
        raise argparse.ArgumentTypeError(
            f"there is no {name!r}; there are {', '.join(BENCHMARKS)}"
        )
    return name


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _print(facts: dict[str, str], tables: list[Table]) -> None:
    for name, fact in facts.items():
        print(f"{name}: {fact}")
    for table in tables:
        print(f"\n{table.as_text()}")
