"""``tpuref bench``: measure, and print or write the results."""

import argparse
import os
import sys
from collections.abc import Callable

from tpuref.engine.runtime.executor import has_pool
from tpuref.tools.benchmarks import (
    all_reduce,
    machine,
    page,
    start,
    steps,
    whole_programs,
)
from tpuref.tools.benchmarks.extent import Extent
from tpuref.tools.benchmarks.table import Table

BENCHMARKS: dict[str, Callable[[Extent], list[Table]]] = {
    "all-reduce": all_reduce.tables,
    "steps": steps.tables,
    "start": start.tables,
    "programs": whole_programs.tables,
}


def run(options: argparse.Namespace) -> int:
    """Run ``tpuref bench`` and return its exit status."""
    if not has_pool():
        _report("tpuref bench: measures the core pool, which needs Linux")
        return 2
    if options.write_docs is not None and not os.access(options.write_docs, os.W_OK):
        folder = options.write_docs
        _report(f"tpuref bench: --write-docs needs a writable folder, got {folder}")
        return 2
    extent = Extent(
        quick=options.quick,
        peers=options.peers,
        tensorflow=tuple(options.tensorflow),
        report=_report,
    )
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
        page.write_page(options.write_docs, facts, tables)
    return 0


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _print(facts: dict[str, str], tables: list[Table]) -> None:
    for name, fact in facts.items():
        print(f"{name}: {fact}")
    for table in tables:
        print(f"\n{table.as_text()}")
